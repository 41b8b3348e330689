"""What agents are told: word for word, in a form that they can read."""

import tomllib
from pathlib import Path

import pytest
import yaml
from tests.unit.workers.installation.goldens import CASES, golden, path

from supervisor_ai.control.ports.agent_installation import InstallationScope
from supervisor_ai.control.sessions.calls import calls_for
from supervisor_ai.domain.errors import NotFound
from supervisor_ai.domain.session.members import MemberRole
from supervisor_ai.workers.installation.recipe import (
    RECIPES,
    Order,
    WantedPage,
    find_recipe,
)


def pages(agent: str, role: MemberRole = MemberRole.COORDINATOR) -> dict[str, str]:
    order = Order(
        scope=InstallationScope.PROJECT, role=role, session="s1", program=("/my bin/supervisor",)
    )
    found = find_recipe(agent).wanted(order)
    return {it.path: it.text for it in found if isinstance(it, WantedPage)}


@pytest.mark.parametrize(("agent", "role", "scope"), CASES)
def test_the_texts_are_as_they_were_agreed(
    agent: str, role: MemberRole, scope: InstallationScope
) -> None:
    kept = path(agent, role, scope)
    assert golden(agent, role, scope) == kept.read_text(), "see goldens.py for how to write it anew"


@pytest.mark.parametrize("agent", RECIPES)
def test_front_matter_and_toml_can_be_read(agent: str) -> None:
    for place, text in pages(agent).items():
        if place.endswith(".toml"):
            told = tomllib.loads(text)
            assert told["description"]
            assert "'/my bin/supervisor'" in (told.get("prompt") or told["developer_instructions"])
        else:
            _, front, body = text.split("---\n", 2)
            assert yaml.safe_load(front).keys() >= {"name", "description"}
            assert body.strip()


def test_the_agent_of_claude_is_called_and_coloured_as_teams_know_it() -> None:
    front = pages("claude")[".claude/agents/team-supervisor.md"].split("---\n")[1]
    told = yaml.safe_load(front)
    assert (told["name"], told["color"]) == ("team-supervisor", "cyan")


@pytest.mark.parametrize("agent", RECIPES)
def test_only_a_coordinator_has_somebody_to_carry_requests(agent: str) -> None:
    assert any("team-supervisor" in it for it in pages(agent))
    assert not any("team-supervisor" in it for it in pages(agent, MemberRole.WORKER))


def test_an_agent_that_is_not_known_is_told_with_the_nearest_name() -> None:
    with pytest.raises(NotFound) as caught:
        find_recipe("claud")
    assert caught.value.hint == "Did you mean 'claude'?"


def test_the_users_directory_can_be_elsewhere() -> None:
    find = find_recipe("codex").place
    home = Path("/home/me")
    environment = {"CODEX_HOME": "/srv/codex"}
    assert find(InstallationScope.USER, home, environment) == (Path("/srv/codex"), "")
    assert find(InstallationScope.USER, home, {}) == (home, ".codex/")
    assert find(InstallationScope.PROJECT, home, environment) == (home, ".codex/")


@pytest.mark.parametrize("role", [MemberRole.WORKER, MemberRole.OBSERVER, MemberRole.COORDINATOR])
def test_every_tool_that_is_named_is_one_of_the_role(role: MemberRole) -> None:
    text = pages("claude", role)[".claude/skills/supervisor/SKILL.md"]
    named = {it.split("`")[0] for it in text.split("mcp__supervisor__")[1:]}
    assert named <= {call.name for call in calls_for(role)}
    assert {"team_msg", "task_list"} <= named

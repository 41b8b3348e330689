"""Flags of roles: passed on, in effect anyway, or refused with a reason."""

from collections.abc import Iterator

import pytest
from tests.unit.definitions.project_files import COMMIT
from tests.unit.definitions.roles.scene import Scene

from supervisor_ai.definitions.schema.cli_flags import passed_on, role_flags
from supervisor_ai.domain.run.definition import McpServer, Role
from supervisor_ai.workers.agents import PROFILES
from supervisor_ai.workers.launch.launcher import Launcher
from supervisor_ai.workers.launch.order import LaunchOrder
from supervisor_ai.workers.launch.profile import LaunchProfile

STRICT = "roles/planner.yaml"
EVERYTHING = LaunchOrder(
    model="m",
    system_prompt="p",
    allowed_tools=("read_file",),
    mcp_servers=(McpServer(name="s", command=("x",)),),
    max_turns=3,
)
SETTINGS = frozenset({"-c", "--disable", "-"})
"""Where codex's settings are said, one after the other, and where its prompt comes from."""


def own_words(profile: LaunchProfile) -> Iterator[str]:
    words = Launcher(profile).plan(EVERYTHING).words
    return (word for word in words if word.startswith("-") and word not in SETTINGS)


@pytest.mark.parametrize("profile", PROFILES.values(), ids=list(PROFILES))
def test_nothing_that_we_say_ourselves_can_be_said_again(profile: LaunchProfile) -> None:
    for word in own_words(profile):
        try:
            role_flags([word])
        except ValueError:
            continue
        assert passed_on([word]) == (), word


@pytest.mark.parametrize("profile", PROFILES.values(), ids=list(PROFILES))
def test_a_cli_is_started_with_the_flags_of_its_role(profile: LaunchProfile) -> None:
    without = Launcher(profile).plan(LaunchOrder()).words
    flags = ("--effort", "high")
    words = Launcher(profile).plan(LaunchOrder(flags=flags)).words
    before = len(without) - len(profile.last_words)
    assert words == (*without[:before], *flags, *without[before:])


@pytest.mark.parametrize(
    "flags",
    [
        ["-p", "--output-format", "json"],
        ["exec", "--json"],
        ["-o", "json", "--yolo"],
        ["--output-format=stream-json"],
        ["--dangerously-skip-permissions"],
    ],
)
def test_what_holds_anyway_is_accepted_and_not_said_twice(flags: list[str]) -> None:
    assert role_flags(flags) == flags
    assert passed_on(flags) == ()


@pytest.mark.parametrize(
    ("flags", "problem"),
    [
        (["--output-format", "text"], "--output-format 'text' contradicts how supervisor starts"),
        (["--approval-mode=plan"], "--approval-mode 'plan' contradicts"),
        (["--model", "opus"], "name the model after a colon"),
        (["--resume=abc"], "every attempt begins afresh"),
        (["--permission-mode", "bypassPermissions"], "keeps the CLI to its task"),
        (["--dangerously-bypass-approvals-and-sandbox"], "keeps the CLI to its task"),
        (["do", "evil"], "'do' is no flag"),
        (["--effort", "a\0b"], "null character"),
    ],
)
def test_what_cannot_be_passed_on_is_refused(flags: list[str], problem: str) -> None:
    with pytest.raises(ValueError, match=problem):
        role_flags(flags)


def planner(scene: Scene, text: str, config: str = "") -> Role:
    scene.write({STRICT: f"extends: planner\n{text}", "config.yaml": config})
    return scene.catalog.load(COMMIT, workflow="standard", cli=None).definition.roles["planner"]


def test_flags_are_pinned_for_the_agent_that_the_role_names(scene: Scene) -> None:
    role = planner(scene, "cli: codex\nflags: [exec, --json, --effort, high, --fast]\n")
    assert role.flags == ("--effort", "high", "--fast")
    assert role.flags_of("codex") == role.flags
    assert role.flags_of("claude") == ()


def test_the_flags_of_a_child_replace_its_parents(scene: Scene) -> None:
    scene.write({"~/roles/planner.yaml": "flags: [--effort, high]\n"})
    assert planner(scene, "flags: [--pace, high]\n").flags == ("--pace", "high")


def test_flags_of_a_project_need_trust(scene: Scene) -> None:
    scene.write({STRICT: "flags: [-p, --effort, high]\n"})
    [power] = scene.catalog.powers(COMMIT)
    assert (power.key, power.value) == ("flags", '["--effort", "high"]')


def test_flags_that_a_project_inherits_from_the_user_need_trust(scene: Scene) -> None:
    scene.write({"~/roles/own.yaml": "extends: planner\nflags: [--effort, high]\n"})
    scene.write({"roles/mine.yaml": "extends: own\n"})
    [power] = scene.catalog.powers(COMMIT)
    assert (power.key, power.value) == ("extends", '"own"')


def test_an_agent_that_is_no_cli_takes_no_flags(scene: Scene) -> None:
    config = "clis: {mine: {adapter: command, command: [x]}}\n"
    scene.write({STRICT: "cli: mine\nflags: [--effort, high]\n", "config.yaml": config})
    assert scene.refusal().endswith(
        ".supervisor/roles/planner.yaml:2: flags: has no meaning: the agent 'mine' has the adapter "
        "'command'; write them into its `command`"
    )


def test_who_goes_without_the_flags_is_named(scene: Scene) -> None:
    scene.write({STRICT: "flags: [--effort, high]\n", "config.yaml": "fallback: [gemini]\n"})
    loaded = scene.catalog.load(COMMIT, workflow="standard", cli="codex")
    assert loaded.cautions == (
        ".supervisor/roles/planner.yaml:1: flags: --effort high is meant for claude; "
        "not passed on to codex, gemini",
    )

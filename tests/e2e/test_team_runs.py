"""Runs under a team, from the command line: members, refusals, and an end that leaves nothing."""

import json
from pathlib import Path
from typing import Final

import pytest
from tests.e2e.command import QUICK, Json, User, until
from tests.e2e.kanban_project import FILE, kanban_files
from tests.e2e.kanban_project import furnish as furnish_kanban

from supervisor_ai.bootstrap.projects import open_project, read_settings
from supervisor_ai.control.sessions.calls import Room
from supervisor_ai.control.sessions.desk import open_desk
from supervisor_ai.control.sessions.members import Members
from supervisor_ai.domain.errors import Busy, InvalidInput
from supervisor_ai.domain.ids import SessionId
from supervisor_ai.drivers.team.commands.join import WantedMember, join_team
from supervisor_ai.drivers.team.commands.team_desk import TeamDesk
from supervisor_ai.drivers.team.staffing.roles import TeamRole
from supervisor_ai.mcp.member_tools import MemberTools

PLAN: Final = """\
feature:
  id: P1
  title: A small shop
  phases:
    - {id: core, components: [{id: items, files: [src/items.py]}]}
"""


def make_team(user: User) -> None:
    """Make a team whose state the supervisor owns."""
    for words in (("create", "auth"), ("handoff", "auth"), ("ack", "auth")):
        assert user.call("team", *words).code == 0


def team(user: User) -> Json:
    """Return how the team stands."""
    found: Json = user.call("team", "status", "auth", "--json").json["team"]
    return found


def strays(run: str) -> list[int]:
    """Find the processes that a stubborn worker of a run has left, and itself."""
    found = []
    for place in Path("/proc").glob("[0-9]*"):
        try:
            words = (place / "cmdline").read_bytes()
        except OSError:
            continue
        if f"{run}-is-stubborn".encode() in words:
            found.append(int(place.name))
    return found


def test_the_workers_of_a_run_are_members_of_its_team(user: User) -> None:
    make_team(user)
    said = user.run("--workflow", "reviewed", "--team", "auth")
    assert said.code == 0, said.err
    run = said.run["id"]
    [task] = team(user)["tasks"]
    assert (task["id"], task["status"], task["owner"]) == (run, "DONE", f"coder.{run}")
    state = (user.repository / ".claude/teams/auth/state.md").read_text()
    for word in ("CLAIM", "IN_REVIEW", "APPROVED", "DONE"):
        assert f" | {word} | " in state
    shown = user.call("run", "Do it", "--team", "auth", "--workflow", "reviewed", "--dry-run")
    assert "team:auth" in shown.out
    refused = user.call("run", "Do it", "--team", "auth", "--workflow", "quick", "--yes", "--json")
    assert (refused.code, refused.error["kind"]) == (4, "conflict")
    assert "reviews" in refused.error["message"]


def test_a_team_that_there_is_not_is_refused_before_a_run_is_made(user: User) -> None:
    furnish_kanban(user, kanban_files({"look": "Architect"}))
    user.commit({"plan.yaml": PLAN})
    verbs = (
        ("run", "Do it"),
        ("start-task", "Do it"),
        ("kanban", "new", "Do it"),
        ("kanban", "run", FILE),
        ("loop", "run", "Do it"),
        ("feature", "run", "plan.yaml"),
    )
    for words in verbs:
        said = user.call(*words, "--team", "nobody", "--yes", "--json")
        assert said.code == 3, (words, said.out, said.err)
        assert "no team 'nobody'" in said.error["message"]
        assert "team create" in said.error["hint"]
    assert user.newest() is None


def test_a_teardown_ends_a_worker_that_ignores_every_request(user: User) -> None:
    user.script(implement=["stubborn"])
    make_team(user)
    with user.start("run", "Do it", "--yes", "--workflow", "reviewed", "--team", "auth") as going:
        until(lambda: user.newest() is not None, "A run")
        newest = user.newest()
        assert newest is not None
        run = newest["id"]
        until(lambda: bool(strays(run)), "A stubborn process")
        until(lambda: len(team(user)["roster"]) == 2, "Members")
        assert user.call("team", "teardown", "auth").code == 0
        going.communicate()
    assert strays(run) == []
    assert user.call("status", run, "--json").run["status"] == "cancelled"
    assert team(user)["teardown"] == "READY_TO_DELETE"
    assert user.call("team", "delete", "auth").code == 0


def test_an_agent_that_leads_has_the_tools_of_a_lead(user: User) -> None:
    make_team(user)
    project = open_project(user.repository, read_settings(user.environment))
    desk, session = open_desk(project), SessionId("auth")
    members = Members(desk, session, project.actor)
    teams = TeamDesk(desk=desk)
    chief = join_team(teams, "auth", WantedMember(name="boss", role=TeamRole.LEAD), project.actor)
    caller = members.find(chief.token, via="mcp")
    room = Room(project=project, desk=desk, session=session, caller=caller)

    def call(tool: str, /, **told: object) -> Json:
        return dict(MemberTools(room=room).call(tool, told))

    made = call("team_create", name="docs", complexity="SIMPLE")
    assert made["team"]["name"] == "docs"
    assert (user.repository / ".claude/teams/docs/state.md").is_file()
    joined = call("team_join", member="rev", role="unified-reviewer")
    assert joined["member"] == "rev"
    assert joined["token"]
    with pytest.raises(InvalidInput, match="makes somebody else lead"):
        call("team_join", member="chief", role="lead")
    assert call("team_reconcile")["event"] == "STATE_CONSISTENT"
    queued = call("team_serve")["run"]
    assert user.call("status", queued, "--json").run["driver"] == "team"
    with pytest.raises(Busy):
        call("team_serve")
    assert not call("team_delete")["accepted"]
    assert call("team_teardown")["accepted"]
    user.call("team", "ack", "auth", "--of", "shutdown", "--from", "rev")
    assert call("team_delete")["accepted"]


LOOP_AGENT: Final = Path(__file__).with_name("loop_agent.py")
FEATURE_AGENT: Final = Path(__file__).with_name("feature_agent.py")


def finished(user: User) -> list[tuple[str, str]]:
    """Return how the tasks of the team stand, each with the role of its owner."""
    return [(it["status"], it["owner"].partition(".")[0]) for it in team(user)["tasks"]]


def approve_all(user: User) -> None:
    """Let the reviewer of the team agree to everything, and look once more."""
    for task in team(user)["tasks"]:
        user.call("team", "send", "auth", f"APPROVED: task {task['id']}", "--from", "rev")
    user.call("team", "serve", "auth", "--queue", "--yes")
    user.call("serve", "--once")


@pytest.mark.long
def test_a_kanban_runs_under_a_team(newcomer: User) -> None:
    furnish_kanban(newcomer, kanban_files({"look": "Architect", "build": "Implementor"}))
    make_team(newcomer)
    newcomer.call("team", "join", "auth", "rev", "--role", "unified-reviewer")
    said = newcomer.call("kanban", "run", FILE, "--team", "auth", "--yes", "--json")
    assert said.code == 0, said.err
    assert finished(newcomer) == [("IN_REVIEW", "coder")]
    approve_all(newcomer)
    assert finished(newcomer) == [("DONE", "coder")]


@pytest.mark.long
def test_a_loop_runs_under_a_team(newcomer: User) -> None:
    config = """\
cli: my_agent
clis: {my_agent: {adapter: command, command: [python3, tools/agent.py]}}
gates: {test: {command: ["true"]}}
loop: {gates: [test]}
"""
    newcomer.commit(
        {
            ".supervisor/config.yaml": config,
            "tools/agent.py": LOOP_AGENT.read_text(),
            "tools/loop.json": json.dumps({"milestones": [2], "deeds": {"m1_1": ["qa"]}}),
            "app/README": "An app.\n",
        }
    )
    make_team(newcomer)
    said = newcomer.call("loop", "run", "Build", "--team", "auth", "--yes", "--json")
    assert said.code == 0, said.err
    # QA of the loop is a reviewer of its own.
    assert finished(newcomer) == [("DONE", "coder")]
    lines = newcomer.call("events", "--json").out.splitlines()
    words = [json.loads(line)["type"] for line in lines]
    assert {"TaskSentBack", "TaskReopened", "TaskApproved"} <= set(words)


@pytest.mark.long
def test_the_components_of_a_feature_are_tasks_of_a_team(newcomer: User) -> None:
    plan = PLAN.replace("{id: items, files: [src/items.py]}", "{id: a, files: [src/a.py]}")
    more = ", ".join(f"{{id: {it}, files: [src/{it}.py]}}" for it in "bcde")
    config = """\
cli: my_agent
workflow: quick
clis: {my_agent: {adapter: command, command: [python3, tools/agent.py]}}
gates: {test: {command: ["true"]}}
baseline: note
"""
    newcomer.commit(
        {
            ".supervisor/config.yaml": config,
            ".supervisor/workflows/quick.yaml": QUICK,
            "tools/agent.py": FEATURE_AGENT.read_text(),
            "tools/deeds.json": "{}",
            "src/README": "A shop.\n",
            "plan.yaml": plan.replace("a.py]}]", f"a.py]}}, {more}]"),
        }
    )
    make_team(newcomer)
    newcomer.call("team", "join", "auth", "rev", "--role", "unified-reviewer")
    said = newcomer.call("feature", "run", "plan.yaml", "--team", "auth", "--yes", "--json")
    assert said.code == 0, said.err
    assert finished(newcomer) == [("IN_REVIEW", "coder")] * 5
    approve_all(newcomer)
    assert finished(newcomer) == [("DONE", "coder")] * 5

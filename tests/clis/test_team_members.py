"""A team of real CLIs through MCP: one goes silent, one loops, two touch one file, one never stops.

Claude Code and Codex are its coders, Gemini CLI reviews; the Lead is a person at the command line.
The same story with scripted members is `tests/unit/drivers/team/test_member_story.py`.
"""

import json
import shlex
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Final

import pytest
from tests.clis.outside import AgentDesktop, call
from tests.clis.stage import INSTALLED, conversation, require
from tests.clis.vocabulary import Turn
from tests.support.desktop import Json
from tests.support.processes import PATIENCE

from supervisor_ai.bootstrap.projects import (
    open_project,
    open_session_folders,
    read_settings,
)
from supervisor_ai.control.sessions.desk import open_desk
from supervisor_ai.domain.structs import replace
from supervisor_ai.drivers.team.commands.send import EventForm, filled, send_event
from supervisor_ai.drivers.team.commands.team_desk import TeamDesk
from supervisor_ai.drivers.team.commands.upkeep import tend
from supervisor_ai.drivers.team.words import SentWord
from supervisor_ai.lab.server import LabServer

TEAM: Final = "auth"
MEMBERS: Final = {"claude": "coder-1", "codex": "coder-2", "gemini": "rev"}
IN_REVIEW: Final = "IN_REVIEW: task 1. Files: [src/login.py]"
FINDING: Final = "MAJOR (90%): task 1. The session id is guessable. Scenario: count up from 1"


class TeamOfAgents:
    """A project in which three agents of the user's work together."""

    def __init__(self, ground: Path, lab: LabServer) -> None:
        self.desk = AgentDesktop("claude", ground)
        self.lab = lab
        self._later = timedelta()
        self._lead("create", TEAM, "--for", "A login page", "--tasks", "2")
        self._lead("handoff", TEAM)
        self._lead("ack", TEAM)
        self._lead("join", TEAM, "rev", "--role", "unified-reviewer")
        for name in ("coder-1", "coder-2"):
            self._lead("join", TEAM, name, "--role", "coder")
        for task in ("1", "2"):
            self.decide("TASK_ADDED", "--task", task, "--text", f"Part {task}")
        for agent, name in MEMBERS.items():
            self.desk.agent = agent
            self.desk.settle(lab)
            member = ("--role", "worker", "--member", name)
            self.desk.ask("agents", "install", agent, "--session", TEAM, *member, "--yes")

    def _lead(self, *words: str) -> None:
        self.desk.supervisor("team", *words)

    def decide(self, event: str, *words: str) -> Json:
        """Let the Lead send an event."""
        return self.desk.ask("team", "send", TEAM, event, *words, "--current")

    def say(self, agent: str, *turns: Turn) -> None:
        """Let an agent make calls, and end."""
        self.desk.agent = agent
        self.lab.load(conversation(*turns, {"text": "Done."}))
        assert "Done." in self.desk.converse(self.lab, "Go on.")

    def status(self) -> Json:
        found: Json = self.desk.ask("team", "status", TEAM)["team"]
        return found

    def tasks(self) -> dict[str, str]:
        return {it["id"]: it["status"] for it in self.status()["tasks"]}

    def pass_minutes(self, minutes: int, *alive: str) -> list[str]:
        """Look as the resident does, each minute, with a clock that is ahead of the agents'."""
        settings = read_settings(self.desk.environment)
        project = open_project(self.desk.project, settings)
        teams = TeamDesk(
            desk=replace(open_desk(project), now=lambda: datetime.now(UTC) + self._later),
            folders=open_session_folders(self.desk.project, settings),
        )
        words: list[str] = []
        for _ in range(minutes):
            self._later += timedelta(minutes=1)
            for member in alive:
                beat = filled(teams.state(TEAM), EventForm(event=SentWord.HEARTBEAT), member)
                send_event(teams, TEAM, member, beat, project.actor)
            words += tend(teams, TEAM, project.actor).words
        return words


def claim(agent: str, task: str, *files: str) -> Turn:
    asked = {"event": "CLAIM", "task_id": task, "rev": 1, "epoch": 1, "files": list(files)}
    return call(agent, "team_send", actor=MEMBERS[agent], **asked)


def test_three_agents_take_a_task_to_its_approval_without_a_person(tmp_path: Path) -> None:
    """Claude Code leads, Codex codes, Gemini CLI reviews, each started by the line it was given."""
    for agent in INSTALLED:
        require(agent)
    desk = AgentDesktop("claude", tmp_path)
    waits = {"seconds": 45}
    code = "printf 'def greet(): ...\\n' > greet.py && git add greet.py && git commit -qm 'Greet'"
    lead = (
        call("claude", "task_create", taskId="1", subject="Greet the customer"),
        call("claude", "team_wait", **waits),
    )
    coder = (
        call("codex", "team_wait", **waits),
        call("codex", "team_line", text="CLAIM: task 1. Files: [greet.py]"),
        {"tool": {"name": "exec_command", "input": {"cmd": code}}},
        call("codex", "team_line", text="IN_REVIEW: task 1. Files: [greet.py]"),
        call("codex", "team_wait", **waits),
        call("codex", "team_line", text="DONE: task 1"),
    )
    reviewer = (
        call("gemini", "team_wait", **waits),
        call("gemini", "team_line", text="APPROVED: task 1"),
    )
    script = {
        "scenarios": [
            {"cursor": "history", "match": f"Work as {name} of", "turns": [*turns, {"text": "-"}]}
            for name, turns in (("lead", lead), ("coder-1", coder), ("reviewer-1", reviewer))
        ]
    }
    with LabServer(script) as lab:
        for agent in INSTALLED:
            desk.agent = agent
            desk.settle(lab)
        wanted = ("claude:lead", "codex:coder-1", "gemini:reviewer-1")
        members = desk.ask(
            *("team", "create", TEAM),
            *(word for it in wanted for word in ("--member", it)),
        )["members"]
        started = [
            desk.play(lab, it["agent"], shlex.split(it["start"]), Path(it["directory"]))
            for it in members
        ]
        for member, played in zip(members, started, strict=True):
            with played:
                out, err = played.communicate(timeout=PATIENCE)
            assert played.returncode == 0, (member, out, err)
        team = desk.ask("team", "status", TEAM)["team"]
    (task,) = team["tasks"]
    assert (task["status"], task["owner"]) == ("DONE", "coder-1"), lab.requests[-1].body
    assert task["approvals"] == ["unified-reviewer"]
    told = "\n".join(json.dumps(it.body) for it in lab.requests)
    for line in (
        *("There is task #1", "coder-1 asks for your review of task #1"),
        *("reviewer-1 approved task #1. Say DONE: task 1.", "Task #1 of coder-1 is done."),
        "How to work as reviewer-1, the unified-reviewer of team auth",
    ):
        assert line in told
    assert desk.git("status", "--short") == ""
    landed = desk.git("log", "--format=%s", "--name-only", "-1", f"team/{TEAM}/coder-1")
    assert landed.split() == ["Greet", "greet.py"]


@pytest.mark.parametrize("agent", ["claude", "gemini"])
def test_an_agent_reads_its_messages_before_it_stops(tmp_path: Path, agent: str) -> None:
    require(agent)
    desk = AgentDesktop(agent, tmp_path)
    turns = [{"text": "Nothing to do."}, {"text": "Read."}]
    match = "Work as coder-1 of"
    script = {"scenarios": [{"cursor": "history", "match": match, "turns": turns}]}
    with LabServer(script) as lab:
        desk.settle(lab)
        wanted = ("--member", f"{agent}:rev", "--member", f"{agent}:coder-1")
        made = desk.ask("team", "create", TEAM, *wanted, "--todo", "Greet the customer")
        member = made["members"][1]
        line, place = shlex.split(member["start"]), Path(member["directory"])
        with desk.play(lab, agent, line, place) as played:
            out, err = played.communicate(timeout=PATIENCE)
    assert (played.returncode, "Read." in out) == (0, True), (out, err)
    assert "of your team:\\nsupervisor: There is task #1" in json.dumps(lab.requests[-1].body)


@pytest.mark.long
def test_a_team_of_real_agents_is_kept_in_order_until_its_end(tmp_path: Path) -> None:
    for agent in INSTALLED:
        require(agent)
    with LabServer(conversation({"text": "-"})) as lab:
        team = TeamOfAgents(tmp_path, lab)

        # Two touch the same file.
        team.say("claude", call("claude", "team_status"), claim("claude", "1", "src/login.py"))
        team.say("codex", claim("codex", "2", "src/login.py"))
        assert set(team.tasks().values()) == {"OVERLAP_SCOPE"}
        team.decide("ARBITRATION", "--task", "1", "--owner", "coder-1")
        assert team.tasks()["1"] == "IN_PROGRESS"

        # One loops.
        for _ in range(3):
            team.say("claude", call("claude", "team_line", text=IN_REVIEW))
            team.say("gemini", call("gemini", "team_line", text=FINDING))
        assert team.tasks()["1"] == "LOOP_SUSPECTED"

        # One goes silent.
        team.decide("TASK_RELEASED", "--task", "2")
        assert team.tasks()["2"] == "IN_PROGRESS"
        words = team.pass_minutes(70, "coder-1", "rev")
        assert [it for it in words if it in {"PING", "NUDGE", "IDLE_BREACH"}] == [
            *("PING", "NUDGE", "IDLE_BREACH")
        ]
        stages = {it["name"]: it["idle_stage"] for it in team.status()["roster"]}
        assert stages["coder-2"] == "replacement_proposed"
        report = team.desk.supervisor("team", "report", TEAM, "--since", "3h")
        for line in ("LOOP_SUSPECTED task #1", "OVERLAP_SCOPE task #", "IDLE_BREACH"):
            assert line in report

        # And never stops.
        for task in ("1", "2"):
            team.decide("TASK_CANCELLED", "--task", task)
        team.desk.supervisor("team", "teardown", TEAM)
        for agent in ("claude", "gemini"):
            team.say(agent, call(agent, "team_ack", of="shutdown"))
        words = team.pass_minutes(5)
        assert words.count("RETRYING") == 3
        assert team.status()["missing_acks"] == ["coder-2"]
        team.desk.supervisor("team", "delete", TEAM, code=4)
        team.pass_minutes(1)
        assert team.decide("FORCED_FINALIZE_ACK")["accepted"]
        team.pass_minutes(1)
        team.desk.supervisor("team", "delete", TEAM)
    assert team.status()["phase"] == "DELETED"
    folder = team.desk.project / ".claude/teams" / TEAM
    assert "coder-2" in (folder / "TEARDOWN.md").read_text()

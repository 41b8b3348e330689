"""A team of scripted members through their tools: silence, a loop, one file, a missing ACK.

The same story with real CLIs is `tests/clis/test_team_members.py`.
"""

from typing import TYPE_CHECKING, Any, cast

import pytest
from tests.unit.drivers.team.control_scene import ADA, ControlScene

from supervisor_ai.control.sessions.calls import Room
from supervisor_ai.control.sessions.members import Members
from supervisor_ai.domain.errors import Denied, InvalidInput
from supervisor_ai.domain.ids import SessionId
from supervisor_ai.drivers.team.commands.create import WantedTeam, create_team
from supervisor_ai.drivers.team.commands.send import acknowledge, hand_off
from supervisor_ai.drivers.team.commands.teardown import begin_teardown, delete_team
from supervisor_ai.drivers.team.commands.upkeep import tend
from supervisor_ai.drivers.team.machines.liveness import BURST
from supervisor_ai.drivers.team.machines.task import TeamTaskStatus
from supervisor_ai.drivers.team.staffing.roles import TeamRole
from supervisor_ai.drivers.team.text.messages import MessageKind
from supervisor_ai.drivers.team.words import SentWord
from supervisor_ai.mcp.member_tools import LONGEST_WAIT, MemberTools
from supervisor_ai.mcp.server import answer

if TYPE_CHECKING:
    from supervisor_ai.control.project import OpenProject

SESSION = SessionId("red")
ROLES = {
    "rev": TeamRole.UNIFIED_REVIEWER,
    "coder-1": TeamRole.CODER,
    "coder-2": TeamRole.CODER,
    "coder-3": TeamRole.CODER,
}
ISSUE = "The session id is guessable"


class Story(ControlScene):
    """A team whose members speak through tools, each with its own token."""

    def __init__(self) -> None:
        super().__init__()
        hand_off(self.teams, "red", 1, ADA)
        acknowledge(self.teams, "red", 1, ADA)
        self.tools = {it: self._tools(self.join(it, role).token) for it, role in ROLES.items()}
        for task in ("1", "2", "3"):
            self.send("lead", SentWord.TASK_ADDED, task_id=task, subject=f"Task {task}")

    def ask(self, member: str, call: str, **told: object) -> Any:
        return self.tools[member].call(call, told)

    def _tools(self, token: str) -> MemberTools:
        desk = self.teams.desk
        caller = Members(desk, SESSION, ADA).find(token, via="mcp")
        # No call about a team asks anything of the project.
        project = cast("OpenProject", None)
        return MemberTools(room=Room(project=project, desk=desk, session=SESSION, caller=caller))

    def say(self, member: str, event: str, task: str | None = None, **more: object) -> Any:
        """Let a member send an event with what `team_status` tells it."""
        team = self.ask(member, "team_status")["team"]
        told: dict[str, object] = {"event": event, "actor": member, "epoch": team["epoch"], **more}
        if task is not None:
            told |= {"task_id": task, "rev": {it["id"]: it["rev"] for it in team["tasks"]}[task]}
        return self.ask(member, "team_send", **told)

    def status(self, task: str) -> TeamTaskStatus:
        found = self.state.task(task)
        assert found is not None
        return found.status

    def pass_minutes(self, minutes: int, *alive: str) -> list[str]:
        """Let minutes pass in which some are heard of; return what the supervisor did."""
        words: list[str] = []
        for _ in range(minutes):
            self.wait(1)
            for member in alive:
                self.ask(member, "team_send", event="HEARTBEAT", actor=member)
            words += tend(self.teams, "red", ADA).words
        return words


def test_members_are_woken_by_what_is_for_them_and_say_no_more_than_the_task() -> None:
    story = Story()
    shown = story.ask("coder-1", "task_list")
    assert [(it["id"], it["status"], it["owner"]) for it in shown["tasks"]] == [
        *((task, "pending", "") for task in ("1", "2", "3"))
    ]
    assert [it["type"] for it in shown["unread"]] == ["TASK_ADDED"] * 3
    assert "unread" not in story.ask("coder-1", "task_list")
    assert not story.tools["coder-1"].is_ready("team_wait")
    # Who asks, which revision and which epoch it is, the connection and the ledger say.
    assert story.ask("coder-1", "team_send", event="CLAIM", task_id="1")["accepted"]
    assert story.ask("coder-2", "task_update", taskId="2", status="in_progress")["accepted"]
    assert story.ask("coder-1", "team_line", text="IN_REVIEW: task 1. Files: [a.py]")["accepted"]
    assert story.tools["rev"].is_ready("team_wait")
    (asked,) = story.ask("rev", "team_wait", seconds=45)["unread"]
    assert asked["summary"].startswith("coder-1 asks for your review of task #1.")
    early = answer(
        story.tools["coder-1"], "task_update", {"taskId": "1", "status": "completed"}, str
    )
    assert early.is_error
    story.ask("rev", "team_line", text="APPROVED: task 1")
    (heard,) = story.ask("coder-1", "team_wait")["unread"]
    assert heard["summary"] == "rev approved task #1. Say DONE: task 1."
    assert story.ask("coder-1", "task_update", taskId="1", status="completed")["event"] == "DONE"
    assert [it["team_status"] for it in story.ask("rev", "task_list")["tasks"]] == [
        *("DONE", "IN_PROGRESS", "PENDING")
    ]
    with pytest.raises(InvalidInput, match="claimed"):
        story.ask("coder-1", "task_update", taskId="3", status="pending")
    assert story.tools["rev"].patience("team_wait", {"seconds": 900}) == LONGEST_WAIT
    assert story.tools["rev"].patience("task_list", {"seconds": 9}) == 0


def test_every_call_is_a_sign_of_life_and_a_refused_one_too() -> None:
    story = Story()
    story.ask("coder-1", "team_line", text="CLAIM: task 1")
    story.wait(5)
    with pytest.raises(Denied):
        story.ask("coder-1", "task_create", taskId="9", subject="Mine")
    member = story.state.member("coder-1")
    assert member is not None
    assert member.last_activity_at >= story.teams.desk.now()


def test_a_review_that_loops_is_quarantined_and_nothing_else_is() -> None:
    story = Story()
    assert story.say("coder-1", "CLAIM", "1", files=["login.py"])["accepted"]
    assert story.say("coder-2", "CLAIM", "2", files=["shop.py"])["accepted"]
    for _ in range(3):
        story.ask("coder-1", "team_line", text="IN_REVIEW: task 1. Files: [login.py]")
        story.ask("rev", "team_line", text=f"MAJOR (90%): task 1. {ISSUE}. Scenario: count up")
    assert story.status("1") is TeamTaskStatus.LOOP_SUSPECTED
    assert story.status("2") is TeamTaskStatus.IN_PROGRESS
    assert not story.say("coder-1", "IN_REVIEW", "1")["accepted"]
    assert ("coordinator", "LOOP_SUSPECTED") in story.said()


def test_two_who_touch_one_file_are_stopped_until_the_lead_says_who_goes_on() -> None:
    story = Story()
    story.say("coder-1", "CLAIM", "1", files=["login.py"])
    story.say("coder-2", "CLAIM", "2", files=["shared/"])
    story.say("coder-3", "CLAIM", "3", files=["shared/db.py"])
    assert {story.status("2"), story.status("3")} == {TeamTaskStatus.OVERLAP_SCOPE}
    assert story.status("1") is TeamTaskStatus.IN_PROGRESS
    team = story.ask("rev", "team_status")["team"]
    assert "touch the same files" in team["needs_decision"][0]
    story.send("lead", SentWord.ARBITRATION, task_id="2", owner="coder-2")
    assert story.status("2") is TeamTaskStatus.IN_PROGRESS
    assert story.status("3") is not TeamTaskStatus.IN_PROGRESS


def test_who_goes_silent_is_pinged_nudged_and_put_to_the_lead_without_noise() -> None:
    story = Story()
    story.say("coder-2", "CLAIM", "2")
    words = story.pass_minutes(70, "rev", "coder-1", "coder-3")
    staged = [it for it in words if it in {"PING", "NUDGE", "IDLE_BREACH", "REPLACEMENT_PROPOSAL"}]
    assert staged == ["PING", "NUDGE", "IDLE_BREACH", "REPLACEMENT_PROPOSAL"]
    assert len([it for it in story.said("coder-2") if it[1] in {"PING", "NUDGE"}]) <= BURST
    report = story.ask("coder-1", "team_report", minutes=60)
    assert "IDLE_BREACH task #2 owner=coder-2" in report["text"]
    assert report["report"]["needs_decision"]
    assert story.say("coder-2", "PROGRESS", "2")["accepted"]
    assert story.ask("rev", "team_status")["team"]["alerts"] == ()


def test_a_teardown_with_a_missing_ack_ends_only_with_the_leads_yes() -> None:
    story = Story()
    for task in ("1", "2", "3"):
        story.send("lead", SentWord.TASK_CANCELLED, task_id=task)
    assert begin_teardown(story.teams, "red", ADA).accepted
    for member in ("rev", "coder-1", "coder-3"):
        assert story.ask(member, "team_ack", of="shutdown")["accepted"]
    words = story.pass_minutes(5)
    assert words.count("RETRYING") == 3
    assert "FORCED_FINALIZE_CANDIDATE" in words
    assert not delete_team(story.teams, "red", ADA).accepted
    assert not story.ask("rev", "team_ack", of="finalize")["accepted"]
    assert story.send("lead", SentWord.FORCED_FINALIZE_ACK).accepted
    tend(story.teams, "red", ADA)
    assert delete_team(story.teams, "red", ADA).accepted
    assert b"coder-2" in story.files["TEARDOWN.md"]
    assert "## Phase: DELETED" in story.page


def test_a_team_speaks_in_its_own_words() -> None:
    story = ControlScene()
    words = {"gentle_ping": "{member}, how is #{id}?"}
    create_team(story.teams, WantedTeam(name="blue", directory="/x", messages=words), ADA)
    assert story.teams.templates("blue").own == {MessageKind.GENTLE_PING: words["gentle_ping"]}
    assert story.teams.templates("red").own == {}
    with pytest.raises(InvalidInput, match="unknown placeholders"):
        create_team(
            story.teams,
            WantedTeam(name="green", directory="/x", messages={"gentle_ping": "{secret}"}),
            ADA,
        )

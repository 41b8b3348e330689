"""How a team is shown: all of it, in words that faces share."""

from datetime import timedelta

from inline_snapshot import snapshot
from msgspec import to_builtins
from tests.unit.drivers.team.scene import START, TeamScene, working

from supervisor_ai.domain.ids import ArtifactHash
from supervisor_ai.drivers.team.decisions.turn import TeamTurn
from supervisor_ai.drivers.team.event_kinds import reconcile as r
from supervisor_ai.drivers.team.event_kinds.ownership import SplitBrainDetected
from supervisor_ai.drivers.team.folder.state_page import render_state
from supervisor_ai.drivers.team.folder.state_reader import read_state
from supervisor_ai.drivers.team.folder.team_page import page_of
from supervisor_ai.drivers.team.queries.live import live_of
from supervisor_ai.drivers.team.queries.questions import decision_request, questions
from supervisor_ai.drivers.team.queries.reports import report_of
from supervisor_ai.drivers.team.queries.status import TeamStatus, phase_of, status_of
from supervisor_ai.drivers.team.staffing.roles import TeamRole
from supervisor_ai.drivers.team.state import TeamState
from supervisor_ai.drivers.team.text.report import (
    ActionType,
    AlertType,
    read_report,
    render_report,
)
from supervisor_ai.drivers.team.words import SentWord


def said(artifact: ArtifactHash) -> str:
    return f"the text of {artifact}"


def shown(scene: TeamScene) -> TeamStatus:
    found = status_of(scene.state, said)
    assert found is not None
    return found


def test_a_team_that_was_never_made_is_not_shown() -> None:
    assert status_of(TeamState(), said) is None


def test_the_keys_that_others_rely_on_are_there() -> None:
    scene = working()
    scene.claim("1", "ada", "a.py")
    found = to_builtins(shown(scene))
    assert {"name", "owner", "epoch", "lock", "teardown", "roster", "tasks", "alerts"} <= set(found)
    assert (found["owner"], found["epoch"]) == ("supervisor@1", 1)
    assert (found["lock"], found["teardown"], found["phase"]) == ("OPEN", "NONE", "EXECUTION")
    assert found["tasks"] == snapshot(
        (
            {
                "id": "1",
                "subject": "the text of subject",
                "status": "IN_PROGRESS",
                "rev": 1,
                "owner": "ada",
                "complexity": "SIMPLE",
                "tier": "SIMPLE",
                "approvals": (),
                "waits_for": ("unified-reviewer",),
                "files": ("a.py",),
            },
        )
    )
    assert {it["name"]: it["tasks"] for it in found["roster"]}["ada"] == ("1",)
    assert found["counts"] == {"members": 4, "tasks": 1, "open_tasks": 1, "alerts": 0}


def test_the_phases_follow_the_teams_life() -> None:
    scene = TeamScene()
    assert phase_of(scene.state) == "BOOTSTRAP"
    scene.send(SentWord.STATE_OWNERSHIP_HANDOFF, "lead", epoch=1)
    assert phase_of(scene.state) == "HANDOFF"
    scene.send(SentWord.STATE_OWNERSHIP_ACK, "supervisor", epoch=1)
    assert phase_of(scene.state) == "EXECUTION"
    scene.teardown()
    scene.look()
    assert phase_of(scene.state) == "TEARDOWN"
    scene.send(SentWord.SHUTDOWN_ACK, "supervisor")
    scene.look()
    scene.finish()
    scene.look()
    scene.delete()
    assert phase_of(scene.state) == "DELETED"


def silent() -> TeamScene:
    """A team in which a coder who claimed a task says nothing for an hour."""
    scene = working()
    scene.claim("1")
    for _ in range(80):
        scene.wait(1)
        for name in ("rev", "tech", "bob"):
            scene.send(SentWord.HEARTBEAT, name)
        scene.look()
    return scene


def test_a_silent_member_is_in_the_report_until_it_is_heard_of() -> None:
    scene = silent()
    report = report_of(scene.state, scene.facts, START, scene.now)
    assert [it.event_type for it in report.alerts] == [AlertType.IDLE_BREACH]
    assert report.alerts[0].owner == "ada"
    assert report.alerts[0].task == "1"
    assert report.actions[:3] == (ActionType.PING, ActionType.NUDGE, ActionType.ESCALATE)
    assert report.decision is not None
    assert "ada" in report.decision
    assert read_report(render_report(report)) is not None
    assert shown(scene).alerts[0].event_type == "IDLE_BREACH"


def test_a_report_tells_only_what_is_in_its_window() -> None:
    scene = silent()
    scene.send(SentWord.PROGRESS, "ada", task_id="1")
    scene.look()
    later = report_of(scene.state, scene.facts, scene.now + timedelta(1), scene.now + timedelta(2))
    assert (later.alerts, later.actions) == ((), ())
    assert later.decision is None
    assert later.healthy == sum(1 for _ in scene.state.roster())


def test_everything_that_waits_for_the_lead_is_asked() -> None:
    scene = working()
    scene.claim("1", "ada", "a.py")
    scene.send(SentWord.CLAIM, "bob", task_id="1")
    scene.claim("2", "bob", "x.py")
    scene.claim("3", "ada", "x.py")
    scene.review("4", "ada")
    scene.send(SentWord.REVIEW_LOOP, "ada", task_id="4")
    scene.claim("5", "bob")
    scene.send(SentWord.STUCK, "bob", task_id="5")
    scene.claim("6", "bob")
    scene.send(SentWord.ESCALATE_TO_MEDIUM, "bob", task_id="6")
    scene.send(SentWord.TOOL_UNAVAILABLE, "ada", task_id="1", tool="WebSearch")
    asked = list(questions(scene.state))
    assert asked == snapshot(
        [
            "ARBITRATION: who goes on with task #1, ada or bob?",
            "ARBITRATION: task #2 and task #3 touch the same files; which goes on?",
            "task #4 loops: clarify acceptance criteria, swap owner, or ask the Tech Lead?",
            "task #5 is stuck: release it, reassign it, or cancel it?",
            "TOOL_UNAVAILABLE WebSearch: skip, retry or proceed with a caveat?",
            "Spawn specialized reviewers for task #6?",
        ]
    )
    assert decision_request(scene.state) == f"{asked[0]} ({len(asked) - 1} more to decide)"


def test_a_state_that_is_locked_is_asked_about_first() -> None:
    scene = working()
    by = TeamTurn(scene.state, scene.now).by("supervisor")
    scene.record(SplitBrainDetected(**by, owners=("a", "b")))
    scene.record(r.ReconcileLockEntered(**by, reason=r.LockReason.SPLIT_BRAIN))
    assert decision_request(scene.state) == (
        "SPLIT_BRAIN_DETECTED: who owns epoch 1? ARBITRATION --owner a or --owner b"
    )
    assert shown(scene).lock == "RECONCILE_LOCK"
    scene.record(r.SnapshotNotFound(**by))
    assert shown(scene).lock == "STATE_FROZEN"
    assert "STATE_FROZEN" in list(questions(scene.state))[1]


def test_an_edit_is_put_to_the_lead_with_its_tasks() -> None:
    scene = working()
    by = TeamTurn(scene.state, scene.now).by("supervisor")
    scene.record(r.StateDiverged(**by, found="", edit=None))
    scene.record(r.ReconcileLockEntered(**by, reason=r.LockReason.DIVERGENCE))
    plan = r.RollbackPlanned(
        **by,
        replay_index=1,
        snapshot_hash="h",
        checks=(),
        replayed=0,
        reason="edit",
        tasks=("1", "2"),
        diff=ArtifactHash("d"),
        needs_ack=True,
    )
    scene.record(plan)
    request = "RECONCILE_ACK: roll back the edit of state.md that touches #1, #2?"
    assert decision_request(scene.state) == request


def test_the_page_of_a_team_is_read_back() -> None:
    scene = silent()
    scene.join("carl", TeamRole.CODER)
    scene.leave("bob")
    log = list(enumerate(scene.facts, start=1))
    page = page_of(scene.state, log, said, lambda it: it[:400])
    text, identity = render_state(page)
    assert read_state(text.encode()) == page
    assert identity.replay_index == scene.state.index
    assert "- supervisor: ACTIVE\n" in text
    assert "- bob: LEFT" in text
    assert "- ada (coder): ACTIVE, coding, replacement_proposed" in text
    assert "- security-reviewer: NOT_SPAWNED" in text
    assert "- #1: the text of subject — IN_PROGRESS (ada)" in text
    assert "- MEDIUM: active reviewers of the task + tech-lead" in text
    assert "| ACTIVITY |" not in text
    assert "| STATE_OWNERSHIP_ACK | supervisor | epoch=" in text


def test_a_screen_has_everything_that_needs_somebody_above_the_tasks() -> None:
    scene = silent()
    scene.claim("2", "bob")
    scene.send(SentWord.STUCK, "bob", task_id="2")
    live = live_of(shown(scene), scene.now)
    panels = {panel.title: panel for panel in live.panels}
    assert [*panels] == ["Ownership", "Needs decision", "Alerts", "Roster"]
    assert panels["Ownership"].rows[1] == ("supervisor@1", "1", "OPEN", "NONE", "-")
    assert panels["Ownership"].alerts == frozenset()
    assert len(panels["Needs decision"].alerts) == len(panels["Needs decision"].rows) - 1
    assert panels["Roster"].rows[1][:4] == ("ada", "coder", "coding", "replacement_proposed")
    assert panels["Roster"].alerts == {0}
    assert [it.severity for it in shown(scene).alerts].index("CRITICAL") in panels["Alerts"].alerts
    assert [(it.name, it.state, it.who, it.is_current) for it in live.tasks] == [
        ("#1", "IN_PROGRESS", "ada", False),
        ("#2", "STUCK", "bob", True),
    ]

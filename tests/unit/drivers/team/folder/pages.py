"""Pages and notes of a team that tests begin with."""

from datetime import UTC, datetime, timedelta

from supervisor_ai.drivers.team.folder.decisions_page import new_decisions
from supervisor_ai.drivers.team.folder.model import RosterEntry, StateLogEntry, StatePage, TaskEntry
from supervisor_ai.drivers.team.staffing.complexity import TeamComplexity
from supervisor_ai.drivers.team.text.notes import DecisionNote, DecisionsMarker

AT = datetime(2031, 5, 6, 7, 0, tzinfo=UTC)
PAGE = StatePage(
    team="auth",
    phase="EXECUTION",
    complexity=TeamComplexity.MEDIUM,
    epoch=2,
    owner="supervisor",
    lock="OPEN",
    replay_index=3,
    roster=(
        RosterEntry(name="lead", role="lead", status="ACTIVE"),
        RosterEntry(
            name="coder-1", role="coder", status="ACTIVE", wait_reason="coding", idle_stage="pinged"
        ),
        RosterEntry(name="tech-lead", role="tech-lead", status="NOT_SPAWNED"),
    ),
    matrix={"SIMPLE": ("unified-reviewer",), "MEDIUM": ("logic-reviewer", "tech-lead")},
    tasks=(
        TaskEntry(id="1", subject="Log in — at last", status="IN_REVIEW", assignment="coder-1"),
        TaskEntry(id="2", subject="Log out", status="OPEN"),
    ),
    log=(
        StateLogEntry(index=2, at=AT, event="STATE_OWNERSHIP_ACK", actor="supervisor", epoch=2),
        StateLogEntry(
            index=3,
            at=AT + timedelta(minutes=1),
            event="IN_REVIEW",
            actor="coder-1",
            epoch=2,
            task="1",
            rev=4,
            text="a.py | b.py",
        ),
    ),
    earlier=2,
    earlier_hash="ab" * 32,
)
EMPTY = StatePage(
    team="t",
    phase="BOOTSTRAP",
    complexity=TeamComplexity.SIMPLE,
    epoch=0,
    owner=None,
    lock="HANDOFF",
    replay_index=0,
)
NEW = new_decisions("auth")
NOTE = DecisionNote(
    marker=DecisionsMarker.ESCALATIONS,
    at="2031-05-06T07:00:00Z",
    event="STUCK",
    text="Coder-1 has tried twice",
    task="7",
)

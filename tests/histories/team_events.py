"""The facts of a team and of the run that watches over it, each of them once at least."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import TypedDict

from supervisor_ai.domain.ids import ArtifactHash, RunId, SessionId, StepName
from supervisor_ai.domain.run.event_kinds.placed import RunEvent
from supervisor_ai.drivers.team.event_kinds import decisions as n
from supervisor_ai.drivers.team.event_kinds import liveness as s
from supervisor_ai.drivers.team.event_kinds import ownership as o
from supervisor_ai.drivers.team.event_kinds import reconcile as r
from supervisor_ai.drivers.team.event_kinds import roster as m
from supervisor_ai.drivers.team.event_kinds import tasks as t
from supervisor_ai.drivers.team.event_kinds import teardown as d
from supervisor_ai.drivers.team.event_kinds import tools as u
from supervisor_ai.drivers.team.event_kinds.fact import TeamFact
from supervisor_ai.drivers.team.residence import run_events as k
from supervisor_ai.drivers.team.staffing.complexity import TeamComplexity
from supervisor_ai.drivers.team.staffing.roles import TeamRole
from supervisor_ai.drivers.team.words import (
    LoopAdvice,
    ReassignmentReason,
    RefusalCode,
    Strategy,
    ToolDecision,
    WaitReason,
)

BEGIN = datetime(2030, 1, 1, tzinfo=UTC)
WATCH = StepName("team")


class Stamp(TypedDict):
    """What every fact of a team carries."""

    at: datetime
    actor: str
    epoch: int


class Watch:
    """A clock that goes on by a second with each fact."""

    def __init__(self) -> None:
        self.seconds = 0
        self.epoch = 0

    def by(self, actor: str = "supervisor") -> Stamp:
        self.seconds += 1
        return Stamp(at=BEGIN + timedelta(seconds=self.seconds), actor=actor, epoch=self.epoch)


def kept(name: str) -> ArtifactHash:
    """Name an artifact."""
    return ArtifactHash(name.ljust(64, "0"))


def facts() -> Iterator[TeamFact]:
    """Tell the life of a team."""
    at = Watch()
    yield from beginning(at)
    yield from silence(at)
    yield from work(at)
    yield from trouble(at)
    yield from notes(at)
    yield from divergence(at)
    yield from ending(at)


def beginning(at: Watch) -> Iterator[TeamFact]:
    yield m.TeamCreated(
        **at.by("lead"),
        team="golden",
        session=SessionId("golden-team"),
        complexity=TeamComplexity.SIMPLE,
        folder=".claude/teams/golden",
        most_coders=3,
    )
    yield o.HandoffMissed(**at.by())
    yield o.OwnershipHandedOff(**at.by("lead"), offered=1)
    yield o.OwnershipAcknowledged(**at.by(), offered=1)
    at.epoch = 1
    yield o.HandoffDuplicated(**at.by("lead"), offered=1)
    yield o.SplitBrainDetected(**at.by(), owners=("lead", "lead-2"))
    yield r.ReconcileLockEntered(**at.by(), reason=r.LockReason.SPLIT_BRAIN)
    yield o.OwnershipArbitrated(**at.by("lead"), owner="supervisor")
    yield r.ReconcileLockExited(**at.by(), end=r.LockEnd.LEAD_RESOLVED)
    for name, role in (("rev", TeamRole.UNIFIED_REVIEWER), ("ada", TeamRole.CODER)):
        yield m.MemberJoined(
            **at.by(), member=name, role=role, capabilities=("python",), run=RunId("golden-a")
        )
    yield m.MemberJoined(**at.by(), member="bob", role=TeamRole.CODER)
    yield m.EventRefused(**at.by("bob"), sent="APPROVED", code=RefusalCode.WRONG_PRODUCER, count=1)
    yield m.MessagesDelivered(**at.by(), upto=9)
    yield m.MessagesRead(**at.by("bob"), upto=3)
    yield m.RunFollowed(**at.by(), run=RunId("r1"), upto=4, status=m.FollowStatus.WORKING)


def silence(at: Watch) -> Iterator[TeamFact]:
    yield s.ActivityNoted(
        **at.by("ada"), wait=WaitReason.CODING, has_progress=True, files=("a.py",)
    )
    staged = s.StagedFields(
        member="ada",
        task="1",
        elapsed=timedelta(minutes=15),
        to=("ada",),
        is_quiet=False,
        is_review=False,
        silent=(),
    )
    yield s.MemberPinged(**at.by(), **staged)
    yield s.MemberNudged(**at.by(), **staged)
    yield s.BreachNoted(**at.by(), member="ada", task="1", elapsed=timedelta(minutes=45))
    yield s.MemberEscalated(**at.by(), **staged)
    yield s.ReplacementProposed(**at.by(), **staged)
    yield s.IdleCleared(**at.by(), member="ada", task="1")


def work(at: Watch) -> Iterator[TeamFact]:
    for name in ("1", "2", "3"):
        yield t.TaskOpened(
            **at.by("lead"),
            task=name,
            rev=1,
            subject=kept(name),
            complexity=TeamComplexity.SIMPLE,
            files=("a.py",),
            needs=("python",),
        )
    yield t.TaskClaimed(**at.by("ada"), task="1", rev=1, files=("a.py",))
    yield t.TaskSubmitted(**at.by("ada"), task="1", rev=1, files=("a.py",))
    role = TeamRole.UNIFIED_REVIEWER
    yield t.TaskSentBack(**at.by("rev"), task="1", rev=1, role=role, issue="no test")
    yield t.TaskSubmitted(**at.by("ada"), task="1", rev=2)
    yield t.TaskReopened(**at.by("ada"), task="1", rev=2)
    yield t.TaskSubmitted(**at.by("ada"), task="1", rev=3)
    yield t.TaskApproved(**at.by("rev"), task="1", rev=3, role=role)
    yield t.TaskClosed(**at.by("ada"), task="1", rev=3)
    yield m.MemberLeft(**at.by(), member="rev")


def trouble(at: Watch) -> Iterator[TeamFact]:
    yield t.TaskClaimed(**at.by("ada"), task="2", rev=1)
    yield t.TaskStuck(**at.by("ada"), task="2", rev=1, attempt=1)
    yield t.ReassignmentProposed(
        **at.by(),
        task="2",
        rev=1,
        owner="ada",
        reason=ReassignmentReason.STUCK_TWICE,
        strategy=Strategy.SAME_ROLE,
        candidate="bob",
    )
    yield t.TaskResumed(**at.by("lead"), task="2", rev=1)
    yield t.LoopSuspected(
        **at.by(), task="2", rev=2, rounds=3, issue="no test", advice=LoopAdvice.CLARIFY
    )
    yield t.TaskResumed(**at.by("lead"), task="2", rev=2)
    yield t.DuplicateClaimFound(**at.by(), task="2", rev=3, claimants=("ada", "bob"))
    yield t.TaskReassigned(**at.by("lead"), task="2", rev=3, owner="bob")
    yield t.OverlapFound(**at.by(), task="2", rev=4, other="3", canonical="3", files=("a.py",))
    yield t.TaskResumed(**at.by("lead"), task="2", rev=4)
    yield t.TaskEscalated(**at.by("bob"), task="2", rev=5)
    yield t.TaskSubmitted(**at.by("bob"), task="2", rev=5)
    yield t.WaitImpossible(**at.by(), task="2", rev=5, missing=(TeamRole.TECH_LEAD,))
    yield t.TaskWithdrawn(**at.by("lead"), task="2", rev=5)
    yield t.TaskWithdrawn(**at.by("lead"), task="3", rev=1)
    yield u.ToolReported(**at.by("ada"), tool="WebSearch", task="1")
    yield u.ToolFoundSystemic(**at.by(), tool="WebSearch", agents=("ada", "bob", "rev"))
    yield u.ToolDecided(**at.by("lead"), tool="WebSearch", decision=ToolDecision.SKIP)
    yield u.ToolResolved(**at.by("ada"), tool="WebSearch")
    yield u.MatterRouted(
        **at.by("ada"), to="lead", kind="SECURITY_INCIDENT", text=kept("seen"), is_critical=True
    )


def notes(at: Watch) -> Iterator[TeamFact]:
    yield n.DecisionsNoted(**at.by(), upto=30)
    yield n.DecisionsScopeViolated(**at.by(), reason="It would leave its section.")
    yield n.DecisionsMarkerMissed(**at.by(), reason="A section is not there.")


def divergence(at: Watch) -> Iterator[TeamFact]:
    yield r.SnapshotTaken(
        **at.by(), replay_index=40, snapshot_hash="a" * 64, page=kept("page"), file="b" * 64
    )
    for after in (
        lambda: r.SnapshotNotFound(**at.by()),
        lambda: r.SnapshotConflicted(**at.by(), replay_index=40, hashes=("a" * 64, "c" * 64)),
        lambda: r.ReconcileConflicted(**at.by(), check="owner_epoch", places=(7,)),
    ):
        yield r.StateDiverged(**at.by(), found="d" * 64, edit=kept("edit"))
        yield r.ReconcileLockEntered(**at.by(), reason=r.LockReason.DIVERGENCE)
        yield after()
        yield r.ReconcileLockExited(**at.by("lead"), end=r.LockEnd.LEAD_RESOLVED)
    yield r.StateDiverged(**at.by(), found="d" * 64, edit=None)
    yield r.ReconcileLockEntered(**at.by(), reason=r.LockReason.DIVERGENCE)
    yield r.RollbackPlanned(
        **at.by(),
        replay_index=40,
        snapshot_hash="a" * 64,
        checks=("owner_epoch",),
        replayed=12,
        reason="state.md was changed by somebody else",
        tasks=("1",),
        diff=kept("diff"),
        needs_ack=True,
    )
    yield r.ReconcileLockExited(**at.by("lead"), end=r.LockEnd.LEAD_ACK)


def ending(at: Watch) -> Iterator[TeamFact]:
    yield from asked(at, 1)
    yield d.TeardownBlocked(**at.by(), reasons=("tasks are not done: 2",))
    yield d.TeardownFailed(**at.by(), reason="tasks are not done: 2")
    yield from asked(at, 2)
    yield d.ShutdownAcknowledged(**at.by("ada"))
    for number in (1, 2, 3):
        yield d.AckRetried(**at.by(), round=number, missing=("bob",))
    yield d.FinalizeProposed(**at.by(), missing=("bob",))
    yield d.FinalizeApproved(**at.by("lead"), missing=("bob",))
    yield d.TeardownReported(**at.by(), report=kept("report"))
    yield d.TeardownReady(**at.by(), is_forced=True)
    yield d.TeamDeleted(**at.by("lead"))


def asked(at: Watch, attempt: int) -> Iterator[TeamFact]:
    yield d.TeardownBegun(**at.by("lead"), attempt=attempt, targets=("ada", "bob"))
    yield d.ShutdownRequested(**at.by(), targets=("ada", "bob"))
    yield d.AcksAwaited(**at.by())


def run_facts() -> Iterator[RunEvent]:
    """Tell the life of the run: each deed is lost once, and done."""
    begun = k.WatchStarted(step=WATCH, visit=1, team="golden")
    yield from (begun, k.WatchLost(step=WATCH, visit=1), begun)
    yield k.WatchBegun(step=WATCH, visit=1)
    tend = k.TendingStarted(step=WATCH, visit=1)
    yield from (tend, k.TendingLost(step=WATCH, visit=1), tend)
    yield k.TeamTended(step=WATCH, visit=1, words=("PING",), messages=1)
    look = k.TeamLookStarted(step=WATCH, visit=1)
    yield from (look, k.TeamLookLost(step=WATCH, visit=1), look)
    yield k.TeamSeen(step=WATCH, visit=1, is_due=False, is_over=True)
    leave = k.WatchEnding(step=WATCH, visit=1, team="golden")
    yield from (leave, k.WatchEndingLost(step=WATCH, visit=1), leave)
    yield k.WatchEnded(step=WATCH, visit=1)


def teamless() -> Iterator[RunEvent]:
    """Tell of a run that finds no team."""
    yield k.WatchStarted(step=WATCH, visit=1, team="nowhere")
    yield k.TeamNotFound(step=WATCH, visit=1)

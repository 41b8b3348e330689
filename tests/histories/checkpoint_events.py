"""The facts of a resident supervisor, each of them once: from its first word to its last."""

from collections.abc import Iterator

from supervisor_ai.domain.ids import ArtifactHash, StepName, TreeSha
from supervisor_ai.domain.run import events as e
from supervisor_ai.domain.run.event_kinds.placed import RunEvent
from supervisor_ai.domain.run.values import Snapshot
from supervisor_ai.drivers.checkpoint import events as k
from supervisor_ai.drivers.checkpoint.kinds import BLOCK
from supervisor_ai.drivers.checkpoint.score import CheckpointVerdict, QualityTrend

SESSION, FIRST = StepName("session"), StepName("CHECKPOINT-001")


def kept(name: str) -> ArtifactHash:
    """Name an artifact."""
    return ArtifactHash(name.ljust(64, "0"))


def reading() -> Iterator[RunEvent]:
    """Begin, lose the session once, and say that all is ready."""
    begun = k.SessionReadStarted(step=SESSION, visit=1, session="golden", recovery=True)
    yield from (begun, k.SessionReadLost(step=SESSION, visit=1), begun)
    yield k.SessionRead(
        step=SESSION,
        visit=1,
        accumulator=kept("known"),
        cursor=1,
        reports=1,
        released=("CHECKPOINT-002",),
        version=7,
        unreadable=1,
    )
    telling = k.ReadyStarted(step=SESSION, visit=1, recovery=True, reports=1)
    yield from (telling, k.ReadyLost(step=SESSION, visit=1), telling)
    yield k.ReadyTold(step=SESSION, visit=1, message=2)


def hearing() -> Iterator[RunEvent]:
    """Look for messages: nothing, one that cannot be followed, and a request."""
    wake = k.BusReadStarted(step=SESSION, visit=1, cursor=1)
    yield from (wake, k.BusReadLost(step=SESSION, visit=1), wake)
    yield k.NothingHeard(step=SESSION, visit=1, cursor=1, version=8)
    yield wake
    yield k.MessageRefused(step=SESSION, visit=1, message=3, problem=kept("problem"), version=9)
    error = k.ErrorReportStarted(step=SESSION, visit=1, problem=kept("problem"), number=3)
    yield from (error, k.ErrorReportLost(step=SESSION, visit=1), error)
    yield k.ErrorTold(step=SESSION, visit=1, message=4, number=3, is_alert=True)
    yield wake
    yield k.RequestTaken(
        step=SESSION,
        visit=1,
        message=5,
        task=FIRST,
        scope=("DRAFT-001", "DRAFT-002"),
        done=3,
        total=10,
        version=10,
    )
    yield e.StepPassed(step=SESSION, visit=1)


def troubled() -> Iterator[RunEvent]:
    """Make a checkpoint that comes to nothing: it cannot be claimed, then not be read."""
    claim = k.ClaimStarted(step=FIRST, visit=1, task=FIRST)
    yield from (claim, k.ClaimRefused(step=FIRST, visit=1, problem=kept("claimed")))
    load = k.ContextLoadStarted(step=FIRST, visit=1, cursor=5)
    yield from (load, k.ContextUnreadable(step=FIRST, visit=1, problem=kept("disk")))
    yield e.StepFailed(step=FIRST, visit=1, reason="The checkpoint could not be made.")


def checking() -> Iterator[RunEvent]:
    """Make a checkpoint up to its report, each deed lost once."""
    claim = k.ClaimStarted(step=FIRST, visit=2, task=FIRST)
    yield from (claim, k.ClaimLost(step=FIRST, visit=2), claim)
    yield k.CheckpointClaimed(step=FIRST, visit=2)
    load = k.ContextLoadStarted(step=FIRST, visit=2, cursor=5)
    yield from (load, k.ContextLoadLost(step=FIRST, visit=2), load)
    yield k.ContextLoaded(
        step=FIRST,
        visit=2,
        context=kept("context"),
        cursor=6,
        files=(k.LoadedFile(path="spec/brief.md", artifact=kept("brief"), task="DRAFT-001"),),
        wisdom={"wisdom/issues.md": 120},
        tokens=400,
        all_tokens=2_000,
    )
    check = k.ChecksStarted(step=FIRST, visit=2, context=kept("context"))
    yield from (check, k.ChecksLost(step=FIRST, visit=2), check)
    yield k.ChecksJudged(
        step=FIRST,
        visit=2,
        results=kept("round"),
        questions=2,
        brief=kept("asked"),
        brief_tokens=300,
        passed=1,
        warned=1,
        failed=4,
        context=kept("context"),
    )
    weigh = k.JudgementStarted(step=FIRST, visit=2, answer=kept("answer"), reason="")
    yield from (weigh, k.JudgementLost(step=FIRST, visit=2), weigh)
    yield k.JudgementsWeighed(
        step=FIRST, visit=2, results=kept("results"), refuted=1, context=kept("context")
    )


def reporting() -> Iterator[RunEvent]:
    """Write the report of a block, and tell it."""
    report = k.ReportStarted(step=FIRST, visit=2, results=kept("results"))
    yield from (report, k.ReportLost(step=FIRST, visit=2), report)
    yield k.ReportWritten(
        step=FIRST,
        visit=2,
        report=kept("report"),
        path="artifacts/CHECKPOINT-001-report.md",
        verdict=CheckpointVerdict.BLOCK,
        score="0.31",
        trend=QualityTrend.DEGRADING,
        risks=5,
        blocks=4,
    )
    complete = k.CompletionStarted(step=FIRST, visit=2, verdict=CheckpointVerdict.BLOCK)
    yield from (complete, k.CompletionLost(step=FIRST, visit=2), complete)
    yield k.CheckpointHeld(step=FIRST, visit=2)
    publish = k.PublicationStarted(step=FIRST, visit=2)
    yield from (publish, k.PublicationLost(step=FIRST, visit=2), publish)
    yield k.StatePublished(step=FIRST, visit=2, message=6)
    keep = k.AccumulationStarted(step=FIRST, visit=2, report=kept("report"))
    yield from (keep, k.AccumulationLost(step=FIRST, visit=2), keep)
    yield k.ContextAccumulated(step=FIRST, visit=2, accumulator=kept("known too"), entries=2)
    tell = k.CoordinatorReportStarted(step=FIRST, visit=2, report=kept("report"))
    yield from (tell, k.CoordinatorReportLost(step=FIRST, visit=2), tell)
    yield k.BlockTold(step=FIRST, visit=2, message=7)


def asking(snapshot: Snapshot) -> e.ApprovalRequested:
    """Ask a person about the block."""
    return e.ApprovalRequested(
        step=FIRST,
        visit=2,
        reason=BLOCK,
        tree=snapshot.tree,
        commit=snapshot.commit,
        question=kept("report"),
        needs_reason=True,
    )


def postponing() -> Iterator[RunEvent]:
    """Be asked for another checkpoint while a person decides, and put it off."""
    yield k.BusReadStarted(step=FIRST, visit=2, cursor=5)
    yield k.RequestTaken(
        step=FIRST, visit=2, message=8, task="CHECKPOINT-003", scope=("PLAN-001",), version=18
    )
    begun = k.PostponementStarted(step=FIRST, visit=2, task="CHECKPOINT-003", request=8)
    yield from (begun, k.PostponementLost(step=FIRST, visit=2), begun)
    yield k.RequestPostponed(step=FIRST, visit=2, message=9, task="CHECKPOINT-003")


def overriding(tree: TreeSha) -> e.ApprovalGiven:
    """Let the pipeline go on."""
    return e.ApprovalGiven(step=FIRST, visit=2, tree=tree, note=kept("why"), person="ada")


def ending() -> Iterator[RunEvent]:
    """Settle the block, make a checkpoint that passes, and end."""
    settle = k.SettlementStarted(step=FIRST, visit=2, decision=k.BlockDecision.OVERRIDE)
    yield from (settle, k.SettlementLost(step=FIRST, visit=2), settle)
    yield k.BlockSettled(step=FIRST, visit=2, decision=k.BlockDecision.OVERRIDE, message=8)
    passing = k.CompletionStarted(step=FIRST, visit=2, verdict=CheckpointVerdict.PASS)
    yield from (passing, k.CheckpointCompleted(step=FIRST, visit=2))
    tell = k.CoordinatorReportStarted(step=FIRST, visit=2, report=kept("report"))
    yield from (tell, k.CoordinatorTold(step=FIRST, visit=2, message=9))
    yield e.StepPassed(step=FIRST, visit=2)


def leaving() -> Iterator[RunEvent]:
    """Be asked to shut down, and agree."""
    yield k.BusReadStarted(step=SESSION, visit=2, cursor=9)
    yield k.ShutdownTaken(step=SESSION, visit=2, message=10, request="r-1", version=20)
    bye = k.ShutdownStarted(step=SESSION, visit=2, request="r-1")
    yield from (bye, k.ShutdownLost(step=SESSION, visit=2), bye)
    yield k.ShutdownAnswered(step=SESSION, visit=2, message=11)
    yield e.StepPassed(step=SESSION, visit=2)


def unwatched() -> Iterator[RunEvent]:
    """Find no session that is open."""
    yield k.SessionReadStarted(step=SESSION, visit=1, session="gone")
    yield k.SessionUnreadable(step=SESSION, visit=1, problem=kept("no session"))

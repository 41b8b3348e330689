"""What a supervisor can ask the engine to do besides what any driver can."""

from typing import ClassVar

from supervisor_ai.domain.ids import ArtifactHash, CommitSha, SessionId
from supervisor_ai.domain.run.effects import ContextItem, OperationEffect
from supervisor_ai.drivers.checkpoint import events as k
from supervisor_ai.drivers.checkpoint.checks.model import CheckSpec
from supervisor_ai.drivers.checkpoint.event_kinds.residence import BlockDecision
from supervisor_ai.drivers.checkpoint.protocol.replies import MessageTypes
from supervisor_ai.drivers.checkpoint.protocol.requests import PipelineProgress
from supervisor_ai.drivers.checkpoint.score import CheckpointVerdict


class SessionEffect(OperationEffect, frozen=True, kw_only=True):
    """A deed in a session."""

    session: SessionId


class ReadSession(SessionEffect, frozen=True, kw_only=True):
    """Become the supervisor of a session, and learn how it stands."""

    recovery: bool = False

    def intent(self) -> k.SessionReadStarted:  # type: ignore[explicit-override]
        """State what is about to be done."""
        return k.SessionReadStarted(
            step=self.step,
            visit=self.visit,
            slot=self.slot,
            session=self.session,
            recovery=self.recovery,
        )


class TellReady(SessionEffect, frozen=True, kw_only=True):
    """Tell the coordinator that the supervisor waits."""

    recovery: bool = False
    reports: int = 0

    def intent(self) -> k.ReadyStarted:  # type: ignore[explicit-override]
        """State what is about to be done."""
        return k.ReadyStarted(
            step=self.step,
            visit=self.visit,
            slot=self.slot,
            recovery=self.recovery,
            reports=self.reports,
        )


class ReadBus(SessionEffect, frozen=True, kw_only=True):
    """Read the next message for the supervisor, if there is one."""

    cursor: int
    version: int
    """How far the session's stream was read."""
    checkpoints: tuple[str, ...]
    """Those that are defined; another one cannot be asked for."""

    def intent(self) -> k.BusReadStarted:  # type: ignore[explicit-override]
        """State what is about to be done."""
        return k.BusReadStarted(
            step=self.step, visit=self.visit, slot=self.slot, cursor=self.cursor
        )


class ClaimCheckpoint(SessionEffect, frozen=True, kw_only=True):
    """Let the checkpoint's task be in progress."""

    task: str

    def intent(self) -> k.ClaimStarted:  # type: ignore[explicit-override]
        """State what is about to be done."""
        return k.ClaimStarted(step=self.step, visit=self.visit, slot=self.slot, task=self.task)


class LoadContext(SessionEffect, frozen=True, kw_only=True):
    """Read what is new in the session since the last wake."""

    task: str
    scope: tuple[str, ...]
    cursor: int
    accumulator: ArtifactHash
    before: ArtifactHash | None
    """What was loaded the last time; None: nothing yet."""

    def intent(self) -> k.ContextLoadStarted:  # type: ignore[explicit-override]
        """State what is about to be done."""
        return k.ContextLoadStarted(
            step=self.step, visit=self.visit, slot=self.slot, cursor=self.cursor
        )


class LoadRecord(OperationEffect, frozen=True, kw_only=True):
    """Read what a run has recorded of itself: answers, verdicts, and what it changed."""

    begins_with: ClassVar = ("base", "head")

    task: str
    scope: tuple[str, ...]
    words: ArtifactHash
    """What was asked of the run."""
    answers: tuple[ContextItem, ...]
    """What its roles answered, by step."""
    verdicts: dict[str, str]
    """What its steps came to."""
    base: CommitSha
    head: CommitSha

    def intent(self) -> k.ContextLoadStarted:  # type: ignore[explicit-override]
        """State what is about to be done."""
        return k.ContextLoadStarted(step=self.step, visit=self.visit, slot=self.slot, cursor=0)


class RunChecks(OperationEffect, frozen=True, kw_only=True):
    """Make the checks that need no judgement, and write down what a worker is to be asked."""

    context: ArtifactHash
    checks: tuple[CheckSpec, ...]

    def intent(self) -> k.ChecksStarted:  # type: ignore[explicit-override]
        """State what is about to be done."""
        return k.ChecksStarted(
            step=self.step, visit=self.visit, slot=self.slot, context=self.context
        )


class WeighJudgement(OperationEffect, frozen=True, kw_only=True):
    """Hold what a worker answered against the files."""

    context: ArtifactHash
    round: ArtifactHash
    answer: ArtifactHash | None
    reason: str = ""

    def intent(self) -> k.JudgementStarted:  # type: ignore[explicit-override]
        """State what is about to be done."""
        return k.JudgementStarted(
            step=self.step,
            visit=self.visit,
            slot=self.slot,
            answer=self.answer,
            reason=self.reason,
        )


class WriteReport(OperationEffect, frozen=True, kw_only=True):
    """Write the report of a checkpoint, and its risks into the wisdom."""

    session: SessionId | None
    """None: it is about the run itself, and stands in the ledger alone."""
    task: str
    progress: PipelineProgress | None
    context: ArtifactHash
    results: ArtifactHash
    accumulator: ArtifactHash | None

    def intent(self) -> k.ReportStarted:  # type: ignore[explicit-override]
        """State what is about to be done."""
        return k.ReportStarted(
            step=self.step, visit=self.visit, slot=self.slot, results=self.results
        )


class CompleteCheckpoint(SessionEffect, frozen=True, kw_only=True):
    """Complete the checkpoint's task, unless it blocks."""

    task: str
    verdict: CheckpointVerdict

    def intent(self) -> k.CompletionStarted:  # type: ignore[explicit-override]
        """State what is about to be done."""
        return k.CompletionStarted(
            step=self.step, visit=self.visit, slot=self.slot, verdict=self.verdict
        )


class PublishState(SessionEffect, frozen=True, kw_only=True):
    """Publish the supervisor's role state."""

    report: ArtifactHash

    def intent(self) -> k.PublicationStarted:  # type: ignore[explicit-override]
        """State what is about to be done."""
        return k.PublicationStarted(step=self.step, visit=self.visit, slot=self.slot)


class Accumulate(SessionEffect, frozen=True, kw_only=True):
    """Keep what was learnt for later checkpoints."""

    report: ArtifactHash
    round: ArtifactHash
    accumulator: ArtifactHash

    def intent(self) -> k.AccumulationStarted:  # type: ignore[explicit-override]
        """State what is about to be done."""
        return k.AccumulationStarted(
            step=self.step, visit=self.visit, slot=self.slot, report=self.report
        )


class TellCoordinator(SessionEffect, frozen=True, kw_only=True):
    """Tell the coordinator what came of the checkpoint."""

    report: ArtifactHash
    request: int
    """The message that asked for it."""
    types: MessageTypes

    def intent(self) -> k.CoordinatorReportStarted:  # type: ignore[explicit-override]
        """State what is about to be done."""
        return k.CoordinatorReportStarted(
            step=self.step, visit=self.visit, slot=self.slot, report=self.report
        )


class PostponeRequest(SessionEffect, frozen=True, kw_only=True):
    """Tell the coordinator that a checkpoint waits for a person's decision about another one."""

    task: str
    blocked: str
    """The checkpoint that a person decides about."""
    request: int
    """The message that asked for it."""

    def intent(self) -> k.PostponementStarted:  # type: ignore[explicit-override]
        """State what is about to be done."""
        return k.PostponementStarted(
            step=self.step,
            visit=self.visit,
            slot=self.slot,
            task=self.task,
            request=self.request,
        )


class SettleBlock(SessionEffect, frozen=True, kw_only=True):
    """Write down what a person decided about a block, and tell it."""

    task: str
    report: ArtifactHash
    request: int
    decision: BlockDecision
    person: str
    note: ArtifactHash | None
    types: MessageTypes

    def intent(self) -> k.SettlementStarted:  # type: ignore[explicit-override]
        """State what is about to be done."""
        return k.SettlementStarted(
            step=self.step, visit=self.visit, slot=self.slot, decision=self.decision
        )


class TellError(SessionEffect, frozen=True, kw_only=True):
    """Tell the coordinator that something could not be done."""

    problem: ArtifactHash
    number: int
    request: int
    """The message that could not be followed."""
    task: str | None
    """The checkpoint that was claimed, and is given back."""
    types: MessageTypes

    def intent(self) -> k.ErrorReportStarted:  # type: ignore[explicit-override]
        """State what is about to be done."""
        return k.ErrorReportStarted(
            step=self.step,
            visit=self.visit,
            slot=self.slot,
            problem=self.problem,
            number=self.number,
        )


class AnswerShutdown(SessionEffect, frozen=True, kw_only=True):
    """Grant the wish to shut down, and listen no more."""

    request: str
    message: int
    task: str | None = None
    """The checkpoint that a person was to decide about, and that is given back."""

    def intent(self) -> k.ShutdownStarted:  # type: ignore[explicit-override]
        """State what is about to be done."""
        return k.ShutdownStarted(
            step=self.step, visit=self.visit, slot=self.slot, request=self.request
        )

"""What happens at a checkpoint, from the claim to the report.

Words from outside (findings, problems) are artifacts; facts hold names and numbers.
"""

from typing import ClassVar

from msgspec import Struct, field

from supervisor_ai.domain.ids import ArtifactHash
from supervisor_ai.domain.run.event_kinds.placed import OperationEnded, OperationStarted
from supervisor_ai.drivers.checkpoint.score import CheckpointVerdict, QualityTrend


class LoadedFile(Struct, frozen=True, kw_only=True):
    """A file of the session as it was when it was read."""

    path: str
    artifact: ArtifactHash
    task: str = ""
    """The task that made it; nothing where nobody knows."""


class ClaimStarted(OperationStarted, frozen=True, kw_only=True):
    """The checkpoint's task is about to be in progress."""

    operation: ClassVar = "claim"

    task: str

    def lost(self) -> "ClaimLost":  # type: ignore[explicit-override]
        """State that its owner died before there was an outcome."""
        return ClaimLost(step=self.step, visit=self.visit, slot=self.slot)


class CheckpointClaimed(OperationEnded, frozen=True, kw_only=True):
    """The checkpoint's task is in progress."""

    ends: ClassVar = ClaimStarted


class ClaimRefused(OperationEnded, frozen=True, kw_only=True):
    """The task is not there, or not pending, or nobody has defined the checkpoint."""

    ends: ClassVar = ClaimStarted
    step_verdict: ClassVar = "refused"

    problem: ArtifactHash


class ClaimLost(OperationEnded, frozen=True, kw_only=True):
    """Its owner died; claiming again is harmless."""

    ends: ClassVar = ClaimStarted


class ContextLoadStarted(OperationStarted, frozen=True, kw_only=True):
    """What is new since the last wake is about to be read."""

    operation: ClassVar = "load"

    cursor: int

    def lost(self) -> "ContextLoadLost":  # type: ignore[explicit-override]
        """State that its owner died before there was an outcome."""
        return ContextLoadLost(step=self.step, visit=self.visit, slot=self.slot)


class ContextLoaded(OperationEnded, frozen=True, kw_only=True):
    """What the checks look at."""

    ends: ClassVar = ContextLoadStarted

    context: ArtifactHash
    cursor: int
    files: tuple[LoadedFile, ...] = ()
    """The artifacts that were not read before, or have changed since."""
    wisdom: dict[str, int] = field(default_factory=dict)
    """How much of each file of wisdom was read, in characters."""
    tokens: int = 0
    """What is new, in tokens."""
    all_tokens: int = 0
    """What loading everything would have taken."""


class ContextUnreadable(OperationEnded, frozen=True, kw_only=True):
    """The session cannot be read as it is."""

    ends: ClassVar = ContextLoadStarted
    step_verdict: ClassVar = "unreadable"

    problem: ArtifactHash


class ContextLoadLost(OperationEnded, frozen=True, kw_only=True):
    """Its owner died; reading again is harmless."""

    ends: ClassVar = ContextLoadStarted


class ChecksStarted(OperationStarted, frozen=True, kw_only=True):
    """The checks that need no judgement are about to be made."""

    operation: ClassVar = "check"

    context: ArtifactHash

    def lost(self) -> "ChecksLost":  # type: ignore[explicit-override]
        """State that its owner died before there was an outcome."""
        return ChecksLost(step=self.step, visit=self.visit, slot=self.slot)


class ChecksJudged(OperationEnded, frozen=True, kw_only=True):
    """What the checks say, and what is left to ask a worker."""

    ends: ClassVar = ChecksStarted

    results: ArtifactHash
    questions: int = 0
    """How many checks need a worker's judgement."""
    brief: ArtifactHash | None = None
    """What the worker is asked, and all that it is shown; None: there is nothing to ask."""
    brief_tokens: int = 0
    passed: int = 0
    warned: int = 0
    failed: int = 0
    undecided: int = 0
    context: ArtifactHash | None = None
    """What the checks looked at."""


class ChecksLost(OperationEnded, frozen=True, kw_only=True):
    """Its owner died; checking again is harmless."""

    ends: ClassVar = ChecksStarted


class JudgementStarted(OperationStarted, frozen=True, kw_only=True):
    """What a worker answered is about to be held against the files."""

    operation: ClassVar = "judge"

    answer: ArtifactHash | None = None
    """None: there was nothing to ask, or nobody to answer."""
    reason: str = ""
    """Why nobody answers, where somebody was to be asked."""

    def lost(self) -> "JudgementLost":  # type: ignore[explicit-override]
        """State that its owner died before there was an outcome."""
        return JudgementLost(step=self.step, visit=self.visit, slot=self.slot)


class JudgementsWeighed(OperationEnded, frozen=True, kw_only=True):
    """Every check has a result."""

    ends: ClassVar = JudgementStarted

    results: ArtifactHash
    refuted: int = 0
    """How many answers cite what is not there."""
    context: ArtifactHash | None = None
    """What the checks looked at."""


class JudgementLost(OperationEnded, frozen=True, kw_only=True):
    """Its owner died; weighing again is harmless."""

    ends: ClassVar = JudgementStarted


class ReportStarted(OperationStarted, frozen=True, kw_only=True):
    """The report is about to be written, and its risks into the wisdom."""

    operation: ClassVar = "report"

    results: ArtifactHash

    def lost(self) -> "ReportLost":  # type: ignore[explicit-override]
        """State that its owner died before there was an outcome."""
        return ReportLost(step=self.step, visit=self.visit, slot=self.slot)


class ReportWritten(OperationEnded, frozen=True, kw_only=True):
    """The checkpoint's report is there."""

    ends: ClassVar = ReportStarted
    step_verdict: ClassVar = ":verdict"

    report: ArtifactHash
    path: str
    verdict: CheckpointVerdict
    score: str
    trend: QualityTrend
    risks: int = 0
    blocks: int = 0
    decided: int = 0
    """How many of the checks that are about the work are decided."""
    checks: int = 0


class ReportLost(OperationEnded, frozen=True, kw_only=True):
    """Its owner died; the same report is written once."""

    ends: ClassVar = ReportStarted


class CompletionStarted(OperationStarted, frozen=True, kw_only=True):
    """The checkpoint's task is about to be completed."""

    operation: ClassVar = "complete"

    verdict: CheckpointVerdict

    def lost(self) -> "CompletionLost":  # type: ignore[explicit-override]
        """State that its owner died before there was an outcome."""
        return CompletionLost(step=self.step, visit=self.visit, slot=self.slot)


class CheckpointCompleted(OperationEnded, frozen=True, kw_only=True):
    """The checkpoint's task is completed."""

    ends: ClassVar = CompletionStarted


class CheckpointHeld(OperationEnded, frozen=True, kw_only=True):
    """The task stays in progress until a person has decided about the block."""

    ends: ClassVar = CompletionStarted


class CompletionLost(OperationEnded, frozen=True, kw_only=True):
    """Its owner died; completing again is harmless."""

    ends: ClassVar = CompletionStarted


class PublicationStarted(OperationStarted, frozen=True, kw_only=True):
    """The role state of the supervisor is about to be published."""

    operation: ClassVar = "publish"

    def lost(self) -> "PublicationLost":  # type: ignore[explicit-override]
        """State that its owner died before there was an outcome."""
        return PublicationLost(step=self.step, visit=self.visit, slot=self.slot)


class StatePublished(OperationEnded, frozen=True, kw_only=True):
    """The bus has the state update."""

    ends: ClassVar = PublicationStarted

    message: int


class PublicationLost(OperationEnded, frozen=True, kw_only=True):
    """Its owner died; a message with the same key is sent once."""

    ends: ClassVar = PublicationStarted


class AccumulationStarted(OperationStarted, frozen=True, kw_only=True):
    """What was learnt is about to be kept for later checkpoints."""

    operation: ClassVar = "accumulate"

    report: ArtifactHash

    def lost(self) -> "AccumulationLost":  # type: ignore[explicit-override]
        """State that its owner died before there was an outcome."""
        return AccumulationLost(step=self.step, visit=self.visit, slot=self.slot)


class ContextAccumulated(OperationEnded, frozen=True, kw_only=True):
    """What the supervisor knows from now on."""

    ends: ClassVar = AccumulationStarted

    accumulator: ArtifactHash
    entries: int


class AccumulationLost(OperationEnded, frozen=True, kw_only=True):
    """Its owner died; accumulating again is harmless."""

    ends: ClassVar = AccumulationStarted


class CoordinatorReportStarted(OperationStarted, frozen=True, kw_only=True):
    """The coordinator is about to hear what came of the checkpoint."""

    operation: ClassVar = "tell"

    report: ArtifactHash

    def lost(self) -> "CoordinatorReportLost":  # type: ignore[explicit-override]
        """State that its owner died before there was an outcome."""
        return CoordinatorReportLost(step=self.step, visit=self.visit, slot=self.slot)


class CoordinatorTold(OperationEnded, frozen=True, kw_only=True):
    """The coordinator knows, and the pipeline goes on."""

    ends: ClassVar = CoordinatorReportStarted

    message: int


class BlockTold(OperationEnded, frozen=True, kw_only=True):
    """The coordinator knows, and a person has to decide."""

    ends: ClassVar = CoordinatorReportStarted

    message: int


class CoordinatorReportLost(OperationEnded, frozen=True, kw_only=True):
    """Its owner died; a message with the same key is sent once."""

    ends: ClassVar = CoordinatorReportStarted

"""The facts of workers' attempts."""

from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import ClassVar

from supervisor_ai.domain.ids import (
    ArtifactHash,
    CommitSha,
)
from supervisor_ai.domain.run.answers import Meaning
from supervisor_ai.domain.run.event_kinds.placed import (
    OperationEnded,
    OperationStarted,
    RequestAnswered,
    RequestMade,
    StepNote,
)
from supervisor_ai.domain.run.failures.breaker import BreakerPolicy
from supervisor_ai.domain.run.failures.degradation import Level
from supervisor_ai.domain.run.failures.diagnosis import Action
from supervisor_ai.domain.run.gates import Concern
from supervisor_ai.domain.run.spending.budgets import NOTHING, Amount, Scope
from supervisor_ai.domain.run.status import (
    FailureCategory,
    OutcomeKind,
)
from supervisor_ai.domain.run.values import (
    NO_USAGE,
    Hardness,
    Snapshot,
    Usage,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class LaunchRequested(RequestMade):
    """A worker is to start, if its breaker and the budgets allow it."""

    operation: ClassVar = "launch"
    waits_for: ClassVar = "a budget"

    attempt: int
    role: str
    cli: str
    level: Level = Level.PRIMARY
    is_told: bool = True
    turn: int = 0
    breaker: BreakerPolicy | None = None
    budgets: dict[Scope, Amount] = field(default_factory=dict)
    wish: Amount = NOTHING
    nonce: str = ""
    """What its answer repeats."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LaunchAllowed(RequestAnswered):
    """The worker may start, and spend so much."""

    ends: ClassVar = LaunchRequested

    attempt: int
    amount: Amount


@dataclass(frozen=True, slots=True, kw_only=True)
class LaunchRefused(RequestAnswered):
    """The worker may not start; where it is worth asking again, `until` says when."""

    ends: ClassVar = LaunchRequested

    attempt: int
    kind: OutcomeKind
    reason: str
    until: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class LaunchWithdrawn(RequestAnswered):
    """The request does not count any more: the run goes on under another definition."""

    ends: ClassVar = LaunchRequested

    attempt: int


@dataclass(frozen=True, slots=True, kw_only=True)
class AttemptStarted(OperationStarted):
    """A worker is about to start."""

    operation: ClassVar = "worker"

    attempt: int
    role: str
    cli: str
    start: CommitSha
    level: Level = Level.PRIMARY
    is_told: bool = True
    """Whether it hears what was wrong the last time; otherwise it hears what that one heard."""
    turn: int = 0
    """Which continuation of the role's own earlier answers it is; 0 where it begins afresh."""
    breaker: BreakerPolicy | None = None
    nonce: str = ""
    """What its answer repeats."""

    def lost(self, kept: str | None = None) -> "AttemptLost":  # type: ignore[explicit-override]
        """State that its owner died before there was an outcome, and what is kept of it."""
        return AttemptLost(
            step=self.step, visit=self.visit, slot=self.slot, attempt=self.attempt, kept=kept
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class ContextPacked(StepNote):
    """What the worker is shown of the repository, and the record of what was left out."""

    attempt: int
    strategy: str
    record: ArtifactHash
    tokens: int
    budget: int


@dataclass(frozen=True, slots=True, kw_only=True)
class PromptSent(StepNote):
    """What the worker is told, before it is told."""

    attempt: int
    prompt: ArtifactHash
    redactions: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class AttemptSucceeded(OperationEnded):
    """The worker gave a valid answer."""

    ends: ClassVar = AttemptStarted

    attempt: int
    meaning: Meaning
    said: str
    answer: ArtifactHash
    feedback: ArtifactHash
    transcript: ArtifactHash
    snapshot: Snapshot
    redactions: int = 0
    usage: Usage = NO_USAGE
    limits: Hardness = Hardness.NONE
    took: timedelta = timedelta()
    concerns: tuple[Concern, ...] = ()
    """What a reviewer objects to, so that it is known again in the next round."""
    role: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class AttemptFailed(OperationEnded):
    """The worker ended without a valid answer."""

    ends: ClassVar = AttemptStarted

    attempt: int
    category: FailureCategory
    reason: str
    feedback: ArtifactHash
    transcript: ArtifactHash
    snapshot: Snapshot | None = None
    exit_code: int | None = None
    redactions: int = 0
    usage: Usage = NO_USAGE
    limits: Hardness = Hardness.NONE
    action: Action | None = None
    reset_at: datetime | None = None
    ended_at: datetime | None = None
    took: timedelta = timedelta()
    is_cut_off: bool = False
    """Whether it was stopped because it had spent what was set aside for it."""
    role: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class AttemptCancelled(OperationEnded):
    """The worker was stopped because its run ends."""

    ends: ClassVar = AttemptStarted

    attempt: int


@dataclass(frozen=True, slots=True, kw_only=True)
class AttemptLost(OperationEnded):
    """Its owner died before the attempt had an end; it costs no retry."""

    ends: ClassVar = AttemptStarted

    attempt: int
    kept: str | None

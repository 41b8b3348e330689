"""The facts of workers' attempts."""

from datetime import datetime, timedelta
from typing import ClassVar

from msgspec import Struct, field

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


class LaunchRequested(RequestMade, frozen=True, kw_only=True):
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


class LaunchAllowed(RequestAnswered, frozen=True, kw_only=True):
    """The worker may start, and spend so much."""

    ends: ClassVar = LaunchRequested

    attempt: int
    amount: Amount


class LaunchRefused(RequestAnswered, frozen=True, kw_only=True):
    """The worker may not start; where it is worth asking again, `until` says when."""

    ends: ClassVar = LaunchRequested

    attempt: int
    kind: OutcomeKind
    reason: str
    until: datetime | None = None


class LaunchWithdrawn(RequestAnswered, frozen=True, kw_only=True):
    """The request does not count any more: the run goes on under another definition."""

    ends: ClassVar = LaunchRequested

    attempt: int


class AttemptStarted(OperationStarted, frozen=True, kw_only=True):
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


class ContextPacked(StepNote, frozen=True, kw_only=True):
    """What the worker is shown of the repository, and the record of what was left out."""

    attempt: int
    strategy: str
    record: ArtifactHash
    tokens: int
    budget: int


class ToldDocument(Struct, frozen=True, kw_only=True):
    """A document of the store as a worker was told of it."""

    path: str
    fingerprint: str
    """What it said then."""


class KnowledgeInjected(StepNote, frozen=True, kw_only=True):
    """What the worker is told of the knowledge store, and the record of what was left out."""

    attempt: int
    record: ArtifactHash
    tokens: int
    budget: int
    documents: tuple[ToldDocument, ...] = ()


class PromptSent(StepNote, frozen=True, kw_only=True):
    """What the worker is told, before it is told."""

    attempt: int
    prompt: ArtifactHash
    redactions: int = 0


class AttemptSucceeded(OperationEnded, frozen=True, kw_only=True):
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


class AttemptFailed(OperationEnded, frozen=True, kw_only=True):
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


class AttemptCancelled(OperationEnded, frozen=True, kw_only=True):
    """The worker was stopped because its run ends."""

    ends: ClassVar = AttemptStarted

    attempt: int


class AttemptLost(OperationEnded, frozen=True, kw_only=True):
    """Its owner died before the attempt had an end; it costs no retry."""

    ends: ClassVar = AttemptStarted

    attempt: int
    kept: str | None

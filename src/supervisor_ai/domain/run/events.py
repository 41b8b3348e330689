"""The facts of a run's stream."""

from dataclasses import dataclass
from datetime import datetime

from supervisor_ai.domain.envelope import Event
from supervisor_ai.domain.ids import (
    ArtifactHash,
    CommitSha,
    LetterKey,
    RunId,
    StepName,
    TimerName,
    TreeSha,
)
from supervisor_ai.domain.run.answers import Meaning
from supervisor_ai.domain.run.diagnosis import Action
from supervisor_ai.domain.run.facts import (
    NO_USAGE,
    ApprovalReason,
    Base,
    Feedback,
    ForkPoint,
    Hardness,
    Identity,
    Process,
    Snapshot,
    Usage,
)
from supervisor_ai.domain.run.status import (
    FailureCategory,
    Outcome,
    RunStatus,
    Verdict,
)

# The run itself


@dataclass(frozen=True, slots=True, kw_only=True)
class RunSubmitted(Event):
    """Somebody asked for a run; everything it will need is pinned here."""

    task: ArtifactHash
    driver: str
    workflow: str
    definition: ArtifactHash
    base: Base | None
    branch: str | None
    identity: Identity | None
    parent: RunId | None
    root: RunId
    fork: ForkPoint | None = None
    sandbox: str = "bubblewrap"


@dataclass(frozen=True, slots=True, kw_only=True)
class RunStarted(Event):
    """An owner began to drive the run for the first time."""

    driver: str
    parent: RunId | None
    root: RunId


@dataclass(frozen=True, slots=True, kw_only=True)
class RunOwned(Event):
    """A process took the run with a new epoch."""

    owner: str
    process: Process


@dataclass(frozen=True, slots=True, kw_only=True)
class RunWaiting(Event):
    """Nothing can happen before a person or a time says so."""

    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RunContinued(Event):
    """What the run waited for has come."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RunCompleted(Event):
    """The run reached its goal."""

    outcome: Outcome
    degraded: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class RunFailed(Event):
    """The run ended without its goal; what it made so far is kept."""

    outcome: Outcome


@dataclass(frozen=True, slots=True, kw_only=True)
class RunCancelled(Event):
    """The run was stopped because somebody asked for it."""

    outcome: Outcome


@dataclass(frozen=True, slots=True, kw_only=True)
class CancelRequested(Event):
    """Somebody wants the run to stop."""

    reason: ArtifactHash | None


@dataclass(frozen=True, slots=True, kw_only=True)
class CommandRefused(Event):
    """A letter in the inbox could not be followed."""

    letter: LetterKey
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class DefinitionMigrated(Event):
    """The run goes on under another definition."""

    previous: ArtifactHash
    definition: ArtifactHash


# Steps


@dataclass(frozen=True, slots=True, kw_only=True)
class PlacedEvent(Event):
    """A fact that belongs to one slot of one visit to one step."""

    step: StepName
    visit: int
    slot: int = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class StepEntered(PlacedEvent):
    """The run came to a step."""

    start: CommitSha | None
    feedback: tuple[Feedback, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class StepPassed(PlacedEvent):
    """The step holds and the run may go on."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StepFailed(PlacedEvent):
    """The step does not hold in this visit."""

    reason: str


# Attempts of workers


@dataclass(frozen=True, slots=True, kw_only=True)
class AttemptStarted(PlacedEvent):
    """A worker is about to start."""

    attempt: int
    role: str
    cli: str
    start: CommitSha


@dataclass(frozen=True, slots=True, kw_only=True)
class PromptSent(PlacedEvent):
    """What the worker is told, before it is told."""

    attempt: int
    prompt: ArtifactHash
    redactions: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class AttemptSucceeded(PlacedEvent):
    """The worker gave a valid answer."""

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


@dataclass(frozen=True, slots=True, kw_only=True)
class AttemptFailed(PlacedEvent):
    """The worker ended without a valid answer."""

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


@dataclass(frozen=True, slots=True, kw_only=True)
class AttemptCancelled(PlacedEvent):
    """The worker was stopped because its run ends."""

    attempt: int


@dataclass(frozen=True, slots=True, kw_only=True)
class AttemptLost(PlacedEvent):
    """Its owner died before the attempt had an end; it costs no retry."""

    attempt: int
    kept: str | None


# Around workers and gates


@dataclass(frozen=True, slots=True, kw_only=True)
class SetupEnded(PlacedEvent):
    """A workspace was set up for an attempt or, without one, for a gate."""

    attempt: int | None
    is_cached: bool
    reason: str
    output: ArtifactHash | None = None
    exit_code: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class EgressRefused(PlacedEvent):
    """A command tried to reach what it may not."""

    attempt: int | None
    host: str
    port: int | None
    reason: str


# Gates


@dataclass(frozen=True, slots=True, kw_only=True)
class GateStarted(PlacedEvent):
    """A gate is about to run on a snapshot."""

    gate: str
    snapshot: CommitSha


@dataclass(frozen=True, slots=True, kw_only=True)
class GateEnded(PlacedEvent):
    """What the gate said."""

    gate: str
    verdict: Verdict
    reason: str
    output: ArtifactHash | None
    exit_code: int | None = None
    category: FailureCategory | None = None
    limits: Hardness = Hardness.NONE


@dataclass(frozen=True, slots=True, kw_only=True)
class GateLost(PlacedEvent):
    """Its owner died before the gate had an end."""

    gate: str


@dataclass(frozen=True, slots=True, kw_only=True)
class GateCancelled(PlacedEvent):
    """The gate was stopped because its run ends."""

    gate: str


# People


@dataclass(frozen=True, slots=True, kw_only=True)
class ApprovalRequested(PlacedEvent):
    """A person is asked; the answer is bound to the tree."""

    reason: ApprovalReason
    tree: TreeSha
    commit: CommitSha
    question: ArtifactHash | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ApprovalGiven(PlacedEvent):
    """A person said yes."""

    tree: TreeSha
    note: ArtifactHash | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ApprovalRefused(PlacedEvent):
    """A person said no."""

    tree: TreeSha
    note: ArtifactHash


# Git


@dataclass(frozen=True, slots=True, kw_only=True)
class IntegrationStarted(PlacedEvent):
    """A snapshot is about to land on the run's branch."""

    snapshot: CommitSha
    branch: str
    expected: CommitSha | None


@dataclass(frozen=True, slots=True, kw_only=True)
class IntegrationLanded(PlacedEvent):
    """The snapshot is on the branch."""

    commit: CommitSha


@dataclass(frozen=True, slots=True, kw_only=True)
class IntegrationRefused(PlacedEvent):
    """The snapshot cannot be put on the branch."""

    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class IntegrationLost(PlacedEvent):
    """Its owner died and the snapshot had not landed."""


# Timers, permits, children


@dataclass(frozen=True, slots=True, kw_only=True)
class TimerSet(Event):
    """Something is due at a time."""

    timer: TimerName
    due: datetime
    parks: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class TimerFired(Event):
    """The time has come."""

    timer: TimerName


@dataclass(frozen=True, slots=True, kw_only=True)
class TimerCancelled(Event):
    """The time does not matter any more."""

    timer: TimerName


@dataclass(frozen=True, slots=True, kw_only=True)
class PermitRequested(Event):
    """The run needs one of a limited number of places that runs share."""

    permit: str
    limit: int


@dataclass(frozen=True, slots=True, kw_only=True)
class PermitGranted(Event):
    """The run has the place."""

    permit: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PermitReleased(Event):
    """The run gave the place back."""

    permit: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ChildStarted(PlacedEvent):
    """A child run was submitted in the same transaction."""

    child: RunId


@dataclass(frozen=True, slots=True, kw_only=True)
class ChildCancelRequested(Event):
    """The child was asked to stop."""

    child: RunId


@dataclass(frozen=True, slots=True, kw_only=True)
class ChildEnded(Event):
    """The child reached its end."""

    child: RunId
    status: RunStatus
    outcome: Outcome


RunEvent = (
    RunSubmitted
    | RunStarted
    | RunOwned
    | RunWaiting
    | RunContinued
    | RunCompleted
    | RunFailed
    | RunCancelled
    | CancelRequested
    | CommandRefused
    | DefinitionMigrated
    | StepEntered
    | StepPassed
    | StepFailed
    | AttemptStarted
    | PromptSent
    | AttemptSucceeded
    | AttemptFailed
    | AttemptCancelled
    | AttemptLost
    | SetupEnded
    | EgressRefused
    | GateStarted
    | GateEnded
    | GateLost
    | GateCancelled
    | ApprovalRequested
    | ApprovalGiven
    | ApprovalRefused
    | IntegrationStarted
    | IntegrationLanded
    | IntegrationRefused
    | IntegrationLost
    | TimerSet
    | TimerFired
    | TimerCancelled
    | PermitRequested
    | PermitGranted
    | PermitReleased
    | ChildStarted
    | ChildCancelRequested
    | ChildEnded
)

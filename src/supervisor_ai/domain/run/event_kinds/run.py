"""The facts of a run as a whole."""

from dataclasses import dataclass

from supervisor_ai.domain.ids import (
    ArtifactHash,
    LetterKey,
    RunId,
)
from supervisor_ai.domain.run.event_kinds.placed import RunEvent
from supervisor_ai.domain.run.status import (
    Outcome,
)
from supervisor_ai.domain.run.values import (
    Base,
    ForkPoint,
    Identity,
    Process,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class RunSubmitted(RunEvent):
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
    is_fresh: bool = False
    """Whether it uses nothing that is known from before: neither verdicts nor set-ups."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RunStarted(RunEvent):
    """An owner began to drive the run for the first time."""

    driver: str
    parent: RunId | None
    root: RunId


@dataclass(frozen=True, slots=True, kw_only=True)
class RunOwned(RunEvent):
    """A process took the run with a new epoch."""

    owner: str
    process: Process


@dataclass(frozen=True, slots=True, kw_only=True)
class RunWaiting(RunEvent):
    """Nothing can happen before a person or a time says so."""

    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RunContinued(RunEvent):
    """What the run waited for has come."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RunCompleted(RunEvent):
    """The run reached its goal."""

    outcome: Outcome
    degraded: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class RunFailed(RunEvent):
    """The run ended without its goal; what it made so far is kept."""

    outcome: Outcome


@dataclass(frozen=True, slots=True, kw_only=True)
class RunCancelled(RunEvent):
    """The run was stopped because somebody asked for it."""

    outcome: Outcome


@dataclass(frozen=True, slots=True, kw_only=True)
class CancelRequested(RunEvent):
    """Somebody wants the run to stop."""

    reason: ArtifactHash | None


@dataclass(frozen=True, slots=True, kw_only=True)
class CommandRefused(RunEvent):
    """A command in the inbox could not be followed."""

    letter: LetterKey
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class DefinitionMigrated(RunEvent):
    """The run goes on under another definition."""

    previous: ArtifactHash
    definition: ArtifactHash

"""The facts of a run as a whole."""

from supervisor_ai.domain.ids import (
    ArtifactHash,
    LetterKey,
    RunId,
    StreamId,
)
from supervisor_ai.domain.issues import IssueLink
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


class RunSubmitted(RunEvent, frozen=True, kw_only=True):
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
    issue: IssueLink | None = None
    """What its task was taken from."""
    overseer: StreamId | None = None
    """The stream of who watches over its workers and those of its children; None: nobody does."""


class RunStarted(RunEvent, frozen=True, kw_only=True):
    """An owner began to drive the run for the first time."""

    driver: str
    parent: RunId | None
    root: RunId


class RunOwned(RunEvent, frozen=True, kw_only=True):
    """A process took the run with a new epoch."""

    owner: str
    process: Process


class RunWaiting(RunEvent, frozen=True, kw_only=True):
    """Nothing can happen before a person or a time says so."""

    reason: str


class RunContinued(RunEvent, frozen=True, kw_only=True):
    """What the run waited for has come."""


class RunCompleted(RunEvent, frozen=True, kw_only=True):
    """The run reached its goal."""

    outcome: Outcome
    degraded: bool = False


class RunFailed(RunEvent, frozen=True, kw_only=True):
    """The run ended without its goal; what it made so far is kept."""

    outcome: Outcome


class RunCancelled(RunEvent, frozen=True, kw_only=True):
    """The run was stopped because somebody asked for it."""

    outcome: Outcome


class CancelRequested(RunEvent, frozen=True, kw_only=True):
    """Somebody wants the run to stop."""

    reason: ArtifactHash | None


class CommandRefused(RunEvent, frozen=True, kw_only=True):
    """A command in the inbox could not be followed."""

    letter: LetterKey
    reason: str


class DefinitionMigrated(RunEvent, frozen=True, kw_only=True):
    """The run goes on under another definition."""

    previous: ArtifactHash
    definition: ArtifactHash

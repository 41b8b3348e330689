"""The facts about supervisors and their directives."""

from typing import Final

from supervisor_ai.domain.ids import ArtifactHash, CommitSha
from supervisor_ai.domain.run.event_kinds.placed import RunEvent, StepNote
from supervisor_ai.drivers.quality.directives import Directive, DropReason, NewDirective
from supervisor_ai.drivers.quality.supervisors import RunOutcome


class AnswerTaken(StepNote, frozen=True, kw_only=True):
    """What an answer says, as far as it decides anything; it counts once its attempt succeeded."""

    attempt: int


class FindingsTaken(AnswerTaken, frozen=True, kw_only=True):
    """What a supervisor found."""

    outcome: RunOutcome
    directives: tuple[NewDirective, ...] = ()
    updated: tuple[str, ...] = ()
    """The documents of the knowledge store that it wrote or changed."""
    refused: tuple[str, ...] = ()
    """What it wrote and may not, or not in that form."""
    reviews: int = 0
    """How many items it wants a person to look at."""
    novel: int = 0
    """How much of it the look before had not found."""
    total: int = 0


class SupervisorRan(StepNote, frozen=True, kw_only=True):
    """A supervisor looked, or could not; what it wants done is pending from now on."""

    supervisor: str
    title: str
    outcome: RunOutcome
    after: int
    """After how many completed tasks."""
    commit: CommitSha
    """What it looked at."""
    directives: tuple[Directive, ...] = ()
    updated: tuple[str, ...] = ()
    refused: tuple[str, ...] = ()
    reviews: int = 0
    novel: int = 0
    total: int = 0
    is_converging: bool = False
    findings: ArtifactHash | None = None
    """Its whole answer; None: there was none."""
    reason: str = ""
    """Why there was none."""


class DirectiveAdded(StepNote, frozen=True, kw_only=True):
    """A person wants something done."""

    directive: Directive


class DirectiveDropped(StepNote, frozen=True, kw_only=True):
    """A directive is dropped that nobody answered."""

    number: int
    reason: DropReason


QUALITY_EVENTS: Final[tuple[type[RunEvent], ...]] = (
    FindingsTaken,
    SupervisorRan,
    DirectiveAdded,
    DirectiveDropped,
)

"""The facts about supervisors and their directives."""

from typing import ClassVar, Final

from msgspec import Struct

from supervisor_ai.domain.ids import ArtifactHash, CommitSha
from supervisor_ai.domain.run.event_kinds.directives import DirectivesAnswered
from supervisor_ai.domain.run.event_kinds.placed import (
    OperationEnded,
    OperationStarted,
    RunEvent,
    StepNote,
)
from supervisor_ai.domain.run.values import NO_USAGE, Usage
from supervisor_ai.drivers.quality.directives import (
    Directive,
    DirectiveResponse,
    DropReason,
    NewDirective,
)
from supervisor_ai.drivers.quality.supervisors import RunOutcome


class AnswerTaken(StepNote, frozen=True, kw_only=True):
    """What an answer says, as far as it decides anything; it counts once its attempt succeeded."""

    attempt: int


class FindingsTaken(AnswerTaken, frozen=True, kw_only=True):
    """What a supervisor found."""

    is_remembered: ClassVar = True

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
    left_out: str = ""
    """What of it is not kept, and why."""


class SupervisorRan(StepNote, frozen=True, kw_only=True):
    """A supervisor looked, or could not; what it wants done is pending from now on."""

    is_remembered: ClassVar = True

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
    """Why there was none, or what of it is not kept, and why."""
    usage: Usage = NO_USAGE
    """What the look cost, as far as its agent knows."""


class StandingRecord(Struct, frozen=True, kw_only=True):
    """Where a supervisor stands in the project, over all its runs."""

    supervisor: str
    since: int = 0
    """How many commits were counted since it looked last."""
    setbacks: int = 0
    """How often work was sent back on the way to them."""
    runs: int = 0
    doublings: int = 0
    commit: CommitSha | None = None
    """What it saw last, when it brought something; None: it never did."""
    findings: ArtifactHash | None = None


class StandingAnswer(Struct, frozen=True, kw_only=True):
    """What a planner said to a directive of the project."""

    number: int
    response: DirectiveResponse
    note: ArtifactHash | None = None


class StockStarted(OperationStarted, frozen=True, kw_only=True):
    """It is about to be looked up how the project stands with its supervisors."""

    operation: ClassVar = "stock"

    commit: CommitSha

    def lost(self) -> "StockLost":  # type: ignore[explicit-override]
        """State that its owner died before there was an outcome."""
        return StockLost(step=self.step, visit=self.visit, slot=self.slot)


class StockTaken(OperationEnded, frozen=True, kw_only=True):
    """How the project stands with its supervisors, one more commit counted."""

    ends: ClassVar = StockStarted
    is_remembered: ClassVar = True

    commit: CommitSha
    commits: int
    setbacks: int
    records: tuple[StandingRecord, ...] = ()
    pending: tuple[Directive, ...] = ()
    newest: int = 0
    """The number of the newest directive that there ever was."""
    answers: tuple[StandingAnswer, ...] = ()
    """What the run's planners said to directives."""
    tasks: tuple[ArtifactHash, ...] = ()
    """What was asked for in the runs before, the newest first."""


class StockLost(OperationEnded, frozen=True, kw_only=True):
    """Its owner died; looking again is harmless."""

    ends: ClassVar = StockStarted


class DirectiveAdded(StepNote, frozen=True, kw_only=True):
    """A person wants something done."""

    directive: Directive


class DirectiveDropped(StepNote, frozen=True, kw_only=True):
    """A directive is dropped that nobody answered."""

    is_remembered: ClassVar = True

    number: int
    reason: DropReason


QUALITY_EVENTS: Final[tuple[type[RunEvent], ...]] = (
    DirectivesAnswered,
    FindingsTaken,
    SupervisorRan,
    DirectiveAdded,
    DirectiveDropped,
    StockStarted,
    StockTaken,
    StockLost,
)

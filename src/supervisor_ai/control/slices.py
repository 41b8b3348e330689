"""Slices: a driver with everything that the kernel, the store and the faces need of it.

A slice is registered by its name and imported when something of it is asked for, so that a run of
one driver imports no other.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Final

from supervisor_ai.control.sentence_table import SentenceTable
from supervisor_ai.domain.envelope import Event
from supervisor_ai.domain.errors import InternalError
from supervisor_ai.domain.ids import CommitSha, RunId
from supervisor_ai.domain.run.definition import Definition
from supervisor_ai.domain.run.events import AttemptStarted, RunEvent, RunSubmitted
from supervisor_ai.engine.playback import Opener, Playback
from supervisor_ai.engine.ports.artifacts import Documents

if TYPE_CHECKING:
    from supervisor_ai.control.ports.definitions import Catalog, Loaded
    from supervisor_ai.control.ports.queries import ApprovalRow
    from supervisor_ai.control.records import Records
    from supervisor_ai.control.run_views import RunView


@dataclass(frozen=True, slots=True, kw_only=True)
class QuestionHelp:
    """What a person who is asked may want to see or change before the answer."""

    mend: str | None = None
    """Where the files can be changed that are looked at again: a branch or a directory."""
    before: str | None = None
    """What was answered before, where the question is about it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AttemptWords:
    """Who was asked in an attempt, and for what, in the words of the driver."""

    role: str
    task: str | None = None
    """None: the task of the whole run."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Standpoint:
    """Where a person stands who is told about a run."""

    records: "Records"
    checkout: Path
    start: Path
    """The directory in which the person typed the command."""
    command: str
    """What the person types to call us."""


Rows = tuple[tuple[str, str], ...]
"""Lines of a page, each with its label."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AboutRun:
    """What a driver has to say about one of its runs."""

    value: object
    """For programs; it is shown under the driver's name."""
    rows: Rows
    """For people."""


def _nothing_more(standpoint: Standpoint, run: "RunView") -> AboutRun | None:
    del standpoint, run
    return None


def _no_rows(definition: Definition) -> Rows:
    del definition
    return ()


def _no_permit(definition: Definition) -> str | None:
    del definition
    return None


def _no_help(records: "Records", run: "RunView", asked: "ApprovalRow") -> QuestionHelp:
    del records, run, asked
    return QuestionHelp()


def _by_role(
    definition: Definition, started: AttemptStarted, earlier: Sequence[Event]
) -> AttemptWords:
    del definition, earlier
    return AttemptWords(role=started.role)


@dataclass(frozen=True, slots=True, kw_only=True)
class Slice:
    """What a driver contributes."""

    driver: Opener
    definition: type[Definition] | None = None
    """What its runs pin; None: no steps that are known beforehand."""
    events: tuple[type[RunEvent], ...] = ()
    """Its own, besides those of the kernel."""
    sentences: SentenceTable = ()
    """What is said about its events."""
    rules: Mapping[type[Event], tuple[str, ...]] = field(default_factory=dict)
    """What its events do to tables, as SQL; an event without a rule tells its step's verdict."""
    tables: Mapping[str, str] = field(default_factory=dict)
    """Its own tables by name, each with the statement that makes it where it is missing."""
    permit: Callable[[Definition], str | None] = _no_permit
    """Names what no other unfinished run may have."""
    today: "Callable[[Catalog, Definition, CommitSha, str | None], Loaded] | None" = None
    """Loads what a run would pin today; None: as its workflow's name says."""
    question_help: "Callable[[Records, RunView, ApprovalRow], QuestionHelp]" = _no_help
    """Says what a person who is asked may want to see or change."""
    about_run: "Callable[[Standpoint, RunView], AboutRun | None]" = _nothing_more
    preview: Callable[[Definition], Rows] = _no_rows
    """Says what a run would work on, before it is started."""
    attempt_words: Callable[[Definition, AttemptStarted, Sequence[Event]], AttemptWords] = _by_role


@dataclass(frozen=True, slots=True)
class SliceName:
    """A slice by its driver's name and the module that has it as `SLICE`."""

    name: str
    module: str

    def load(self) -> Slice:
        """Import the slice."""
        found = getattr(import_module(self.module), "SLICE", None)
        if not isinstance(found, Slice):
            raise InternalError(f"{self.module} has no slice.")
        return found

    def open(self, run: RunId, birth: RunSubmitted, documents: Documents) -> Playback:
        """Begin a playback of one of its runs."""
        return self.load().driver(run, birth, documents)


_REGISTERED: Final[dict[str, SliceName]] = {}


def register(slices: Iterable[SliceName]) -> None:
    """Make slices known to this process."""
    _REGISTERED.update({it.name: it for it in slices})


@contextmanager
def registered(more: SliceName) -> Iterator[None]:
    """Make one more slice known for a while."""
    register((more,))
    try:
        yield
    finally:
        del _REGISTERED[more.name]


def openers() -> Mapping[str, Opener]:
    """Return who plays back the runs of which driver."""
    return {it.name: it.open for it in _REGISTERED.values()}


def find_slice(driver: str) -> Slice | None:
    """Return the slice of a driver; None: it is not registered."""
    named = _REGISTERED.get(driver)
    return None if named is None else named.load()


def all_slices() -> Iterator[Slice]:
    """Import all that are registered, in their order."""
    return (it.load() for it in tuple(_REGISTERED.values()))


def slice_events() -> tuple[type[RunEvent], ...]:
    """Return the events that slices have of their own."""
    return tuple(kind for it in all_slices() for kind in it.events)


def definition_of(driver: str) -> type[Definition]:
    """Return the type of the definition that runs of a driver pin."""
    found = find_slice(driver)
    return Definition if found is None or found.definition is None else found.definition

"""Slices: a driver with everything that the kernel, the store and the faces need of it.

A slice is registered by its name and imported when something of it is asked for, so that a run of
one driver imports no other.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from msgspec import Struct, field

from supervisor_ai.control.sentence_table import SentenceTable
from supervisor_ai.control.slice_names import SliceName, import_place, registered_slices
from supervisor_ai.domain.envelope import Event
from supervisor_ai.domain.errors import InternalError
from supervisor_ai.domain.ids import CommitSha, RunId, StreamId
from supervisor_ai.domain.run.definition import Definition
from supervisor_ai.domain.run.events import AttemptStarted, RunEvent, RunSubmitted
from supervisor_ai.engine.playback import Opener, Playback
from supervisor_ai.engine.ports.artifacts import Documents
from supervisor_ai.engine.streams.folded_stream import Fold

if TYPE_CHECKING:
    from supervisor_ai.control.ports.definitions import Catalog, Loaded
    from supervisor_ai.control.ports.queries import ApprovalRow
    from supervisor_ai.control.preflight import Preflight
    from supervisor_ai.control.records import Records
    from supervisor_ai.control.run_views import RunView
    from supervisor_ai.domain.run.effects import OperationEffect
    from supervisor_ai.engine.ports.workspaces import Repository
    from supervisor_ai.engine.world import Performer, Performers


class QuestionHelp(Struct, frozen=True, kw_only=True):
    """What a person who is asked may want to see or change before the answer."""

    mend: str | None = None
    """Where the files can be changed that are looked at again: a branch or a directory."""
    before: str | None = None
    """What was answered before, where the question is about it."""


class AttemptWords(Struct, frozen=True, kw_only=True):
    """Who was asked in an attempt, and for what, in the words of the driver."""

    role: str
    task: str | None = None
    """None: the task of the whole run."""


class Standpoint(Struct, frozen=True, kw_only=True):
    """Where a person stands who is told about a run."""

    records: "Records"
    checkout: Path
    start: Path
    """The directory in which the person typed the command."""
    command: str
    """What the person types to call us."""


Rows = tuple[tuple[str, str], ...]
"""Lines of a page, each with its label."""


class AboutRun(Struct, frozen=True, kw_only=True):
    """What a driver has to say about one of its runs."""

    value: object
    """For programs; it is shown under the driver's name."""
    rows: Rows
    """For people."""


class TaskDesk(Struct, frozen=True, kw_only=True):
    """Where a person stands who looks at the tasks of a run."""

    records: "Records"
    preflight: "Preflight"
    start: Path


class TaskLine(Struct, frozen=True, kw_only=True):
    """One task of a list that a run works through."""

    name: str
    title: str
    state: str
    who: str
    """Who does it."""
    said: str
    """What was said about it last, in a word."""
    is_current: bool


class TaskPanel(Struct, frozen=True, kw_only=True):
    """What stands above a list of tasks: lines of cells below a title."""

    title: str
    rows: tuple[tuple[str, ...], ...]
    """The first one names the columns; where there is no other, nothing is shown."""
    alerts: frozenset[int] = frozenset()
    """The rows that need somebody, counted without the first."""


class TaskList(Struct, frozen=True, kw_only=True):
    """The list of tasks that a run works through."""

    title: str
    noun: str
    """What such a list is called."""
    phase: str
    source: str
    """From where it was read."""
    states: tuple[str, ...]
    """All states that a task can have, in their order."""
    tasks: tuple[TaskLine, ...]
    panels: tuple[TaskPanel, ...] = ()
    """Who works on them, and what needs somebody."""


def _no_tasks(desk: TaskDesk, run: "RunView", ports: Mapping[str, object]) -> TaskList | None:
    del desk, run, ports
    return None


def _nothing_more(standpoint: Standpoint, run: "RunView") -> AboutRun | None:
    del standpoint, run
    return None


def _no_rows(definition: Definition) -> Rows:
    del definition
    return ()


def _no_permit(definition: Definition) -> str | None:
    del definition
    return None


def _by_merge(definition: Definition) -> str | None:
    del definition
    return None


def _no_performers(ports: Mapping[str, object]) -> "Performers":
    del ports
    return {}


def _no_reference() -> "SliceReference | None":
    return None


def _no_help(records: "Records", run: "RunView", asked: "ApprovalRow") -> QuestionHelp:
    del records, run, asked
    return QuestionHelp()


def _by_role(
    definition: Definition, started: AttemptStarted, earlier: Sequence[Event]
) -> AttemptWords:
    del definition, earlier
    return AttemptWords(role=started.role)


class SliceProject(Struct, frozen=True, kw_only=True):
    """The project on which the ports of a slice act."""

    repository: "Repository"
    state: Path
    """The project's own directory outside the repository."""


MakePort = Callable[[Callable[[], SliceProject]], object]
"""Makes an adapter of a slice's port; the project is opened when it is asked for."""


class LatePorts(Mapping[str, object]):
    """The adapters of a slice's ports by their names, each made when it is asked for."""

    def __init__(self, named: SliceName, project: Callable[[], SliceProject]) -> None:
        self._places = named.ports
        self._project = project

    def __getitem__(self, port: str) -> object:  # type: ignore[explicit-override]
        make = cast("MakePort", import_place(self._places[port]))
        return make(self._project)

    def __iter__(self) -> Iterator[str]:  # type: ignore[explicit-override]
        return iter(self._places)

    def __len__(self) -> int:  # type: ignore[explicit-override]
        return len(self._places)


class SliceReference(Struct, frozen=True, kw_only=True):
    """What the generated pages say about a slice."""

    whose: str
    """Whose events it has: `a list's`."""
    prints: str
    """What its verbs print as JSON, in sentences."""
    shapes: tuple[type, ...]
    """The values that they print."""


class SliceStream(Struct, frozen=True, kw_only=True):
    """A kind of stream that a slice has of its own, beside those of its runs."""

    prefix: str
    """What the names of such streams begin with, before a colon and a name."""
    fold: Fold[Any]
    """How its facts add up; what is kept of it is verified with it."""
    events: tuple[type[Event], ...]
    """Its facts; what they do to tables, and what is said about them, is said as of any other."""

    def owner_of(self, stream: StreamId) -> str | None:
        """Return whose events a stream holds; None: it is of another kind."""
        kind, _, name = stream.partition(":")
        return name if kind == self.prefix and name else None


class Slice(Struct, frozen=True, kw_only=True):
    """What a driver contributes."""

    driver: Opener
    definition: type[Definition] | None = None
    """What its runs pin; None: no steps that are known beforehand."""
    events: tuple[type[RunEvent], ...] = ()
    """Its own, besides those of the kernel."""
    streams: tuple[SliceStream, ...] = ()
    """The kinds of streams that it has besides those of runs."""
    performers: "Callable[[Mapping[str, object]], Performers]" = _no_performers
    """Makes who performs its own effects, with the adapters of its ports by their names."""
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
    task_list: "Callable[[TaskDesk, RunView, Mapping[str, object]], TaskList | None]" = _no_tasks
    """Reads the list that a run works through, with the adapters of its ports by their names."""
    preview: Callable[[Definition], Rows] = _no_rows
    """Says what a run would work on, before it is started."""
    landing_verb: Callable[[Definition], str | None] = _by_merge
    """Names the verb by which the work of a run lands; None: `merge` does it."""
    attempt_words: Callable[[Definition, AttemptStarted, Sequence[Event]], AttemptWords] = _by_role
    reference: Callable[[], SliceReference | None] = _no_reference


def load_slice(named: SliceName) -> Slice:
    """Import a slice."""
    found = getattr(import_module(named.module), "SLICE", None)
    if not isinstance(found, Slice):
        raise InternalError(f"{named.module} has no slice.")
    return found


def _open(named: SliceName, run: RunId, birth: RunSubmitted, documents: Documents) -> Playback:
    return load_slice(named).driver(run, birth, documents)


def openers() -> Mapping[str, Opener]:
    """Return who plays back the runs of which driver."""
    return {name: partial(_open, it) for name, it in registered_slices().items()}


def find_slice(driver: str) -> Slice | None:
    """Return the slice of a driver; None: it is not registered."""
    named = registered_slices().get(driver)
    return None if named is None else load_slice(named)


def all_slices() -> Iterator[Slice]:
    """Import all that are registered, in their order."""
    return map(load_slice, registered_slices().values())


def slice_performers(project: Callable[[], SliceProject]) -> "Performers":
    """Make who performs the effects that slices have of their own."""
    made: dict[type[OperationEffect], Performer] = {}
    for named in registered_slices().values():
        made |= load_slice(named).performers(LatePorts(named, project))
    return made


def slice_events() -> tuple[type[RunEvent], ...]:
    """Return the events that slices have of their own."""
    return tuple(kind for it in all_slices() for kind in it.events)


def stream_events() -> tuple[type[Event], ...]:
    """Return the facts of the streams that slices have of their own."""
    return tuple(kind for it in all_slices() for stream in it.streams for kind in stream.events)


def stream_kind(stream: StreamId) -> SliceStream | None:
    """Find the kind of a stream that a slice has of its own; None: it is the kernel's."""
    kinds = (kind for it in all_slices() for kind in it.streams)
    return next((kind for kind in kinds if kind.owner_of(stream) is not None), None)


def own_events() -> tuple[type[Event], ...]:
    """Return all facts that slices have of their own, of runs and of other streams."""
    return (*slice_events(), *stream_events())


def definition_of(driver: str) -> type[Definition]:
    """Return the type of the definition that runs of a driver pin."""
    found = find_slice(driver)
    return Definition if found is None or found.definition is None else found.definition

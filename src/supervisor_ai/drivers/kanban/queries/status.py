"""How a kanban stands: its tasks, what is next, and the run that works on it."""

from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path

from msgspec import Struct

from supervisor_ai.control.run_views import view_run
from supervisor_ai.domain.ids import CommitSha, RunId, run_stream
from supervisor_ai.domain.run import events as e
from supervisor_ai.domain.run.status import RunStatus
from supervisor_ai.domain.run.values import NO_USAGE, Base, Usage
from supervisor_ai.drivers.kanban.board.kanban import (
    Agent,
    Kanban,
    Phase,
    Priority,
    TaskKind,
    TaskState,
)
from supervisor_ai.drivers.kanban.board.numbers import number_of
from supervisor_ai.drivers.kanban.board.policy import KanbanPlace
from supervisor_ai.drivers.kanban.board.roles import determine_role
from supervisor_ai.drivers.kanban.commands.start import Office, missing, read_kanban
from supervisor_ai.drivers.kanban.events import KanbanRead
from supervisor_ai.drivers.kanban.files import FoundFiles, files_of_commit, files_of_directory
from supervisor_ai.drivers.kanban.places import name_of
from supervisor_ai.drivers.kanban.runs import KanbanRun, newest_on, runs_on


class TaskView(Struct, frozen=True, kw_only=True):
    """A task of a kanban."""

    file: str
    number: int | None
    title: str
    state: TaskState
    role: Agent
    """Who does it: as its header says, else the Implementor."""
    type: TaskKind
    priority: Priority
    conclusion: str | None
    """What the last entry of its work log says in one word."""
    usage: Usage = NO_USAGE
    """What was spent on it by all runs on the kanban, the Manager's answers about it included."""


class KanbanRunView(Struct, frozen=True, kw_only=True):
    """The newest run on a kanban."""

    id: RunId
    status: RunStatus
    branch: str | None
    commit: CommitSha | None
    waits_for: str | None
    owner: str | None
    """Who drives it now."""
    standing: str = ""
    """In a word or two how it stands."""


class KanbanSource(Struct, frozen=True, kw_only=True):
    """From where a kanban's files were read."""

    branch: str | None = None
    """The branch of the newest run on it, or whatever name a commit was found by."""
    commit: CommitSha | None = None
    directory: str | None = None


class KanbanView(Struct, frozen=True, kw_only=True):
    """A kanban as its files tell it."""

    file: str
    title: str
    phase: Phase
    sub_phase: str | None
    current: str | None
    role: Agent | None
    """Who does the current task."""
    is_complete: bool
    tasks: tuple[TaskView, ...]
    counts: dict[str, int]
    """How many tasks are in which state."""
    open: int
    source: KanbanSource
    run: KanbanRunView | None


def show_kanban(office: Office, place: KanbanPlace, *, ref: str | None) -> KanbanView:
    """Read a kanban as its newest run has it, unless a ref is named."""
    newest = newest_on(office.records, place)
    source, found = _find(office, place, ref)
    kanban = read_kanban(office, found, place)
    current = None if kanban.current is None else kanban.files.get(kanban.current)
    tasks = tuple(_tasks(kanban, _spent(office, place)))
    return KanbanView(
        file=kanban.path,
        title=kanban.title,
        phase=kanban.phase,
        sub_phase=kanban.sub_phase,
        current=kanban.current,
        role=None if current is None else determine_role(current.role),
        is_complete=kanban.is_complete,
        tasks=tasks,
        counts=dict(Counter(task.state.value for task in tasks)),
        open=len(kanban.open),
        source=source,
        run=None if newest is None else _run(office, newest),
    )


def _find(office: Office, place: KanbanPlace, ref: str | None) -> tuple[KanbanSource, FoundFiles]:
    repository = office.preflight.repository
    if place.directory is not None:
        found = files_of_directory(Path(place.directory), place.folder)
        base, source = None, KanbanSource(directory=place.directory)
    else:
        base = repository.resolve(ref) if ref is not None else _tip(office, place)
        found = files_of_commit(repository, base.sha, place.folder)
        source = KanbanSource(branch=base.ref, commit=base.sha)
    if not found.has(place):
        raise missing(office, place, base)
    return source, found


def _tip(office: Office, place: KanbanPlace) -> Base:
    """Find what the newest run works on: its branch, or its base before it has put anything there.

    An older run's branch would be shown beside a run that knows nothing of it. Where the branch
    of an ended run is gone, it was merged or thrown away: the checkout knows.
    """
    repository = office.preflight.repository
    newest = newest_on(office.records, place)
    if newest is None:
        return repository.resolve(None)
    branch, base = newest.row.branch, newest.row.base
    if branch is not None and repository.branch_tip(branch) is not None:
        return repository.resolve(branch)
    is_begun = newest.is_unfinished and base is not None and repository.has_commit(base.sha)
    return base if base is not None and is_begun else repository.resolve(None)


def _spent(office: Office, place: KanbanPlace) -> dict[str, Usage]:
    """Add up what was spent while each task was the current one."""
    spent: dict[str, Usage] = {}
    records = office.records
    for found in () if records is None else runs_on(records, place):
        current = ""
        for envelope in () if records is None else records.log.read(run_stream(found.row.id)):
            match envelope.event:
                case KanbanRead(current=path):
                    current = path or ""
                case e.AttemptSucceeded(usage=usage) | e.AttemptFailed(usage=usage):
                    spent[current] = spent.get(current, NO_USAGE).plus(usage)
                case _:
                    pass
    return spent


def _tasks(kanban: Kanban, spent: Mapping[str, Usage]) -> Iterator[TaskView]:
    for path in kanban.tasks:
        task = kanban.files[path]
        said = task.log[-1].status if task.log else None
        yield TaskView(
            file=path,
            number=number_of(path),
            title=task.title,
            state=task.state,
            role=determine_role(task.role),
            type=task.kind,
            priority=task.priority,
            conclusion=None if said is None else said.value,
            usage=spent.get(path, NO_USAGE),
        )


def _run(office: Office, newest: KanbanRun) -> KanbanRunView:
    row, records = newest.row, office.records
    owner = None if records is None else records.queries.owner(row.id)
    return KanbanRunView(
        id=row.id,
        status=row.status,
        branch=row.branch,
        commit=row.commit,
        waits_for=row.waits_for,
        owner=owner.owner if owner is not None and owner.is_alive else None,
        standing=row.status.value if records is None else view_run(records, row).standing,
    )


def described(place: KanbanPlace, source: KanbanSource) -> str:
    """Say from where the files were read."""
    if source.directory is not None:
        return f"{name_of(place)} in {source.directory}"
    return f"{source.branch} at {(source.commit or '')[:12]}"

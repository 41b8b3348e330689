"""Starting a run on a kanban: its files are read and checked before anything is written."""

from pathlib import Path
from typing import cast

from msgspec import Struct

from supervisor_ai.control.commands.run_start import (
    PreparedRun,
    RunWishes,
    StartRequest,
    checked,
    find_base,
    pin,
)
from supervisor_ai.control.preflight import Preflight
from supervisor_ai.control.records import Records
from supervisor_ai.domain.errors import InvalidInput, NotFound
from supervisor_ai.domain.ids import CommitSha
from supervisor_ai.domain.run.values import Base
from supervisor_ai.domain.slugs import slug_of
from supervisor_ai.domain.structs import replace
from supervisor_ai.drivers.kanban.board.kanban import Kanban, Mistake
from supervisor_ai.drivers.kanban.board.numbers import next_number, title_of
from supervisor_ai.drivers.kanban.board.policy import KanbanPlace
from supervisor_ai.drivers.kanban.driver import KanbanDriver
from supervisor_ai.drivers.kanban.files import FoundFiles, files_of_commit, files_of_directory
from supervisor_ai.drivers.kanban.places import (
    OUTSIDE,
    KanbanRoot,
    find_directory,
    name_of,
    permit_of,
    place_of,
    typed,
)
from supervisor_ai.drivers.kanban.ports import KanbanReader, WantedKanban
from supervisor_ai.drivers.kanban.runs import KanbanRun, kanban_runs, newest_on, runs_on
from supervisor_ai.drivers.kanban.settings import KanbanSettings


class KanbanRequest(RunWishes, frozen=True, kw_only=True):
    """How a kanban is to be worked on."""

    manager: str | None = None
    """Who reconciles: `builtin` rules or a `model`; None: as the configuration says."""


class PreparedKanban(Struct, frozen=True, kw_only=True):
    """A kanban that was read, and the run that could work on it; None: it is complete."""

    place: KanbanPlace
    kanban: Kanban
    prepared: PreparedRun | None
    newer: str | None = None
    """The branch of the last run on it, where that has other files than the base."""


class Office(Struct, frozen=True, kw_only=True):
    """Where kanbans are started: what is asked before, what is recorded, where a person stands."""

    preflight: Preflight
    reader: KanbanReader
    records: Records | None
    start: Path

    def settings(self, commit: CommitSha) -> KanbanSettings:
        """Return what the config says about kanbans."""
        return cast("KanbanSettings", self.preflight.catalog.section(commit, KanbanDriver.name))

    @property
    def desk(self) -> KanbanRoot:
        """Return how this person names files."""
        return KanbanRoot(checkout=self.preflight.checkout, start=self.start)


def prepare_kanban_run(
    office: Office, place: KanbanPlace, request: KanbanRequest
) -> PreparedKanban:
    """Read a kanban and look up what a run on it needs, without changing anything."""
    base = find_base(office.preflight, request.base)
    found = _files(office.preflight, place, base)
    if not found.has(place):
        raise missing(office, place, base)
    kanban = read_kanban(office, found, place)
    if kanban.is_complete:
        return PreparedKanban(place=place, kanban=kanban, prepared=None)
    asked = checked(office.preflight, request.about(_task(kanban)))
    return PreparedKanban(
        place=place,
        kanban=kanban,
        prepared=_pinned(office, asked, base, place, request),
        newer=None if request.base else _newer(office, place, base),
    )


def _newer(office: Office, place: KanbanPlace, base: Base) -> str | None:
    """Name the branch of the last run on a kanban, if it has gone on there."""
    newest, repository = newest_on(office.records, place), office.preflight.repository
    branch = None if newest is None else _branch_with(office.preflight, newest)
    tip = None if branch is None else repository.branch_tip(branch)
    if tip is None or place.directory is not None:
        return None
    try:
        is_same = repository.read(tip, place.file) == repository.read(base.sha, place.file)
    except InvalidInput:
        return branch
    return None if is_same else branch


def prepare_new_kanban(
    office: Office, text: str, request: KanbanRequest, *, folder: str | None, directory: str | None
) -> tuple[KanbanPlace, PreparedRun]:
    """Name the file of a new kanban and look up what the run needs that creates it."""
    asked = checked(office.preflight, request.about(text))
    base = find_base(office.preflight, request.base)
    place = _new_place(office, asked.task, base, folder=folder, directory=directory)
    return place, _pinned(office, asked, base, place, request, instruction=asked.task)


def read_kanban(office: Office, found: FoundFiles, place: KanbanPlace) -> Kanban:
    """Return what a kanban's files say; every mistake in them is told at once."""
    told = found.kanban(office.reader, place.file)
    if isinstance(told, Kanban):
        return told
    raise unreadable(place, told)


def unreadable(place: KanbanPlace, mistakes: tuple[Mistake, ...]) -> InvalidInput:
    """List everything that is wrong with a kanban's files."""
    lines = [f"The kanban {place.file!r} cannot be read:", *(f"  {it}" for it in mistakes)]
    return InvalidInput(
        "\n".join(lines),
        hint="Mend the files and commit them. `supervisor kanban check` looks at your working "
        "tree, with --base at a branch.",
    )


def _files(preflight: Preflight, place: KanbanPlace, base: Base) -> FoundFiles:
    if place.directory is not None:
        return files_of_directory(Path(place.directory), place.folder)
    return files_of_commit(preflight.repository, base.sha, place.folder)


def _task(kanban: Kanban) -> str:
    return f"{kanban.title}\n\n{kanban.request}".strip()


def _pinned(
    office: Office,
    asked: StartRequest,
    base: Base,
    place: KanbanPlace,
    request: KanbanRequest,
    instruction: str = "",
) -> PreparedRun:
    preflight = office.preflight
    if place.folder == OUTSIDE and preflight.repository.list(base.sha, OUTSIDE):
        raise InvalidInput(
            f"The project has a folder {OUTSIDE!r}, where agents would find the plain directory.",
            hint="Put the directory into the project, where it keeps its own name.",
        )
    wanted = WantedKanban(
        place=place, instruction=instruction, cli=request.cli, manager=request.manager
    )
    loaded = preflight.catalog.resolve_for(KanbanDriver.name, base.sha, wanted)
    prepared = pin(preflight, asked, base, loaded)
    return replace(prepared, driver=KanbanDriver.name, permit=permit_of(place))


def missing(office: Office, place: KanbanPlace, base: Base | None) -> NotFound:
    """Say that the file is not there, and where it is instead if that is known."""
    if base is None or place.directory is not None:
        where = f"the directory {place.directory!r}"
        return NotFound(f"There is no file {name_of(place)!r} in {where}.")
    message = f"There is no file {place.file!r} in {base.ref} at {base.sha[:12]}."
    return NotFound(message, hint=elsewhere(office, place))


def elsewhere(office: Office, place: KanbanPlace) -> str:
    """Say where else a kanban file may be."""
    for found in runs_on(office.records, place):
        branch = _branch_with(office.preflight, found)
        if branch is not None:
            return f"It is on a branch of run {found.row.id}: say --base {branch}"
    on_disk = office.desk.checkout / place.file
    if on_disk.is_file():
        return (
            "It is not committed. Commit it, or use the directory as it is: "
            f"--dir {typed(office.desk, replace(place, file=place.folder))}"
        )
    return 'Create a kanban: supervisor kanban new "…"'


def _branch_with(preflight: Preflight, found: KanbanRun) -> str | None:
    """Name the branch of a run that has the kanban's file."""
    branch, place = found.row.branch, found.policy.place
    tip = None if branch is None else preflight.repository.branch_tip(branch)
    if tip is None or place.file not in preflight.repository.list(tip, place.folder):
        return None
    return branch


def _new_place(
    office: Office, text: str, base: Base, *, folder: str | None, directory: str | None
) -> KanbanPlace:
    """Choose a name: the next number of the folder, and a few words of the request."""
    if folder is not None and directory is not None:
        raise InvalidInput("A kanban is in a folder of the project or in a directory, not in both.")
    desk, slug = office.desk, slug_of(title_of(text)) or "request"
    usual = office.settings(base.sha).folder
    plain = None if directory is None else find_directory(desk, directory)

    def named(number: int) -> KanbanPlace:
        name = f"{number}-kanban-{slug}.md"
        return place_of(desk, name, folder=folder or usual, directory=plain)

    first = named(0)
    return named(_next_number(office, first, _files(office.preflight, first, base)))


def _next_number(office: Office, place: KanbanPlace, found: FoundFiles) -> int:
    """Count on from the files that are there, and from kanbans that still are on branches."""
    here = (place.folder, place.directory)
    runs = [
        run
        for run in kanban_runs(office.records)
        if (run.policy.place.folder, run.policy.place.directory) == here
    ]
    others = [path for run in runs for path in (run.policy.place.file, *_landed(office, run))]
    return next_number((*found.files, *others))


def _landed(office: Office, run: KanbanRun) -> tuple[str, ...]:
    """List the files of a run's branch, which may be merged one day."""
    repository, branch = office.preflight.repository, run.row.branch
    tip = None if branch is None else repository.branch_tip(branch)
    return () if tip is None else repository.list(tip, run.policy.place.folder)

"""Whether the files of a kanban, as a person edits them, could be worked on."""

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from msgspec import Struct

from supervisor_ai.domain.errors import InvalidInput, NotFound
from supervisor_ai.drivers.kanban.board.kanban import Kanban, Mistake, Phase, WorkItem
from supervisor_ai.drivers.kanban.board.policy import KanbanPlace
from supervisor_ai.drivers.kanban.commands.start import Office, elsewhere, missing
from supervisor_ai.drivers.kanban.files import FoundFiles, files_of_commit, files_of_directory
from supervisor_ai.drivers.kanban.places import name_of


class InadequateItem(Struct, frozen=True, kw_only=True):
    """A work item that says too little to be done; the Manager has it explored first."""

    file: str
    item: int
    """Its place in the list, from 1."""
    lacks: tuple[str, ...]


class KanbanCheck(Struct, frozen=True, kw_only=True):
    """What was found in a kanban's files."""

    file: str
    mistakes: tuple[Mistake, ...] = ()
    phase: Phase | None = None
    current: str | None = None
    counts: dict[str, int] | None = None
    """How many tasks are in which state; None where that cannot be told."""
    inadequate: tuple[InadequateItem, ...] = ()

    @property
    def is_valid(self) -> bool:
        """Tell whether a run could work on it."""
        return not self.mistakes


def check_kanban(office: Office, place: KanbanPlace, *, ref: str | None = None) -> KanbanCheck:
    """Look at the files on the disk, and not at what is committed, unless a ref is named."""
    if ref is not None:
        return _check_commit(office, place, ref)
    directory = _directory(office, place)
    found = files_of_directory(directory, place.folder)
    if not found.has(place):
        message = f"There is no file {name_of(place)!r} in {str(directory)!r}."
        raise NotFound(message, hint=elsewhere(office, place))
    return examine(office, place, found)


def _check_commit(office: Office, place: KanbanPlace, ref: str) -> KanbanCheck:
    repository = office.preflight.repository
    base = repository.resolve(ref)
    found = files_of_commit(repository, base.sha, place.folder)
    if not found.has(place):
        raise missing(office, place, base)
    return examine(office, place, found)


def examine(office: Office, place: KanbanPlace, found: FoundFiles) -> KanbanCheck:
    """Say what is wrong with the files, or what they say."""
    told = found.kanban(office.reader, place.file)
    if not isinstance(told, Kanban):
        return KanbanCheck(file=place.file, mistakes=told)
    return KanbanCheck(
        file=place.file,
        phase=told.phase,
        current=told.current,
        counts=dict(Counter(told.files[path].state.value for path in told.tasks)),
        inadequate=tuple(_inadequate(told)),
    )


def _directory(office: Office, place: KanbanPlace) -> Path:
    """Return where the files are; a folder of the project may not lead out of it."""
    if place.directory is not None:
        return Path(place.directory)
    top = office.preflight.checkout.resolve()
    folder = top / place.folder
    if not folder.resolve().is_relative_to(top):
        raise InvalidInput(f"The folder {place.folder!r} is a link that leads out of the project.")
    return folder


def _inadequate(kanban: Kanban) -> Iterator[InadequateItem]:
    for path in kanban.tasks:
        for number, item in enumerate(kanban.files[path].work_items, start=1):
            if not item.is_adequate:
                yield InadequateItem(file=path, item=number, lacks=tuple(_lacks(item)))


def _lacks(item: WorkItem) -> Iterator[str]:
    if not item.description.strip():
        yield "a description"
    if not item.files:
        yield "files"
    if not item.related_domains:
        yield "a related domain"

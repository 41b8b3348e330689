"""Where a kanban's files are, as a person names them on a command line."""

import os
import shlex
from pathlib import Path, PurePosixPath
from typing import Final

from msgspec import Struct

from supervisor_ai.domain.errors import InvalidInput, NotFound
from supervisor_ai.drivers.kanban.board.policy import KanbanPlace

OUTSIDE: Final = "supervisor-kanban"
"""Where agents find the files of a directory that is not in the project."""
_OURS: Final = frozenset({".git", ".supervisor"})
_PERMIT: Final = "kanban:"


class KanbanRoot(Struct, frozen=True, kw_only=True):
    """Where a person stands: in which checkout, and where in it."""

    checkout: Path
    start: Path

    def inside(self, path: Path) -> str | None:
        """Return a path as the project knows it; None where it lies outside."""
        top = self.checkout.resolve()
        for tried in (Path(os.path.normpath(path)), path.resolve()):
            if tried.is_relative_to(top):
                return tried.relative_to(top).as_posix()
        return None

    def at(self, name: str) -> Path:
        """Return what a name means here."""
        return self.start.resolve() / name


def find_place(desk: KanbanRoot, file: str, directory: str | None = None) -> KanbanPlace:
    """Say which kanban somebody means by a file, on a branch or in a plain directory."""
    if directory is not None:
        return _in_directory(desk, file, find_directory(desk, directory))
    path = desk.inside(desk.at(file))
    if path is None:
        folder = shlex.quote(str(Path(file).parent))
        raise InvalidInput(
            f"The file {file!r} is not in the project.",
            hint=f"For a plain directory of this machine, say --dir {folder}",
        )
    return KanbanPlace(file=_checked(path))


def find_any_place(desk: KanbanRoot, file: str) -> KanbanPlace:
    """Say which files of this machine somebody means, in the project or elsewhere."""
    path = desk.at(file)
    if desk.inside(path) is not None:
        return find_place(desk, file)
    return find_place(desk, str(path), str(path.parent))


def find_directory(desk: KanbanRoot, directory: str) -> Path:
    """Return the plain directory that somebody names; there has to be one."""
    found = desk.at(directory).resolve()
    if not found.is_dir():
        raise NotFound(
            f"There is no directory {directory!r}.",
            hint=f"Make it first: mkdir {shlex.quote(directory)}",
        )
    return found


def place_of(desk: KanbanRoot, name: str, *, folder: str, directory: Path | None) -> KanbanPlace:
    """Say where a file of this name is: in a folder of the project or in a plain directory."""
    if directory is None:
        path = PurePosixPath(folder)
        if path.is_absolute() or any(part.startswith(".") for part in path.parts):
            raise InvalidInput(
                f"{folder!r} is no folder for a kanban.",
                hint="Name one below the top of the project, for example `tasks`; none is hidden.",
            )
        return KanbanPlace(file=_checked((path / name).as_posix()))
    within = desk.inside(directory)
    mount = OUTSIDE if within is None else within
    return KanbanPlace(file=_checked(_joined(mount, name)), directory=str(directory))


def permit_of(place: KanbanPlace) -> str:
    """Name the permit that only one run on this kanban can have."""
    if place.directory is None:
        return f"{_PERMIT}{place.file}"
    return f"{_PERMIT}{place.directory}/{name_of(place)}"


def name_of(place: KanbanPlace) -> str:
    """Return the kanban file's own name."""
    return PurePosixPath(place.file).name


def typed(desk: KanbanRoot, place: KanbanPlace) -> str:
    """Write a place so that a person who stands here can type it."""
    if place.directory is not None:
        return f"{shlex.quote(name_of(place))} --dir {shlex.quote(place.directory)}"
    return shlex.quote(os.path.relpath(desk.checkout.resolve() / place.file, desk.start.resolve()))


def _in_directory(desk: KanbanRoot, file: str, directory: Path) -> KanbanPlace:
    named = PurePosixPath(file)
    above = {directory, desk.at(file).parent.resolve()}
    if len(named.parts) > 1 and len(above) > 1:
        raise InvalidInput(
            f"The file {file!r} is not in the directory {str(directory)!r}.",
            hint="All files of a kanban are right in one directory: name that one.",
        )
    return place_of(desk, named.name, folder="", directory=directory)


def _joined(folder: str, name: str) -> str:
    return name if folder in {"", "."} else f"{folder}/{name}"


def _checked(path: str) -> str:
    """Refuse what can be no kanban file, before anything is looked up."""
    parts = PurePosixPath(path).parts
    if not path.endswith(".md") or not path.isprintable():
        raise InvalidInput(f"A kanban file is a markdown file, and {path!r} is none.")
    if len(parts) == 1:
        raise InvalidInput(
            f"The kanban file {path!r} would be at the top of the project.",
            hint="A kanban's files have a folder of their own, for example `tasks`.",
        )
    if _OURS & set(parts):
        raise InvalidInput(f"A kanban cannot be in {path!r}.")
    return path

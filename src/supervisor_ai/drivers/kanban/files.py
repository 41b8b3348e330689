"""A kanban's files as a commit or a directory has them; what they hold is not trusted."""

import os
import stat
from pathlib import Path, PurePosixPath
from typing import Final

from msgspec import Struct

from supervisor_ai.domain.errors import InvalidInput
from supervisor_ai.domain.ids import CommitSha
from supervisor_ai.drivers.kanban.board.bounds import FILE_BYTES, MOST_FILES, is_markdown
from supervisor_ai.drivers.kanban.board.kanban import Kanban, Mistake
from supervisor_ai.drivers.kanban.board.policy import KanbanPlace
from supervisor_ai.drivers.kanban.ports import Files, KanbanReader
from supervisor_ai.engine.ports.workspaces import Repository

_EMPTY: Final = b"---\nstate: done\n---\n"
_TOO_LARGE: Final = f"The file is larger than {FILE_BYTES:,} bytes."
_OPENING: Final = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC


class FoundFiles(Struct, frozen=True, kw_only=True):
    """The files beside a kanban file, and what was found there that is no text."""

    files: Files
    unreadable: tuple[Mistake, ...] = ()

    def kanban(self, reader: KanbanReader, file: str) -> Kanban | tuple[Mistake, ...]:
        """Say what the files say, or everything that is wrong with them."""
        told = reader.read(file, self.files)
        if isinstance(told, Kanban):
            return told
        strange = {mistake.file for mistake in self.unreadable}
        # Once more as if these files were there, and done: what they are is told already.
        told = reader.read(file, {**self.files, **dict.fromkeys(strange, _EMPTY)})
        others = () if isinstance(told, Kanban) else told
        mistakes = (*self.unreadable, *(it for it in others if it.file not in strange))
        # The kanban file comes first, whatever it is called.
        return tuple(sorted(mistakes, key=lambda it: (it.file != file, it.file, it.line or 0)))

    def has(self, place: KanbanPlace) -> bool:
        """Tell whether the kanban file itself is there."""
        return place.file in self.files or any(it.file == place.file for it in self.unreadable)


def files_of_commit(repository: Repository, commit: CommitSha, folder: str) -> FoundFiles:
    """Read the markdown files right in a folder of a commit."""
    files: dict[str, bytes] = {}
    unreadable: list[Mistake] = []
    listed = [path for path in repository.list(commit, folder) if _belongs(path, folder)]
    _check_number(len(listed), folder)
    for path in listed:
        try:
            text = repository.read(commit, path)
        except InvalidInput:
            unreadable.append(_mistake(path, "The file is not UTF-8 text."))
            continue
        if text is not None and len(text) <= FILE_BYTES:
            files[path] = text.encode()
        elif text is not None:
            unreadable.append(_mistake(path, _TOO_LARGE))
    return FoundFiles(files=files, unreadable=tuple(unreadable))


def files_of_directory(directory: Path, folder: str) -> FoundFiles:
    """Read the markdown files right in a directory; links are followed nowhere."""
    files: dict[str, bytes] = {}
    unreadable: list[Mistake] = []
    names = _names(directory)
    _check_number(len(names), folder)
    for name in names:
        path = f"{folder}/{name}"
        found = _content(directory / name)
        if isinstance(found, str):
            unreadable.append(_mistake(path, found))
        else:
            files[path] = found
    return FoundFiles(files=files, unreadable=tuple(unreadable))


def _check_number(number: int, folder: str) -> None:
    if number > MOST_FILES:
        raise InvalidInput(
            f"{number} markdown files are in {folder!r}; {MOST_FILES} are the most that are read.",
            hint="Keep the files of one kanban in a folder of their own.",
        )


def _names(directory: Path) -> list[str]:
    try:
        with os.scandir(directory) as entries:
            return sorted(entry.name for entry in entries if is_markdown(entry.name))
    except (FileNotFoundError, NotADirectoryError):
        return []
    except OSError as error:
        message = f"The directory {str(directory)!r} cannot be read: {error.strerror}."
        raise InvalidInput(message) from error


def _content(path: Path) -> bytes | str:
    """Return what an ordinary file holds, or why that cannot be had."""
    try:
        opened = os.open(path, _OPENING)
    except OSError:
        return "This is a link, or a file that cannot be read."
    if not stat.S_ISREG(os.fstat(opened).st_mode):
        os.close(opened)
        return "This is no ordinary file."
    with os.fdopen(opened, "rb") as file:
        content = file.read(FILE_BYTES + 1)
    return _TOO_LARGE if len(content) > FILE_BYTES else content


def _belongs(path: str, folder: str) -> bool:
    return is_markdown(path) and PurePosixPath(path).parent.as_posix() == folder


def _mistake(path: str, problem: str) -> Mistake:
    return Mistake(file=path, line=None, problem=problem)

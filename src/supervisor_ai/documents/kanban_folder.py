"""The folder of a kanban in a workspace, which holds whatever an agent has put there.

No link is followed, at any place; only regular files of a bounded size are read.
"""

import errno
import os
import secrets
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from msgspec import Struct

from supervisor_ai.domain.errors import InvalidInput
from supervisor_ai.drivers.kanban.board.bounds import ALL_BYTES, FILE_BYTES, MOST_FILES, is_markdown
from supervisor_ai.drivers.kanban.board.kanban import folder_of

_DIRECTORY: Final = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
# Without O_NONBLOCK the opening of a FIFO waits until somebody writes to it.
_OLD: Final = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC
_NEW: Final = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
_IS_NO_FILE: Final = {errno.ELOOP, errno.ENXIO, errno.ENODEV, errno.EISDIR}
_MODE: Final = 0o644
_READABLE: Final = 0o444


class KanbanFolder(Struct, frozen=True, kw_only=True):
    """An open folder; files are named by their path in the project."""

    path: str
    handle: int

    def paths(self) -> list[str]:
        """Name everything that is right in it, of whatever kind."""
        with os.scandir(self.handle) as entries:
            return sorted(f"{self.path}/{entry.name}" for entry in entries)

    def read(self) -> dict[str, bytes]:
        """Read its markdown files; what is no regular file is not there.

        Of a file that is too large there is one byte too much, and no more.
        """
        found: dict[str, bytes] = {}
        for path in self.paths():
            content = self._content(path) if is_markdown(path) else None
            if content is not None:
                found[path] = content
            if len(found) > MOST_FILES or sum(map(len, found.values())) > ALL_BYTES:
                raise InvalidInput(
                    f"The markdown files in {self.path!r} are more than {MOST_FILES}, "
                    f"or larger than {ALL_BYTES} bytes together."
                )
        return found

    def create(self, path: str, text: str) -> None:
        """Write a file that is not there yet."""
        with self._new_file(_name(path), os.fstat(self.handle), _MODE) as handle:
            _write(handle, text)

    def replace(self, path: str, text: str) -> None:
        """Write a file in place of another one, at once; its owner and rights stay."""
        name = _name(path)
        before = os.stat(name, dir_fd=self.handle, follow_symlinks=False)
        beside = f".{secrets.token_hex(8)}.new"
        with self._new_file(beside, before, stat.S_IMODE(before.st_mode)) as handle:
            _write(handle, text)
            os.replace(beside, name, src_dir_fd=self.handle, dst_dir_fd=self.handle)

    def _content(self, path: str) -> bytes | None:
        try:
            handle = os.open(_name(path), _OLD, dir_fd=self.handle)
        except OSError as error:
            if error.errno in _IS_NO_FILE:
                return None
            raise
        try:
            if not stat.S_ISREG(os.fstat(handle).st_mode):
                return None
            with open(handle, "rb", closefd=False) as file:
                return file.read(FILE_BYTES + 1)
        finally:
            os.close(handle)

    @contextmanager
    def _new_file(self, name: str, like: os.stat_result, mode: int) -> Iterator[int]:
        """Make a file for whoever has another one; it is gone again if it cannot be filled."""
        handle = os.open(name, _NEW, mode & 0o777, dir_fd=self.handle)
        try:
            os.fchmod(handle, (mode & 0o777) | _hand_over(handle, like))
            yield handle
        except BaseException:
            os.unlink(name, dir_fd=self.handle)
            raise
        finally:
            os.close(handle)


@contextmanager
def kanban_folder(root: Path, file: str, *, is_new: bool = False) -> Iterator[KanbanFolder]:
    """Open the folder of a kanban file below a root; a new kanban may need a new folder."""
    folder = folder_of(_checked(file))
    here = os.open(root, _DIRECTORY)
    try:
        for name in folder.split("/"):
            if is_new:
                _make(here, name)
            there = os.open(name, _DIRECTORY, dir_fd=here)
            os.close(here)
            here = there
        yield KanbanFolder(path=folder, handle=here)
    finally:
        os.close(here)


def _checked(file: str) -> str:
    parts = file.split("/")
    is_inside = len(parts) > 1 and not {"", ".", ".."}.intersection(parts)
    if is_inside and is_markdown(file) and file.isprintable():
        return file
    raise InvalidInput(
        f"{file!r} is no path of a markdown file in a folder of the project.",
        hint="Name one such as tasks/0-kanban-name.md.",
    )


def _make(here: int, name: str) -> None:
    try:
        os.mkdir(name, 0o755, dir_fd=here)
    except FileExistsError:
        return
    there = os.open(name, _DIRECTORY, dir_fd=here)
    try:
        _hand_over(there, os.fstat(here))
    finally:
        os.close(there)


def _name(path: str) -> str:
    return path.rpartition("/")[2]


def _hand_over(handle: int, like: os.stat_result) -> int:
    """Give a file to somebody; return the rights that it needs where that is not possible."""
    if (like.st_uid, like.st_gid) == (os.geteuid(), os.getegid()):
        return 0
    try:
        os.fchown(handle, like.st_uid, like.st_gid)
    except PermissionError:
        return _READABLE
    return 0


def _write(handle: int, text: str) -> None:
    with open(handle, "wb", closefd=False) as file:
        file.write(text.encode(errors="replace"))

"""Files below one directory that is the user's: no link is followed, and a file changes at once."""

import errno
import os
import secrets
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

from supervisor_ai.domain.errors import Denied, InvalidInput, NotFound, SupervisorError, Unavailable

LARGEST: Final = 1 << 20
_DIRECTORY: Final = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
# Without O_NONBLOCK the opening of a FIFO waits until somebody writes to it.
_OLD: Final = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC
_NEW: Final = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
_IS_STRANGE: Final = {errno.ELOOP, errno.ENOTDIR, errno.ENXIO, errno.ENODEV, errno.EISDIR}


class ConfinedFolder:
    """A directory and the files below it, by paths that begin there."""

    def __init__(self, root: Path) -> None:
        self._root = root

    def read(self, path: str) -> str | None:
        """Return a file's text, None where there is none; raises Denied and InvalidInput."""
        with self._asking(path), self._parent(path) as parent:
            if parent is None:
                return None
            with _opened(parent, _name(path)) as handle:
                return None if handle is None else _text(handle, path)

    def missing_directories(self, path: str) -> tuple[str, ...]:
        """Name the directories that would have to be made for a file, the outermost first."""
        above = [it.as_posix() for it in reversed(Path(path).parents)][1:]
        return tuple(it for it in above if not (self._root / it).is_dir())

    def write(self, path: str, text: str) -> None:
        """Put a text in a file's place at once; its owner and rights stay."""
        with self._asking(path), self._parent(path, is_made=True) as parent:
            if parent is None:
                raise NotADirectoryError(errno.ENOENT, os.strerror(errno.ENOENT))
            _replace(parent, _name(path), text)

    def remove(self, path: str) -> None:
        """Remove a file that may be there."""
        with self._asking(path), self._parent(path) as parent:
            if parent is not None:
                with suppress(FileNotFoundError):
                    os.unlink(_name(path), dir_fd=parent)

    def remove_empty(self, path: str) -> None:
        """Remove a directory, unless somebody has put something there."""
        with self._asking(path), self._parent(path) as parent:
            if parent is not None:
                with suppress(OSError):
                    os.rmdir(_name(path), dir_fd=parent)

    @contextmanager
    def _parent(self, path: str, *, is_made: bool = False) -> Iterator[int | None]:
        """Open the directory of a file; None where there is none."""
        try:
            # The root itself is the user's word; only what is below may be somebody else's.
            here = os.open(self._root, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        except FileNotFoundError as error:
            raise NotFound(
                f"There is no directory {str(self._root)!r}.", hint="Make it, and try again."
            ) from error
        try:
            for name in Path(path).parts[:-1]:
                if is_made:
                    _make(here, name)
                there = _entered(here, name)
                os.close(here)
                here = -1 if there is None else there
                if there is None:
                    break
            yield here if here >= 0 else None
        finally:
            if here >= 0:
                os.close(here)

    @contextmanager
    def _asking(self, path: str) -> Iterator[None]:
        """Say in words what went wrong with a file."""
        place = str(self._root / path)
        try:
            yield
        except SupervisorError:
            raise
        except OSError as error:
            if error.errno in _IS_STRANGE:
                raise Denied(
                    f"The way to {place!r} has a link, or something else that is no file.",
                    hint="Only real directories and files are changed: remove the link, or put "
                    "in what --dry-run shows by hand.",
                ) from error
            raise Unavailable(
                f"The file {place!r} cannot be read or written: {error.strerror}.",
                hint="Make it and its directory writable for you and try again.",
            ) from error


def _name(path: str) -> str:
    return Path(path).name


def _entered(here: int, name: str) -> int | None:
    try:
        return os.open(name, _DIRECTORY, dir_fd=here)
    except FileNotFoundError:
        return None


@contextmanager
def _opened(parent: int, name: str) -> Iterator[int | None]:
    try:
        handle = os.open(name, _OLD, dir_fd=parent)
    except FileNotFoundError:
        yield None
        return
    try:
        yield handle
    finally:
        os.close(handle)


def _text(handle: int, path: str) -> str:
    if not stat.S_ISREG(os.fstat(handle).st_mode):
        raise OSError(errno.EISDIR, os.strerror(errno.EISDIR))
    with open(handle, "rb", closefd=False) as file:
        content = file.read(LARGEST + 1)
    if len(content) > LARGEST:
        raise InvalidInput(f"The file {path!r} is larger than {LARGEST} bytes.")
    try:
        return content.decode()
    except UnicodeDecodeError as error:
        raise InvalidInput(
            f"The file {path!r} is no text in UTF-8.", hint="Move it away, and try again."
        ) from error


def _replace(parent: int, name: str, text: str) -> None:
    beside = f".{name}.{secrets.token_hex(8)}.new"
    handle = os.open(beside, _NEW, 0o666, dir_fd=parent)
    try:
        _resemble(handle, parent, name)
        with open(handle, "wb", closefd=False) as file:
            file.write(text.encode())
        os.fsync(handle)
        os.replace(beside, name, src_dir_fd=parent, dst_dir_fd=parent)
        os.fsync(parent)
    except BaseException:
        with suppress(FileNotFoundError):
            os.unlink(beside, dir_fd=parent)
        raise
    finally:
        os.close(handle)


def _resemble(handle: int, parent: int, name: str) -> None:
    """Give a new file the rights and the owner of the one whose place it takes."""
    try:
        like = os.stat(name, dir_fd=parent, follow_symlinks=False)
        os.fchmod(handle, stat.S_IMODE(like.st_mode) & 0o777)
    except FileNotFoundError:
        like = os.fstat(parent)
    _hand_over(handle, like)


def _make(here: int, name: str) -> None:
    try:
        os.mkdir(name, 0o777, dir_fd=here)
    except FileExistsError:
        return
    there = os.open(name, _DIRECTORY, dir_fd=here)
    try:
        _hand_over(there, os.fstat(here))
    finally:
        os.close(there)


def _hand_over(handle: int, like: os.stat_result) -> None:
    """Let root leave nothing of its own in somebody else's directory."""
    if os.geteuid() == 0:
        os.fchown(handle, like.st_uid, like.st_gid)

"""Copying what a hostile process may have prepared, or may be changing at this moment.

No link is ever followed; what is neither file, directory nor link is left out; hard links become
files of their own; permissions are reduced to what a checkout has; sizes are bounded.
"""

import errno
import fcntl
import os
import stat
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from typing import Final

from msgspec import Struct

from supervisor_ai.domain.errors import Unavailable
from supervisor_ai.workspaces.files.safe_open import Parts, directory_beneath, file_at

_FICLONE: Final = 0x40049409
_PIECE: Final = 1 << 20
_NEW: Final = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
_DIRECTORY_MODE: Final = 0o755
_IN_THE_WAY: Final = {errno.ENOTDIR, errno.ELOOP, errno.EEXIST, errno.ENOENT}
_CHANGED: Final = {errno.ENOENT, errno.EINVAL}
"""What the system says when an entry is gone, or is no link any more."""
_NO_DIRECTORY: Final = {errno.ENOENT, errno.ENOTDIR, errno.ELOOP}
"""What it says when a directory is gone, or something else is there, or on the way."""


@dataclass(slots=True, kw_only=True)
class CopyLimits:
    """How much may be copied in all, and how much was."""

    what: str
    size: int
    files: int
    hint: str | None = None
    _left: list[int] = field(init=False)

    def __post_init__(self) -> None:
        self._left = [self.size, self.files]

    @property
    def copied(self) -> int:
        """Return how many bytes were copied."""
        return self.size - self._left[0]

    def charge(self, size: int) -> None:
        """Take one more file into account; raise Unavailable beyond the limit."""
        self._left[0] -= size
        self._left[1] -= 1
        if min(self._left) < 0:
            limits = f"{self.size} bytes in {self.files} files"
            raise Unavailable(f"{self.what} are more than {limits}.", hint=self.hint)


def plain_mode(status: os.stat_result) -> int:
    """Choose between the two permissions that a file of a checkout can have."""
    return 0o755 if status.st_mode & stat.S_IXUSR else 0o644


def own_mode(status: os.stat_result) -> int:
    """Keep a private file private, but nothing that a checkout could not have."""
    return stat.S_IMODE(status.st_mode) & 0o755 | 0o600


class Copy(Struct, frozen=True, kw_only=True):
    """From below one open directory to below another."""

    source: int
    target: int
    allowance: CopyLimits
    mode: Callable[[os.stat_result], int] = plain_mode

    def file(self, parts: Parts) -> bool:
        """Copy one regular file; False if there is none, or something of the target's is there."""
        above, name = parts[:-1], parts[-1]
        try:
            make_directories(self.target, above)
            with self._both(above) as (source, target):
                return self._file(source, target, name)
        except OSError as error:
            if error.errno in _IN_THE_WAY:
                return False
            raise

    def entry(self, parts: Parts) -> bool:
        """Copy whatever is there, with all below it, to where the target has nothing yet."""
        above, name = parts[:-1], parts[-1]
        if not has_entry(self.source, parts):
            return False
        make_directories(self.target, above)
        with self._both(above) as (source, target):
            is_directory = self._one(source, target, name)
        if is_directory:
            self._below(parts)
        return is_directory is not None

    @contextmanager
    def _both(self, parts: Parts) -> Iterator[tuple[int, int]]:
        beneath = directory_beneath
        with beneath(self.source, parts) as source, beneath(self.target, parts) as target:
            yield source, target

    def _below(self, top: Parts) -> None:
        """Open each directory anew from the root: none is left by `..`, few are open at once."""
        waiting = [top]
        while waiting:
            parts = waiting.pop()
            with self._source_unless_changed(parts) as source:
                if source is not None:
                    waiting += ((*parts, name) for name in self._level(source, parts))

    @contextmanager
    def _source_unless_changed(self, parts: Parts) -> Iterator[int | None]:
        """Open a directory that was there a moment ago; None if it is none any more."""
        with ExitStack() as stack:
            try:
                source = stack.enter_context(directory_beneath(self.source, parts))
            except OSError as error:
                if error.errno not in _NO_DIRECTORY:
                    raise
                source = None
            yield source

    def _level(self, source: int, parts: Parts) -> list[str]:
        with os.scandir(source) as entries:
            names = sorted(entry.name for entry in entries)
        with directory_beneath(self.target, parts) as target:
            os.fchmod(target, _DIRECTORY_MODE)
            return [name for name in names if self._one(source, target, name)]

    def _one(self, source: int, target: int, name: str) -> bool | None:
        """Copy one entry; tell whether it is a directory, or None if it is nothing to copy."""
        try:
            mode = os.stat(name, dir_fd=source, follow_symlinks=False).st_mode
            if stat.S_ISDIR(mode):
                self.allowance.charge(0)
                os.mkdir(name, _DIRECTORY_MODE, dir_fd=target)
                return True
            if stat.S_ISLNK(mode):
                link = os.readlink(name, dir_fd=source)
                self.allowance.charge(0)
                os.symlink(link, name, dir_fd=target)
                return False
            return False if self._file(source, target, name) else None
        except OSError as error:
            if error.errno in _CHANGED:
                return None
            raise

    def _file(self, source: int, target: int, name: str) -> bool:
        with file_at(source, name) as readable:
            if readable is None:
                return False
            status = os.fstat(readable)
            self.allowance.charge(status.st_size)
            written = os.open(name, _NEW, 0o600, dir_fd=target)
            try:
                _fill(readable, written, status.st_size)
                os.fchmod(written, self.mode(status))
            finally:
                os.close(written)
        return True


def has_entry(root: int, parts: Parts) -> bool:
    """Tell whether there is anything of that name; a link on the way is an error."""
    try:
        with directory_beneath(root, parts[:-1]) as above:
            os.stat(parts[-1], dir_fd=above, follow_symlinks=False)
    except FileNotFoundError:
        return False
    return True


def make_directories(root: int, parts: Parts) -> None:
    """Make what is missing on the way, without following a link."""
    for depth, name in enumerate(parts):
        with directory_beneath(root, parts[:depth]) as above:
            try:
                os.mkdir(name, _DIRECTORY_MODE, dir_fd=above)
            except FileExistsError:
                continue
        with directory_beneath(root, parts[: depth + 1]) as made:
            os.fchmod(made, _DIRECTORY_MODE)  # Whatever the umask.


def _fill(readable: int, written: int, size: int) -> None:
    try:
        fcntl.ioctl(written, _FICLONE, readable)
    except OSError:
        _transfer(readable, written, size)
    else:
        os.ftruncate(written, size)  # It may have grown since it was counted.


def _transfer(readable: int, written: int, size: int) -> None:
    while size > 0 and (piece := os.read(readable, min(size, _PIECE))):
        size -= len(piece)
        view = memoryview(piece)
        while view:
            view = view[os.write(written, view) :]

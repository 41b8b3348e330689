"""A plain directory with the files of a kanban: read with care, written file by file."""

import hashlib
import os
import stat
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from itertools import islice
from pathlib import Path
from typing import Final, Protocol

from msgspec import Struct

from supervisor_ai.domain.errors import Conflict, InvalidInput
from supervisor_ai.drivers.kanban.board.bounds import (
    FILE_BYTES,
    check_file,
    check_sizes,
    is_markdown,
)
from supervisor_ai.workspaces.files.safe_open import file_at, root_directory
from supervisor_ai.workspaces.repositories.repository import GitRepository

Wish = tuple[bytes | None, bytes | None]
"""What a file was, and what it shall be; None: no file."""

_MOST_ENTRIES: Final = 100_000
_CHUNK: Final = 1 << 16
_FORBIDDEN: Final = frozenset({".git", ".supervisor"})
_NEW: Final = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
_ORDINARY: Final = 0o644


class Rename(Protocol):
    """Gives a file another name, in place of whatever has that name."""

    def __call__(self, src: str, dst: str, *, src_dir_fd: int, dst_dir_fd: int) -> None:
        """Rename an entry of an open directory."""
        ...


def find_directory(directory: str, repository: GitRepository) -> Path:
    """Return where a kanban's directory really is; refuse one that is not the user's to fill."""
    given = Path(directory)
    if not given.is_absolute() or ".." in given.parts or "\0" in directory:
        raise InvalidInput(f"The directory {directory!r} is not a definite path.")
    real = _real(given)
    ours = (repository.git.directory, repository.state_directory)
    is_ours = any(real.is_relative_to(_real(place)) for place in ours)
    if is_ours or _FORBIDDEN & {part.lower() for part in real.parts}:
        raise InvalidInput(f"The directory {directory!r} is no place for the files of a kanban.")
    roots = {_real(repository.root), _real(repository.checkout)}
    for above in (given, *given.parents):
        # What a checkout holds may come from anybody, links to anywhere included.
        if _real(above) in roots and real != _real(above) / given.relative_to(above):
            raise InvalidInput(f"The way to the directory {directory!r} has a symbolic link.")
    return real


def _real(path: Path) -> Path:
    return Path(os.path.realpath(path))


class KanbanDirectory(Struct, frozen=True, kw_only=True):
    """The directory itself; links, and what else is no regular file, are not there."""

    path: Path
    rename: Rename = os.rename

    def read(self) -> dict[str, bytes]:
        """Read the markdown files right in it."""
        with root_directory(self.path) as here:
            sizes = dict(_sizes(here))
            check_sizes(sizes)
            read = ((name, _content(here, name)) for name in sorted(sizes))
            return {name: content for name, content in read if content is not None}

    def fulfil(self, wishes: Mapping[str, Wish]) -> None:
        """Write or remove files that still are what they were; those that are right stay.

        Nothing is touched before all have been looked at; then they are written one by one, in
        the order of the wishes. Whoever was interrupted begins again.
        """
        if wishes and all(before is None for before, _ in wishes.values()):
            self.path.mkdir(parents=True, exist_ok=True)
        with self._opened(wishes) as here:
            found = {name: _content(here, name, is_strict=True) for name in wishes}
            moved = [name for name, wish in wishes.items() if found[name] not in wish]
            if moved:
                named = ", ".join(map(repr, sorted(moved)))
                raise Conflict(f"In {str(self.path)!r} somebody has changed {named} meanwhile.")
            for name, (_, after) in wishes.items():
                if found[name] != after:
                    self._put(here, name, after)

    @contextmanager
    def _opened(self, wishes: Mapping[str, Wish]) -> Iterator[int]:
        for name in wishes:
            check_file(name, 0)
            if "/" in name or not is_markdown(name):
                raise InvalidInput(f"{name!r} is not the name of a kanban's file.")
        with root_directory(self.path) as here:
            yield here

    def _put(self, here: int, name: str, content: bytes | None) -> None:
        if content is None:
            os.unlink(name, dir_fd=here)
        else:
            self._replace(here, name, content)
        os.fsync(here)

    def _replace(self, here: int, name: str, content: bytes) -> None:
        """Let the whole file appear at once; a draft that a crash left is overwritten."""
        draft = f".supervisor-{hashlib.sha256(name.encode()).hexdigest()[:16]}"
        with suppress(FileNotFoundError):
            os.unlink(draft, dir_fd=here)
        try:
            _write(here, draft, content, like=_status(here, name))
            self.rename(draft, name, src_dir_fd=here, dst_dir_fd=here)
        except OSError:
            with suppress(FileNotFoundError):
                os.unlink(draft, dir_fd=here)
            raise


def _sizes(here: int) -> Iterator[tuple[str, int]]:
    with os.scandir(here) as entries:
        for entry in islice(entries, _MOST_ENTRIES):
            if is_markdown(entry.name) and entry.is_file(follow_symlinks=False):
                yield entry.name, entry.stat(follow_symlinks=False).st_size
        if next(entries, None) is not None:
            found = f"The kanban's directory has more than {_MOST_ENTRIES} entries"
            raise InvalidInput(f"{found}, the most that are looked at.")


def _content(here: int, name: str, *, is_strict: bool = False) -> bytes | None:
    """Read a file; None where there is none. Strictly, nothing else may be in its place."""
    status = _status(here, name)
    if status is None:
        return None
    with file_at(here, name) as handle:
        if handle is not None:
            return _read(handle, name)
    if is_strict:
        raise Conflict(f"In place of the kanban's file {name!r} there is no regular file.")
    return None


def _read(handle: int, name: str) -> bytes:
    pieces, size = [], 0
    while size <= FILE_BYTES and (piece := os.read(handle, _CHUNK)):
        pieces.append(piece)
        size += len(piece)
    check_file(name, size)
    return b"".join(pieces)


def _status(here: int, name: str) -> os.stat_result | None:
    try:
        return os.stat(name, dir_fd=here, follow_symlinks=False)
    except FileNotFoundError:
        return None


def _write(here: int, name: str, content: bytes, *, like: os.stat_result | None) -> None:
    """Write a new file that belongs to whom the old one did; without one, as the directory does."""
    handle = os.open(name, _NEW, 0o600, dir_fd=here)
    with os.fdopen(handle, "wb") as file:
        file.write(content)
        file.flush()
        owner = like or os.fstat(here)
        if os.geteuid() == 0:
            os.fchown(handle, owner.st_uid, owner.st_gid)
        os.fchmod(handle, stat.S_IMODE(like.st_mode) if like else _ORDINARY)
        os.fsync(handle)

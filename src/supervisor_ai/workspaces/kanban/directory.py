"""A plain directory with the files of a kanban: read with care, written file by file."""

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import Final

from msgspec import Struct

from supervisor_ai.domain.errors import Conflict, InvalidInput
from supervisor_ai.drivers.kanban.board.bounds import (
    FILE_BYTES,
    check_file,
    check_sizes,
    is_markdown,
)
from supervisor_ai.workspaces.files.replacement import Rename, replace_at, status_at
from supervisor_ai.workspaces.files.safe_open import file_at, root_directory

Wish = tuple[bytes | None, bytes | None]
"""What a file was, and what it shall be; None: no file."""

_MOST_ENTRIES: Final = 100_000
_CHUNK: Final = 1 << 16


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
            replace_at(here, name, content, self.rename)
        os.fsync(here)


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
    status = status_at(here, name)
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

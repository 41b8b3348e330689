"""Which files a session's folder has: a bounded look at what anybody may have put there."""

import hashlib
import os
from collections.abc import Iterator
from contextlib import ExitStack
from itertools import islice
from typing import Final

from supervisor_ai.control.ports.session_files import FileListing, SessionFile
from supervisor_ai.tools.text import escaped
from supervisor_ai.workspaces.files.safe_open import Parts, directory_beneath, file_at

FILE_BYTES: Final = 1 << 20
"""A file that is larger is nothing that members tell each other."""
MOST_FILES: Final = 5_000
_ALL_BYTES: Final = 64 << 20
_MOST_ENTRIES: Final = 100_000
_DEPTH: Final = 8
_NAME_LENGTH: Final = 200
_MOST_NOTES: Final = 20
_BUS: Final = ".msg"
_DRAFT: Final = ".supervisor-"


class FolderWalk:
    """One look at a folder."""

    def __init__(self, root: int) -> None:
        self._root = root
        self._entries = 0
        self._notes: list[str] = []
        self._left_out = 0

    def listing(self) -> FileListing:
        """Hash the files, in the order of their paths."""
        found, size = [], 0
        paths = sorted(self._paths())
        for parts in paths[:MOST_FILES]:
            file = self._file(parts)
            if file is not None and size + file.size <= _ALL_BYTES:
                found.append(file)
                size += file.size
            elif file is not None:
                self._note(parts, f"all files together have more than {_ALL_BYTES} bytes")
        if len(paths) > MOST_FILES:
            more = len(paths) - MOST_FILES
            self._notes.append(f"{more} more files are left out: {MOST_FILES} are the most.")
        return FileListing(files=tuple(found), notes=self._all_notes())

    def _paths(self) -> Iterator[Parts]:
        """Yield all paths of files; each directory is opened from the top, through no link."""
        waiting: list[Parts] = [()]
        while waiting and self._entries < _MOST_ENTRIES:
            above = waiting.pop()
            for name, is_directory in self._level(above):
                parts = (*above, name)
                if not is_directory:
                    yield parts
                elif len(parts) < _DEPTH:
                    waiting.append(parts)
                else:
                    self._note(parts, f"folders are looked into {_DEPTH} deep")
        if self._entries >= _MOST_ENTRIES:
            self._notes.append(f"Only {_MOST_ENTRIES} entries of the folder were looked at.")

    def _level(self, above: Parts) -> list[tuple[str, bool]]:
        try:
            with directory_beneath(self._root, above) as here, os.scandir(here) as entries:
                room = _MOST_ENTRIES - self._entries
                found = [
                    (entry.name, entry.is_dir(follow_symlinks=False))
                    for entry in islice(entries, room)
                    if not entry.is_symlink()
                ]
        except OSError:
            return []  # It is gone, or something else is in its place by now.
        self._entries += max(len(found), 1)
        return [it for it in found if self._is_fine((*above, it[0]))]

    def _is_fine(self, parts: Parts) -> bool:
        name = parts[-1]
        if parts == (_BUS,) or name.startswith(_DRAFT):
            return False
        is_fine = name.isprintable() and len(name) <= _NAME_LENGTH
        if not is_fine:
            self._note(parts, "such a name is not taken")
        return is_fine

    def _file(self, parts: Parts) -> SessionFile | None:
        content = read_at(self._root, parts, FILE_BYTES + 1)
        if content is None:
            return None
        if len(content) > FILE_BYTES:
            self._note(parts, f"it has more than {FILE_BYTES} bytes")
            return None
        digest = hashlib.sha256(content).hexdigest()
        return SessionFile(path="/".join(parts), content=digest, size=len(content))

    def _note(self, parts: Parts, reason: str) -> None:
        if len(self._notes) < _MOST_NOTES:
            path = escaped("/".join(parts))[:_NAME_LENGTH]
            self._notes.append(f"{path!r} is left out: {reason}.")
        else:
            self._left_out += 1

    def _all_notes(self) -> tuple[str, ...]:
        more = [f"{self._left_out} more are left out."] if self._left_out else []
        return (*self._notes, *more)


def look_at(root: int, parts: Parts) -> os.stat_result | None:
    """Return what is known of a file below an open directory without reading it."""
    try:
        with directory_beneath(root, parts[:-1]) as here, file_at(here, parts[-1]) as handle:
            return None if handle is None else os.fstat(handle)
    except OSError:
        return None  # As for reading: what cannot be looked at is not there.


def read_at(root: int, parts: Parts, most: int) -> bytes | None:
    """Read the beginning of a file below an open directory; None where there is none."""
    try:
        with ExitStack() as stack:
            here = stack.enter_context(directory_beneath(root, parts[:-1]))
            handle = stack.enter_context(file_at(here, parts[-1]))
            if handle is None:
                return None
            with os.fdopen(handle, "rb", closefd=False) as file:
                return file.read(most)
    except OSError:
        return None  # Nothing that can be read is nothing that is there.

"""Reading a project's files as what they are: hostile, and possibly huge."""

import os
import stat
from collections.abc import Iterable
from pathlib import Path, PurePosixPath
from typing import Final

MOST_PATHS: Final = 200_000
_DEEPEST: Final = 8
_LARGEST: Final = 256 * 1024
_MOST_READ: Final = 400


def looked_at(paths: Iterable[str], skip: frozenset[str]) -> list[str]:
    """Return the paths that say something about the project, those near the top first."""
    kept: list[tuple[int, str]] = []
    for _, path in zip(range(MOST_PATHS), paths, strict=False):
        parts = PurePosixPath(path).parts
        if len(parts) <= _DEEPEST and not skip.intersection(parts[:-1]):
            kept.append((len(parts), path))
    return [path for _, path in sorted(kept)]


class BoundedReader:
    """Reads a bounded number of files, each up to a bounded size, and no link."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._read = 0
        self.unread: list[str] = []
        """The files that were too large, too many or not to be read."""

    def text(self, path: str) -> str | None:
        """Return a file's text, or None where it is not read."""
        self._read += 1
        found = _content(self._root / path) if self._read <= _MOST_READ else None
        if found is None:
            self.unread.append(path)
        return found


def _content(path: Path) -> str | None:
    # Without blocking: a pipe in place of the file must not hold us up.
    flags = os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK
    try:
        descriptor = os.open(path, flags)
    except (OSError, ValueError):
        return None
    with os.fdopen(descriptor, "rb") as file:
        status = os.fstat(file.fileno())
        if not stat.S_ISREG(status.st_mode) or status.st_size > _LARGEST:
            return None
        return file.read(_LARGEST).decode(errors="replace")

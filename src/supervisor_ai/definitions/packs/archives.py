"""Where packs come from: something with files that can be listed and read, and nothing else."""

import os
import stat
from pathlib import Path, PurePosixPath
from typing import Final, Protocol

from msgspec import Struct

from supervisor_ai.domain.errors import InvalidInput, NotFound

LARGEST_FILE: Final = 256 * 1024
_MOST_LISTED: Final = 5_000


class ArchiveEntry(Struct, frozen=True, kw_only=True):
    """A file, by its path from the top."""

    path: str
    size: int
    is_plain: bool = True
    """False for a link, a submodule or anything else that is more than its bytes."""


class Archive(Protocol):
    """A directory or a commit with packs in it."""

    @property
    def source(self) -> str:
        """Return what the user called it."""
        ...

    @property
    def commit(self) -> str | None:
        """Return the commit, where there is one."""
        ...

    def entries(self, folder: str) -> tuple[ArchiveEntry, ...]:
        """List everything below a folder; `.` is the top."""
        ...

    def read(self, path: str) -> bytes | None:
        """Return a plain file of at most LARGEST_FILE bytes, or None."""
        ...


class DirectoryArchive:
    """A directory of this machine."""

    def __init__(self, source: str, directory: Path) -> None:
        if not directory.is_dir():
            raise NotFound(f"Packs were asked for from {source!r}, but there is no such directory.")
        self.source = source
        self.commit: str | None = None
        self._directory = directory

    def entries(self, folder: str) -> tuple[ArchiveEntry, ...]:
        """List everything below a folder; hidden directories are nobody's packs."""
        found: list[ArchiveEntry] = []
        for place, directories, names in os.walk(self._directory / folder):
            links = [name for name in directories if Path(place, name).is_symlink()]
            directories[:] = sorted(name for name in directories if not name.startswith("."))
            found += [self._entry(Path(place, name)) for name in sorted([*names, *links])]
            if len(found) > _MOST_LISTED:
                raise InvalidInput(f"{self.source!r} has more than {_MOST_LISTED} files.")
        return tuple(found)

    def read(self, path: str) -> bytes | None:
        """Return a plain file, or None."""
        if ".." in PurePosixPath(path).parts:
            return None
        flags = os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK
        try:
            descriptor = os.open(self._directory / path, flags)
        except (OSError, ValueError):
            return None
        with os.fdopen(descriptor, "rb") as file:
            status = os.fstat(file.fileno())
            is_fine = stat.S_ISREG(status.st_mode) and status.st_size <= LARGEST_FILE
            return file.read(LARGEST_FILE) if is_fine else None

    def _entry(self, place: Path) -> ArchiveEntry:
        status = place.lstat()
        path = place.relative_to(self._directory).as_posix()
        return ArchiveEntry(path=path, size=status.st_size, is_plain=stat.S_ISREG(status.st_mode))

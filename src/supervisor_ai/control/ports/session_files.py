"""Ports of a session's folder: what a supervisor may do in it, and what import and export need.

A folder is named as `SessionOpened.folder` has it. Whatever lies in it may come from anybody:
links, and what else is no regular file, are not there; sizes and numbers are bounded; a path that
leaves the folder names nothing.
"""

from collections.abc import Sequence
from typing import Protocol

from msgspec import Struct


class SessionFile(Struct, frozen=True, kw_only=True):
    """A file of a session's folder, by its path in it."""

    path: str
    content: str
    """The SHA-256 of its bytes."""
    size: int


class FileGlimpse(Struct, frozen=True, kw_only=True):
    """What can be seen of a file without reading it; another one says that it may have changed."""

    size: int
    changed: int
    """When it was written last, in nanoseconds."""
    inode: int


class FileListing(Struct, frozen=True, kw_only=True):
    """The files of a folder, and what was left out."""

    files: tuple[SessionFile, ...]
    notes: tuple[str, ...] = ()


class SessionFiles(Protocol):
    """What a supervisor may do in the folder of its session: read all, write in two ways."""

    def list(self, folder: str) -> FileListing:
        """Name the files of the folder in the order of their paths, but those of the bus."""
        ...

    def read(self, folder: str, path: str) -> str | None:
        """Return the text of a file; None where there is none, or one that is too large."""
        ...

    def write_report(self, folder: str, name: str, text: str) -> str:
        """Write `artifacts/{name}` and return its path; written twice, it is one report.

        The name is that of a checkpoint's report. One that says something else is kept beside it
        under a number, so that nothing is lost.
        """
        ...

    def append_wisdom(self, folder: str, name: str, entry: str) -> str:
        """Append an entry to `wisdom/{name}` and return its path; appended twice, it is one."""
        ...


class SessionFolders(SessionFiles, Protocol):
    """The same folders for who takes their files into the ledger, and writes them from it."""

    def choose(self, session: str, directory: str | None) -> str:
        """Say how the folder of a new session is recorded; without a directory, our own place."""
        ...

    def place(self, folder: str) -> str:
        """Say where the folder is, for people."""
        ...

    def prepare(self, folder: str, subfolders: Sequence[str] = ()) -> None:
        """Make the folder and those in it that are missing; one of our own stays out of git."""
        ...

    def fetch(self, folder: str, path: str, most: int) -> bytes | None:
        """Return what a file holds; None where there is none. Raises InvalidInput for more."""
        ...

    def glimpse(self, folder: str, path: str) -> FileGlimpse | None:
        """Look at a file without reading it; None where there is none."""
        ...

    def replace(self, folder: str, path: str, content: bytes, *, expected: str | None) -> None:
        """Let a whole file appear at once, where the one there still has the expected SHA-256.

        None expects no file. Raises Conflict where something else is there.
        """
        ...

    def append(self, folder: str, path: str, content: bytes) -> None:
        """Add to the end of a file, whoever else does so at the same moment."""
        ...

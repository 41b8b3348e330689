"""Port of commits: their files, differences and patches, without a work tree."""

from bisect import insort
from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import Protocol

from msgspec import Struct

from supervisor_ai.domain.ids import CommitSha


class CommitFile(Struct, frozen=True, gc=False):
    """A regular file of a commit; there may be very many, and none refers to another."""

    path: str
    blob: str
    size: int


def amended(
    files: Iterable[CommitFile], gone: Collection[str], new: Iterable[CommitFile]
) -> tuple[CommitFile, ...]:
    """Return a list in git's order with other files at some paths."""
    kept = [file for file in files if file.path not in gone]
    for file in new:
        insort(kept, file, key=_order)
    return tuple(kept)


def _order(file: CommitFile) -> bytes:
    return file.path.encode(errors="surrogateescape")


class ChangedPath(Struct, frozen=True):
    """A path that differs between two commits, with the contents before and after."""

    path: str
    before: str
    after: str
    is_retyped: bool = False
    """Whether a file became a link or the like, or the other way round."""
    is_link: bool = False
    """Whether it is a symbolic link afterwards."""
    is_submodule: bool = False
    """Whether it is a commit of another repository, before or afterwards."""


class LineCount(Struct, frozen=True):
    """How many lines of a path come and go; None where git takes it for no text."""

    path: str
    added: int | None
    deleted: int | None


class Commits(Protocol):
    """Lists and reads what commits hold; links and submodules are left out."""

    def list(self, commit: CommitSha) -> tuple[CommitFile, ...]:
        """Return the regular files of a commit, in git's order."""
        ...

    def read(self, files: Sequence[CommitFile]) -> Iterator[tuple[CommitFile, bytes]]:
        """Read files, a bounded number of bytes at a time."""
        ...

    def changes(self, base: CommitSha, commit: CommitSha) -> tuple[ChangedPath, ...]:
        """Return what differs between two commits; a side without a file is all zeros."""
        ...

    def patches(
        self, base: CommitSha, commit: CommitSha, paths: Sequence[str]
    ) -> Iterator[tuple[str, str]]:
        """Return each path's difference as text."""
        ...

    def line_counts(self, base: CommitSha, commit: CommitSha) -> tuple[LineCount, ...]:
        """Count the lines of each path that differs."""
        ...

"""Merges of two commits, for whoever tests what comes of them before it lands."""

from collections.abc import Mapping
from datetime import datetime
from typing import Protocol

from msgspec import Struct

from supervisor_ai.domain.ids import CommitSha
from supervisor_ai.domain.run.values import Snapshot


class ConflictedFile(Struct, frozen=True, kw_only=True):
    """A file that both sides have, and git cannot merge."""

    path: str
    base: bytes
    """As it was before; nothing where both sides made it."""
    ours: bytes
    theirs: bytes


class Conflicted(Struct, frozen=True, kw_only=True):
    """Two commits that cannot be merged by git alone."""

    paths: tuple[str, ...]
    report: str
    """The files with both sides, as far as they fit."""
    files: tuple[ConflictedFile, ...] = ()
    """All that conflicts, where another tool could merge it; nothing: no tool can decide that."""


class BranchMerges(Protocol):
    """Merges commits where nobody sees it: no work tree and no branch is touched."""

    async def revert(
        self, ours: CommitSha, commit: CommitSha, *, at: datetime
    ) -> Snapshot | Conflicted:
        """Make a commit on top of ours that takes a commit back, or say where it conflicts."""
        ...

    async def merge(
        self,
        ours: CommitSha,
        theirs: CommitSha,
        *,
        at: datetime,
        merged: Mapping[str, bytes] | None = None,
    ) -> Snapshot | Conflicted:
        """Make a commit on top of ours with the merged files, or say where they conflict.

        Files that somebody else has `merged` are as they are given.
        """
        ...

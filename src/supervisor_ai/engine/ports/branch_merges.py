"""Merges of two commits, for whoever tests what comes of them before it lands."""

from datetime import datetime
from typing import Protocol

from msgspec import Struct

from supervisor_ai.domain.ids import CommitSha
from supervisor_ai.domain.run.values import Snapshot


class Conflicted(Struct, frozen=True, kw_only=True):
    """Two commits that cannot be merged by git alone."""

    paths: tuple[str, ...]
    report: str
    """The files with both sides, as far as they fit."""


class BranchMerges(Protocol):
    """Merges commits where nobody sees it: no work tree and no branch is touched."""

    async def merge(
        self, ours: CommitSha, theirs: CommitSha, *, at: datetime
    ) -> Snapshot | Conflicted:
        """Make a commit on top of ours with the merged files, or say where they conflict."""
        ...

"""Merges of commits in memory."""

from collections.abc import Iterator, Mapping
from datetime import datetime

from supervisor_ai.domain.ids import CommitSha
from supervisor_ai.domain.run.values import Snapshot
from supervisor_ai.engine.ports.branch_merges import Conflicted
from supervisor_ai.testing.fake_workspaces import MemoryWorkspaces


class MemoryBranchMerges:
    """Merges whole files: a file that both sides changed differently is a conflict."""

    def __init__(self, workspaces: MemoryWorkspaces) -> None:
        self._workspaces = workspaces

    async def merge(
        self,
        ours: CommitSha,
        theirs: CommitSha,
        *,
        at: datetime,
        merged: Mapping[str, bytes] | None = None,
    ) -> Snapshot | Conflicted:
        """Make a commit on top of ours with the merged files, or say where they conflict."""
        assert merged is None, "Nobody else merges in memory."
        below = set(self._line(ours))
        parted = next(it for it in self._line(theirs) if it in below)
        return await self._merged(parted, ours, theirs, at)

    async def revert(
        self, ours: CommitSha, commit: CommitSha, *, at: datetime
    ) -> Snapshot | Conflicted:
        """Make a commit on top of ours that takes a commit back, or say where it conflicts."""
        before = self._workspaces.commits[commit].parent
        assert before is not None
        return await self._merged(commit, ours, before, at)

    async def _merged(
        self, parted: CommitSha, ours: CommitSha, theirs: CommitSha, at: datetime
    ) -> Snapshot | Conflicted:
        files = self._workspaces.files
        old, left, right = files(parted), files(ours), files(theirs)
        changed = [path for path in old.keys() | right.keys() if old.get(path) != right.get(path)]
        broken = [it for it in changed if left.get(it) not in (old.get(it), right.get(it))]
        if broken:
            return Conflicted(paths=tuple(sorted(broken)), report="Both sides changed it.")
        contents = {
            path: text.encode() if (text := right.get(path)) is not None else None
            for path in changed
        }
        return await self._workspaces.compose(ours, contents, at=at)

    def _line(self, commit: CommitSha | None) -> Iterator[CommitSha]:
        while commit is not None:
            yield commit
            commit = self._workspaces.commits[commit].parent

"""The export of a run that has ended, for the next: to move it costs only what differs."""

import os
from typing import Final

from msgspec import Struct

from supervisor_ai.domain.ids import CommitSha
from supervisor_ai.domain.structs import replace
from supervisor_ai.workspaces.files.kept_directory import KeptDirectory
from supervisor_ai.workspaces.files.removal import remove
from supervisor_ai.workspaces.repositories.git import Git
from supervisor_ai.workspaces.repositories.tree_layers import Export

_STRANGE: Final = ("ls-files", "-z", "--modified", "--deleted", "--others")
_CONVERSIONS: Final = b".gitattributes"


class KeptExport(Struct, frozen=True, kw_only=True):
    """An export that no run uses."""

    kept: KeptDirectory

    def give(self, export: Export) -> None:
        """Keep an export, unless there is one; whoever gave it removes what is still there."""
        # Git reads again what is as young as the index.
        os.utime(export.index)
        self.kept.give(export.path, export.commit)

    def take(self, export: Export, git: Git) -> bool:
        """Move what is kept to a place, and its files to a commit; where that fails, nothing is."""
        start = self.kept.take(export.path)
        if start is None:
            return False
        if _is_moved(export, CommitSha(start), git):
            return True
        remove(export.path)
        return False


def _is_moved(export: Export, start: CommitSha, git: Git) -> bool:
    index = {"GIT_INDEX_FILE": str(export.index)}
    git = replace(git, work_tree=export.tree)
    strange = git.ask(*_STRANGE, environment=index)
    if strange.code != 0 or strange.output:
        return False
    if start == export.commit:
        return True
    names = git.ask("diff-tree", "-r", "-z", "--name-only", "--no-renames", start, export.commit)
    # Other files than those that differ are written in another way then.
    if names.code != 0 or _CONVERSIONS in names.output:
        return False
    return git.ask("read-tree", "-m", "-u", start, export.commit, environment=index).code == 0

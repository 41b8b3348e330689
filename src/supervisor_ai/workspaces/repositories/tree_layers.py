"""A directory over another that nobody can change: what is written lies apart, the rest is shared.

Only root can have it, and not on every machine; whoever cannot gets a check-out of its own.
"""

import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Final

from msgspec import Struct

from supervisor_ai.domain.errors import Unavailable
from supervisor_ai.domain.ids import CommitSha
from supervisor_ai.workspaces.files.mounts import overlay, owned_by, unmount
from supervisor_ai.workspaces.files.removal import remove
from supervisor_ai.workspaces.repositories.bare_repository import (
    PRIVATE,
    READABLE,
    make_directory,
    write,
)
from supervisor_ai.workspaces.repositories.git import Git
from supervisor_ai.workspaces.repositories.written_names import WrittenNames

_ODD: Final = frozenset(":,\\")
"""What means something else in the options of a mount."""
_SOMEBODY: Final = 65534


class Export(Struct, frozen=True, kw_only=True):
    """The files of one commit, which nobody ever changes, and what git remembers of them."""

    path: Path
    commit: CommitSha

    @property
    def tree(self) -> Path:
        """Return where the files are."""
        return self.path / "tree"

    @property
    def index(self) -> Path:
        """Return git's index of them."""
        return self.path / "index"


class TreeLayers(Struct, frozen=True, kw_only=True):
    """What was written over files that are shared, and where both are seen as one."""

    path: Path
    """Nobody else can enter it."""
    tree: Path

    def make(self, over: Export) -> None:
        """Show the shared files at the tree; raise OSError where that cannot be."""
        below = over.tree
        make_directory(self.path, PRIVATE)
        make_directory(self.written, READABLE)
        for directory in (self._work, self._mapped):
            make_directory(directory, PRIVATE)
        with owned_by(_SOMEBODY, below, self._mapped):
            if self._mapped.stat().st_uid != _SOMEBODY:
                raise PermissionError(str(below))
        write(self._commit, over.commit)
        write(self._below, str(below))
        self._mount(0)

    def give(self, owner: int, hand_over: Callable[[Path], None]) -> None:
        """Let all be a user's: what is shared only seems to be, what was written changes hands."""
        unmount(self.tree)
        hand_over(self.written)
        self._mount(owner)

    @property
    def written(self) -> Path:
        """Return where all that is written lies."""
        return self.path / "upper"

    def names(self) -> WrittenNames | None:
        """Return what knows what was written; None where the files lie over nothing."""
        if not self._below.exists():
            return None
        return WrittenNames(upper=self.written, lower=Path(self._below.read_text()))

    @property
    def commit(self) -> CommitSha | None:
        """Return the commit whose files are shared."""
        if not self._commit.exists():
            return None
        return CommitSha(self._commit.read_text())

    @property
    def is_away(self) -> bool:
        """Tell whether there are files that are not mounted, as after a restart."""
        return self._below.exists() and not self.tree.is_mount()

    def restore(self) -> None:
        """Mount them again if the machine was restarted meanwhile."""
        if self.is_away:
            self._mount(self.written.stat().st_uid)

    def discard(self) -> None:
        """Leave the tree empty, as it was."""
        unmount(self.tree)
        remove(self.path)

    def _mount(self, owner: int) -> None:
        below = Path(self._below.read_text())
        if owner == 0:
            overlay(self.tree, lower=below, upper=self.written, work=self._work)
            return
        with owned_by(owner, below, self._mapped):
            overlay(self.tree, lower=self._mapped, upper=self.written, work=self._work)

    @property
    def _work(self) -> Path:
        return self.path / "work"

    @property
    def _mapped(self) -> Path:
        return self.path / "mapped"

    @property
    def _commit(self) -> Path:
        return self.path / "commit"

    @property
    def _below(self) -> Path:
        return self.path / "below"


def lay(layers: TreeLayers, over: Export | None, git: Git, commit: CommitSha) -> bool:
    """Show a commit's files over those of an export, writing only what differs.

    False where that cannot be; then nothing is left of it. The git directory has an index only
    when all files are there.
    """
    if over is None or not _can_lie(layers, over):
        return False
    try:
        layers.make(over)
        draft = git.directory / "index.draft"
        shutil.copyfile(over.index, draft)
        if commit != over.commit:
            moved = {"GIT_INDEX_FILE": str(draft)}
            git.run("read-tree", "-m", "-u", over.commit, commit, environment=moved)
    except (OSError, Unavailable):
        layers.discard()
        return False
    draft.rename(git.directory / "index")
    return True


def _can_lie(layers: TreeLayers, over: Export) -> bool:
    status = over.tree.stat()
    is_ours = os.geteuid() == 0 == status.st_uid == status.st_gid
    return is_ours and not _ODD & set(f"{layers.path}{over.path}")

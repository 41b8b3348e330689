"""Check-outs that nobody can write: all who only read share them, and they move with the run."""

from itertools import count
from pathlib import Path
from threading import Lock
from typing import Final

from msgspec import Struct

from supervisor_ai.domain.errors import Unavailable
from supervisor_ai.domain.ids import CommitSha
from supervisor_ai.domain.structs import replace
from supervisor_ai.workspaces.files.mounts import unmount
from supervisor_ai.workspaces.files.removal import remove
from supervisor_ai.workspaces.layout import RunLayout
from supervisor_ai.workspaces.repositories.bare_repository import (
    PRIVATE,
    READABLE,
    TRAVERSABLE,
    make_directory,
    write,
)
from supervisor_ai.workspaces.repositories.git import Git
from supervisor_ai.workspaces.repositories.repository import GitRepository
from supervisor_ai.workspaces.repositories.tree_layers import Export, TreeLayers, lay

GIT_INSIDE: Final = Path("/run/wgit")
"""Where the worker finds its git directory; a path that exists in its sandbox only."""


class SharedTree(Struct, kw_only=True):
    """The files of one commit at a time, and how many read them now."""

    path: Path
    git: Git
    commit: CommitSha
    readers: int = 0

    @property
    def tree(self) -> Path:
        """Return where the files are."""
        return self.path / "tree"

    @property
    def index(self) -> Path:
        """Return what git remembers of the files."""
        return self.git.directory / "index"


class SharedTrees:
    """The shared check-outs of the runs that this process drives.

    No worker ever writes in one, so git may look at it, and what it says of a commit is true. A
    path carries the owner's fence: one that comes too late cannot move what its successor reads.
    """

    def __init__(self, repository: GitRepository) -> None:
        self._repository = repository
        self._turn = Lock()
        self._trees: dict[Path, list[SharedTree]] = {}

    def take(
        self, place: RunLayout, fence: int, commit: CommitSha, over: Export | None = None
    ) -> SharedTree:
        """Return a check-out of the commit, and keep it there until it is given back."""
        with self._turn:
            known = self._trees.setdefault(place.shared / str(fence), [])
            found = next((it for it in known if it.commit == commit), None)
            idle = next((it for it in known if not it.readers), None)
            if found is None and idle is not None:
                known.remove(idle)
                found = self._moved(idle, commit)
            if found is None:
                found = self._made(place, fence, commit, over)
            if found not in known:
                known.append(found)
            found.readers += 1
            return found

    def give_back(self, tree: SharedTree) -> None:
        """Let others move the check-out."""
        with self._turn:
            tree.readers -= 1

    def forget(self, place: RunLayout) -> None:
        """Know nothing more of a run's check-outs, which go with its directory."""
        with self._turn:
            for home in [home for home in self._trees if home.parent == place.shared]:
                del self._trees[home]

    def _moved(self, tree: SharedTree, commit: CommitSha) -> SharedTree | None:
        """Write what differs; where that fails, for whatever reason, the check-out is of no use."""
        try:
            tree.git.run("read-tree", "-m", "-u", tree.commit, commit)
        except Unavailable:
            unmount(tree.tree)
            remove(tree.path)
            return None
        tree.commit = commit
        return tree

    def _made(
        self, place: RunLayout, fence: int, commit: CommitSha, over: Export | None
    ) -> SharedTree:
        home = place.shared / str(fence)
        for directory in (place.shared, home):
            make_directory(directory, TRAVERSABLE)
        path = next(it for number in count() if not (it := home / str(number)).exists())
        make_directory(path, TRAVERSABLE)
        made = path / "tree"
        make_directory(made, READABLE)
        git = self._repository.mold.cast(path / "trusted.git", borrows=self._repository.objects)
        git.directory.chmod(PRIVATE)
        git = replace(git, work_tree=made)
        if not lay(TreeLayers(path=path / "layers", tree=made), over, git, commit):
            git.run("read-tree", "-m", "-u", commit)
        write(made / ".git", f"gitdir: {GIT_INSIDE}\n", 0o444)
        return SharedTree(path=path, git=git, commit=commit)

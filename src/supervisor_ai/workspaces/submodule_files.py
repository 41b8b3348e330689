"""Submodules in a workspace: filled with the files that this clone already has.

Each has a git directory of ours, beside the workspace's own, that only borrows objects: no setting,
hook or ref of the submodule's own git directory is read.
"""

import json
from collections.abc import Iterator
from pathlib import Path

from msgspec import Struct

from supervisor_ai.domain.errors import Unavailable
from supervisor_ai.domain.ids import CommitSha
from supervisor_ai.domain.structs import replace
from supervisor_ai.workspaces.commits.hidden_files import blind_commit
from supervisor_ai.workspaces.files.removal import remove
from supervisor_ai.workspaces.files.safe_open import is_plain
from supervisor_ai.workspaces.layout import WorkspaceDirectory
from supervisor_ai.workspaces.repositories.bare_repository import (
    PRIVATE,
    READABLE,
    Mold,
    make_directory,
    write,
)
from supervisor_ai.workspaces.repositories.git import Git
from supervisor_ai.workspaces.repositories.submodules import (
    DEEPEST,
    SubmodulePlaces,
    find_submodules,
)
from supervisor_ai.workspaces.run_sources import check_out


class Filling(Struct, frozen=True, kw_only=True):
    """Fills the submodules of one workspace."""

    desk: WorkspaceDirectory
    mold: Mold
    is_blind: bool = False
    """Whether the patterns of the workspace hide files, in submodules too."""

    def fill(self, git: Git, commit: CommitSha, places: SubmodulePlaces) -> None:
        """Check out what is there; what is not stays an empty directory."""
        filled = list(self._filled(git, commit, places, ""))
        if filled:
            write(self.desk.filled, json.dumps(filled))

    def _filled(
        self, git: Git, commit: CommitSha, places: SubmodulePlaces, above: str, depth: int = 1
    ) -> Iterator[str]:
        for found in find_submodules(git, commit, places):
            path = f"{above}{found.path}"
            if found.store is None or depth > DEEPEST or not is_plain(self.desk.tree, path):
                continue
            own = self._checked_out(found.store, found.commit, path)
            if own is not None:
                # Its number is the place in this list, which grows from the outside to the inside.
                yield path
                inner = SubmodulePlaces(directories=(found.store,))
                seen = CommitSha(own.run("rev-parse", "HEAD").text)
                yield from self._filled(own, seen, inner, f"{path}/", depth + 1)

    def _checked_out(self, store: Path, commit: CommitSha, path: str) -> Git | None:
        tree = self.desk.tree / path
        make_directory(self.desk.submodules, PRIVATE)
        number = sum(1 for it in self.desk.submodules.iterdir() if it.suffix == ".git")
        mold = replace(self.mold, shallow=store / "shallow")
        place = self.desk.submodules / f"{number}.git"
        git = mold.cast(place, borrows=store / "objects", tip=commit)
        if git.ask("cat-file", "-e", f"{commit}^{{tree}}").code == 0:
            try:
                seen = self._seen(git, commit, path)
                check_out(git, seen, tree)
            except Unavailable:  # Some of its objects are missing.
                remove(tree)
                make_directory(tree, READABLE)
            else:
                return git
        remove(git.directory)
        return None

    def _seen(self, git: Git, commit: CommitSha, path: str) -> CommitSha:
        if not self.is_blind:
            return commit
        seen = blind_commit(git, commit, self.desk.hidden, above=f"{path}/")
        git.run("update-ref", "HEAD", seen)
        return seen

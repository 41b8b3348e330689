"""Ignored files of the user's checkout that a workspace gets all the same."""

import os
import re
from collections.abc import Collection
from pathlib import Path
from typing import Final

from msgspec import Struct

from supervisor_ai.domain.ids import CommitSha
from supervisor_ai.workspaces.commits.hidden_files import matching, write_patterns
from supervisor_ai.workspaces.files.safe_copy import Copy, CopyLimits, own_mode, plain_mode
from supervisor_ai.workspaces.files.safe_open import parts_of, root_directory
from supervisor_ai.workspaces.layout import WorkspaceDirectory
from supervisor_ai.workspaces.repositories.bare_repository import READABLE, make_directory
from supervisor_ai.workspaces.repositories.git import Git, ask_as_user, failure
from supervisor_ai.workspaces.repositories.repository import GitRepository

_SIZE: Final = 512 << 20
_FILES: Final = 50_000
_OURS: Final = ".supervisor"
_DOT_GIT: Final = ".git"
_SPECIAL: Final = re.compile(rb"([\\*?\[\]!# ])")
_NONE_IGNORED: Final = 1


class Inclusion(Struct, frozen=True, kw_only=True):
    """What is copied from the checkout into one workspace."""

    repository: GitRepository
    desk: WorkspaceDirectory
    git: Git
    start: CommitSha
    is_handed_over: bool
    """Whether whoever works there will own the files."""

    def bring(self, patterns: Collection[str]) -> None:
        """Copy what git ignores in the checkout and the patterns name; nothing that is tracked.

        The list is written first: nothing on it ever becomes part of a snapshot.
        """
        desk = self.desk
        paths = sorted(path for path in self._choose(patterns) if not _is_there(desk, path))
        desk.included.write_bytes(b"\0".join(paths))
        for directory in (desk.trusted_git, desk.worker_git):
            _let_git_ignore(directory, paths)
        self._copy(paths)

    def _choose(self, patterns: Collection[str]) -> frozenset[bytes]:
        asked = self.desk.path / "include"
        write_patterns(asked, patterns)
        found = _ignored(self.repository.root, asked)
        if found and self.desk.hidden.exists():
            found -= matching(self.git, self.start, self.desk.hidden, found)
        return found

    def _copy(self, paths: Collection[bytes]) -> None:
        allowance = CopyLimits(
            what="The ignored files that `.worktreeinclude` names",
            size=_SIZE,
            files=_FILES,
            hint="Let it name fewer or smaller files.",
        )
        # A private file stays private where its reader will own it.
        mode = own_mode if self.is_handed_over else plain_mode
        here, there = self.repository.root, self.desk.tree
        with root_directory(here) as source, root_directory(there) as target:
            copy = Copy(source=source, target=target, allowance=allowance, mode=mode)
            for path in paths:
                copy.file(parts_of(os.fsdecode(path)))


def read_included(desk: WorkspaceDirectory) -> frozenset[bytes]:
    """Return what was copied into a workspace."""
    if not desk.included.exists():
        return frozenset()
    return frozenset(desk.included.read_bytes().split(b"\0")) - {b""}


def _ignored(checkout: Path, patterns: Path) -> frozenset[bytes]:
    listed = ("ls-files", "-z", "--others", "--ignored", f"--exclude-from={patterns}")
    named = ask_as_user(checkout, *listed)
    if named.code != 0:
        raise failure("ls-files", checkout, named)
    if not named.output:
        return frozenset()
    ignored = ask_as_user(checkout, "check-ignore", "-z", "--stdin", stdin=named.output)
    if ignored.code > _NONE_IGNORED:
        raise failure("check-ignore", checkout, ignored)
    return frozenset(path for path in ignored.output.split(b"\0") if _is_eligible(path))


def _is_eligible(path: bytes) -> bool:
    parts = [part.lower() for part in parts_of(os.fsdecode(path))]
    is_file = bool(parts) and not path.endswith(b"/")
    return is_file and parts[0] != _OURS and _DOT_GIT not in parts


def _is_there(desk: WorkspaceDirectory, path: bytes) -> bool:
    return os.path.lexists(desk.tree / os.fsdecode(path))


def _let_git_ignore(directory: Path, paths: Collection[bytes]) -> None:
    """Let the workspace's git ignore them by name: its ignore files may not be the user's."""
    lines = [b"/" + _SPECIAL.sub(rb"\\\1", path) + b"\n" for path in paths if b"\n" not in path]
    make_directory(directory / "info", READABLE)
    exclude = directory / "info" / "exclude"
    exclude.write_bytes(b"".join(lines))
    exclude.chmod(0o644)

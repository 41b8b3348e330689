"""Imports objects and refs into the user's repository; nothing else writes to it."""

import os
import re
import tempfile
import time
from collections.abc import Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Final

from supervisor_ai.domain.errors import Conflict, InvalidInput
from supervisor_ai.domain.ids import CommitSha, TreeSha
from supervisor_ai.tools.file_lock import PAUSE
from supervisor_ai.workspaces.files.file_lock import turn
from supervisor_ai.workspaces.repositories.git import (
    OURS,
    Git,
    GitReply,
    failure,
    printable,
    signature,
)
from supervisor_ai.workspaces.repositories.repository import GitRepository

_LOCK_SECONDS: Final = 2.0
_MANY: Final = 100
_LARGE: Final = 32 << 20
_MANY_REFS: Final = 200
_UNKNOWN_OPTION: Final = 129
FRUGAL: Final = {
    "GIT_CONFIG_COUNT": "2",
    "GIT_CONFIG_KEY_0": "core.bigFileThreshold",
    "GIT_CONFIG_VALUE_0": "16m",
    "GIT_CONFIG_KEY_1": "pack.windowMemory",
    "GIT_CONFIG_VALUE_1": "128m",
}
"""Large files are neither held in memory nor compared with one another."""
_OFFENDER: Final = re.compile(rb"error: object ([0-9a-f]{40,64}): (\w+)")
_LOCKED: Final = b".lock': File exists"
_NEVER: Final = (
    b"exists; cannot create",
    b" blocking reference ",
    b"bad name",
    b"reference broken",
)
"""What git says of a branch that it will not move later either; all else may pass."""


class ObjectImport:
    """Writes to the user's repository, one at a time and only what git's own check lets pass."""

    def __init__(self, repository: GitRepository) -> None:
        self._git = repository.git
        self._repository = repository
        self._lock = repository.git.directory / "supervisor.lock"

    def bring(
        self, source: Git, tip: CommitSha, *, known: Sequence[CommitSha], size: int
    ) -> Mapping[str, str]:
        """Copy what is reachable from the tip; return the objects because of which git refused.

        Each comes with the name of git's complaint; it stops at the first, so there may be more.
        """
        wanted = "".join([f"{tip}\n", *(f"^{commit}\n" for commit in known)]).encode()
        with tempfile.TemporaryFile(dir=source.directory) as pack:
            how = ("pack-objects", "--revs", "--stdout", "-q")
            source.run(*how, stdin=wanted, stdout=pack, environment=FRUGAL)
            pack.seek(0)
            is_large = size > _MANY or os.fstat(pack.fileno()).st_size > _LARGE
            with turn(self._lock):
                reply = self._git.ask(*_reception(is_large=is_large), stdin=pack)
        if reply.code == 0:
            return {}
        offenders = {
            name.decode(): complaint.decode()
            for name, complaint in _OFFENDER.findall(reply.complaint)
        }
        if not offenders:
            raise failure("unpack-objects", self._git.directory, reply)
        return offenders

    def repeat(self, start: CommitSha, tree: TreeSha, *, message: str, at: datetime) -> CommitSha:
        """Put a commit on top of another one with the same files: nothing has to be brought."""
        how = ("commit-tree", tree, "-p", start)
        with turn(self._lock):
            stdin, signed = f"{message}\n".encode(), signature(OURS, at)
            return CommitSha(self._git.run(*how, stdin=stdin, environment=signed).text)

    def point(self, ref: str, commit: CommitSha) -> None:
        """Let a ref of ours stand at a commit."""
        if not ref.startswith("refs/supervisor/"):
            raise InvalidInput(f"The ref {ref!r} is not below 'refs/supervisor/'.")
        reply = self._update(ref, commit)
        if reply.code != 0:
            raise failure("update-ref", self._git.directory, reply)

    def pack_refs(self) -> None:
        """Put our refs into one file where many lie about, each in a file of its own.

        Older versions of git cannot leave out the user's own, and do what `git gc` does. That it
        does not work now is no harm: the next run that ends tries again.
        """
        if not _are_many(self._git.directory / "refs" / "supervisor"):
            return
        with turn(self._lock):
            if self._git.ask("pack-refs", "--include", "refs/supervisor/*").code == _UNKNOWN_OPTION:
                self._git.ask("pack-refs", "--all")

    def swap(self, branch: str, commit: CommitSha, *, old: CommitSha | None) -> bool:
        """Move a branch if it still stands where it stood; raise Conflict if it never can."""
        expected = old or "0" * len(commit)
        reply = self._update(f"refs/heads/{branch}", commit, expected)
        if reply.code == 0:
            return True
        if self._repository.branch_tip(branch) != old:
            return False
        if any(phrase in reply.complaint for phrase in _NEVER):
            raise Conflict(f"Git refuses the branch {branch!r}: {printable(reply.complaint)}")
        raise failure("update-ref", self._git.directory, reply)

    def _update(self, ref: str, *values: str) -> GitReply:
        arguments = ("update-ref", "--no-deref", "-m", "supervisor", ref, *values)
        deadline = time.monotonic() + _LOCK_SECONDS
        while True:
            with turn(self._lock):
                reply = self._git.ask(*arguments, environment=signature(OURS))
            if _LOCKED not in reply.complaint or time.monotonic() > deadline:
                return reply
            time.sleep(PAUSE)


def _are_many(refs: Path) -> bool:
    """Tell whether there are so many files that it is worth the while; stop counting there."""
    count = 0
    for _, _, files in os.walk(refs):
        count += len(files)
        if count >= _MANY_REFS:
            return True
    return False


def _reception(*, is_large: bool) -> tuple[str, ...]:
    """Choose as `git fetch` does: few objects lie loose, many or large ones stay in their pack."""
    if is_large:
        return ("index-pack", "--strict", "--stdin")
    return ("unpack-objects", "--strict", "-q")

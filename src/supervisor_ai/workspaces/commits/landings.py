"""Lands a snapshot on a branch, exactly once."""

import os
import re
from collections.abc import Sequence
from typing import Final

from msgspec import Struct

from supervisor_ai.domain.errors import Busy, Conflict
from supervisor_ai.domain.ids import CommitSha, EffectKey
from supervisor_ai.engine.ports.workspaces import Landed, Landing, NotLanded
from supervisor_ai.workspaces.commits.object_import import ObjectImport
from supervisor_ai.workspaces.repositories.git import Git, failure, printable, signature
from supervisor_ai.workspaces.repositories.repository import GitRepository
from supervisor_ai.workspaces.repositories.signatures import (
    CommitDraft,
    Unsigned,
    find_signer,
    make_commit,
    require_signed,
)

_TRAILER: Final = "Supervisor-Op"
_FORGED: Final = re.compile(rf"(?im)^\s*{_TRAILER}\s*:.*$")
_TRIES: Final = 20
_SHOWN: Final = 10
_CONFLICTS: Final = 1


class Integration(Struct, frozen=True, kw_only=True):
    """The user's branches, and the door to them."""

    repository: GitRepository
    deposit: ObjectImport

    def land(self, landing: Landing, scratch: Git) -> Landed | NotLanded:
        """Put the snapshot on the branch; a key that has landed is found."""
        for _ in range(_TRIES):
            tip = self.repository.branch_tip(landing.branch)
            found = self.find(tip, landing.key, below=landing.base)
            if found is not None:
                return self.landed(found)
            obstacle = self._obstacle(landing, tip)
            if obstacle is not None:
                return obstacle
            outcome = self._land_on(tip, landing, scratch)
            if outcome is not None:
                return outcome
        message = (
            f"The branch {landing.branch!r} moved {_TRIES} times while {landing.key!r} landed."
        )
        raise Busy(message, hint="Try again when nobody else moves it.")

    def landed(self, commit: CommitSha) -> Landed:
        """Say what landed."""
        return Landed(commit=commit, tree=self.repository.tree(commit))

    def find(
        self, tip: CommitSha | None, key: EffectKey, *, below: CommitSha | None = None
    ) -> CommitSha | None:
        """Find the commit that carries the operation's trailer."""
        if tip is None:
            return None
        trailer = f"{_TRAILER}: {key}"
        chosen = (
            "--no-commit-header",
            "--fixed-strings",
            f"--grep={trailer}",
            "--format=%H%n%B%x00",
        )
        bounds = [tip] if below is None else [tip, f"^{below}"]
        output = self.repository.git.run("rev-list", *chosen, *bounds, "--").output
        for entry in output.decode(errors="replace").split("\0"):
            commit, _, message = entry.lstrip("\n").partition("\n")
            if trailer in message.split("\n"):
                return CommitSha(commit)
        return None

    def _obstacle(self, landing: Landing, tip: CommitSha | None) -> NotLanded | None:
        branch = landing.branch
        if tip is None and landing.expected is not None:
            stood = f"it stood at {landing.expected!r}"
            return NotLanded(reason=f"The branch {branch!r} is gone; {stood}.")
        place = None if tip is None else self._checked_out(branch)
        if place is not None:
            disturbed = f"is checked out in {place!r}; moving it would disturb that checkout"
            return NotLanded(reason=f"The branch {branch!r} {disturbed}.")
        return None

    def _checked_out(self, branch: str) -> str | None:
        output = self.repository.git.run("worktree", "list", "--porcelain", "-z").output
        for block in output.split(b"\0\0"):
            lines = block.split(b"\0")
            is_gone = any(line.startswith(b"prunable") for line in lines)
            if b"branch refs/heads/" + os.fsencode(branch) in lines and not is_gone:
                return printable(lines[0].removeprefix(b"worktree "))
        return None

    def _land_on(
        self, tip: CommitSha | None, landing: Landing, scratch: Git
    ) -> Landed | NotLanded | None:
        tree, parent = f"{landing.snapshot}^{{tree}}", landing.expected
        if tip != landing.expected and tip is not None:
            draft = require_signed(make_commit(scratch, _draft(landing, tree, parent), None))
            merged = _merge(scratch, tip, draft)
            if isinstance(merged, NotLanded):
                return merged
            tree, parent = merged, tip
        signer = find_signer(self.repository.checkout) if landing.is_signed else None
        commit = make_commit(scratch, _draft(landing, tree, parent), signer)
        if isinstance(commit, Unsigned):
            return NotLanded(reason=f"{commit.reason} {commit.hint}", lacks_signature=True)
        known = [landing.snapshot, landing.base] + ([tip] if tip is not None else [])
        if self.deposit.bring(scratch, commit, known=known, size=0):
            return NotLanded(reason="The branch has moved, and git's check refuses the merge.")
        try:
            is_swapped = self.deposit.swap(landing.branch, commit, old=tip)
        except Conflict as error:
            return NotLanded(reason=error.message)
        return self.landed(commit) if is_swapped else None


def _draft(landing: Landing, tree: str, parent: CommitSha | None) -> CommitDraft:
    message = _FORGED.sub("", landing.message).replace("\0", "").strip()
    return CommitDraft(
        tree=tree,
        parents=(parent or landing.base,),
        message=f"{message}\n\n{_TRAILER}: {landing.key}\n".encode(errors="replace"),
        signature=signature(landing.identity, landing.at),
    )


def _merge(scratch: Git, tip: CommitSha, commit: CommitSha) -> str | NotLanded:
    form = ("--write-tree", "--name-only", "--no-messages", "-z")
    reply = scratch.ask("merge-tree", *form, tip, commit)
    tree, *paths = reply.output.split(b"\0")
    if reply.code == 0:
        return tree.decode()
    if reply.code == _CONFLICTS:
        return NotLanded(reason=f"The branch has moved and conflicts in {_named(paths)}.")
    if b"unrelated histories" in reply.complaint:
        return NotLanded(reason="The branch has moved to an unrelated history.")
    raise failure("merge-tree", scratch.directory, reply)


def _named(paths: Sequence[bytes]) -> str:
    names = sorted({printable(path) for path in paths if path})
    shown = ", ".join(repr(name) for name in names[:_SHOWN])
    rest = len(names) - _SHOWN
    return f"{shown} and {rest} more" if rest > 0 else shown

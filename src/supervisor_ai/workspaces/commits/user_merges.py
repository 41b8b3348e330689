"""Merges at the user's word: made where nobody sees it, then landed on the user's branch."""

import os
import signal
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from datetime import UTC, datetime

from msgspec import Struct

from supervisor_ai.control.ports.user_merges import MergedTree
from supervisor_ai.domain.errors import BranchMoved, Conflict, SupervisorError
from supervisor_ai.domain.ids import CommitSha, TreeSha
from supervisor_ai.workspaces.commits.object_import import ObjectImport
from supervisor_ai.workspaces.files.file_lock import exclusive
from supervisor_ai.workspaces.repositories.checkout import (
    UNTOUCHED,
    GitCheckout,
    changes_between,
    filters_of,
)
from supervisor_ai.workspaces.repositories.git import Git, failure, printable, signature
from supervisor_ai.workspaces.repositories.repository import GitRepository
from supervisor_ai.workspaces.repositories.signatures import (
    CommitDraft,
    find_signer,
    make_commit,
    require_signed,
)

_FORM = ("--write-tree", "--name-only", "--no-messages", "-z")
_CONFLICTS = 1
_INTERRUPTS = {signal.SIGINT, signal.SIGTERM, signal.SIGHUP}


class GitUserMerges(Struct, frozen=True, kw_only=True):
    """Merges in a git directory of our own; what comes of it is brought into the user's."""

    repository: GitRepository
    scratch: Git

    @property
    def _checkout(self) -> GitCheckout:
        return GitCheckout(repository=self.repository)

    def current_branch(self) -> str | None:
        """Name the branch that is checked out, if one is."""
        return self.repository.current_branch()

    def tip(self, branch: str) -> CommitSha | None:
        """Return where a branch stands."""
        return self.repository.branch_tip(branch)

    def exists(self, commit: CommitSha) -> bool:
        """Tell whether a commit is still there."""
        return self.repository.has_commit(commit)

    def is_behind(self, tip: CommitSha, commit: CommitSha) -> bool:
        """Tell whether the tip has nothing that the commit does not have."""
        return self.scratch.ask("merge-base", "--is-ancestor", tip, commit).code == 0

    def took(self, tip: CommitSha, trailer: str, *, since: CommitSha) -> bool:
        """Tell whether a commit since then carries the trailer: what was squashed has no parent."""
        form = ("--fixed-strings", f"--grep={trailer}", "--format=%B%x00")
        reply = self.scratch.ask("log", *form, tip, f"^{since}", "--")
        return any(trailer in it.split("\n") for it in reply.text.split("\0"))

    def holds(self, tip: CommitSha, commit: CommitSha) -> bool:
        """Tell whether a merge of the commit would add nothing to the tip."""
        if self.is_behind(commit, tip):
            return True
        merged = self.merge(tip, commit)
        if merged is None or merged.conflicts:
            return False
        return merged.tree == self.repository.tree(tip)

    def merge(self, ours: CommitSha, theirs: CommitSha) -> MergedTree | None:
        """Merge two commits; None where their histories have no common start."""
        reply = self.scratch.ask("merge-tree", *_FORM, ours, theirs)
        tree, *paths = reply.output.split(b"\0")
        if reply.code == 0:
            return MergedTree(tree=TreeSha(tree.decode()))
        if reply.code == _CONFLICTS and tree:
            names = sorted({path.decode(errors="replace") for path in paths if path})
            return MergedTree(tree=TreeSha(tree.decode()), conflicts=tuple(names))
        if b"unrelated histories" in reply.complaint:
            return None
        raise failure("merge-tree", self.scratch.directory, reply)

    def require_ready(self, branch: str, old: CommitSha, tree: TreeSha) -> None:
        """Raise Conflict where the branch cannot take the tree without losing anything."""
        self._require_itself(branch)
        if branch != self.current_branch():
            self._require_unused(branch)
            return
        changes = changes_between(self.scratch, old, tree)
        self._checkout.require_clean(tree)
        self._checkout.require_room(changes)
        written = [it.path for it in changes if it.status != "D"]
        self._checkout.require_no_filters(filters_of(self.scratch, tree, written))

    def _require_itself(self, branch: str) -> None:
        """Refuse another name of a branch: that one would move, protected or checked out or not."""
        reply = self.repository.git.ask("symbolic-ref", "--quiet", f"refs/heads/{branch}")
        if reply.code == 0:
            other = printable(reply.output).removeprefix("refs/heads/")
            raise Conflict(
                f"Branch {branch!r} is another name of {other!r}. Nothing was touched.",
                hint=f"Name that one: --into {other}",
            )

    def _require_unused(self, branch: str) -> None:
        output = self.repository.git.run("worktree", "list", "--porcelain", "-z").output
        for block in output.split(b"\0\0"):
            lines = block.split(b"\0")
            is_gone = any(line.startswith(b"prunable") for line in lines)
            if b"branch refs/heads/" + os.fsencode(branch) in lines and not is_gone:
                place = printable(lines[0].removeprefix(b"worktree "))
                raise Conflict(
                    f"The branch {branch!r} is checked out in {place!r}.",
                    hint=f"Merge there: supervisor -C {place} merge …",
                )

    def subject(self, commit: CommitSha) -> str:
        """Return the first line of a commit's message."""
        return self.scratch.run("show", "--no-patch", "--format=%s", commit).text

    def commit(
        self, tree: TreeSha, parents: Sequence[CommitSha], message: str, *, is_signed: bool = True
    ) -> CommitSha:
        """Make a commit of the tree in the user's repository, in the user's name."""
        draft = CommitDraft(
            tree=tree,
            parents=parents,
            message=message.encode(),
            signature=signature(self.repository.identity(), datetime.now(UTC)),
        )
        signer = find_signer(self.repository.checkout) if is_signed else None
        commit = require_signed(make_commit(self.scratch, draft, signer))
        refused = self._deposit.bring(self.scratch, commit, known=parents, size=0)
        if refused:
            raise Conflict(f"Git's own check refuses the merge: {sorted(refused.values())}.")
        return commit

    def commit_files(self, files: Mapping[str, bytes], message: str) -> tuple[str, CommitSha]:
        """Commit new files on the branch that is checked out, and nothing else; no hook is run."""
        with self._alone():
            branch = self.current_branch()
            old = None if branch is None else self.tip(branch)
            if branch is None or old is None:
                raise Conflict("No branch with a commit is checked out here. Nothing was touched.")
            self._checkout.require_idle()
            entries = [f"100644 {self._blob(content)} 0\t{path}" for path, content in files.items()]
            new = self.commit(self._with_entries(old, entries), (old,), message)
            with _uninterrupted():
                self._commit_staged(branch, new, old, entries)
        return branch, new

    def _commit_staged(
        self, branch: str, new: CommitSha, old: CommitSha, entries: Sequence[str]
    ) -> None:
        before = self._checkout.stage(entries)
        try:
            self._swap(branch, new, old)
        except SupervisorError as error:
            if self.tip(branch) == old:
                self._checkout.unstage(entries, before)
            raise Conflict(
                f"The files are written, but not committed: {error.message}",
                hint="Commit them yourself: git status",
            ) from error

    def _blob(self, content: bytes) -> str:
        return self.scratch.run("hash-object", "-w", "--stdin", stdin=content).text

    def _with_entries(self, commit: CommitSha, entries: Sequence[str]) -> TreeSha:
        index = {"GIT_INDEX_FILE": str(self.scratch.directory / "files.index")}
        self.scratch.run("read-tree", commit, environment=index)
        listed = "".join(f"{entry}\0" for entry in entries).encode()
        self.scratch.run(
            "update-index", "--add", "-z", "--index-info", stdin=listed, environment=index
        )
        return TreeSha(self.scratch.run("write-tree", environment=index).text)

    @property
    def _deposit(self) -> ObjectImport:
        return ObjectImport(self.repository)

    def move(self, branch: str, new: CommitSha, *, old: CommitSha) -> None:
        """Let the branch, and the checkout that it is in, stand at the commit.

        The files come first, as in git's own merge: whatever stops us in between, the branch does
        not seem to have undone what it just got, and the next merge finds the files in their place.
        """
        with self._alone():
            if self.tip(branch) != old:
                raise _moved(branch)
            if branch != self.current_branch():
                self._require_unused(branch)
                self._swap(branch, new, old)
                return
            self._checkout.require_idle()
            self._checkout.require_room(changes_between(self.scratch, old, new))
            with _uninterrupted():
                self._checkout.write(old, new)
                try:
                    self._swap(branch, new, old)
                except SupervisorError as error:
                    self._take_back(branch, new, old, error)
                    raise
                self._checkout.remember(old)

    def _alone(self) -> AbstractContextManager[None]:
        """Keep other processes of ours from looking at, writing and moving what we do."""
        lock = self.repository.git.directory / "supervisor-checkout.lock"
        return exclusive(lock, what="a merge in this repository")

    def _take_back(
        self, branch: str, new: CommitSha, old: CommitSha, error: SupervisorError
    ) -> None:
        """Take the files out again where the branch still stands before them; else say so.

        Where somebody else moved the branch, the files may be part of what it stands at now.
        """
        reason = error.message if isinstance(error, BranchMoved) else ""
        if self.tip(branch) == old and self.current_branch() == branch:
            try:
                self._checkout.write(new, old)
            except Conflict as refusal:
                reason = refusal.message
            else:
                return
        raise Conflict(
            f"The branch {branch!r} was not moved, but the files of {new} are in your checkout and"
            f" staged. {reason.removesuffix(UNTOUCHED).strip()}",
            hint="See them with `git status`; when they are not wanted: git restore --staged"
            f" --worktree --source={old} FILE",
        ) from error

    def _swap(self, branch: str, new: CommitSha, old: CommitSha) -> None:
        if not self._deposit.swap(branch, new, old=old):
            raise _moved(branch)


@contextmanager
def _uninterrupted() -> Iterator[None]:
    """Let Ctrl-C wait: git, stopped in the middle, leaves half of the files and its lock."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, _INTERRUPTS)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _moved(branch: str) -> BranchMoved:
    return BranchMoved(
        f"The branch {branch!r} moved in the meantime. {UNTOUCHED}", hint="Try again."
    )

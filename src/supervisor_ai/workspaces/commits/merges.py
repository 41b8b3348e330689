"""Tries merges where nobody sees it (no work tree, no ref, no driver) to predict conflicts."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from msgspec import Struct, field

from supervisor_ai.domain.ids import CommitSha
from supervisor_ai.workspaces.commits.user_merges import GitUserMerges
from supervisor_ai.workspaces.repositories.git import Git, failure
from supervisor_ai.workspaces.repositories.repository import GitRepository

_FORM: Final = ("--write-tree", "--name-only", "--no-messages", "-z")
_CONFLICTS: Final = 1
_HEADS: Final = "refs/heads/"


class GitMerges(Struct, frozen=True, kw_only=True):
    """Tries merges in a git directory that is gone afterwards."""

    repository: GitRepository
    scratch: Git
    _changes: dict[tuple[str, CommitSha], frozenset[str]] = field(default_factory=dict)
    _heads: dict[str, CommitSha] = field(default_factory=dict)
    _merged: dict[CommitSha, frozenset[str]] = field(default_factory=dict)
    _trees: dict[CommitSha, str] = field(default_factory=dict)

    def tip(self, branch: str) -> CommitSha | None:
        """Return where a branch stands; all of them are asked for at once, as of this look."""
        if not self._heads:
            form = "--format=%(objectname) %(refname)"
            for line in self.repository.git.run("for-each-ref", form, _HEADS).text.splitlines():
                commit, _, name = line.partition(" ")
                self._heads[name.removeprefix(_HEADS)] = CommitSha(commit)
        return self._heads.get(branch)

    def exists(self, commit: CommitSha) -> bool:
        """Tell whether a commit is still there."""
        return commit in self._heads.values() or self.repository.has_commit(commit)

    def holds(self, tip: CommitSha, commit: CommitSha) -> bool:
        """Tell whether a merge of the commit would add nothing to the tip."""
        if commit in self._branches_in(tip):
            return True
        if self.scratch.ask("merge-base", "--is-ancestor", commit, tip).code == 0:
            return True
        reply = self.scratch.ask("merge-tree", *_FORM, tip, commit)
        return reply.code == 0 and reply.output.split(b"\0")[0].decode() == self._tree(tip)

    def _branches_in(self, tip: CommitSha) -> frozenset[str]:
        """Return where the branches stand that are merged already: most of many are."""
        if tip not in self._merged:
            asked = ("--format=%(objectname)", f"--merged={tip}", _HEADS)
            # Where a branch is damaged, git says nothing of the others either: then each is asked.
            reply = self.repository.git.ask("for-each-ref", *asked)
            found = reply.text.splitlines() if reply.code == 0 else ()
            self._merged[tip] = frozenset(found)
        return self._merged[tip]

    def _tree(self, commit: CommitSha) -> str:
        if commit not in self._trees:
            self._trees[commit] = self.scratch.run("rev-parse", f"{commit}^{{tree}}").text
        return self._trees[commit]

    def conflicts(self, ours: CommitSha, theirs: CommitSha) -> tuple[str, ...] | None:
        """List the files in which a merge conflicts; None where the histories have no common start.

        A conflict without a file of its own does not exist: empty means that the merge is clean.
        """
        reply = self.scratch.ask("merge-tree", *_FORM, ours, theirs)
        if reply.code == 0:
            return ()
        if reply.code == _CONFLICTS and reply.output:  # else it could not even begin
            return _paths(reply.output.split(b"\0")[1:])
        if b"unrelated histories" in reply.complaint:
            return None
        raise failure("merge-tree", self.scratch.directory, reply)

    def for_user(self) -> GitUserMerges:
        """Return what merges at the user's word."""
        return GitUserMerges(repository=self.repository, scratch=self.scratch)

    def shared(self, ours: CommitSha, theirs: CommitSha) -> tuple[str, ...]:
        """List the files that both sides changed since they parted."""
        parted = self.scratch.ask("merge-base", ours, theirs)
        if parted.code != 0:
            return ()
        sides = (self._changed(parted.text, commit) for commit in (ours, theirs))
        return tuple(sorted(frozenset.intersection(*sides)))

    def _changed(self, start: str, commit: CommitSha) -> frozenset[str]:
        key = (start, commit)
        if key not in self._changes:
            form = ("-r", "-z", "--name-only", "--no-renames")
            output = self.scratch.run("diff-tree", *form, start, commit).output
            self._changes[key] = frozenset(_paths(output.split(b"\0")))
        return self._changes[key]


@contextmanager
def try_merges(repository: GitRepository, state: Path) -> Iterator[GitMerges]:
    """Open a place where merges can be tried."""
    state.mkdir(parents=True, exist_ok=True)
    with repository.mold.lend(state, borrows=repository.objects) as scratch:
        yield GitMerges(repository=repository, scratch=scratch)


def _paths(names: list[bytes]) -> tuple[str, ...]:
    """Read names; JSON has no place for bytes that are no text."""
    return tuple(sorted({name.decode(errors="replace") for name in names if name}))

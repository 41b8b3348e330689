"""Tries merges where nobody sees it (no work tree, no ref, no driver) to predict conflicts."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from msgspec import Struct, field

from supervisor_ai.domain.ids import CommitSha
from supervisor_ai.workspaces.commits.user_merges import GitUserMerges
from supervisor_ai.workspaces.repositories.git import Git, failure
from supervisor_ai.workspaces.repositories.merge_bases import Pair, find_parting
from supervisor_ai.workspaces.repositories.repository import GitRepository

_FORM: Final = ("--write-tree", "--name-only", "--no-messages", "-z")
_NAMED: Final = ("-r", "-z", "--name-status", "--no-renames")
_CONFLICTS: Final = 1
_HEADS: Final = "refs/heads/"


class _Merge(Struct, frozen=True):
    """What came of a merge on trial."""

    tree: str
    conflicts: tuple[str, ...]


class GitMerges(Struct, frozen=True, kw_only=True):
    """Tries merges in a git directory that is gone afterwards."""

    repository: GitRepository
    scratch: Git
    _changes: dict[tuple[str, CommitSha], frozenset[str]] = field(default_factory=dict)
    _heads: dict[str, CommitSha] = field(default_factory=dict)
    _headed: set[CommitSha] = field(default_factory=set)
    _merged: dict[CommitSha, frozenset[str] | None] = field(default_factory=dict)
    _trees: dict[CommitSha, str] = field(default_factory=dict)
    _tried: dict[Pair, _Merge] = field(default_factory=dict)
    _parted: dict[Pair, str] = field(default_factory=dict)

    def tip(self, branch: str) -> CommitSha | None:
        """Return where a branch stands; all of them are asked for at once, as of this look."""
        if not self._heads:
            form = "--format=%(objectname) %(refname)"
            for line in self.repository.git.run("for-each-ref", form, _HEADS).lines:
                commit, _, name = line.partition(" ")
                self._heads[name.removeprefix(_HEADS)] = CommitSha(commit)
            self._headed.update(self._heads.values())
        return self._heads.get(branch)

    def exists(self, commit: CommitSha) -> bool:
        """Tell whether a commit is still there."""
        return commit in self._headed or self.repository.has_commit(commit)

    def foresee(self, pairs: Iterable[Pair]) -> None:
        """Try all merges in one go that will be asked for; what that leaves open is tried alone."""
        asked = list(dict.fromkeys(pairs))
        if len(asked) <= 1:
            return
        self._try(asked)
        commits = [commit for pair in asked for commit in pair]
        self._parted.update(find_parting(self.scratch, commits))
        tried = ((pair, self._tried.get(pair)) for pair in asked)
        self._compare([pair for pair, merge in tried if merge and not merge.conflicts])

    def _try(self, pairs: Iterable[Pair]) -> None:
        wanted = [pair for pair in pairs if pair not in self._tried]
        if not wanted:
            return
        lines = "".join(f"{ours} {theirs}\n" for ours, theirs in wanted).encode()
        # An older git cannot do that, and one pair without a common start keeps it from the rest.
        reply = self.scratch.ask("merge-tree", "--stdin", *_FORM, stdin=lines)
        if reply.code == 0:
            self._tried.update(zip(wanted, _read_merges(reply.output), strict=True))

    def _compare(self, pairs: Iterable[Pair]) -> None:
        """Find out in one go what both sides of each pair changed since they parted."""
        parted = {pair: self._parted.get(_in_order(pair)) for pair in pairs}
        wanted = [
            (start, it) for pair, start in parted.items() if start for it in pair if it != start
        ]
        wanted = [key for key in dict.fromkeys(wanted) if key not in self._changes]
        if not wanted:
            return
        lines = "".join(f"{commit} {start}\n" for start, commit in wanted).encode()
        reply = self.scratch.ask("diff-tree", "--stdin", *_NAMED, "--always", stdin=lines)
        found = list(_read_changes(reply.output))
        if [commit for commit, _ in found] == [commit for _, commit in wanted]:
            self._changes.update(zip(wanted, (paths for _, paths in found), strict=True))

    def held(self, pairs: Iterable[Pair]) -> frozenset[Pair]:
        """Return the pairs of a tip and a commit of which a merge would add nothing to the tip."""
        asked = frozenset(pairs)
        ahead = [pair for pair in asked if not self._is_in(*pair)]
        self._try(ahead)
        return asked.difference(pair for pair in ahead if not self._adds_nothing(*pair))

    def _adds_nothing(self, tip: CommitSha, commit: CommitSha) -> bool:
        found = self._merge(tip, commit)
        return found is not None and not found.conflicts and found.tree == self._tree(tip)

    def _is_in(self, tip: CommitSha, commit: CommitSha) -> bool:
        known = self._branches_in(tip)
        if known is not None and commit in self._headed:
            return commit in known
        return self.scratch.ask("merge-base", "--is-ancestor", commit, tip).code == 0

    def _branches_in(self, tip: CommitSha) -> frozenset[str] | None:
        """Return where the branches stand that are merged already: most of many are."""
        if tip not in self._merged:
            asked = ("--format=%(objectname)", f"--merged={tip}", _HEADS)
            # Where a branch is damaged, git says nothing of the others either: then each is asked.
            reply = self.repository.git.ask("for-each-ref", *asked)
            self._merged[tip] = frozenset(reply.lines) if reply.code == 0 else None
        return self._merged[tip]

    def _tree(self, commit: CommitSha) -> str:
        if commit not in self._trees:
            self._trees[commit] = self.scratch.run("rev-parse", f"{commit}^{{tree}}").text
        return self._trees[commit]

    def conflicts(self, ours: CommitSha, theirs: CommitSha) -> tuple[str, ...] | None:
        """List the files in which a merge conflicts; None where the histories have no common start.

        A conflict without a file of its own does not exist: empty means that the merge is clean.
        """
        found = self._merge(ours, theirs)
        return None if found is None else found.conflicts

    def _merge(self, ours: CommitSha, theirs: CommitSha) -> _Merge | None:
        pair = (ours, theirs)
        if pair not in self._tried:
            reply = self.scratch.ask("merge-tree", *_FORM, ours, theirs)
            if b"unrelated histories" in reply.complaint:
                return None
            if reply.code not in {0, _CONFLICTS} or not reply.output:  # it could not even begin
                raise failure("merge-tree", self.scratch.directory, reply)
            tree, *paths = reply.output.split(b"\0")
            conflicts = _paths(paths) if reply.code == _CONFLICTS else ()
            self._tried[pair] = _Merge(tree.decode(), conflicts)
        return self._tried[pair]

    def for_user(self) -> GitUserMerges:
        """Return what merges at the user's word."""
        return GitUserMerges(repository=self.repository, scratch=self.scratch)

    def shared(self, ours: CommitSha, theirs: CommitSha) -> tuple[str, ...]:
        """List the files that both sides changed since they parted."""
        parted = self._where_parted(ours, theirs)
        if parted is None:
            return ()
        sides = (self._changed(parted, commit) for commit in (ours, theirs))
        return tuple(sorted(frozenset.intersection(*sides)))

    def _where_parted(self, ours: CommitSha, theirs: CommitSha) -> str | None:
        if ours == theirs:
            return ours
        if (known := self._parted.get(_in_order((ours, theirs)))) is not None:
            return known
        reply = self.scratch.ask("merge-base", ours, theirs)
        return reply.text if reply.code == 0 else None

    def _changed(self, start: str, commit: CommitSha) -> frozenset[str]:
        if start == commit:
            return frozenset()
        key = (start, commit)
        if key not in self._changes:
            output = self.scratch.run("diff-tree", *_NAMED, start, commit).output
            self._changes[key] = frozenset(_paths(output.split(b"\0")[1::2]))
        return self._changes[key]


@contextmanager
def try_merges(repository: GitRepository, state: Path) -> Iterator[GitMerges]:
    """Open a place where merges can be tried."""
    state.mkdir(parents=True, exist_ok=True)
    with repository.mold.lend(state, borrows=repository.objects) as scratch:
        yield GitMerges(repository=repository, scratch=scratch)


def _read_merges(output: bytes) -> Iterator[_Merge]:
    """Read what came of several merges: whether it is clean, the tree, the files, a gap."""
    fields = iter(output.split(b"\0")[:-1])
    for is_clean in fields:
        tree, paths = next(fields).decode(), list(iter(lambda: next(fields), b""))
        yield _Merge(tree, () if is_clean == b"1" else _paths(paths))


def _read_changes(output: bytes) -> Iterator[tuple[str, frozenset[str]]]:
    """Read several comparisons: a commit, then the kind of change and the name of each file."""
    fields = output.split(b"\0")[:-1]
    while fields:
        end = next((at for at in range(1, len(fields), 2) if len(fields[at]) > 1), len(fields))
        yield fields[0].decode(), frozenset(_paths(fields[2:end:2]))
        fields = fields[end:]


def _in_order(pair: Pair) -> Pair:
    ours, theirs = pair
    return pair if ours < theirs else (theirs, ours)


def _paths(names: list[bytes]) -> tuple[str, ...]:
    """Read names; JSON has no place for bytes that are no text."""
    return tuple(sorted({name.decode(errors="replace") for name in names if name}))

"""Commits in memory, as gates ask for them."""

import difflib
import hashlib
from collections.abc import Iterator, Mapping, Sequence

from supervisor_ai.control.ports.commits import ChangedPath, CommitFile, LineCount
from supervisor_ai.domain.ids import CommitSha

ABSENT = "0" * 40
BASE, HEAD = CommitSha("base"), CommitSha("head")


class MemoryCommits:
    """Lists, reads and compares trees that a test writes down; modes are not kept."""

    def __init__(self, **trees: Mapping[str, str | bytes]) -> None:
        self.trees = {
            name: {path: _bytes(text) for path, text in tree.items()}
            for name, tree in trees.items()
        }
        self.retyped: set[str] = set()
        self.links: frozenset[str] = frozenset()
        """Paths that are links at the head."""

    def list(self, commit: CommitSha) -> tuple[CommitFile, ...]:
        tree = self.trees[commit]
        hidden = self.links if commit == HEAD else frozenset()
        return tuple(
            CommitFile(path, _blob(tree[path]), len(tree[path]))
            for path in sorted(tree)
            if path not in hidden
        )

    def read(self, files: Sequence[CommitFile]) -> Iterator[tuple[CommitFile, bytes]]:
        contents = {_blob(text): text for tree in self.trees.values() for text in tree.values()}
        for file in files:
            yield file, contents[file.blob]

    def changes(self, base: CommitSha, commit: CommitSha) -> tuple[ChangedPath, ...]:
        before, after = self.trees[base], self.trees[commit]
        changes = (
            ChangedPath(
                path,
                _blob(before[path]) if path in before else ABSENT,
                _blob(after[path]) if path in after else ABSENT,
                path in self.retyped or path in self.links,
                path in self.links,
            )
            for path in sorted({*before, *after})
        )
        return tuple(
            change for change in changes if change.before != change.after or change.is_retyped
        )

    def patches(
        self, base: CommitSha, commit: CommitSha, paths: Sequence[str]
    ) -> Iterator[tuple[str, str]]:
        before, after = self.trees[base], self.trees[commit]
        for change in self.changes(base, commit):
            if change.path in paths:
                old = before.get(change.path, b"").decode(errors="replace").splitlines()
                new = after.get(change.path, b"").decode(errors="replace").splitlines()
                yield change.path, "\n".join(difflib.unified_diff(old, new, lineterm=""))

    def line_counts(self, base: CommitSha, commit: CommitSha) -> tuple[LineCount, ...]:
        paths = [change.path for change in self.changes(base, commit)]
        patches = dict(self.patches(base, commit, paths))
        return tuple(_count(path, patches.get(path, "").split("\n")[2:]) for path in paths)


def _count(path: str, patch: Sequence[str]) -> LineCount:
    added, deleted = (sum(line.startswith(sign) for line in patch) for sign in "+-")
    return LineCount(path, added, deleted)


def two_commits(
    before: Mapping[str, str | bytes],
    after: Mapping[str, str | bytes],
    *,
    links: Sequence[str] = (),
) -> MemoryCommits:
    """Make a base and a head."""
    commits = MemoryCommits(base=before, head=after)
    commits.links = frozenset(links)
    return commits


def _bytes(text: str | bytes) -> bytes:
    return text if isinstance(text, bytes) else text.encode()


def _blob(text: bytes) -> str:
    return hashlib.sha1(text).hexdigest()  # noqa: S324 - as git names it

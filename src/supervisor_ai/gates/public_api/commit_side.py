"""The files of one commit, read and parsed when they are needed, within a bound for all of them."""

from collections.abc import Collection, Mapping
from time import thread_time
from typing import TYPE_CHECKING, Final

from supervisor_ai.control.ports.commits import CommitFile, Commits
from supervisor_ai.domain.ids import CommitSha
from supervisor_ai.gates.change.differences import LARGEST, sizes
from supervisor_ai.gates.integrity.analysis.syntax_tree import (
    Grammar,
    LineIndex,
    broken,
    parsed,
)
from supervisor_ai.gates.integrity.model import Unreadable

if TYPE_CHECKING:
    from tree_sitter import Node

_MOST_BYTES: Final = 24 * 1024 * 1024
_SECONDS: Final = 30.0


class ReadTooMuchError(Exception):
    """There is more to read than anybody has time for."""


class ReadBudget:
    """What both sides of a change may cost together."""

    def __init__(self, *, size: int = _MOST_BYTES, seconds: float = _SECONDS) -> None:
        self._left = size
        self._deadline = thread_time() + seconds

    def spend(self, size: int) -> None:
        """Take something off; raise ReadTooMuchError where nothing is left."""
        self._left -= size
        if self._left < 0 or thread_time() > self._deadline:
            raise ReadTooMuchError


class CommitSide:
    """One commit; what could not be read is remembered with a reason."""

    def __init__(self, commits: Commits, commit: CommitSha, budget: ReadBudget) -> None:
        self._commits = commits
        self._budget = budget
        self.files: Mapping[str, CommitFile] = sizes(commits, commit)
        self.unread: dict[str, str] = {}
        self._texts: dict[str, bytes | None] = {}
        self._roots: dict[str, Node | None] = {}

    def fetch(self, paths: Collection[str]) -> None:
        """Read some files at once."""
        wanted = [self.files[it] for it in paths if it in self.files and it not in self._texts]
        for file in wanted:
            self._texts[file.path] = None
            if file.size > LARGEST:
                self.unread[file.path] = "it is too large to be looked at"
        small = [file for file in wanted if file.size <= LARGEST]
        self._budget.spend(sum(file.size for file in small))
        for file, contents in self._commits.read(small):
            self._texts[file.path] = contents

    def text(self, path: str) -> bytes | None:
        """Return the contents of a file; None where it is not there or too large."""
        if path in self.files and path not in self._texts:
            self.fetch([path])
        return self._texts.get(path)

    def tick(self) -> None:
        """Stop whoever goes on for too long, whatever they do."""
        self._budget.spend(0)

    def root(self, path: str, grammar: Grammar) -> "Node | None":
        """Parse a file; a mistake in it is remembered, and the rest is looked at all the same."""
        if path not in self._roots:
            source = self.text(path)
            self._roots[path] = None if source is None else self._parsed(path, source, grammar)
        return self._roots[path]

    def _parsed(self, path: str, source: bytes, grammar: Grammar) -> "Node | None":
        self._budget.spend(0)
        # Some grammars take a last line without an end for a mistake.
        root = parsed(grammar, path, source if source.endswith(b"\n") else source + b"\n")
        if isinstance(root, Unreadable):
            self.unread[path] = root.reason
            return None
        fault = broken(path, root, LineIndex(source))
        if fault is not None:
            self.unread[path] = fault.reason
        return root

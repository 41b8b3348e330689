"""Reader of test files in any language: parses a file within bounds and lets its table read it."""

import re
from collections import Counter
from collections.abc import Collection, Iterable
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from msgspec import Struct

from supervisor_ai.domain.structs import replace
from supervisor_ai.gates.integrity.analysis.language_table import LanguageTable, SourceFile
from supervisor_ai.gates.integrity.analysis.syntax_tree import LineIndex, broken, parsed
from supervisor_ai.gates.integrity.model import TestCase, TestFile, Unreadable

if TYPE_CHECKING:
    from tree_sitter import Node


class TableReader(Struct, frozen=True):
    """Reads the tests of the language that a table describes."""

    table: LanguageTable

    @property
    def suffixes(self) -> Collection[str]:
        """How the names of the language's files end."""
        return self.table.grammars.keys()

    @property
    def method(self) -> re.Pattern[bytes] | None:
        """How a function is defined without a keyword of its own."""
        return self.table.method

    def is_test(self, path: str, source: bytes) -> bool:
        """Tell whether a runner looks for tests in the file, or tests share what stands in it."""
        is_ours = PurePosixPath(path).suffix in self.table.grammars
        return is_ours and self.table.is_test(path, source)

    def read(self, path: str, source: bytes) -> TestFile | Unreadable:
        """Find the tests of a file; the source is hostile."""
        reason = self.table.refusal(source)
        if reason is not None:
            return Unreadable(path=path, reason=reason)
        lines = LineIndex(source)
        root = self._parsed(path, source, lines)
        if isinstance(root, Unreadable):
            return root
        file = SourceFile(path=path, table=self.table, root=root, lines=lines)
        try:
            return self.table.read_file(file)
        except RecursionError:
            return Unreadable(path=path, reason="it is nested too deeply")

    def _parsed(self, path: str, source: bytes, lines: LineIndex) -> "Node | Unreadable":
        table = self.table
        grammar = table.grammars.get(PurePosixPath(path).suffix) or next(
            iter(table.grammars.values())
        )
        root = parsed(grammar, path, table.as_parsed(source) if table.as_parsed else source)
        if isinstance(root, Unreadable) or not root.has_error:
            return root
        # Not everything can be written in another way: the file as it stands decides.
        plain = parsed(grammar, path, source) if table.as_parsed else root
        if isinstance(plain, Unreadable):
            return plain
        return broken(path, plain, lines, share=table.lost_share) or root


def unique_names(tests: Iterable[TestCase]) -> tuple[TestCase, ...]:
    """Number the tests that have the name of one before them: each must be found again."""
    seen: Counter[str] = Counter()
    found = []
    for test in tests:
        seen[test.name] += 1
        count = seen[test.name]
        found.append(test if count == 1 else replace(test, name=f"{test.name} #{count}"))
    return tuple(found)

"""Parses source with tree-sitter, within bounds that hostile text cannot stretch."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from time import thread_time
from typing import TYPE_CHECKING, Final, cast

from supervisor_ai.context.code.language import Language

if TYPE_CHECKING:
    from tree_sitter import Language as Grammar
    from tree_sitter import Node, Point, Query

MAX_SOURCE: Final = 300_000
_CPU_SECONDS: Final = 2.0
_CHUNK: Final = 1024
# Loaded only when a file of the language is read: the module and its function.
_GRAMMARS: Final = {
    Language.PYTHON: ("tree_sitter_python", "language"),
    Language.TYPESCRIPT: ("tree_sitter_typescript", "language_typescript"),
    Language.TSX: ("tree_sitter_typescript", "language_tsx"),
    Language.JAVASCRIPT: ("tree_sitter_javascript", "language"),
    Language.GO: ("tree_sitter_go", "language"),
    Language.RUST: ("tree_sitter_rust", "language"),
    Language.JAVA: ("tree_sitter_java", "language"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class SyntaxTree:
    """A parsed file: broken code has a tree too, with the broken part marked."""

    language: Language
    source: bytes
    root: "Node"

    def text(self, node: "Node | None") -> str:
        """Return the source of a node; nothing for none."""
        return "" if node is None else self.between(node.start_byte, node.end_byte)

    def between(self, start: int, end: int) -> str:
        """Return the source between two places."""
        return self.source[start:end].decode("utf-8", "replace")

    def found(self, query: str) -> Iterator[tuple[str, "Node"]]:
        """Yield what a query captures, as (name, node) in the order of the source."""
        from tree_sitter import QueryCursor

        captures = QueryCursor(_query(self.language, query)).captures(self.root)
        pairs = [(name, node) for name, nodes in captures.items() for node in nodes]
        yield from sorted(pairs, key=lambda pair: pair[1].start_byte)


def within_bounds(text: str) -> str:
    """Cut a text that is too long to be read, at the end of a line where there is one."""
    if len(text) <= MAX_SOURCE:
        return text
    return text[:MAX_SOURCE].rpartition("\n")[0] or text[:MAX_SOURCE]


def parsed(language: Language, text: str) -> SyntaxTree:
    """Parse a text; what lies beyond the size or the time allowed counts as not there."""
    from tree_sitter import Parser

    source = text[:MAX_SOURCE].encode("utf-8", "replace")
    deadline = thread_time() + _CPU_SECONDS

    # The end of the file is the one signal that stops the parser in the midst of a recovery.
    def read(offset: int, _point: "Point") -> bytes:
        return b"" if thread_time() > deadline else source[offset : offset + _CHUNK]

    tree = Parser(_grammar(language)).parse(read)
    return SyntaxTree(language=language, source=source, root=tree.root_node)


@cache
def _grammar(language: Language) -> "Grammar":
    from tree_sitter import Language as Grammar

    module, function = _GRAMMARS[language]
    return Grammar(cast("object", getattr(import_module(module), function)()))


@cache
def _query(language: Language, query: str) -> "Query":
    from tree_sitter import Query

    return Query(_grammar(language), query)

"""A source file as tree-sitter understands it, with queries on it."""

from collections.abc import Iterator
from functools import cache
from typing import TYPE_CHECKING, Final

from msgspec import Struct

from supervisor_ai.context.code.language import SourceLanguage
from supervisor_ai.tools.syntax_tree import Grammar, load_grammar, parse_in_time

if TYPE_CHECKING:
    from tree_sitter import Node, Query

MAX_SOURCE: Final = 300_000
_CPU_SECONDS: Final = 2.0


class SyntaxTree(Struct, frozen=True, kw_only=True):
    """A parsed file: broken code has a tree too, with the broken part marked."""

    language: SourceLanguage
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


def parsed(language: SourceLanguage, text: str) -> SyntaxTree:
    """Parse a text; what lies beyond the size or the time allowed counts as not there."""
    source = text[:MAX_SOURCE].encode("utf-8", "replace")
    tree, _ = parse_in_time(_grammar(language), source, seconds=_CPU_SECONDS)
    return SyntaxTree(language=language, source=source, root=tree.root_node)


@cache
def _query(language: SourceLanguage, query: str) -> "Query":
    from tree_sitter import Query

    return Query(load_grammar(_grammar(language)), query)


def _grammar(language: str) -> Grammar:
    if language in {"tsx", "typescript"}:
        return Grammar("tree_sitter_typescript", f"language_{language}")
    return Grammar(f"tree_sitter_{language}")

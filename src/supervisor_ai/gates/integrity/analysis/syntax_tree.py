"""Parses source with tree-sitter, within bounds that hostile text cannot stretch."""

import re
from bisect import bisect_left
from collections.abc import Iterator
from functools import cache
from importlib import import_module
from time import thread_time
from typing import TYPE_CHECKING, Final, NamedTuple, cast

from supervisor_ai.gates.integrity.model import Unreadable

if TYPE_CHECKING:
    from tree_sitter import Language as TreeSitterLanguage
    from tree_sitter import Node, Point

MAX_DEPTH: Final = 800
MAX_NODES: Final = 200_000
_CPU_SECONDS: Final = 3.0
_CHUNK: Final = 4096


class Grammar(NamedTuple):
    """A grammar of tree-sitter by the module and function that hold it; loaded when needed."""

    module: str
    function: str = "language"


def parsed(grammar: Grammar, path: str, source: bytes) -> "Node | Unreadable":
    """Parse a file; what takes too long or is nested too deeply cannot be understood."""
    from tree_sitter import Parser

    deadline = thread_time() + _CPU_SECONDS
    is_late = False

    # The end of the file is the one signal that stops the parser in the midst of a recovery.
    def read(offset: int, _point: "Point") -> bytes:
        nonlocal is_late
        is_late = is_late or thread_time() > deadline
        return b"" if is_late else source[offset : offset + _CHUNK]

    Parser(_loaded(grammar)).parse(read)
    if is_late:
        return Unreadable(path=path, reason="it takes too long to parse")
    # Only nodes of a tree that was made from bytes can be asked for their text.
    root = Parser(_loaded(grammar)).parse(source).root_node
    if root.descendant_count > MAX_NODES:
        return Unreadable(path=path, reason="it is too large to be looked at")
    if _is_deep(root):
        return Unreadable(path=path, reason="it is nested too deeply")
    return root


def broken(path: str, root: "Node", lines: "LineIndex", *, share: float = 0.0) -> Unreadable | None:
    """Say that a file has a syntax error, if more than a share of it cannot be parsed."""
    if not root.has_error:
        return None
    lost = [node for node in walked(root) if node.is_error or node.is_missing]
    size = sum(node.end_byte - node.start_byte for node in lost)
    if root.is_error or size >= share * max(1, root.end_byte):
        line = lines.of(lost[0]) if lost else 1
        return Unreadable(path=path, reason=f"it has a syntax error near line {line}")
    return None


def walked(node: "Node") -> Iterator["Node"]:
    """Yield a node and all that it holds, in the order of the source."""
    stack = [node]
    while stack:
        found = stack.pop()
        yield found
        stack.extend(reversed(found.children))


def source_of(node: "Node | None") -> str:
    """Return the source of a node as it stands; nothing for none."""
    return "" if node is None or node.text is None else node.text.decode("utf-8", "replace")


class LineIndex:
    """Tells on which line of a file a node begins.

    A node's own point must not be asked: tree-sitter 0.26 releases its numbers once too often.
    """

    def __init__(self, source: bytes, *, first: int = 1) -> None:
        self._ends = [match.start() for match in re.finditer(b"\n", source)]
        self._first = first

    def of(self, node: "Node") -> int:
        """Return the line on which a node begins."""
        return bisect_left(self._ends, node.start_byte) + self._first


def field(node: "Node | None", *names: str) -> "Node | None":
    """Return what a node holds under a name, going down one name after the other."""
    for name in names:
        node = None if node is None else node.child_by_field_name(name)
    return node


def items(node: "Node | None") -> list["Node"]:
    """Return what a node holds, without punctuation and comments."""
    return [] if node is None else [each for each in node.named_children if not each.is_extra]


def _is_deep(root: "Node") -> bool:
    cursor, depth = root.walk(), 0
    while True:
        if cursor.goto_first_child():
            depth += 1
            if depth > MAX_DEPTH:
                return True
            continue
        while not cursor.goto_next_sibling():
            if not cursor.goto_parent():
                return False
            depth -= 1


@cache
def _loaded(grammar: Grammar) -> "TreeSitterLanguage":
    from tree_sitter import Language as TreeSitterLanguage

    found = getattr(import_module(grammar.module), grammar.function)
    return TreeSitterLanguage(cast("object", found()))

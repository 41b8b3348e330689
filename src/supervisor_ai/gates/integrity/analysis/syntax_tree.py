"""The syntax tree of a test file: its nodes, lines and what is broken in it."""

import re
from bisect import bisect_left
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Final

from supervisor_ai.gates.integrity.model import Unreadable
from supervisor_ai.tools.syntax_tree import Grammar, is_deeper, parse_in_time, parse_whole

if TYPE_CHECKING:
    from tree_sitter import Node

__all__ = [
    "Grammar",
    "LineIndex",
    "any_below",
    "broken",
    "field",
    "items",
    "own_field",
    "parsed",
    "source_of",
    "walked",
]

MAX_DEPTH: Final = 800
MAX_NODES: Final = 200_000
_CPU_SECONDS: Final = 3.0


def parsed(grammar: Grammar, path: str, source: bytes) -> "Node | Unreadable":
    """Parse a file; what takes too long or is nested too deeply cannot be understood."""
    if parse_in_time(grammar, source, seconds=_CPU_SECONDS)[1]:
        return Unreadable(path=path, reason="it takes too long to parse")
    root = parse_whole(grammar, source)
    if root.descendant_count > MAX_NODES:
        return Unreadable(path=path, reason="it is too large to be looked at")
    if is_deeper(root, MAX_DEPTH):
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


def any_below(root: "Node", holds: "Callable[[Node], bool]", known: dict[int, bool]) -> bool:
    """Tell whether something holds for a node or for one that it holds; what is known is kept."""
    path = [(root, iter(root.children))]
    if root.id in known:
        return known[root.id]
    known[root.id] = holds(root)
    while path and not known[path[-1][0].id]:
        child = next(path[-1][1], None)
        if child is None:
            path.pop()
        elif child.id not in known:
            known[child.id] = holds(child)
            path.append((child, iter(child.children)))
        elif known[child.id]:
            path.append((child, iter(())))
    known.update((node.id, True) for node, _ in path)
    return known[root.id]


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


def own_field(node: "Node", name: str) -> "Node | None":
    """Return what a node holds under a name, as the node that the tree was walked by.

    Tree-sitter makes a new node for every question, but keeps those of a walk.
    """
    found = node.child_by_field_name(name)
    return next((each for each in node.children if each == found), None)


def items(node: "Node | None") -> list["Node"]:
    """Return what a node holds, without punctuation and comments."""
    return [] if node is None else [each for each in node.named_children if not each.is_extra]

"""Python tests that fail, by an assertion of their own that is turned into its opposite."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Final

from supervisor_ai.gates.evidence.probes.opposites import Which, opposite_of, wrapped
from supervisor_ai.gates.evidence.sources.edits import Edit, applied, tree_of
from supervisor_ai.gates.evidence.sources.python_items import definition_of
from supervisor_ai.gates.integrity.analysis.syntax_tree import field, source_of
from supervisor_ai.gates.integrity.languages.python.table import PYTHON

if TYPE_CHECKING:
    from tree_sitter import Node

_LEAVING: Final = frozenset({"return_statement", "yield"})
_OWN: Final = frozenset({"function_definition", "class_definition", "lambda"})


def failing_python(path: str, source: bytes, which: Which) -> bytes:
    """Let every test of a file fail that runs; raise NoGraft as reading does."""
    root = tree_of(PYTHON.grammars[".py"], path, source)
    return applied(source, [it for test in _tests(root) for it in _failing(test, source, which)])


def _tests(block: "Node") -> Iterator["Node"]:
    for node in block.named_children:
        inner = definition_of(node)
        body = field(inner, "body")
        if inner is None or body is None:
            continue
        if inner.type == "class_definition":
            yield from _tests(body)
        elif source_of(field(inner, "name")).startswith("test"):
            yield body


def _failing(body: "Node", source: bytes, which: Which) -> Sequence[Edit]:
    own = list(_own(body))
    opposites = [edits for node in own if (edits := _opposite(node))]
    if opposites:
        return opposites[which.value]
    return () if any(node.type in _LEAVING for node in own) else _at_the_end(body, source)


def _opposite(node: "Node") -> tuple[Edit, ...]:
    if node.type == "assert_statement":
        return wrapped(node.named_children[0], b"not ")
    function = field(node, "function") if node.type == "call" else None
    if source_of(field(function, "object")) not in ("self", "cls"):
        return ()
    return opposite_of(field(function, "attribute"))


def _at_the_end(body: "Node", source: bytes) -> Sequence[Edit]:
    """Put a failure behind a body that asserts nothing, if it stands on lines of its own."""
    indent = source[source.rfind(b"\n", 0, body.start_byte) + 1 : body.start_byte]
    one = len(source_of(body)) % 89 + 11
    said = b"\n%bassert %d == %d" % (indent, one, one + 1)
    return () if indent.strip() else (Edit(body.end_byte, body.end_byte, said),)


def _own(body: "Node") -> Iterator["Node"]:
    """Yield what a body does itself, in the order of the source."""
    stack = [body]
    while stack:
        node = stack.pop()
        yield node
        stack.extend(child for child in reversed(node.named_children) if child.type not in _OWN)

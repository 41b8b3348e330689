"""Python tests that fail at their end, by an assertion such as they make themselves."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from supervisor_ai.gates.evidence.sources.edits import Edit, applied, tree_of
from supervisor_ai.gates.evidence.sources.python_items import definition_of
from supervisor_ai.gates.integrity.analysis.syntax_tree import field, source_of
from supervisor_ai.gates.integrity.languages.python.table import PYTHON

if TYPE_CHECKING:
    from tree_sitter import Node

_LEAVING: Final = frozenset({"return_statement", "yield"})
_OWN: Final = frozenset({"function_definition", "class_definition", "lambda"})


def failing_python(path: str, source: bytes) -> bytes:
    """Let every test of a file fail that comes to its end; raise NoGraft as reading does."""
    root = tree_of(PYTHON.grammars[".py"], path, source)
    return applied(source, [edit for test in _tests(root) for edit in _failing(test, source)])


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


def _failing(body: "Node", source: bytes) -> Iterator[Edit]:
    """Put a failure behind a body; one that may be left before its end is left alone."""
    indent = source[source.rfind(b"\n", 0, body.start_byte) + 1 : body.start_byte]
    if indent.strip() or _is_left_early(body):
        return
    text = source[body.start_byte : body.end_byte]
    one = len(text) % 89 + 11
    is_method = b"self.assert" in text
    said = b"self.assertEqual(%d, %d)" if is_method else b"assert %d == %d"
    yield Edit(body.end_byte, body.end_byte, b"\n" + indent + said % (one, one + 1))


def _is_left_early(body: "Node") -> bool:
    stack = [body]
    while stack:
        node = stack.pop()
        if node.type in _LEAVING:
            return True
        stack.extend(child for child in node.named_children if child.type not in _OWN)
    return False

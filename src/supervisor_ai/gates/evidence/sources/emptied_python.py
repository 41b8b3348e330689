"""Empties Python modules: they still load and hold their names, but whatever is called fails."""

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from supervisor_ai.gates.evidence.sources.edits import Edit, tree_of
from supervisor_ai.gates.evidence.sources.python_items import (
    definition_of,
    docstring_of,
    is_test_item,
)
from supervisor_ai.gates.integrity.analysis.syntax_tree import field, items, source_of
from supervisor_ai.gates.integrity.languages.python.table import PYTHON

if TYPE_CHECKING:
    from tree_sitter import Node

_FAILING: Final = b'raise RuntimeError("emptied: does any test notice?")'
_KEPT_MARKS: Final = re.compile(
    r"@[\w.]*(?:property|setter|getter|deleter|staticmethod|classmethod|abstractmethod|overload"
    r"|dataclass|contextmanager|final|runtime_checkable)\b|@attrs?\.|@define\b|@frozen\b"
)
"""Decorators without which a name means something else; what others do is the product's."""
_VALUES: Final = frozenset(
    {"string", "concatenated_string", "integer", "float", "true", "false", "list", "dictionary"}
    | {"set", "tuple", "unary_operator", "binary_operator", "lambda", "list_comprehension"}
    | {"dictionary_comprehension", "set_comprehension", "generator_expression"}
)
_DEEDS: Final = frozenset(
    {"for_statement", "while_statement", "with_statement", "delete_statement"}
    | {"assert_statement", "match_statement", "raise_statement"}
)
_OWN_WAY: Final = re.compile(
    r"Enum|Flag|TypedDict|NamedTuple|Protocol|Exception|Error|Warning|\btype\b"
)
"""Classes that are made in a way of their own."""
_TYPES: Final = re.compile(r"(?:\w+\.)*(?:TypeVar|NewType|ParamSpec|getLogger|get_logger)\(")
_AT_DEFINITION: Final = frozenset({"__init_subclass__", "__set_name__", "__class_getitem__"})


def empty_python(path: str, source: bytes) -> list[Edit]:
    """Return what empties a module; nothing where it does nothing by itself."""
    root = tree_of(PYTHON.grammars[".py"], path, source)
    names = frozenset(
        source_of(field(inner, "name"))
        for inner in map(definition_of, root.named_children)
        if inner is not None
    )
    return list(_Emptying(source, names).of_block(root)) or list(_made_values(root))


def _made_values(root: "Node") -> Iterator[Edit]:
    """Empty a module that only has values, made by what others define."""
    for node in root.named_children:
        inner = node.named_children[0] if node.type == "expression_statement" else node
        value = field(inner, "right") if inner.type == "assignment" else None
        if value is not None and value.type == "call" and not _TYPES.match(source_of(value)):
            yield Edit(value.start_byte, value.end_byte, b"None")


class _Emptying:
    """A module while it is emptied."""

    def __init__(self, source: bytes, names: frozenset[str]) -> None:
        self._source = source
        self._names = names

    def of_block(self, block: "Node", *, keeps_values: bool = False) -> Iterator[Edit]:
        """Empty what a block holds."""
        documentation = docstring_of(block)
        for node in items(block):
            inner = definition_of(node)
            if node == documentation or is_test_item(node):
                continue
            if inner is not None:
                yield from self._of_definition(node, inner)
            elif node.type in _DEEDS:
                yield Edit(node.start_byte, node.end_byte, b"pass")
            elif node.type == "expression_statement":
                yield from self._of_expression(node, keeps_values=keeps_values)
            elif node.type in ("if_statement", "try_statement") and not _is_for_types(node):
                for part in _blocks(node):
                    yield from self.of_block(part)

    def _of_definition(self, node: "Node", inner: "Node") -> Iterator[Edit]:
        for mark in node.named_children:
            if mark.type == "decorator" and not _KEPT_MARKS.match(source_of(mark)):
                yield Edit(mark.start_byte, mark.end_byte)
        body = field(inner, "body")
        if body is None or source_of(field(inner, "name")) in _AT_DEFINITION:
            return
        if inner.type == "function_definition":
            yield _of_body(body)
        else:
            yield from self._of_class(inner, body)

    def _of_class(self, node: "Node", body: "Node") -> Iterator[Edit]:
        """Empty a class; one without functions cannot be made any more."""
        is_own_way = _OWN_WAY.search(source_of(field(node, "superclasses"))) is not None
        yield from self.of_block(body, keeps_values=is_own_way)
        indent = self._source[self._source.rfind(b"\n", 0, body.start_byte) + 1 : body.start_byte]
        if is_own_way or indent.strip() or any(map(definition_of, body.named_children)):
            return
        made = b"\n%bdef __init__(self, *args, **kwargs): %b" % (indent, _FAILING)
        yield Edit(body.end_byte, body.end_byte, made)

    def _of_expression(self, node: "Node", *, keeps_values: bool) -> Iterator[Edit]:
        inner = next(iter(items(node)), None)
        if inner is None:
            return
        if inner.type in ("call", "await"):
            yield Edit(node.start_byte, node.end_byte, b"pass")
        value = field(inner, "right") if inner.type == "assignment" else None
        if value is None or keeps_values or source_of(field(inner, "left")).startswith("__"):
            return
        if value.type in _VALUES or (value.type == "call" and _root(value) in self._names):
            yield Edit(value.start_byte, value.end_byte, b"None")


def _is_for_types(node: "Node") -> bool:
    condition = source_of(field(node, "condition"))
    return "TYPE_CHECKING" in condition or "__name__" in condition


def _blocks(node: "Node") -> Iterator["Node"]:
    for child in node.named_children:
        if child.type == "block":
            yield child
        elif child.type.endswith("_clause"):
            yield from _blocks(child)


def _of_body(body: "Node") -> Edit:
    documentation = docstring_of(body)
    if documentation is None:
        return Edit(body.start_byte, body.end_byte, _FAILING)
    return Edit(documentation.end_byte, body.end_byte, b"; " + _FAILING)


def _root(call: "Node") -> str:
    return source_of(field(call, "function")).partition(".")[0]

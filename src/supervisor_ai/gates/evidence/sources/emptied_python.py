"""Empties Python modules: they still load and hold their names, but whatever is called fails."""

import re
from collections.abc import Iterator
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Final

from supervisor_ai.gates.evidence.sources.edits import Edit, tree_of
from supervisor_ai.gates.evidence.sources.python_items import (
    definition_of,
    docstring_of,
    is_main,
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
_OWN_WAY: Final = re.compile(r"Enum|Flag|TypedDict|NamedTuple|Protocol|Exception|Error|Warning")
"""Classes that are made in a way of their own."""
_METACLASS: Final = re.compile(r"[(,]\s*(?:type|ABCMeta|EnumMeta|abc\.ABCMeta)\s*[,)]")
_TYPES: Final = re.compile(r"(?:\w+\.)*(?:TypeVar|NewType|ParamSpec|getLogger|get_logger)\(")
_AT_DEFINITION: Final = frozenset({"__init_subclass__", "__set_name__", "__class_getitem__"})


def empty_python(path: str, source: bytes, *, with_values: bool) -> list[Edit]:
    """Return what empties a module; nothing where it does nothing by itself.

    A module that has nothing but values is emptied of them only where that is wanted: others may
    be made of them when they are loaded.
    """
    root = tree_of(PYTHON.grammars[".py"], path, source)
    names = _defined(root) | frozenset(_imported(root, PurePosixPath(path)))
    edits = list(_Emptying(source, names).of_block(root))
    return edits or (list(_values(root)) if with_values else [])


def _defined(block: "Node") -> frozenset[str]:
    inner = filter(None, map(definition_of, block.named_children))
    return frozenset(source_of(field(node, "name")) for node in inner)


def _imported(root: "Node", path: PurePosixPath) -> Iterator[str]:
    """Return the names that a module has from others of its product."""
    for node in root.named_children:
        module = source_of(field(node, "module_name"))
        if module.startswith(".") or module.partition(".")[0] in path.parts[:-1]:
            yield from (source_of(each) for each in node.children_by_field_name("name"))


def _values(root: "Node") -> Iterator[Edit]:
    """Empty a module that has nothing but values."""
    for node in items(root):
        inner = next(iter(items(node)), node)
        value = field(inner, "right") if inner.type == "assignment" else None
        if value is None or source_of(field(inner, "left")).startswith("__"):
            continue
        is_made = value.type == "call" and not _TYPES.match(source_of(value))
        if is_made or value.type in _VALUES:
            yield Edit(value.start_byte, value.end_byte, b"None")


class _Emptying:
    """A module while it is emptied."""

    def __init__(self, source: bytes, names: frozenset[str]) -> None:
        self._source = source
        self._names = names

    def of_block(self, block: "Node") -> Iterator[Edit]:
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
                yield from self._of_expression(node)
            elif node.type in ("if_statement", "try_statement") and not is_main(node):
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
        bases = source_of(field(node, "superclasses"))
        if _METACLASS.search(bases):
            return
        yield from _Emptying(self._source, self._names | _defined(body)).of_block(body)
        is_own_way = _OWN_WAY.search(bases) is not None
        indent = self._source[self._source.rfind(b"\n", 0, body.start_byte) + 1 : body.start_byte]
        if is_own_way or indent.strip() or any(map(definition_of, body.named_children)):
            return
        made = b"\n%bdef __init__(self, *args, **kwargs): %b" % (indent, _FAILING)
        yield Edit(body.end_byte, body.end_byte, made)

    def _of_expression(self, node: "Node") -> Iterator[Edit]:
        inner = next(iter(items(node)), None)
        if inner is None:
            return
        if inner.type in ("call", "await"):
            yield Edit(node.start_byte, node.end_byte, b"pass")
        value = field(inner, "right") if inner.type == "assignment" else None
        if value is not None and value.type == "call" and _root(value) in self._names:
            yield Edit(value.start_byte, value.end_byte, b"None")


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

"""Empties modules of JavaScript and TypeScript: their names stay, whatever is called throws."""

from collections.abc import Iterable, Iterator
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Final

from supervisor_ai.gates.evidence.sources.edits import Edit, tree_of
from supervisor_ai.gates.evidence.sources.script_items import is_test_item
from supervisor_ai.gates.integrity.analysis.syntax_tree import field, source_of
from supervisor_ai.gates.integrity.languages.javascript.table import JAVASCRIPT

if TYPE_CHECKING:
    from tree_sitter import Node

_FAILING: Final = b'{ throw new Error("emptied: does any test notice?"); }'
_FUNCTIONS: Final = frozenset(
    {"function_declaration", "generator_function_declaration", "function_expression", "function"}
    | {"generator_function", "arrow_function", "method_definition"}
)
_VALUES: Final = frozenset(
    {"string", "template_string", "number", "regex", "array", "object", "true", "false"}
    | {"binary_expression", "unary_expression"}
)


def empty_script(path: str, source: bytes, *, with_values: bool) -> list[Edit]:
    """Return what empties a module; nothing where it does nothing by itself.

    A module that has nothing but values is emptied of them only where that is wanted: others may
    be made of them when they are loaded.
    """
    root = tree_of(JAVASCRIPT.grammars[PurePosixPath(path).suffix], path, source)
    statements = [node for node in root.named_children if not is_test_item(node)]
    edits = [edit for node in statements for edit in _of_statement(node)]
    return edits or ([*map(_without_value, _values(statements))] if with_values else [])


def _values(statements: Iterable["Node"]) -> Iterator["Node"]:
    for node in statements:
        declared = field(node, "declaration") if node.type == "export_statement" else node
        for each in [] if declared is None else declared.named_children:
            value = field(each, "value") if each.type == "variable_declarator" else None
            if value is not None and value.type in _VALUES:
                yield value


def _without_value(node: "Node") -> Edit:
    return Edit(node.start_byte, node.end_byte, b"undefined")


def _of_statement(node: "Node") -> Iterator[Edit]:
    inner = node.named_children[0] if node.named_child_count else None
    if node.type == "expression_statement" and inner is not None:
        if inner.type == "call_expression" and not _is_import(inner):
            yield Edit(node.start_byte, node.end_byte, b";")
        else:
            yield from _functions(node)
    else:
        yield from _functions(node)


def _is_import(call: "Node") -> bool:
    return source_of(field(call, "function")) in ("require", "import")


def _functions(node: "Node") -> Iterator[Edit]:
    """Empty the functions in a node; what stands in them goes with them."""
    stack = [node]
    while stack:
        found = stack.pop()
        body = field(found, "body") if found.type in _FUNCTIONS else None
        if body is not None:
            yield Edit(body.start_byte, body.end_byte, _FAILING)
        else:
            stack.extend(found.named_children)

"""Go code: names, tables, constants."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from supervisor_ai.gates.integrity.languages.scoping import Scopes, Setting
from supervisor_ai.gates.integrity.languages.syntax import field, items, source_of, walked
from supervisor_ai.gates.integrity.languages.wording import NO_NAMES, Names, Style, bare

if TYPE_CHECKING:
    from tree_sitter import Node

STYLE: Final = Style(
    left_out=frozenset({"comment"}),
    whole=frozenset({"interpreted_string_literal", "raw_string_literal", "rune_literal"}),
    transparent={"parenthesized_expression": ""},
    # What a row of a table wants may be overwritten.
    names=frozenset({"identifier", "selector_expression"}),
)
_SCOPES: Final = frozenset(
    {"block", "if_statement", "for_statement", "func_literal", "expression_case", "default_case"}
)
_LITERALS: Final = STYLE.whole | {"int_literal", "float_literal", "true", "false", "nil"}


def is_constant(node: "Node | None", names: Names = NO_NAMES) -> bool:
    """Tell whether an expression is written out as one plain value."""
    if node is None:
        return False
    node = bare(node, STYLE)
    node = bare(names.get(source_of(node), node), STYLE) if node.type == "identifier" else node
    if node.type == "unary_expression":
        return (field(node, "operand") or node).type in _LITERALS
    return node.type in _LITERALS


def truth(node: "Node | None", names: Names = NO_NAMES) -> bool | None:
    """Tell whether a condition always or never holds; None if it depends."""
    if node is None:
        return None
    node = bare(node, STYLE)
    node = bare(names.get(source_of(node), node), STYLE) if node.type == "identifier" else node
    if node.type in ("true", "false"):
        return node.type == "true"
    if node.type == "unary_expression" and operator(node) == "!":
        inner = field(node, "operand")
        kind = bare(inner, STYLE).type if inner is not None else ""
        return {"true": False, "false": True}.get(kind)
    deciding = {"||": True, "&&": False}.get(operator(node))
    sides = (field(node, "left"), field(node, "right"))
    kinds = [bare(side, STYLE).type for side in sides if side is not None]
    is_decided = deciding is not None and str(deciding).lower() in kinds
    return deciding if is_decided else None


def operator(node: "Node") -> str:
    """Return the operator of an expression."""
    return source_of(field(node, "operator"))


def callee(node: "Node") -> tuple[str, str]:
    """Return what a call is made on, and its name: `t.Run(...)` is ("t", "Run")."""
    function = field(node, "function")
    if function is None or function.type != "selector_expression":
        return "", source_of(function)
    return source_of(field(function, "operand")), source_of(field(function, "field"))


def arguments(node: "Node | None") -> list["Node"]:
    """Return what a call is made with."""
    return items(field(node, "arguments"))


def scopes(function: "Node") -> Scopes:
    """Return what the names of a function stand for."""
    found, changed = [], set()
    stack = [(function, function)]
    while stack:
        node, scope = stack.pop()
        if node.type in ("inc_statement", "dec_statement"):
            changed.add(source_of(next(iter(items(node)), None)))
        if node.type == "unary_expression" and operator(node) == "&":
            changed.add(source_of(field(node, "operand")))
        for name, value in _set_by(node):
            found.append(Setting(name=name, value=value, start=node.end_byte, end=scope.end_byte))
            if node.type == "assignment_statement":
                found.append(
                    Setting(name=name, value=None, start=scope.end_byte, end=function.end_byte)
                )
        inside = node if node.type in _SCOPES else scope
        stack.extend((child, inside) for child in reversed(node.named_children))
    return Scopes(sorted(found, key=lambda each: each.start), changed)


def _set_by(node: "Node") -> Iterator[tuple[str, "Node | None"]]:
    match node.type:
        case "short_var_declaration" | "assignment_statement":
            names, values = items(field(node, "left")), items(field(node, "right"))
            if node.type == "assignment_statement" and operator(node) != "=":
                values = []
        case "var_spec" | "const_spec":
            names = node.children_by_field_name("name")
            values = items(field(node, "value"))
        case "range_clause":
            names, values = items(field(node, "left")), []
        case _:
            return
    # Of `got, err := f()`, what is looked at is the first.
    for place, name in enumerate(names):
        yield source_of(name), values[place] if place < len(values) else None


def file_values(root: "Node") -> dict[str, "Node"]:
    """Return the values that a file sets outside of its functions."""
    found = {}
    for declared in root.named_children:
        if declared.type in ("var_declaration", "const_declaration"):
            for node in walked(declared):
                found.update({name: value for name, value in _set_by(node) if value is not None})
    return found


def length_of(node: "Node | None", names: Names) -> int | None:
    """Return how many entries a table has; None if nobody can say."""
    if node is None:
        return None
    node = bare(node, STYLE)
    node = bare(names.get(source_of(node), node), STYLE) if node.type == "identifier" else node
    if node.type == "slice_expression":
        return _length_of_slice(node, names)
    if node.type == "nil":
        return 0
    if node.type == "int_literal":
        text = source_of(node)
        return int(text) if text.isdecimal() and len(text) < 7 else None  # noqa: PLR2004 - a bound
    return len(items(field(node, "body"))) if node.type == "composite_literal" else None


def _length_of_slice(node: "Node", names: Names) -> int | None:
    """Return how many entries `table[1:3]` has."""
    table, start, end = (field(node, name) for name in ("operand", "start", "end"))
    if table is not None and bare(table, STYLE).type == "slice_expression":
        return None
    first = 0 if start is None else length_of(start, NO_NAMES)
    last = length_of(table, names) if end is None else length_of(end, NO_NAMES)
    return None if first is None or last is None else max(0, last - first)

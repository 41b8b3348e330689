"""Rust code: macros as calls, names, constants, attributes."""

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from supervisor_ai.gates.integrity.languages.scoping import Scopes, Setting
from supervisor_ai.gates.integrity.languages.syntax import field, items, source_of
from supervisor_ai.gates.integrity.languages.wording import NO_NAMES, Names, Style, bare

if TYPE_CHECKING:
    from tree_sitter import Node

STYLE: Final = Style(
    left_out=frozenset({"line_comment", "block_comment", "type_arguments"}),
    whole=frozenset({"string_literal", "raw_string_literal", "char_literal"}),
    transparent={"parenthesized_expression": "", "await_expression": "", "try_expression": ""},
)
# Within a macro the grammar sees words only; as calls these have real arguments.
_MACROS: Final = re.compile(
    rb"\b((?:debug_|prop_)?assert(?:_eq|_ne|_relative_eq|_abs_diff_eq|_approx_eq)?"
    rb"|panic|unreachable|todo)[ \t]{0,4}!(?=[ \t\n]{0,4}\()"
)
_SCOPES: Final = frozenset(
    {"block", "closure_expression", "match_arm", "if_expression", "for_expression"}
)
_LITERALS: Final = STYLE.whole | {"integer_literal", "float_literal", "boolean_literal"}
_HOLDING: Final = frozenset(
    {"array_expression", "tuple_expression", "unary_expression", "reference_expression"}
)
_PASSING: Final = frozenset({"iter", "into_iter", "enumerate", "cloned", "copied", "rev"})
_TAKING: Final = frozenset({"take", "skip", "filter", "take_while", "skip_while", "step_by"})
_MAX_STEPS: Final = 8
_MAX_DIGITS: Final = 6


def macros_as_calls(source: bytes) -> bytes:
    """Write assertions as calls, at the same places."""
    return _MACROS.sub(rb"\1 ", source)


def is_constant(node: "Node | None", names: Names = NO_NAMES) -> bool:
    """Tell whether an expression is written out as one plain value."""
    stack = [] if node is None else [node]
    seen = set[str]()
    while stack:
        found = bare(stack.pop(), STYLE)
        if found.type == "identifier" and source_of(found) not in seen:
            # A name may be set to something that holds the one before it: `let x = [x]`.
            seen.add(source_of(found))
            found = bare(names.get(source_of(found), found), STYLE)
        if found.type in _HOLDING:
            stack.extend(items(found))
        elif found.type not in _LITERALS:
            return False
    return node is not None


def truth(node: "Node | None", names: Names = NO_NAMES) -> bool | None:
    """Tell whether a condition always or never holds; None if it depends."""
    if node is None:
        return None
    node = bare(node, STYLE)
    node = bare(names.get(source_of(node), node), STYLE) if node.type == "identifier" else node
    plain = _plain_truth(node)
    if plain is not None:
        return plain
    deciding = {"||": True, "&&": False}.get(operator(node))
    sides = (field(node, "left"), field(node, "right"))
    known = [_plain_truth(bare(side, STYLE)) for side in sides if side is not None]
    return deciding if deciding is not None and deciding in known else None


def _plain_truth(node: "Node") -> bool | None:
    return {"true": True, "false": False, "!true": False, "!false": True}.get(source_of(node))


def operator(node: "Node") -> str:
    """Return the operator of an expression."""
    if node.type == "unary_expression":
        return source_of(node.children[0])
    return source_of(field(node, "operator"))


def called(node: "Node") -> str:
    """Return the last name of what a call calls, or of a macro."""
    function = field(node, "function") or field(node, "macro")
    if function is not None and function.type == "generic_function":
        function = field(function, "function")
    name = field(function, "field") or field(function, "name") or function
    return source_of(name) if name is not None and name.type.endswith("identifier") else ""


def owner(node: "Node") -> "Node | None":
    """Return what a method is called on."""
    return field(node, "function", "value")


def arguments(node: "Node | None") -> list["Node"]:
    """Return what a call is made with."""
    return items(field(node, "arguments"))


def scopes(function: "Node") -> Scopes:
    """Return what the names of a function stand for."""
    found, changed = [], set()
    stack = [(function, function)]
    while stack:
        node, scope = stack.pop()
        if node.type in ("assignment_expression", "compound_assignment_expr"):
            changed.add(source_of(field(node, "left")))
        if node.type == "let_declaration":
            for name, value in _set_by(node):
                found.append(
                    Setting(name=name, value=value, start=node.end_byte, end=scope.end_byte)
                )
        inside = node if node.type in _SCOPES else scope
        stack.extend((child, inside) for child in reversed(node.named_children))
    return Scopes(sorted(found, key=lambda each: each.start), changed)


def _set_by(node: "Node") -> Iterator[tuple[str, "Node | None"]]:
    pattern, value = field(node, "pattern"), field(node, "value")
    if pattern is None or pattern.type != "identifier":
        return
    is_mutable = any(child.type == "mutable_specifier" for child in node.named_children)
    # A number that may change is not the number that it began with.
    is_known = value is not None and not (is_mutable and is_constant(value))
    yield source_of(pattern), value if is_known else None


def length_of(node: "Node | None", names: Names) -> int | None:
    """Return how many items a literal list has, or what is taken of it; None if nobody can say."""
    taken: list[Node] = []
    for _ in range(_MAX_STEPS):
        if node is None:
            return None
        node = bare(node, STYLE)
        if node.type == "identifier":
            node = names.get(source_of(node))
        elif node.type == "reference_expression":
            node = field(node, "value")
        elif node.type == "call_expression" and called(node) in _PASSING | _TAKING:
            taken += [node] if called(node) in _TAKING else []
            node = owner(node)
    if node is not None and node.type == "macro_invocation" and called(node) == "vec":
        count = len(parts(node.named_children[-1]))
    elif node is not None and node.type == "array_expression":
        count = len(items(node))
    else:
        return None
    for each in reversed(taken):
        count = _taken(each, count)
    return count


def _taken(call: "Node", count: int) -> int:
    """Return how many of so many items a call leaves; a filter leaves out one at least."""
    number = source_of(next(iter(arguments(call)), None))
    if called(call) in ("take", "skip") and number.isdecimal() and len(number) <= _MAX_DIGITS:
        given = int(number)
        return min(given, count) if called(call) == "take" else max(count - given, 0)
    return max(count - 1, 1)


def parts(tree: "Node") -> list[list["Node"]]:
    """Split the words within the brackets of a macro at its commas."""
    found: list[list[Node]] = [[]]
    for child in tree.children[1:-1]:
        if source_of(child) == ",":
            found.append([])
        elif not child.is_extra:
            found[-1].append(child)
    return [part for part in found if part]

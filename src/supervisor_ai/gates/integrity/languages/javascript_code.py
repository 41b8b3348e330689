"""JavaScript and TypeScript code: chains of calls, constants, names that are set once."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from supervisor_ai.gates.integrity.languages.syntax import field, items, source_of, walked
from supervisor_ai.gates.integrity.languages.wording import NO_NAMES, Names, Style, bare

if TYPE_CHECKING:
    from tree_sitter import Node

STYLE: Final = Style(
    left_out=frozenset({"comment", "type_annotation", "type_arguments", "type_parameters"}),
    whole=frozenset({"string", "template_string", "regex"}),
    transparent={
        "parenthesized_expression": "",
        "as_expression": "",
        "satisfies_expression": "",
        "non_null_expression": "",
        "await_expression": "",
    },
)
FUNCTIONS: Final = frozenset(
    {"arrow_function", "function_expression", "function_declaration", "method_definition"}
)
_LITERALS: Final = frozenset(
    {"number", "string", "true", "false", "null", "undefined", "regex", "template_string"}
)
_CONSTANTS: Final = _LITERALS | {"property_identifier", "string_fragment", "escape_sequence"}
_ENDS: Final = re.compile(r"-?\d{1,6}")
_CONSTANT_NAMES: Final = frozenset({"undefined", "NaN", "Infinity"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Link:
    """One name in a chain of calls, with what it is called with, if it is called."""

    name: str
    arguments: "Node | None" = None
    node: "Node"


def chain(node: "Node") -> tuple[Link, ...]:
    """Take `expect(a).not.toBe(b)` apart: expect(a), not, toBe(b)."""
    links: list[Link] = []
    arguments: Node | None = None
    while True:
        node = bare(node, STYLE)
        within = field(node, "function" if node.type == "call_expression" else "object")
        if within is None or node.type not in ("call_expression", "member_expression"):
            name = source_of(node) if node.type in ("identifier", "this") else ""
            links.append(Link(name=name, arguments=arguments, node=node))
            return tuple(reversed(links))
        if node.type == "call_expression":
            if arguments is not None:
                links.append(Link(name="", arguments=arguments, node=within))
            arguments = field(node, "arguments")
        else:
            name = source_of(field(node, "property"))
            links.append(Link(name=name, arguments=arguments, node=node))
            arguments = None
        node = within


def inner_nodes(node: "Node") -> Iterator["Node"]:
    """Yield the calls and members that a chain is made of, without what they are called with."""
    while True:
        node = bare(node, STYLE)
        yield node
        within = field(node, "function" if node.type == "call_expression" else "object")
        if within is None or node.type not in ("call_expression", "member_expression"):
            return
        node = within


def function_of(node: "Node | None") -> "Node | None":
    """Return the last function among the arguments of a call."""
    return next((each for each in reversed(items(node)) if each.type in FUNCTIONS), None)


def parameters(function: "Node | None") -> list[str]:
    """Return the names of the parameters of a function."""
    single = field(function, "parameter")
    if single is not None:
        return [source_of(single)]
    found = items(field(function, "parameters"))
    return [source_of(field(each, "pattern") or each) for each in found]


def is_constant(node: "Node | None", names: Names = NO_NAMES) -> bool:
    """Tell whether an expression has one value, whatever the code under test does."""
    stack = [] if node is None else [node]
    while stack:
        found = bare(stack.pop(), STYLE)
        found = bare(names.get(source_of(found), found), STYLE) if _is_name(found) else found
        if found.type in ("array", "object", "pair", "unary_expression", "template_string"):
            stack.extend(items(found))
        elif found.type not in _CONSTANTS and source_of(found) not in _CONSTANT_NAMES:
            return False
    return node is not None


def is_scalar(node: "Node") -> bool:
    """Tell whether a value is a literal that nothing can change afterwards."""
    node = bare(node, STYLE)
    return node.type in _LITERALS and "${" not in source_of(node)


def truth(node: "Node | None", names: Names = NO_NAMES) -> bool | None:
    """Tell whether an expression is always true or always false; None if it depends."""
    if node is None:
        return None
    node = bare(node, STYLE)
    if _is_name(node) and source_of(node) in names:
        node = bare(names[source_of(node)], STYLE)
    if node.type == "unary_expression" and source_of(field(node, "operator")) == "!":
        inner = truth(field(node, "argument"), NO_NAMES)
        return None if inner is None else not inner
    if node.type == "binary_expression":
        return _either(node)
    return _literal_truth(node)


def _either(node: "Node") -> bool | None:
    deciding = {"||": True, "&&": False}.get(source_of(field(node, "operator")))
    sides = (field(node, "left"), field(node, "right"))
    simple = [_literal_truth(bare(side, STYLE)) for side in sides if side is not None]
    return deciding if deciding is not None and deciding in simple else None


def _literal_truth(node: "Node") -> bool | None:
    if node.type in ("true", "false"):
        return node.type == "true"
    if node.type in ("null", "undefined"):
        return False
    if node.type == "number":
        return source_of(node) not in ("0", "-0", "0.0", "0n")
    if node.type == "string":
        return len(source_of(node)) > len("''")
    return None


def _is_name(node: "Node") -> bool:
    return node.type == "identifier"


def set_once(scope: "Node") -> dict[str, "Node"]:
    """Return the names that a piece of code sets exactly once, and to what."""
    values: dict[str, Node | None] = {}
    for name, value in _settings(scope):
        values[name] = None if name in values else value
    return {name: value for name, value in values.items() if value is not None}


def _settings(scope: "Node") -> Iterator[tuple[str, "Node | None"]]:
    for node in walked(scope):
        match node.type:
            case "variable_declarator":
                yield source_of(field(node, "name")), field(node, "value")
            case "assignment_expression" | "augmented_assignment_expression":
                yield source_of(field(node, "left")), None
            case "update_expression":
                yield source_of(field(node, "argument")), None
            case "for_in_statement":
                yield source_of(field(node, "left")), None
            case _:
                pass


def length_of(node: "Node | None", names: Names = NO_NAMES) -> int | None:
    """Return how many items a literal list has; None if nobody can say."""
    if node is None:
        return None
    node = bare(node, STYLE)
    node = bare(names.get(source_of(node), node), STYLE) if _is_name(node) else node
    if node.type == "call_expression" and source_of(field(node, "function")) == "Object.entries":
        node = next(iter(items(field(node, "arguments"))), node)
    if node.type == "call_expression":
        return _length_of_slice(node, names)
    if node.type not in ("array", "object"):
        return None
    found = items(node)
    return None if any(each.type == "spread_element" for each in found) else len(found)


def _length_of_slice(node: "Node", names: Names) -> int | None:
    """Return how many items `rows.slice(1, 3)` has; a filter leaves out one at least."""
    links = chain(node)
    table = field(links[-1].node, "object")
    name = links[-1].name
    if len(links) != len(("rows", "slice")) or name not in ("slice", "filter") or table is None:
        return None
    ends = [source_of(each) for each in items(links[-1].arguments)]
    whole = length_of(table, names)
    if name == "filter" and whole is not None:
        return max(whole - 1, 1)
    if whole is None or not all(_ENDS.fullmatch(end) for end in ends):
        return None
    first, last = [*map(int, ends), *([0] if not ends else []), whole][:2]
    return len(range(whole)[first:last])

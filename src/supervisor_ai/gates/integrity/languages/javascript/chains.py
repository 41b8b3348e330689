"""Chains of calls in JavaScript: `expect(a).not.toBe(b)` taken apart, and functions in them."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from msgspec import Struct

from supervisor_ai.gates.integrity.analysis.code_text import Style, bare
from supervisor_ai.gates.integrity.analysis.syntax_tree import field, items, source_of

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


class Link(Struct, frozen=True, kw_only=True):
    """One name in a chain of calls, with what it is called with, if it is called."""

    name: str
    arguments: "Node | None" = None
    node: "Node"


_MAX_LINKS: Final = 40
"""Whoever writes a longer chain does so by machine; each of its links begins a chain of its own."""


def chain(node: "Node") -> tuple[Link, ...]:
    """Take `expect(a).not.toBe(b)` apart: expect(a), not, toBe(b)."""
    links: list[Link] = []
    arguments: Node | None = None
    while True:
        node = bare(node, STYLE)
        within = field(node, "function" if node.type == "call_expression" else "object")
        is_last = within is None or len(links) >= _MAX_LINKS
        if is_last or within is None or node.type not in ("call_expression", "member_expression"):
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

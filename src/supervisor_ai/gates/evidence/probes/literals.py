"""The numbers and strings that code gives to what it calls, found by its grammar."""

import re
from collections.abc import Iterator, Mapping
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Final

from msgspec import Struct

from supervisor_ai.domain.structs import replace
from supervisor_ai.gates.evidence.sources.edits import tree_of
from supervisor_ai.gates.integrity.analysis.syntax_tree import Grammar, field, source_of
from supervisor_ai.gates.integrity.languages.go.table import GO
from supervisor_ai.gates.integrity.languages.javascript.table import JAVASCRIPT
from supervisor_ai.gates.integrity.languages.python.table import PYTHON
from supervisor_ai.gates.integrity.languages.rust.table import RUST

if TYPE_CHECKING:
    from tree_sitter import Node

GRAMMARS: Final[Mapping[str, Grammar]] = {
    **PYTHON.grammars,
    **JAVASCRIPT.grammars,
    **GO.grammars,
    **RUST.grammars,
}
_NUMBERS: Final = frozenset(
    {"integer", "float", "number", "int_literal", "float_literal", "integer_literal"}
)
_STRINGS: Final = frozenset(
    {"string_content", "string_fragment", "interpreted_string_literal_content"}
    | {"raw_string_literal_content"}
)
_LEFT_ALONE: Final = frozenset(
    {"import_statement", "import_from_statement", "import_declaration", "use_declaration"}
    | {"attribute_item", "inner_attribute_item", "array_type", "escape_sequence", "interpolation"}
)
"""What names modules, types and attributes is no value."""
_INDEXED: Final = frozenset({"subscript", "subscript_expression", "index_expression"})
_CALLS: Final = frozenset({"call", "call_expression", "new_expression"})
_TITLED: Final = frozenset(
    {
        "it",
        "test",
        "describe",
        "context",
        "suite",
        "Run",
        "parametrize",
        "require",
        "import",
        "each",
    }
)
"""Calls whose first argument is a name of something."""
_LAST_NAME: Final = re.compile(r"(\w+)\W*$")
_EQUALITY: Final = re.compile(
    r"(?i)(?:assert_?)?(?:strict|deep|list|dict|count)?_?(?:strict)?equals?|assert_eq|to(?:strict)?equal|tobe"
)
_SIDES: Final = frozenset({"comparison_operator"})


class Literal(Struct, frozen=True, kw_only=True):
    """A value in code, and the call that it is given to."""

    start: int
    end: int
    is_number: bool
    call: str = ""
    """The name of what is called; nothing where it is given to nobody."""
    at: int = 0
    """As which argument."""
    opened: int = -1
    """Where what is given to it begins: two calls differ in it."""
    is_compared: bool = False
    """Whether what the call returns is compared with something as a whole."""


class _Place(Struct, frozen=True, kw_only=True):
    call: str = ""
    at: int = 0
    opened: int = -1
    is_compared: bool = False


_NOWHERE: Final = _Place()


def literals_of(path: str, source: bytes) -> list[Literal]:
    """Return the values of a source in their order; raise NoGraft where it is not understood."""
    root = tree_of(GRAMMARS[PurePosixPath(path).suffix], path, source)
    found = []
    stack = [(root, _NOWHERE)]
    while stack:
        node, place = stack.pop()
        if node.type in _NUMBERS or node.type in _STRINGS:
            found.append(_literal(node, place))
        elif node.type not in _LEFT_ALONE:
            stack.extend(_inside(node, place))
    return sorted(found, key=lambda it: it.start)


def _literal(node: "Node", place: _Place) -> Literal:
    return Literal(
        start=node.start_byte,
        end=node.end_byte,
        is_number=node.type in _NUMBERS,
        call=place.call,
        at=max(place.at, 0),
        opened=place.opened,
        is_compared=place.is_compared,
    )


def _inside(node: "Node", place: _Place) -> Iterator[tuple["Node", _Place]]:
    if node.type in _CALLS:
        yield from _of_call(node, place)
    elif node.type == "macro_invocation":
        yield from _of_tokens(node.children[-1], source_of(field(node, "macro")))
    elif node.type in _INDEXED:
        first = node.named_children[:1]
        yield from ((child, place) for child in first)
    else:
        yield from ((child, place) for child in node.named_children)


def _of_call(node: "Node", place: _Place) -> Iterator[tuple["Node", _Place]]:
    function = field(node, "function") or field(node, "constructor")
    arguments = field(node, "arguments")
    if function is not None:
        yield function, place
    name = _name(source_of(function)[-200:])
    if arguments is None:
        return
    is_compared = _is_compared(node, place)
    for at, child in enumerate(arguments.named_children):
        if not (at == 0 and name in _TITLED):
            opened = arguments.start_byte
            yield child, _Place(call=name, at=at, opened=opened, is_compared=is_compared)


def _is_compared(node: "Node", place: _Place) -> bool:
    """Tell whether what a call returns is a side of a comparison, or given to one as it is."""
    above = node.parent
    if above is None:
        return False
    if above.type in _SIDES:
        return True
    is_given = above.type in ("argument_list", "arguments")
    return is_given and (place.call == "expect" or _EQUALITY.fullmatch(place.call) is not None)


def _of_tokens(tokens: "Node", macro: str) -> Iterator[tuple["Node", _Place]]:
    """Find the calls in what is given to a macro of Rust, which is not parsed."""
    stack = [(tokens, _NOWHERE, macro == "assert_eq")]
    while stack:
        tree, place, is_equality = stack.pop()
        at = 0
        for child in tree.children:
            at += child.type == ","
            here = replace(place, at=at) if place.call and place.at < 0 else place
            if child.type != "token_tree":
                yield child, here
            elif (called := _called(child)) is not None:
                stack.append((child, _opening(child, called, is_equality=is_equality), False))
            elif not _is_index(child):
                stack.append((child, here, False))


def _opening(tree: "Node", called: str, *, is_equality: bool) -> _Place:
    is_compared = is_equality and _is_last(tree)
    return _Place(call=called, at=-1, opened=tree.start_byte, is_compared=is_compared)


def _called(tree: "Node") -> str | None:
    before = tree.prev_sibling
    is_call = before is not None and before.type == "identifier" and _opens(tree, "(")
    return source_of(before) if is_call else None


def _is_last(tree: "Node") -> bool:
    after = tree.next_sibling
    return after is not None and after.type in (",", ")")


def _is_index(tree: "Node") -> bool:
    before = tree.prev_sibling
    return _opens(tree, "[") and before is not None and before.type in ("identifier", "token_tree")


def _opens(tree: "Node", sign: str) -> bool:
    return bool(tree.children) and tree.children[0].type == sign


def _name(function: str) -> str:
    found = _LAST_NAME.search(function)
    return found[1] if found else ""

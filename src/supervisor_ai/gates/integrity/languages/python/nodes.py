"""Nodes of Python's grammar: names, calls with their arguments, and statements."""

import re
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Final

from supervisor_ai.gates.integrity.analysis.code_text import Style, bare
from supervisor_ai.gates.integrity.analysis.syntax_tree import field, items, source_of, walked
from supervisor_ai.gates.integrity.analysis.tolerance import number_in
from supervisor_ai.gates.integrity.languages.python.words import TRUTH

if TYPE_CHECKING:
    from tree_sitter import Node

STYLE: Final = Style(
    left_out=frozenset({"comment"}),
    whole=frozenset({"string"}),
    transparent={"parenthesized_expression": "", "await": ""},
    labels={"attribute": "attribute", "keyword_argument": "name"},
    lines=frozenset({"block"}),
)
CHANGEABLE: Final = frozenset(
    {"list", "dictionary", "set"}
    | {"list_comprehension", "set_comprehension", "dictionary_comprehension"}
)
"""What may hold something else by the time that it is looked at."""
_DOTTED: Final = re.compile(r"\w+(?:\.\w+)*")
_STRING: Final = re.compile(r"[a-zA-Z]{0,2}(\"\"\"|'''|\"|')(.*)\1", re.DOTALL)
_SETTING: Final = frozenset(
    {"assignment", "named_expression", "for_statement", "for_in_clause", "parameters"}
    | {"as_pattern"}
)
_BY_NAME: Final = frozenset({"keyword_argument", "dictionary_splat"})
_FALSE: Final = ("False", "0", "None", '""', "''")
_LONGEST: Final = 2000
_LINES: Final = 20


def name_of(node: "Node | None") -> str:
    """Return a dotted name such as `pytest.mark.skip`; empty for anything else."""
    is_name = node is not None and node.type in ("identifier", "attribute", "dotted_name")
    text = source_of(node) if is_name else ""
    return text if _DOTTED.fullmatch(text) else ""


def last_name(node: "Node | None") -> str:
    """Return the last part of what is called: `skip` of `pytest.mark.skip(...)`."""
    node = None if node is None else bare(node, STYLE)
    if node is not None and node.type == "call":
        node = field(node, "function")
    if node is not None and node.type == "attribute":
        node = field(node, "attribute")
    return source_of(node) if node is not None and node.type == "identifier" else ""


def given(call: "Node | None") -> list["Node"]:
    """Return what a call is given by place."""
    inside = field(call, "arguments")
    if inside is not None and inside.type == "generator_expression":
        return [inside]
    return [bare(each, STYLE) for each in items(inside) if each.type not in _BY_NAME]


def keywords(call: "Node | None") -> dict[str, "Node"]:
    """Return what a call is given by name."""
    words = (each for each in items(field(call, "arguments")) if each.type == "keyword_argument")
    found = ((source_of(field(word, "name")), field(word, "value")) for word in words)
    return {name: value for name, value in found if value is not None}


def text_in(node: "Node | None") -> str | None:
    """Return what stands in a string; None if it is no plain one."""
    if node is None or node.type != "string":
        return None
    found = _STRING.fullmatch(source_of(node))
    is_made = any(each.type == "interpolation" for each in items(node))
    return found[2] if found and not is_made else None


def number_of(node: "Node | None") -> float | None:
    """Return the number that is written there, with its sign."""
    if node is None:
        return None
    node = bare(node, STYLE)
    if node.type == "call" and last_name(node) == "float":
        text = text_in(next(iter(given(node)), None)) or ""
        return float("inf") if "inf" in text.lower() else None
    if node.type == "attribute":
        return float("inf") if last_name(node) == "inf" else None
    if node.type == "unary_operator":
        inner = number_of(field(node, "argument"))
        return -inner if inner is not None and source_of(node).startswith("-") else inner
    return number_in(source_of(node)) if node.type in ("integer", "float") else None


def has_call(node: "Node") -> bool:
    """Tell whether code asks anything."""
    return any(each.type in ("call", "await") for each in walked(node))


def assigned(node: "Node") -> Iterator[tuple[str, "Node | None"]]:
    """Yield the names that a node sets, and to what; None where nobody can tell."""
    match node.type:
        case "assignment":
            left, right = field(node, "left"), field(node, "right")
            is_plain = left is not None and left.type == "identifier"
            is_last = right is not None and right.type != "assignment"
            if is_plain and is_last and not _is_repeated(node):
                yield source_of(left), right
            elif right is not None:
                yield from ((name, None) for name in _names_in(left))
        case "augmented_assignment":
            yield source_of(field(node, "left")), None
        case "named_expression":
            yield source_of(field(node, "name")), field(node, "value")
        case "for_statement" | "for_in_clause":
            yield from ((name, None) for name in _names_in(field(node, "left")))
        case "parameters":
            for each in items(node):
                names = _names_in(field(each, "name") or each)
                yield from ((name, None) for name in list(names)[:1])
        case "as_pattern":
            yield from ((name, error_from(node)) for name in _names_in(field(node, "alias")))
        case _:
            pass


def _is_repeated(node: "Node") -> bool:
    """Tell whether a value is given to several names at once."""
    return node.parent is not None and node.parent.type == "assignment"


def error_from(alias: "Node") -> "Node | None":
    """Return what must raise the error that `with raises(...) as error` keeps."""
    outer = alias.parent
    while outer is not None and outer.type in ("with_item", "with_clause"):
        outer = outer.parent
    call = next(iter(items(alias)), None)
    if outer is None or outer.type != "with_statement":
        return None
    return tried(field(outer, "body")) if "aises" in last_name(call) else None


def _names_in(node: "Node | None") -> Iterator[str]:
    """Yield the names that a target binds; what is set within something binds none."""
    stack = [] if node is None else [node]
    while stack:
        found = stack.pop()
        if found.type == "identifier":
            yield source_of(found)
        elif found.type not in ("attribute", "subscript", "type"):
            stack.extend(found.named_children)


def is_lasting(node: "Node") -> bool:
    """Tell whether a value stays what it is, and is short enough to stand for its name."""
    is_short = node.end_byte - node.start_byte < _LONGEST
    is_made = node.type == "call" and last_name(node) in ("list", "dict", "set")
    is_lasting = node.type not in CHANGEABLE and not is_made
    return is_short and is_lasting and source_of(node).count("\n") < _LINES


def settings(node: "Node") -> Iterable[tuple[str, "Node | None"]]:
    """Return the names that a node sets, and to what, unless that may change meanwhile."""
    if node.type not in _SETTING:
        return ()
    return [(name, it if it and is_lasting(it) else None) for name, it in assigned(node)]


def around(node: "Node") -> "Node":
    """Return a function or class with its decorators."""
    outer = node.parent
    return outer if outer is not None and outer.type == "decorated_definition" else node


def unwrapped(node: "Node") -> "Node":
    """Return the function or class that stands below decorators."""
    return node.named_children[-1] if node.type == "decorated_definition" else node


def decorators(node: "Node") -> list["Node"]:
    """Return the marks above a function or class."""
    marks = (items(each) for each in items(around(node)) if each.type == "decorator")
    return [mark[0] for mark in marks if mark]


def is_failure(node: "Node") -> bool:
    """Tell whether a statement, or the call that it is made of, says that the test fails."""
    inside = items(node)
    if node.type == "assert_statement":
        return bool(inside) and source_of(inside[0]) in _FALSE
    if node.type == "call":
        name, wanted = name_of(field(node, "function")), TRUTH.get(last_name(node))
        is_never = wanted and [source_of(each) in _FALSE for each in given(node)[:1]] == [True]
        return bool(is_never) or name in ("pytest.fail", "self.fail", "fail")
    is_raised = node.type == "raise_statement" and bool(inside)
    return is_raised and last_name(inside[0]) in ("AssertionError", "failureException", "Failed")


def tried(block: "Node | None") -> "Node | None":
    """Return the code in a block that must raise: what its last statement works out."""
    plain = [each for each in items(block) if each.type != "assert_statement"]
    expressions = (expression(each) for each in plain)
    found = [each for each in expressions if not is_failure(each)]
    last = found[-1] if found else None
    if last is not None and last.type == "assignment":
        last = field(last, "right") or last
    return last


def expression(statement: "Node") -> "Node":
    """Return the expression that a statement is made of, or the statement itself."""
    inside = items(statement) if statement.type == "expression_statement" else []
    return bare(inside[0], STYLE) if len(inside) == 1 else statement


def assignments(statements: "Iterable[Node]") -> Iterator[tuple["Node", "Node"]]:
    """Yield the targets and values of the statements that set something."""
    for statement in statements:
        found = expression(statement)
        left, right = field(found, "left"), field(found, "right")
        if found.type in ("assignment", "augmented_assignment") and left and right:
            yield left, right

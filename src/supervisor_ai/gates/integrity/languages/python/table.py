"""Python: the table of its grammar and of its test libraries (pytest, unittest, mock, numpy)."""

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from supervisor_ai.gates.integrity.analysis.conditions import Conditions
from supervisor_ai.gates.integrity.analysis.flow import Flow
from supervisor_ai.gates.integrity.analysis.language_table import LanguageTable
from supervisor_ai.gates.integrity.analysis.names import Names
from supervisor_ai.gates.integrity.analysis.place import CodePlace, Placed
from supervisor_ai.gates.integrity.analysis.syntax_tree import Grammar, field, items, source_of
from supervisor_ai.gates.integrity.languages.python import cases, checks
from supervisor_ai.gates.integrity.languages.python.files import (
    as_parsed,
    is_test_file,
    read_file,
    refusal,
)
from supervisor_ai.gates.integrity.languages.python.nodes import (
    CHANGEABLE,
    STYLE,
    decorators,
    given,
    has_call,
    is_failure,
    last_name,
    settings,
)
from supervisor_ai.gates.integrity.languages.python.skips import ENVIRONMENT, is_skip

if TYPE_CHECKING:
    from tree_sitter import Node

_SUPPRESSING: Final = re.compile(r"suppress|ignore|ignoring|swallow", re.IGNORECASE)


def _changes(node: "Node") -> Iterator[str]:
    if node.type == "augmented_assignment":
        yield source_of(field(node, "left"))


def _count_of(node: "Node", names: Names) -> int | None:
    return cases.count_of(node, Conditions(table=PYTHON, names=names))


def _function_name(node: "Node") -> str | None:
    """Return the name of a function within a test; a decorator may call it."""
    is_plain = node.type == "function_definition" and not decorators(node)
    return source_of(field(node, "name")) if is_plain else None


def _is_exit(_flow: Flow, node: "Node") -> bool:
    return node.type == "call" and is_skip(node)


def _is_failure(_flow: Flow, node: "Node") -> bool:
    return is_failure(node)


def _with(_flow: Flow, node: "Node", place: CodePlace) -> Iterator[Placed]:
    """Go through a `with`: it may swallow failures, or nothing behind its first call is reached."""
    body, calls = field(node, "body"), checks.context_calls(node)
    raising = checks.raising_call(node)
    is_deaf = raising is not None and checks.catches_failure(given(raising)[:1])
    is_deaf = is_deaf or any(map(_suppresses, calls))
    for child in node.named_children:
        if child != body:
            yield child, place
    within, is_behind = place.caught(when=is_deaf), False
    if body is not None and raising is None:
        yield body, within
        return
    for statement in items(body):
        yield statement, within.dead(when=is_behind)
        is_behind = is_behind or has_call(statement)


def _suppresses(call: "Node") -> bool:
    inside = given(call)
    is_named = bool(_SUPPRESSING.search(last_name(call)))
    return is_named and (not inside or checks.catches_failure(inside))


def _class(_flow: Flow, _node: "Node", _place: CodePlace) -> Iterator[Placed]:
    """Leave out a class within a test: who calls its methods is not known."""
    yield from ()


PYTHON: Final = LanguageTable(
    grammars={".py": Grammar("tree_sitter_python")},
    is_test=is_test_file,
    read_file=read_file,
    refusal=refusal,
    as_parsed=as_parsed,
    left_out=STYLE.left_out,
    whole=STYLE.whole,
    transparent=STYLE.transparent,
    labels=STYLE.labels,
    lines=STYLE.lines,
    calls=frozenset({"call"}),
    members={"attribute": ("object", "attribute")},
    literals=frozenset(
        {"integer", "float", "string", "true", "false", "none", "ellipsis"}
        | {"string_start", "string_content", "string_end", "escape_sequence"}
    ),
    holding=frozenset(
        {"list", "tuple", "dictionary", "set", "pair", "string", "concatenated_string"}
        | {"unary_operator", "binary_operator", "not_operator", "boolean_operator"}
        | {"comparison_operator", "conditional_expression"}
    ),
    constants=frozenset({"__debug__"}),
    pure=frozenset(
        {"abs", "bool", "dict", "float", "int", "isinstance", "len", "list", "max", "min", "range"}
        | {"round", "set", "sorted", "str", "sum", "tuple", "type"}
    ),
    changeable=CHANGEABLE,
    falsehoods=frozenset({"False", "None", "0", "0.0", '""', "''", 'b""', "b''"}),
    truths=frozenset({"true", "integer", "float", "string"}),
    filled=frozenset({"tuple", "list"}),
    blocks=frozenset({"block", "module"}),
    branches=frozenset({"if_statement", "elif_clause"}),
    shortcuts=frozenset({"boolean_operator"}),
    loops=frozenset({"for_statement", "while_statement"}),
    each={"for_statement": ("left", "right")},
    handlers=frozenset({"except_clause"}),
    endings=frozenset(
        {"return_statement", "raise_statement", "break_statement", "continue_statement"}
    ),
    leavings=frozenset({"return_statement", "break_statement"}),
    steps={"with_statement": _with, "class_definition": _class},
    environment=ENVIRONMENT,
    settings=settings,
    changes=_changes,
    assignments=frozenset({"assignment"}),
    scopes=frozenset(
        {"if_statement", "elif_clause", "else_clause", "for_statement", "while_statement"}
        | {"except_clause", "case_clause", "function_definition", "lambda"}
    ),
    count_of=_count_of,
    function_name=_function_name,
    is_loud=checks.is_loud,
    is_exit=_is_exit,
    is_failure=_is_failure,
    catches=checks.catches,
    checks=checks.checks,
    checking=frozenset(
        {"assert_statement", "expression_statement", "with_statement", "try_statement"}
        | {"while_statement", "for_statement", "if_statement", "elif_clause"}
    ),
    several=checks.several,
    splits=True,
    keeps_names=True,
    reads=checks.read,
    weigh=checks.weigh,
)

"""Go: the table of its grammar and of its test libraries (testing, testify, gomega)."""

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from supervisor_ai.gates.integrity.analysis.code import called, operator
from supervisor_ai.gates.integrity.analysis.flow import Flow
from supervisor_ai.gates.integrity.analysis.language_table import LanguageTable, Taken
from supervisor_ai.gates.integrity.analysis.names import Names
from supervisor_ai.gates.integrity.analysis.place import CodePlace, Placed, children_at
from supervisor_ai.gates.integrity.analysis.syntax_tree import Grammar, field, items, source_of
from supervisor_ai.gates.integrity.languages.go import checks
from supervisor_ai.gates.integrity.languages.go.files import is_test_file, read_file, settings
from supervisor_ai.gates.integrity.languages.go.words import LOUD

if TYPE_CHECKING:
    from tree_sitter import Node

_STRINGS: Final = frozenset({"interpreted_string_literal", "raw_string_literal", "rune_literal"})
_MAX_DIGITS: Final = 6


def _changes(node: "Node") -> Iterator[str]:
    if node.type in ("inc_statement", "dec_statement"):
        yield source_of(next(iter(items(node)), None))
    if node.type == "unary_expression" and operator(node) == "&":
        yield source_of(field(node, "operand"))


def _count_of(node: "Node", _names: Names) -> int | None:
    if node.type == "nil":
        return 0
    if node.type == "slice_expression" and field(node, "end") is not None:
        first, last = (_number(field(node, name)) for name in ("start", "end"))
        return None if first is None or last is None else max(0, last - first)
    return _number(node) if node.type == "int_literal" else None


def _number(node: "Node | None") -> int | None:
    text = "0" if node is None else source_of(node)
    return int(text) if text.isdecimal() and len(text) <= _MAX_DIGITS else None


def _part_of_list(node: "Node") -> "tuple[Node | None, Taken] | None":
    """Take `table[1:]` apart."""
    first = _number(field(node, "start"))
    if node.type != "slice_expression" or first is None or field(node, "end") is not None:
        return None
    return field(node, "operand"), lambda count: max(0, count - first)


def _function_name(node: "Node") -> str | None:
    if node.type not in ("short_var_declaration", "assignment_statement"):
        return None
    names, values = items(field(node, "left")), items(field(node, "right"))
    is_kept = len(names) == 1 and bool(values) and values[0].type == "func_literal"
    return source_of(names[0]) if is_kept and names[0].type == "identifier" else None


def _started(flow: Flow, node: "Node", place: CodePlace) -> Iterator[Placed]:
    yield from children_at(node, place.caught(when=not flow.waits))


def _is_loud(flow: Flow, node: "Node") -> bool:
    return node.type == "call_expression" and called(node, flow.table) in LOUD


GO: Final = LanguageTable(
    environment=re.compile(r"\bos\.(?:Getenv|LookupEnv)\b"),
    grammars={".go": Grammar("tree_sitter_go")},
    is_test=is_test_file,
    read_file=read_file,
    left_out=frozenset({"comment"}),
    whole=_STRINGS,
    transparent={"parenthesized_expression": ""},
    # What a row of a table wants may be overwritten.
    names=frozenset({"identifier", "selector_expression"}),
    members={"selector_expression": ("operand", "field")},
    literals=_STRINGS | {"int_literal", "float_literal", "true", "false", "nil"},
    values=frozenset({"composite_literal"}),
    lists={"composite_literal": "body"},
    blocks=frozenset({"statement_list"}),
    loops=frozenset({"for_statement"}),
    each={"range_clause": ("left", "right")},
    endings=frozenset(
        {"return_statement", "break_statement", "continue_statement", "goto_statement"}
    ),
    leavings=frozenset({"return_statement", "break_statement"}),
    steps={"go_statement": _started},
    wanted=("want", "exp", "tt.", "tc.", "test.", "c.want", "c.exp", "tcase."),
    settings=settings,
    changes=_changes,
    scopes=frozenset(
        {"block", "if_statement", "for_statement", "func_literal"}
        | {"expression_case", "default_case"}
    ),
    count_of=_count_of,
    part_of_list=_part_of_list,
    function_name=_function_name,
    is_loud=_is_loud,
    is_exit=checks.is_exit,
    is_skip=checks.is_skip,
    is_failure=checks.is_failure,
    is_deaf=checks.is_deaf,
    is_unheard=checks.is_unheard,
    is_subtest=checks.is_subtest,
    checks=checks.checks,
    weigh=checks.weigh,
    about=checks.about,
)

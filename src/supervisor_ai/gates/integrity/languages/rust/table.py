"""Rust: the table of its grammar and of its test macros."""

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from supervisor_ai.gates.integrity.analysis.code import arguments, called, owner
from supervisor_ai.gates.integrity.analysis.flow import Flow
from supervisor_ai.gates.integrity.analysis.language_table import LanguageTable, Taken
from supervisor_ai.gates.integrity.analysis.names import Names
from supervisor_ai.gates.integrity.analysis.place import CodePlace, Placed, children_at
from supervisor_ai.gates.integrity.analysis.syntax_tree import Grammar, field, items, source_of
from supervisor_ai.gates.integrity.analysis.table_rows import mentions
from supervisor_ai.gates.integrity.languages.rust import checks
from supervisor_ai.gates.integrity.languages.rust.files import is_test_file, read_file
from supervisor_ai.gates.integrity.languages.rust.values import borrowed, parts

if TYPE_CHECKING:
    from tree_sitter import Node

# Within a macro the grammar sees words only; as calls these have real arguments.
_MACROS: Final = re.compile(
    rb"\b((?:debug_|prop_)?assert(?:_eq|_ne|_relative_eq|_abs_diff_eq|_approx_eq)?"
    rb"|panic|unreachable|todo)[ \t]{0,4}!(?=[ \t\n]{0,4}\()"
)
_STRINGS: Final = frozenset({"string_literal", "raw_string_literal", "char_literal"})
_LITERALS: Final = _STRINGS | {"integer_literal", "float_literal", "boolean_literal"}
_PASSING: Final = frozenset({"iter", "into_iter", "enumerate", "cloned", "copied", "rev"})
_TAKING: Final = frozenset({"take", "skip", "filter", "take_while", "skip_while", "step_by"})
_MAX_DIGITS: Final = 6


def _macros_as_calls(source: bytes) -> bytes:
    """Write assertions as calls, at the same places."""
    return _MACROS.sub(rb"\1 ", source)


def _settings(node: "Node") -> Iterator[tuple[str, "Node | None"]]:
    pattern, value = field(node, "pattern"), field(node, "value")
    if node.type != "let_declaration" or pattern is None or pattern.type != "identifier":
        return
    is_mutable = any(child.type == "mutable_specifier" for child in node.named_children)
    # A number that may change is not the number that it began with.
    is_known = value is not None and not (is_mutable and value.type in _LITERALS | RUST.holding)
    yield source_of(pattern), value if is_known else None


def _changes(node: "Node") -> Iterator[str]:
    if node.type in ("assignment_expression", "compound_assignment_expr"):
        yield source_of(field(node, "left"))


def _count_of(node: "Node", _names: Names) -> int | None:
    is_vector = node.type == "macro_invocation" and source_of(field(node, "macro")) == "vec"
    return len(parts(node.named_children[-1])) if is_vector else None


def _part_of_list(node: "Node") -> "tuple[Node | None, Taken] | None":
    """Take `rows.iter().take(2)` apart; a filter leaves out one at least."""
    if node.type == "reference_expression":
        return field(node, "value"), lambda count: count
    name = called(node, RUST) if node.type == "call_expression" else ""
    if name in _PASSING:
        return owner(node, RUST), lambda count: count
    if name not in _TAKING:
        return None
    text = source_of(next(iter(arguments(node)), None))
    given = int(text) if text.isdecimal() and len(text) <= _MAX_DIGITS else None
    if name == "take" and given is not None:
        return owner(node, RUST), lambda count: min(given, count)
    if name == "skip" and given is not None:
        return owner(node, RUST), lambda count: max(count - given, 0)
    return owner(node, RUST), lambda count: max(count - 1, 1)


def _function_name(node: "Node") -> str | None:
    value = field(node, "value") if node.type == "let_declaration" else None
    if value is None or value.type not in ("closure_expression", "async_block"):
        return None
    return source_of(field(node, "pattern"))


def _called_later(flow: Flow, node: "Node", place: CodePlace) -> Iterator[Placed]:
    name = called(node, RUST)
    is_deaf = name == "catch_unwind" or (name == "spawn" and not flow.waits)
    yield from children_at(node, place.caught(when=is_deaf))


def _arms(flow: Flow, node: "Node", place: CodePlace) -> Iterator[Placed]:
    """Yield the parts of a match: as long as every arm says something, whichever runs is heard."""
    body = field(node, "body")
    arms = [each for each in items(body) if each.type == "match_arm"]
    is_quiet = any(not flow.is_loud(field(arm, "value")) for arm in arms)
    is_open = is_quiet and not mentions(field(node, "value"), place.bound)
    for child in node.named_children:
        yield child, place.conditional(when=is_open) if child == body else place


RUST: Final = LanguageTable(
    environment=re.compile(r"\benv::var\b|\bvar_os\b"),
    grammars={".rs": Grammar("tree_sitter_rust")},
    is_test=is_test_file,
    read_file=read_file,
    as_parsed=_macros_as_calls,
    left_out=frozenset({"line_comment", "block_comment", "type_arguments"}),
    whole=_STRINGS,
    transparent=dict.fromkeys(
        ("parenthesized_expression", "await_expression", "try_expression"), ""
    ),
    calls=frozenset({"call_expression", "macro_invocation"}),
    members={"field_expression": ("value", "field"), "scoped_identifier": ("", "name")},
    literals=_LITERALS,
    holding=frozenset(
        {"array_expression", "tuple_expression", "unary_expression", "reference_expression"}
    ),
    lists={"array_expression": ""},
    blocks=frozenset({"block"}),
    branches=frozenset({"if_expression"}),
    guards=frozenset({"let_declaration"}),
    patterns=frozenset({"let_condition", "let_chain"}),
    loops=frozenset({"for_expression", "while_expression"}),
    each={"for_expression": ("pattern", "value")},
    endings=frozenset({"return_expression", "break_expression", "continue_expression"}),
    leavings=frozenset({"return_expression", "break_expression"}),
    steps={"call_expression": _called_later, "match_expression": _arms},
    wanted=("expected", "want"),
    asserted="assert({})",
    settings=_settings,
    changes=_changes,
    scopes=frozenset(
        {"block", "closure_expression", "match_arm", "if_expression", "for_expression"}
    ),
    count_of=_count_of,
    part_of_list=_part_of_list,
    function_name=_function_name,
    is_loud=checks.is_loud,
    is_exit=checks.is_exit,
    is_failure=checks.is_failure,
    checks=checks.checks,
    weigh=checks.weigh,
    about=checks.about,
    asked=checks.asked,
    same=lambda text: borrowed(text).removesuffix(".clone()"),
)

"""How many cases a Python test has: its parameters, and the loops in it."""

from collections.abc import Iterable
from typing import TYPE_CHECKING, Final

from supervisor_ai.gates.integrity.analysis.code import operator, sides
from supervisor_ai.gates.integrity.analysis.code_text import wording
from supervisor_ai.gates.integrity.analysis.conditions import Conditions
from supervisor_ai.gates.integrity.analysis.syntax_tree import field, items
from supervisor_ai.gates.integrity.languages.python.nodes import (
    STYLE,
    given,
    keywords,
    last_name,
    number_of,
    text_in,
)
from supervisor_ai.gates.integrity.languages.python.skips import is_marked

if TYPE_CHECKING:
    from tree_sitter import Node

_MANY: Final = 1_000_000
_DEPTH: Final = 12
_LONG_TABLE: Final = 2000
"""From here on nobody asks each case whether it is left out."""
_LISTS: Final = frozenset({"list", "tuple", "set", "expression_list"})
_TABLES: Final = frozenset({"parametrize", "expand", "parameterized", "cases", "named_parameters"})
_WRAPPING: Final = frozenset(
    {"list", "tuple", "sorted", "set", "enumerate", "reversed", "iter", "items", "keys", "values"}
)


def count_of(node: "Node", asking: Conditions, depth: int = _DEPTH) -> int | None:
    """Count the values that a loop goes through; None if nobody can say."""
    node = asking.resolved(node)
    if depth == 0:
        return None
    if node.type in _LISTS:
        return _rows(items(node), asking, depth - 1)
    if node.type == "dictionary":
        is_open = any(each.type == "dictionary_splat" for each in items(node))
        return None if is_open else len(items(node))
    if node.type == "binary_operator" and operator(node) == "+":
        counts = [count_of(side, asking, depth - 1) for side in sides(node) if side is not None]
        known = [count for count in counts if count is not None]
        return sum(known) if len(known) == len(counts) else None
    if node.type == "call":
        return _of_call(node, asking, depth - 1)
    text = text_in(node)
    return None if text is None else len(text)


def _rows(rows: "list[Node]", asking: Conditions, depth: int) -> int | None:
    """Count what differs: a row that stands there twice is one case."""
    if len(rows) > _LONG_TABLE:
        return len(rows)
    total, seen = 0, set[str]()
    for row in rows:
        if row.type == "list_splat":
            inner = count_of(items(row)[0], asking, depth) if items(row) else None
            if inner is None:
                return None
            total += inner
        else:
            text = wording(row, STYLE)
            total += not (text in seen or _is_left_out(row, asking))
            seen.add(text)
    return total


def _is_left_out(row: "Node", asking: Conditions) -> bool:
    """Tell whether a case is marked as one that is skipped or may fail."""
    marks = keywords(row).get("marks") if last_name(row) == "param" else None
    return marks is not None and is_marked([marks], asking)


def _of_call(call: "Node", asking: Conditions, depth: int) -> int | None:
    name, inside = last_name(call), given(call)
    if name == "range":
        return _of_range(inside)
    if name == "zip" and inside:
        counts = [count_of(each, asking, depth) for each in inside]
        return min((count for count in counts if count is not None), default=None)
    if name in _WRAPPING:
        whose = field(call, "function", "object")
        inner = inside[0] if inside else whose
        return None if inner is None else count_of(inner, asking, depth)
    return None


def _of_range(ends: "list[Node]") -> int | None:
    numbers = [number_of(end) for end in ends]
    whole = [int(number) for number in numbers if number is not None and abs(number) <= _MANY]
    if len(whole) != len(ends) or not 1 <= len(whole) <= len(("start", "stop", "step")):
        return None
    return None if 0 in whole[2:] else len(range(*whole))


def cases_of(marks: "Iterable[Node]", asking: Conditions) -> int | None:
    """Multiply the tables that a test is run with; None where one of them cannot be counted."""
    total = 1
    for mark in marks:
        rows = _table_of(mark)
        count = 1 if rows is None else count_of(rows, asking)
        if count is None:
            return None
        total = min(_MANY, total * count)
    return total


def _table_of(mark: "Node") -> "Node | None":
    """Return the values that a decorator runs a test with."""
    if mark.type != "call" or last_name(mark) not in _TABLES:
        return None
    place = 1 if last_name(mark) == "parametrize" else 0
    return keywords(mark).get("argvalues") or next(iter(given(mark)[place:]), None)

"""How many cases a Python test has: its parameters, and the loops in it."""

import ast
from collections.abc import Iterable, Sequence
from typing import Final

from supervisor_ai.gates.integrity.python_ast.scope import PythonScope, last_name
from supervisor_ai.gates.integrity.python_ast.skips import is_marked

UNKNOWN: Final = -1
_MANY: Final = 1_000_000
_DEPTH: Final = 12
_LONG_TABLE: Final = 2000
"""From here on nobody asks each case whether it is left out."""
_TABLES: Final = frozenset({"parametrize", "expand", "parameterized", "cases", "named_parameters"})
_WRAPPING: Final = frozenset(
    {"list", "tuple", "sorted", "set", "enumerate", "reversed", "iter", "items", "keys", "values"}
)


def count_of(node: ast.expr, scope: PythonScope, depth: int = _DEPTH) -> int:
    """Count the values that a loop goes through, or say that it is unknown."""
    if depth == 0:
        return UNKNOWN
    node = scope.expand(node)
    match node:
        case ast.List(elts=elements) | ast.Tuple(elts=elements) | ast.Set(elts=elements):
            return _elements(elements, scope, depth - 1)
        case ast.Dict(keys=keys):
            return UNKNOWN if None in keys else len(keys)
        case ast.Constant(value=str() | bytes() as value):
            return len(value)
        case ast.BinOp(left=left, op=ast.Add(), right=right):
            parts = tuple(count_of(side, scope, depth - 1) for side in (left, right))
            return UNKNOWN if UNKNOWN in parts else sum(parts)
        case ast.Call():
            return _of_call(node, scope, depth - 1)
        case _:
            return UNKNOWN


def _elements(elements: Sequence[ast.expr], scope: PythonScope, depth: int) -> int:
    if len(elements) > _LONG_TABLE:
        return len(elements)
    total = 0
    seen: set[str] = set()
    for element in elements:
        if isinstance(element, ast.Starred):
            inner = count_of(element.value, scope, depth)
            if inner == UNKNOWN:
                return UNKNOWN
            total += inner
        else:
            total += not (_is_left_out(element, scope) or ast.dump(element) in seen)
            seen.add(ast.dump(element))
    return total


def _is_left_out(element: ast.expr, scope: PythonScope) -> bool:
    """Tell whether a case is marked as one that is skipped or may fail."""
    if not (isinstance(element, ast.Call) and last_name(element) == "param"):
        return False
    marks = [word.value for word in element.keywords if word.arg == "marks"]
    return is_marked(marks, scope)


def _of_call(call: ast.Call, scope: PythonScope, depth: int) -> int:
    name = last_name(call)
    if name == "range":
        return _of_range(call)
    if name == "zip" and call.args:
        counts = [count_of(argument, scope, depth) for argument in call.args]
        known = [count for count in counts if count != UNKNOWN]
        return min(known) if known else UNKNOWN
    if name in _WRAPPING:
        inner = call.args[:1] or ([call.func.value] if isinstance(call.func, ast.Attribute) else [])
        return count_of(inner[0], scope, depth) if inner else UNKNOWN
    return UNKNOWN


def _of_range(call: ast.Call) -> int:
    numbers = [part.value for part in call.args if isinstance(part, ast.Constant)]
    whole = [number for number in numbers if isinstance(number, int)]
    if len(whole) != len(call.args) or not whole or 0 in whole[2:]:
        return UNKNOWN
    return min(_MANY, max(0, len(range(*whole[:3])))) if all(map(_is_small, whole)) else UNKNOWN


def _is_small(number: int) -> bool:
    return abs(number) <= _MANY


def cases_of(decorators: Iterable[ast.expr], scope: PythonScope) -> int:
    """Multiply the tables that a test is run with; UNKNOWN where one of them cannot be counted."""
    total = 1
    for decorator in decorators:
        values = table_of(decorator)
        if values is not None:
            count = count_of(values, scope)
            if count == UNKNOWN:
                return UNKNOWN
            total = min(_MANY, total * count)
    return total


def table_of(decorator: ast.expr) -> ast.expr | None:
    """Return the values that a decorator runs a test with."""
    if not isinstance(decorator, ast.Call) or last_name(decorator) not in _TABLES:
        return None
    for word in decorator.keywords:
        if word.arg == "argvalues":
            return word.value
    position = 1 if last_name(decorator) == "parametrize" else 0
    return decorator.args[position] if len(decorator.args) > position else None

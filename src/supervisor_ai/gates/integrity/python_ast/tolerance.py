"""How close two numbers must be for an assertion of Python to hold."""

import ast
from typing import Final

from supervisor_ai.gates.integrity.model import Strength
from supervisor_ai.gates.integrity.python_ast.scope import last_name

_WIDE: Final = 0.5
_LOOSE: Final = 0.05
_FEW_PLACES: Final = 1
_RELATIVE: Final = frozenset({"rel", "rtol", "rel_tol"})
_ABSOLUTE: Final = frozenset({"abs", "atol", "delta", "abs_tol"})
_PLACES: Final = frozenset({"places", "decimal", "significant"})


def number_of(node: ast.expr) -> float | None:
    """Return the number that is written there, with its sign."""
    match node:
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            inner = number_of(operand)
            return None if inner is None else -inner
        case ast.Constant(value=bool()):
            return None
        case ast.Constant(value=int() | float() as value):
            return _as_float(value)
        case ast.Call(args=[ast.Constant(value=str(value))]) if last_name(node) == "float":
            return float("inf") if "inf" in value.lower() else None
        case ast.Attribute(attr="inf"):
            return float("inf")
        case _:
            return None


def _as_float(value: float) -> float:
    try:
        return float(value)
    except OverflowError:
        return float("inf")


def closeness(expected: ast.expr | None, call: ast.Call) -> Strength:
    """Tell how much a comparison with a tolerance still says."""
    number = number_of(expected) if expected is not None else None
    worst = 0.0
    for word in call.keywords:
        given = number_of(word.value)
        if given is None:
            continue
        if word.arg in _RELATIVE:
            worst = max(worst, given)
        elif word.arg in _ABSOLUTE:
            worst = max(worst, ratio(given, number))
        elif word.arg in _PLACES:
            worst = max(worst, _of_places(given))
    return strength_within(worst)


def ratio(tolerance: float, expected: float | None) -> float:
    """Say how large a tolerance is beside the number that is expected."""
    return tolerance / abs(expected) if expected else tolerance


def strength_within(share: float) -> Strength:
    """Say how much is pinned down when a value may be off by a share of itself."""
    if share >= _WIDE:
        return Strength.WEAK
    return Strength.PARTIAL if share >= _LOOSE else Strength.EXACT


def _of_places(places: float) -> float:
    if places > _FEW_PLACES:
        return 0.0
    return _LOOSE if places == _FEW_PLACES else _WIDE

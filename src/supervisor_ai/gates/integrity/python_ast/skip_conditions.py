"""Conditions under which a Python test is left out, and which of them hold where tests run."""

import ast
import re
from typing import Final

from supervisor_ai.gates.integrity.python_ast.scope import (
    PythonScope,
    last_name,
    name_of,
    text_of,
    truth_of,
)

_ENVIRONMENT: Final = re.compile(r"\benviron\b|\bgetenv\b|\bgetoption\b|\bgetvalue\b")
_OURS: Final = re.compile(r"linux|posix", re.IGNORECASE)
_PLATFORM: Final = frozenset({"platform", "name", "system"})
_OLDEST: Final = (3, 9)
_NEWEST: Final = (3, 14)


def leaves_out(condition: ast.expr, scope: PythonScope) -> bool:
    """Tell whether a condition keeps a test from running on an ordinary machine.

    A condition about the environment counts: whoever sets no variable does not run the test.
    """
    condition = scope.expand(condition)
    truth = truth_of(condition, scope)
    if truth is not None:
        return truth
    if isinstance(condition, ast.Constant | ast.Compare):
        known = _about_the_machine(condition)
        if known is not None:
            return known
    return is_about_environment(condition)


def is_about_environment(condition: ast.expr) -> bool:
    """Tell whether a condition asks for environment variables or options."""
    return bool(_ENVIRONMENT.search(text_of(condition)))


def _about_the_machine(condition: ast.expr) -> bool | None:
    match condition:
        case ast.Compare(left=left, ops=[operator], comparators=[ast.Constant(value=str(value))]):
            if last_name(left) in _PLATFORM:
                return bool(_OURS.search(value)) == isinstance(operator, ast.Eq | ast.In)
        case ast.Compare(left=left, ops=[operator], comparators=[ast.Tuple(elts=elements)]):
            if name_of(left).endswith("version_info"):
                return _about_version(operator, elements)
        case _:
            pass
    return None


def _about_version(operator: ast.cmpop, elements: list[ast.expr]) -> bool:
    numbers = [part.value for part in elements if isinstance(part, ast.Constant)]
    version = tuple(number for number in numbers if isinstance(number, int))
    if isinstance(operator, ast.GtE | ast.Gt):
        return version <= _OLDEST
    if isinstance(operator, ast.Lt | ast.LtE):
        return version > _NEWEST
    return False

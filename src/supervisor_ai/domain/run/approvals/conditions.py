"""Conditions of an approval policy: a comparison with one fact, read from a line of words.

A condition is never evaluated as code: what does not fit the one form is a mistake.
"""

import operator
from collections.abc import Callable, Mapping
from enum import StrEnum
from typing import Final

from msgspec import Struct

from supervisor_ai.domain.run.approvals.facts import FLAGS, NUMBERS, FactValue
from supervisor_ai.tools.text import nearest


class ConditionSign(StrEnum):
    """How a fact is held against a value."""

    LESS = "<"
    AT_MOST = "<="
    MORE = ">"
    AT_LEAST = ">="
    EQUAL = "=="
    OTHER = "!="


_COMPARED: Final[Mapping[ConditionSign, Callable[[float, float], bool]]] = {
    ConditionSign.LESS: operator.lt,
    ConditionSign.AT_MOST: operator.le,
    ConditionSign.MORE: operator.gt,
    ConditionSign.AT_LEAST: operator.ge,
    ConditionSign.EQUAL: operator.eq,
    ConditionSign.OTHER: operator.ne,
}
_DENIALS: Final = {
    "no_security_sensitive_files": "changes_security_sensitive_files",
    "no_breaking_changes": "breaking_api_changes",
}
"""Names for the absence of a fact, where it is not just `no_` before its name."""
_LONGEST: Final = 9
"""Digits of a number at most."""
_PARTS: Final = 3


class RiskCondition(Struct, frozen=True, kw_only=True):
    """A comparison of one fact with one value."""

    fact: str
    comparison: ConditionSign
    value: float | bool

    @property
    def words(self) -> str:
        """Say it as a policy would."""
        if isinstance(self.value, bool):
            return self.fact if self.value else f"no {self.fact}"
        return f"{self.fact} {self.comparison.value} {self.value:g}"

    def holds(self, facts: Mapping[str, FactValue]) -> bool | None:
        """Tell whether it is so; None where nobody knows."""
        known = facts.get(self.fact)
        if known is None:
            return None
        return _COMPARED[self.comparison](known, self.value)


class BadCondition(Struct, frozen=True, kw_only=True):
    """Why a text is no condition."""

    problem: str


def read_condition(
    text: str, own_facts: frozenset[str] = frozenset()
) -> RiskCondition | BadCondition:
    """Read `file_count < 3`, `changes_auth_code` or `no_breaking_changes`."""
    parts = text.split()
    if len(parts) == 1:
        return _flag(parts[0], own_facts)
    if len(parts) != _PARTS:
        return _bad(f"is neither a fact nor a comparison: {text!r}")
    name, sign, number = parts
    if name not in NUMBERS:
        return _unknown(name, own_facts, is_number=True)
    if sign not in {it.value for it in ConditionSign}:
        return _bad(f"compares with {sign!r}; use one of {' '.join(ConditionSign)}")
    value = _number(number)
    if value is None:
        return _bad(f"compares {name!r} with {number!r}, which is no number")
    return RiskCondition(fact=name, comparison=ConditionSign(sign), value=value)


def _flag(name: str, own_facts: frozenset[str]) -> RiskCondition | BadCondition:
    flags = FLAGS | own_facts
    denied = _DENIALS.get(name) or (name[3:] if name.startswith("no_") else "")
    if name not in flags and denied not in flags:
        return _unknown(name, own_facts, is_number=False)
    fact, value = (name, True) if name in flags else (denied, False)
    return RiskCondition(fact=fact, comparison=ConditionSign.EQUAL, value=value)


def _number(text: str) -> float | None:
    digits = text.replace(".", "", 1)
    is_number = digits.isascii() and digits.isdigit() and len(digits) <= _LONGEST
    return float(text) if is_number else None


def _unknown(name: str, own_facts: frozenset[str], *, is_number: bool) -> BadCondition:
    if is_number and name in FLAGS | own_facts:
        return _bad(f"compares {name!r}, which is true or false and no number")
    if name in NUMBERS:
        return _bad(f"needs a comparison, as in '{name} < 3'")
    known = sorted(NUMBERS if is_number else FLAGS | own_facts | _DENIALS.keys())
    near = nearest(name, known)
    meant = f"; did you mean {near!r}?" if near else f"; known: {', '.join(known)}"
    return _bad(f"names the fact {name!r}, which nobody knows{meant}")


def _bad(problem: str) -> BadCondition:
    return BadCondition(problem=problem)

"""Budgets as people write them: `5usd`, `200k tokens`, `2h`, `10 attempts`."""

import re
from collections.abc import Mapping
from datetime import timedelta
from decimal import Decimal
from typing import Final, assert_never

from supervisor_ai.domain.errors import InvalidInput
from supervisor_ai.domain.run.spending.budgets import NOTHING, Amount, Measure

_SEPARATOR: Final = re.compile(r"\s*[,+]\s*")
_NUMBER: Final = r"(?P<number>\d{1,12}(?:\.\d{1,6})?)"
_FORMS: Final[Mapping[Measure, re.Pattern[str]]] = {
    Measure.MONEY: re.compile(rf"(?:\$\s*{_NUMBER}|{_NUMBER.replace('number', 'other')}\s*usd)"),
    Measure.TOKENS: re.compile(rf"{_NUMBER}\s*(?P<unit>[km]?)\s*tokens?"),
    Measure.ATTEMPTS: re.compile(r"(?P<number>\d{1,6})\s*attempts?"),
    Measure.TIME: re.compile(
        r"(?=\d)(?:(?P<d>\d{1,4})\s*d)?\s*(?:(?P<h>\d{1,5})\s*h)?\s*"
        r"(?:(?P<m>\d{1,6})\s*m(?:in)?)?\s*(?:(?P<s>\d{1,8})\s*s)?"
    ),
}
_UNITS: Final = {"": 1, "k": 1_000, "m": 1_000_000}
_HINT: Final = (
    "Write money, tokens, time or attempts: 5usd, 200k tokens, 2h, 10 attempts; several with "
    "commas between them."
)
_SHOWN: Final = 60


def parse_budget(text: str) -> Amount:
    """Read a budget; several kinds may stand in one text, each of them once."""
    total = NOTHING
    for part in _SEPARATOR.split(text.strip().lower()):
        amount = _one(part, text)
        if set(amount.figures) & set(total.figures):
            raise _refusal(text, f"{part!r} comes after another limit of the same kind")
        total = total.plus(amount)
    return total


def _one(part: str, text: str) -> Amount:
    for measure, form in _FORMS.items():
        match = form.fullmatch(part)
        if match is not None:
            amount = _amount(measure, match)
            if all(value > 0 for value in amount.figures.values()):
                return amount
            raise _refusal(text, f"{part!r} is nothing at all")
    raise _refusal(text, f"{part[:_SHOWN]!r} is no amount")


def _amount(measure: Measure, match: re.Match[str]) -> Amount:
    match measure:
        case Measure.MONEY:
            return Amount(money=Decimal(match["number"] or match["other"]))
        case Measure.TOKENS:
            return Amount(tokens=int(Decimal(match["number"]) * _UNITS[match["unit"]]))
        case Measure.ATTEMPTS:
            return Amount(attempts=int(match["number"]))
        case Measure.TIME:
            days, hours, minutes, seconds = (int(match[unit] or 0) for unit in "dhms")
            return Amount(time=timedelta(days=days, hours=hours, minutes=minutes, seconds=seconds))
        case _:
            assert_never(measure)


def _refusal(text: str, problem: str) -> InvalidInput:
    return InvalidInput(f"The budget {text[:_SHOWN]!r} cannot be read: {problem}.", hint=_HINT)

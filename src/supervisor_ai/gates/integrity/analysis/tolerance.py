"""How close two numbers must be for a comparison with a tolerance to hold."""

import re
from typing import Final

from supervisor_ai.gates.integrity.model import Strength

_NUMBER: Final = re.compile(
    r"-?(?:\d[\d_]{0,30}(?:\.[\d_]{0,30})?|\.\d{1,30})(?:[eE][-+]?\d{1,3})?"
)
_WIDE: Final = 0.5
_LOOSE: Final = 0.05
_KINDS: Final = ("f32", "f64", "n")
_DISTANCE: Final = re.compile(
    r"(?:\w{1,40}\.)?[Aa]bs\((?P<a>.{1,2000})\)|(?P<b>.{1,2000})\.abs\(\)", re.DOTALL
)


def number_in(text: str) -> float | None:
    """Return the number that a text is; None if it is more or less than that."""
    plain = text.strip("() ")
    for kind in _KINDS:
        plain = plain.removesuffix(kind).removesuffix("_")
    return float(plain.replace("_", "")) if _NUMBER.fullmatch(plain) else None


def within(tolerance: str, wanted: str) -> Strength | None:
    """Tell how much is pinned down by being so near to a value; None if nobody can tell."""
    distance = number_in(tolerance.rpartition("=")[2])
    return None if distance is None else strength_within(ratio(distance, number_in(wanted)))


def ratio(tolerance: float, expected: float | None) -> float:
    """Say how large a tolerance is beside the number that is expected."""
    return tolerance / abs(expected) if expected else tolerance


def strength_within(share: float) -> Strength:
    """Say how much is pinned down when a value may be off by a share of itself."""
    if share >= _WIDE:
        return Strength.WEAK
    return Strength.PARTIAL if share >= _LOOSE else Strength.EXACT


def of_distance(asked: str, bound: str) -> Strength | None:
    """Weigh `abs(f(1) - 0.3) < 0.01`; None if it is about no distance."""
    found = _DISTANCE.fullmatch(asked)
    if found is None:
        return None
    inside = found["a"] or found["b"]
    sides = inside.rpartition("-")
    wanted = next((side for side in (sides[0], sides[2]) if number_in(side) is not None), "")
    return within(bound, wanted) if sides[1] else None


def of_digits(digits: str) -> Strength:
    """Weigh how many digits behind the point must agree."""
    count = number_in(digits)
    return Strength.EXACT if count is None else strength_within(0.5 * 10 ** -min(count, 30))

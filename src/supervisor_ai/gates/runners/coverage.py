"""How much of the code its tests reach, as tools that measure it print it."""

import re
from collections.abc import Iterable
from typing import Final

_PERCENT: Final = r"(\d{1,3}(?:\.\d{1,10})?)"
_TOTAL: Final = re.compile(rf"TOTAL\s.*?{_PERCENT}%")
_LINES: Final = (
    re.compile(rf"All files\s*\|\s*{_PERCENT}\s*\|"),
    re.compile(rf".{{0,300}}coverage: {_PERCENT}% of statements"),
    re.compile(rf"{_PERCENT}% coverage, \d+/\d+ lines covered"),
)
"""Istanbul (jest, vitest, nyc), go and tarpaulin."""
_EACH: Final = re.compile(rf"{_PERCENT}%")
_LONGEST: Final = 500


def covered(lines: Iterable[str]) -> float | None:
    """Return the lowest share that is printed, in percent: what is tested can print as well."""
    found = [share for line in lines for share in _shares(line[:_LONGEST].strip())]
    return min(found, default=None)


def _shares(line: str) -> list[float]:
    if _TOTAL.match(line):
        # Of lines, regions and functions, each with its share, the smallest counts.
        return [float(share) for share in _EACH.findall(line)]
    told = (pattern.match(line) for pattern in _LINES)
    return [float(found[1]) for found in told if found]

"""How many tests a runner says it has run or collected."""

import re
from collections.abc import Mapping
from typing import Final

_LINE: Final = 400
_RUNNERS: Final[Mapping[str, re.Pattern[str]]] = {
    "pytest": re.compile(r"^(?:=+ )?(?P<words>(?:\d+ [a-z]+,? ?)+)in [\d.]+ ?s"),
    "pytest --collect-only": re.compile(r"^(?:=+ )?(?:\d+/)?(?P<total>\d+) tests? collected"),
    "unittest": re.compile(r"^Ran (?P<total>\d+) tests? in "),
    "jest and vitest": re.compile(r"^\s*Tests:?\s+(?P<words>(?:\d+ [a-z]+[,| ]*)+)"),
    "mocha": re.compile(r"^\s*(?P<total>\d+) passing\b"),
    "cargo": re.compile(r"^test result: \w+\. (?P<total>\d+) passed; "),
    "go test -v": re.compile(r"^(?P<one>--- PASS: )Test"),
    "maven": re.compile(r"^(?:\[\w+\] )?Tests run: (?P<total>\d+), .*[^s]$"),
}
_RUN: Final = frozenset({"passed", "failed", "errors", "error", "xfailed", "xpassed"})
_NUMBERED: Final = re.compile(r"(\d+) ([a-z]+)")


def count_tests(output: str) -> int | None:
    """Return how many tests ran, or None where no runner that we know says so.

    A runner that is started several times adds up; of different ones the highest count holds.
    """
    counts: dict[str, int] = {}
    for line in output.splitlines():
        for runner, pattern in _RUNNERS.items():
            found = pattern.match(line[:_LINE])
            if found is not None:
                counts[runner] = counts.get(runner, 0) + _number(found.groupdict())
    return max(counts.values(), default=None)


def _number(found: Mapping[str, str | None]) -> int:
    total, words = found.get("total"), found.get("words")
    if total is not None:
        return int(total)
    if words is None:
        return 1
    return sum(int(number) for number, word in _NUMBERED.findall(words) if word in _RUN)

"""Tests by name: named alike in every run, each once, within bounds."""

import re
from collections.abc import Iterable, Iterator
from hashlib import sha256
from typing import Final

from supervisor_ai.engine.ports.gates import CaseOutcome, CaseResult
from supervisor_ai.tools.text import escaped

MOST: Final = 50_000
LONGEST_NAME: Final = 300
LONGEST_TOLD: Final = 2_000
_ALL_TOLD: Final = 2_000_000
_ALL_NAMES: Final = 8_000_000
_ADDRESS: Final = re.compile(r"\b0x[0-9a-fA-F]{6,16}\b")
_DOCTEST_LINE: Final = re.compile(r"(\.rs - .*?) \(line \d+\)")
_SPACE: Final = re.compile(r"\s+")
_DIGEST: Final = 12
_WEIGHT: Final = {CaseOutcome.SKIPPED: 0, CaseOutcome.PASSED: 1, CaseOutcome.FAILED: 2}


class Cases:
    """Collects what became of tests; of those with one name, one that failed counts."""

    def __init__(self, root: str = "") -> None:
        self._root = f"{root.rstrip('/')}/" if root.strip("/") else ""
        self._found: dict[str, CaseResult] = {}
        self._left_told = _ALL_TOLD
        self._left_names = _ALL_NAMES

    def add(self, name: str, outcome: CaseOutcome, told: str = "", file: str | None = None) -> None:
        """Take in what became of one test."""
        known = self.stable(name)
        before = self._found.get(known)
        if before is None:
            self._left_names -= len(known)
            if not known or len(self._found) >= MOST or self._left_names < 0:
                return
        elif _WEIGHT[outcome] <= _WEIGHT[before.outcome]:
            return
        said = told.strip()[: min(LONGEST_TOLD, self._left_told)].encode(errors="replace").decode()
        self._left_told -= len(said)
        place = None if file is None else self.stable(file)
        self._found[known] = CaseResult(known, outcome, said, place)

    def add_all(self, results: Iterable[CaseResult]) -> None:
        """Take in what somebody else collected."""
        for result in results:
            self.add(result.name, result.outcome, result.told, result.file)

    def stable(self, name: str) -> str:
        """Leave out of a name what is another one in the next run."""
        here = _ADDRESS.sub("0x…", name.replace(self._root, "") if self._root else name)
        line = _SPACE.sub(" ", here[: 8 * LONGEST_NAME]).strip()
        line = _DOCTEST_LINE.sub(r"\1", line)
        plain = line if line.isprintable() else escaped(line)
        if len(plain) <= LONGEST_NAME and len(here) <= 8 * LONGEST_NAME:
            return plain
        digest = sha256(here.encode(errors="surrogatepass")).hexdigest()[:_DIGEST]
        return f"{plain[: LONGEST_NAME - _DIGEST - 1]}…{digest}"

    def results(self) -> tuple[CaseResult, ...]:
        """Return each test once, in the order of their names."""
        return tuple(self._found[name] for name in sorted(self._found))


def named(results: Iterable[CaseResult], outcome: CaseOutcome) -> Iterator[str]:
    """Name the tests that ended in one way."""
    return (result.name for result in results if result.outcome is outcome)

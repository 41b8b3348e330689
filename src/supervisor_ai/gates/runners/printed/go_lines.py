"""What `go test -v` prints: tests first, then the package that they are of."""

import re
from collections.abc import Sequence
from typing import Final

from supervisor_ai.gates.runners.printed.printed import FAILED, PASSED, SKIPPED, Case, Printed

# What a test prints without a line end stands before its result on the same line.
_RESULT: Final = re.compile(r"--- (PASS|FAIL|SKIP): (\S+) \(\d+(?:\.\d+)?s\)$")
_RUN: Final = re.compile(r"=== RUN +(\S+)$")
_PACKAGE: Final = re.compile(r"(ok|FAIL)\s+(\S+)\s+(?:\(cached\)|\d+(?:\.\d+)?s|\[[a-z])")
_BROKEN: Final = re.compile(r"FAIL\s+(\S+)\s+\[(?:build|setup) failed\]")
_OUTCOMES: Final = {"PASS": PASSED, "FAIL": FAILED, "SKIP": SKIPPED}
_TOLD: Final = 40


class _Packages:
    """The tests of the packages so far, and those whose package is not known yet."""

    def __init__(self) -> None:
        self.cases: list[Case] = []
        self.is_unfinished = False
        self._ended: list[Case] = []
        self._running: set[str] = set()
        self._said: list[str] = []

    def take_in(self, line: str) -> None:
        if run := _RUN.match(line):
            self._running.add(run[1])
            self._said = []
        elif result := _RESULT.search(line[-400:]):
            told = "\n".join(self._said[-_TOLD:]) if result[1] == "FAIL" else ""
            self._ended.append((result[2], _OUTCOMES[result[1]], told))
            self._said = []
        elif package := _PACKAGE.match(line):
            if broken := _BROKEN.match(line):
                self._ended.append(("", FAILED, "\n".join(self._said[-_TOLD:])))
                self.end(broken[1], has_passed=False)
            else:
                self.end(package[2], has_passed=package[1] == "ok")
        else:
            self._said.append(line)

    def end(self, package: str, *, has_passed: bool) -> None:
        """Give the tests that are known since the last package to this one."""
        lost = self._running - {name for name, _, _ in self._ended}
        self.is_unfinished = self.is_unfinished or (has_passed and bool(lost))
        self.cases += [
            ("::".join(part for part in (package, name) if part), outcome, told)
            for name, outcome, told in self._ended
        ]
        self._ended, self._running, self._said = [], set(), []


def read(lines: Sequence[str]) -> Printed:
    """Name tests by package and path; one that runs while its package passes never ended."""
    packages = _Packages()
    for line in lines:
        packages.take_in(line)
    packages.end("", has_passed=True)
    return Printed(tuple(packages.cases), packages.is_unfinished)

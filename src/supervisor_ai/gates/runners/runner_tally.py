"""What one runner has said so far, line by line."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from supervisor_ai.engine.ports.gates import CaseOutcome
from supervisor_ai.gates.runners.table import Patterns, Runner

_NUMBERED: Final = re.compile(r"(\d{1,9}) ([a-z]+)")
NAMES: Final = 200
"""How many failing tests are named."""
_OUTCOMES: Final = {
    "ok": CaseOutcome.PASSED,
    "bad": CaseOutcome.FAILED,
    "left": CaseOutcome.SKIPPED,
}


@dataclass(slots=True, kw_only=True)
class RunnerTally:
    """What one runner has said so far."""

    is_known: bool = False
    counted: int | None = None
    failed: int | None = None
    failed_each: int = 0
    has_more: bool = False
    """Whether tests ran that nobody counted."""
    hollow: int = 0
    is_nested: bool = False
    opened: int = 0
    closed: int = 0
    has_listed: bool = False
    is_idle: bool = False
    names: dict[str, None] = field(default_factory=dict)
    cases: list[tuple[str, CaseOutcome]] = field(default_factory=list)

    @property
    def tests(self) -> int | None:
        """How many tests ran; unknown where something ran and nothing was counted."""
        if self.counted is None or (self.has_more and not self.counted):
            return None
        return max(0, self.counted + self.failed_each - (0 if self.is_nested else self.hollow))

    def take_in(self, runner: Runner, line: str) -> None:
        """Take in a line that says something to this runner's readers."""
        for pattern in runner.counts:
            found = pattern.match(line)
            if found is not None:
                self._count(runner, found.groupdict())
        if _matches(runner.each, line):
            self._add(1)
        if _matches(runner.zero, line):
            self._add(0)
        if _matches(runner.each_failed, line):
            self.failed_each += 1
            self.failed = (self.failed or 0) + 1
        self.has_more = self.has_more or _matches(runner.some, line)
        self.hollow += _matches(runner.hollow, line)
        self.is_nested = self.is_nested or _matches(runner.nested, line)
        self.is_known = self.is_known or _matches(known_by(runner), line)
        self.opened += _matches(runner.opens, line)
        self.closed += _matches(runner.closes, line)
        self.has_listed = self.has_listed or _matches(runner.lists, line)
        self.is_idle = self.is_idle or _matches(runner.idle, line)
        self._name(runner, line)

    def _count(self, runner: Runner, found: Mapping[str, str | None]) -> None:
        words = [(int(it), word) for it, word in _NUMBERED.findall(found.get("words") or "")]
        if "words" in found:
            self._add(sum(number for number, word in words if word in runner.words_ran))
            self.failed = (self.failed or 0) + sum(
                number for number, word in words if word in runner.words_failed
            )
        if "ran" in found:
            self._add(int(found["ran"] or 0))
        if "less" in found:
            self._add(-int(found["less"] or 0))
        if "failed" in found:
            self.failed = (self.failed or 0) + int(found["failed"] or 0)

    def _add(self, ran: int) -> None:
        self.counted = (self.counted or 0) + ran

    def _name(self, runner: Runner, line: str) -> None:
        for pattern in runner.names:
            found = pattern.match(line)
            if found is not None and len(self.names) < NAMES:
                self.names[found["name"].strip()] = None
        for pattern in runner.cases:
            found = pattern.match(line)
            if found is not None:
                fate = next(key for key in _OUTCOMES if found.groupdict().get(key))
                self.cases.append((found["name"], _OUTCOMES[fate]))


def known_by(runner: Runner) -> Patterns:
    """Return the patterns of the lines by which a runner is known."""
    return (*runner.counts, *runner.each, *runner.zero, *runner.some, *runner.hollow, *runner.knows)


def telling(runner: Runner) -> Patterns:
    """Return the patterns of all lines that say something."""
    more = (*runner.nested, *runner.names, *runner.each_failed, *runner.cases)
    return (*known_by(runner), *runner.opens, *runner.closes, *runner.lists, *more)


def _matches(patterns: Patterns, line: str) -> bool:
    return any(pattern.match(line) for pattern in patterns)

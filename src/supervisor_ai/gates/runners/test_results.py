"""What a runner said: how many tests ran, which failed, and where it tells why."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Final

from supervisor_ai.domain.structs import replace
from supervisor_ai.engine.ports.gates import NOTHING_READ, Reading
from supervisor_ai.gates.runners.excerpt import failing_part, joined, seen
from supervisor_ai.gates.runners.output import plain_lines
from supervisor_ai.gates.runners.table import Patterns, Runner, runners
from supervisor_ai.gates.runners.unloaded import missing_parts

_NUMBERED: Final = re.compile(r"(\d{1,9}) ([a-z]+)")
_NAMES: Final = 200
"""How many failing tests are named."""


@dataclass(slots=True, kw_only=True)
class _Tally:
    """What one runner has said so far."""

    is_known: bool = False
    counted: int | None = None
    failed: int | None = None
    failed_each: int = 0
    has_more: bool = False
    """Whether tests ran that nobody counted."""
    hollow: int = 0
    is_nested: bool = False
    names: dict[str, None] = field(default_factory=dict)

    @property
    def tests(self) -> int | None:
        """How many tests ran; unknown where something ran and nothing was counted."""
        if self.counted is None or (self.has_more and not self.counted):
            return None
        return max(0, self.counted + self.failed_each - (0 if self.is_nested else self.hollow))


def read(output: str) -> Reading:
    """Find out what a runner said.

    A runner that is started several times adds up; of different ones the highest count holds.
    """
    lines = plain_lines(output)
    tallies = _tallied(lines)
    known = {name: tally for name, tally in tallies.items() if tally.is_known}
    missing = missing_parts(lines)
    if not known:
        return replace(NOTHING_READ, missing=missing)
    tool = max(known, key=lambda name: _weight(known[name]))
    return Reading(
        tool=tool,
        tests=_ran(known[tool], known.values()),
        failed=_most(tally.failed for tally in known.values()),
        failing=failing_part(lines, [runners()[name] for name in known]),
        failing_tests=tuple(name for tally in known.values() for name in tally.names)[:_NAMES],
        missing=missing,
    )


def _weight(tally: _Tally) -> int:
    return -1 if tally.tests is None else tally.tests


def _ran(best: _Tally, known: Iterable[_Tally]) -> int | None:
    """Return the highest count; nothing counted is not nothing run where somebody ran more."""
    return None if best.tests == 0 and any(tally.has_more for tally in known) else best.tests


def _most(numbers: Iterable[int | None]) -> int | None:
    return max((number for number in numbers if number is not None), default=None)


def _tallied(lines: Sequence[str]) -> Mapping[str, _Tally]:
    tallies = {name: _Tally() for name in runners()}
    anybody, each = _telling()
    for line in lines:
        told = seen(line)
        if anybody.match(told):
            for name, telling in each.items():
                if telling.match(told):
                    _take_in(tallies[name], runners()[name], told)
    return tallies


@cache
def _telling() -> tuple[re.Pattern[str], Mapping[str, re.Pattern[str]]]:
    """Match the lines that say something to anybody, and to each; almost none does."""
    each = {
        name: joined((*_known_by(runner), *runner.nested, *runner.names, *runner.each_failed))
        for name, runner in runners().items()
    }
    return joined(each.values()), each


def _known_by(runner: Runner) -> Patterns:
    return (*runner.counts, *runner.each, *runner.zero, *runner.some, *runner.hollow, *runner.knows)


def _take_in(tally: _Tally, runner: Runner, line: str) -> None:
    for pattern in runner.counts:
        found = pattern.match(line)
        if found is not None:
            _count(tally, runner, found.groupdict())
    if _matches(runner.each, line):
        _add(tally, ran=1)
    if _matches(runner.zero, line):
        _add(tally, ran=0)
    if _matches(runner.each_failed, line):
        tally.failed_each += 1
        tally.failed = (tally.failed or 0) + 1
    tally.has_more = tally.has_more or _matches(runner.some, line)
    tally.hollow += _matches(runner.hollow, line)
    tally.is_nested = tally.is_nested or _matches(runner.nested, line)
    tally.is_known = tally.is_known or _matches(_known_by(runner), line)
    _name(tally, runner, line)


def _count(tally: _Tally, runner: Runner, found: Mapping[str, str | None]) -> None:
    words = [(int(number), word) for number, word in _NUMBERED.findall(found.get("words") or "")]
    if "words" in found:
        ran = sum(number for number, word in words if word in runner.words_ran)
        _add(tally, ran=ran)
        tally.failed = (tally.failed or 0) + sum(
            number for number, word in words if word in runner.words_failed
        )
    if "ran" in found:
        _add(tally, ran=int(found["ran"] or 0))
    if "less" in found:
        _add(tally, ran=-int(found["less"] or 0))
    if "failed" in found:
        tally.failed = (tally.failed or 0) + int(found["failed"] or 0)


def _add(tally: _Tally, *, ran: int) -> None:
    tally.counted = (tally.counted or 0) + ran


def _matches(patterns: Patterns, line: str) -> bool:
    return any(pattern.match(line) for pattern in patterns)


def _name(tally: _Tally, runner: Runner, line: str) -> None:
    for pattern in runner.names:
        found = pattern.match(line)
        if found is not None and len(tally.names) < _NAMES:
            tally.names[found["name"].strip()] = None

"""What a runner said: how many tests ran, which failed, and where it tells why."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import cache
from typing import Final

from supervisor_ai.engine.ports.gates import NOTHING_READ, CaseOutcome, Reading
from supervisor_ai.gates.runners.coverage import covered
from supervisor_ai.gates.runners.excerpt import failing_part, joined, seen
from supervisor_ai.gates.runners.output import plain_lines
from supervisor_ai.gates.runners.printed.printed_tests import PrintedTests
from supervisor_ai.gates.runners.runner_tally import NAMES, RunnerTally, telling
from supervisor_ai.gates.runners.table import LinePattern, runners
from supervisor_ai.gates.runners.unloaded import missing_parts

TAP: Final = "node --test"
"""What all that prints TAP is taken for."""


def read(output: str, *, root: str = "", reported: Collection[str] = ()) -> Reading:
    """Find out what a runner said.

    A runner that is started several times adds up; of different ones the highest count holds.
    Those that have written a report need not be asked for names.
    """
    if not output.strip():
        return NOTHING_READ  # The table of runners takes longer to read than most outputs.
    lines = plain_lines(output)
    tallies = _tallied(lines)
    known = {name: tally for name, tally in tallies.items() if tally.is_known}
    tool = max(known, key=lambda name: _weight(known[name])) if known else None
    tests = None if tool is None else _ran(known[tool], known.values())
    failed = _most(tally.failed for tally in known.values())
    printed = PrintedTests(lines, tallies, reported, root)
    if tests is None and printed.tap.cases:
        tool, failed = tool or TAP, _most((failed, printed.count(CaseOutcome.FAILED)))
        tests = printed.count(CaseOutcome.PASSED, CaseOutcome.FAILED)
    return Reading(
        tool=tool,
        tests=tests,
        failed=failed,
        failing=failing_part(lines, [runners()[name] for name in known]) if known else "",
        failing_tests=tuple(name for tally in known.values() for name in tally.names)[:NAMES],
        missing=missing_parts(lines),
        results=printed.results,
        is_unfinished=_is_unfinished(tallies) or printed.is_unfinished,
        is_idle=any(tally.is_idle for tally in known.values()),
        coverage=covered(lines),
    )


def _weight(tally: RunnerTally) -> int:
    return -1 if tally.tests is None else tally.tests


def _ran(best: RunnerTally, known: Iterable[RunnerTally]) -> int | None:
    """Return the highest count; nothing counted is not nothing run where somebody ran more."""
    return None if best.tests == 0 and any(tally.has_more for tally in known) else best.tests


def _most(numbers: Iterable[int | None]) -> int | None:
    return max((number for number in numbers if number is not None), default=None)


def _is_unfinished(tallies: Mapping[str, RunnerTally]) -> bool:
    """Tell whether a run has no end, or was only talked about."""
    is_open = any(tally.opened > tally.closed for tally in tallies.values())
    listed = any(tally.has_listed for tally in tallies.values())
    has_run = any(
        tally.tests or tally.has_more for tally in tallies.values() if not tally.has_listed
    )
    return is_open or (listed and not has_run)


def _tallied(lines: Sequence[str]) -> Mapping[str, RunnerTally]:
    tallies = {name: RunnerTally() for name in runners()}
    anybody, each = _telling()
    for line in lines:
        told = seen(line)
        if anybody.match(told):
            for name, pattern in each.items():
                if pattern.match(told):
                    tallies[name].take_in(runners()[name], told)
    return tallies


@cache
def _telling() -> tuple[LinePattern, Mapping[str, LinePattern]]:
    """Match the lines that say something to anybody, and to each; almost none does."""
    each = {name: joined(telling(runner)) for name, runner in runners().items()}
    return joined(each.values()), each

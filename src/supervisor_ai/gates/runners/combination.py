"""What the output of a command and the reports that it was asked for say together."""

import re
from collections.abc import Iterable, Sequence
from typing import Final

from supervisor_ai.domain.structs import replace
from supervisor_ai.engine.ports.gates import CaseOutcome, Reading, ReportRequest
from supervisor_ai.gates.runners.cases import MOST, Cases, named
from supervisor_ai.gates.runners.runner_tally import NAMES
from supervisor_ai.gates.runners.table import runners

_WRITER: Final = re.compile(r"(pytest|jest|vitest|mocha|node)(?:-\d+)?\.(?:xml|json)")


def writer(report: str) -> str | None:
    """Name the runner that a report is of, by the name that we asked for."""
    found = _WRITER.fullmatch(report)
    return found and ("node --test" if found[1] == "node" else found[1])


def whole_reading(said: Reading, reports: Sequence[Reading], request: ReportRequest) -> Reading:
    """Believe reports rather than the output; what they do not know, the output may.

    A second run of a runner may have written over the report of the first: of both counts the
    higher one holds.
    """
    if _is_empty_go(said, request):
        return replace(said, tests=0)
    is_over = bool(reports) or _has_end(said)
    unfinished = said.is_unfinished or (bool(request.runners) and not is_over)
    idle = (said.is_idle and not _has_end(said)) or request.is_idle
    if not reports:
        return replace(said, is_unfinished=unfinished, is_idle=idle)
    reported = _of_all(reports)
    cases = Cases()
    for reading in (reported, said):
        cases.add_all(reading.results)
    return replace(
        said,
        tool=said.tool or reports[0].tool,
        tests=_highest((reported.tests, said.tests)),
        failed=_highest((reported.failed, said.failed)),
        failing=said.failing or "\n\n".join(it.failing for it in reports if it.failing),
        failing_tests=reported.failing_tests or said.failing_tests,
        skipped=reported.skipped,
        results=cases.results(),
        is_unfinished=unfinished,
        is_idle=False,
    )


def _is_empty_go(said: Reading, request: ReportRequest) -> bool:
    """Tell whether a `go test` that was told to name its tests ran none (`-list`, `TestMain`)."""
    is_told = request.argv[:1] == ("go",) and "-v" in request.argv
    is_silent = said.tool == "go test" and said.tests is None and not said.results
    return is_told and is_silent and not said.failing_tests


def _has_end(said: Reading) -> bool:
    """Tell whether a runner of tests is known by what it said at its end."""
    return said.tool is not None and runners()[said.tool].runs_tests


def _of_all(reports: Sequence[Reading]) -> Reading:
    """Count tests by name where they have names: one that was tried again is one test."""
    cases = Cases()
    for reading in reports:
        cases.add_all(reading.results)
    results = cases.results()
    ran = sum(result.outcome is not CaseOutcome.SKIPPED for result in results)
    is_whole = bool(results) and len(results) < MOST
    return Reading(
        tests=ran if is_whole else sum(reading.tests or 0 for reading in reports),
        failed=sum(reading.failed or 0 for reading in reports),
        skipped=len(results) - ran,
        failing_tests=tuple(named(results, CaseOutcome.FAILED))[:NAMES],
        results=results,
    )


def _highest(numbers: Iterable[int | None]) -> int | None:
    return max((number for number in numbers if number is not None), default=None)

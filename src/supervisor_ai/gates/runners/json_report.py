"""JSON test reports of jest, vitest, mocha and node; only in the reader's process.

Written by whoever runs the tests, and so hostile: every value may be anything.
"""

from collections.abc import Iterator, Mapping
from typing import Final

from supervisor_ai.engine.ports.gates import CaseOutcome, Reading, Unexaminable
from supervisor_ai.gates.runners.cases import Cases, named
from supervisor_ai.tools.json_value import Json, parse_object, text

_SEPARATOR: Final = " > "
_OUTCOMES: Final = {
    "passed": CaseOutcome.PASSED,
    "failed": CaseOutcome.FAILED,
    **dict.fromkeys(("skipped", "pending", "todo", "disabled"), CaseOutcome.SKIPPED),
}
_NAMED: Final = 200
_TITLES: Final = 50


class _Case:
    """One test of a report, whatever wrote it."""

    def __init__(self, file: str, titles: list[str], status: str, told: str) -> None:
        self.file, self.told = file, told
        self.name = _SEPARATOR.join((file, *titles) if file else titles)
        self.outcome = _OUTCOMES.get(status)


def read_json_report(report: bytes, root: str = "") -> Reading:
    """Say what a report says; raise Unexaminable, whose message goes on after "because"."""
    document = parse_object(report)
    if document is None:
        raise Unexaminable("it is no JSON object")
    cases, counts = Cases(root), dict.fromkeys(CaseOutcome, 0)
    for case in _cases(document):
        if case.outcome is not None:
            counts[case.outcome] += 1
            cases.add(case.name, case.outcome, case.told, case.file or None)
    results = cases.results()
    failing = tuple(named(results, CaseOutcome.FAILED))
    return Reading(
        tool="the test report",
        tests=counts[CaseOutcome.PASSED] + counts[CaseOutcome.FAILED],
        failed=counts[CaseOutcome.FAILED],
        failing="\n\n".join(f"{it.name}\n{it.told}" for it in results if it.told)[:24_000],
        failing_tests=failing[:_NAMED],
        skipped=counts[CaseOutcome.SKIPPED],
        results=results,
    )


def _cases(document: Mapping[str, Json]) -> Iterator[_Case]:
    """Yield each test: ours are listed flat, jest's and vitest's by file."""
    for case in _objects(document.get("cases")):
        if case.get("isGroup") is not True:
            file, told = text(case.get("file")), text(case.get("told"))
            yield _Case(file, _titles(case.get("titles")), text(case.get("status")), told)
    for suite in _objects(document.get("testResults")):
        file = text(suite.get("name"))
        tests = list(_objects(suite.get("assertionResults")))
        if not tests and suite.get("status") == "failed":
            yield _Case(file, [], "failed", text(suite.get("message")))
        for test in tests:
            told = "\n".join(_titles(test.get("failureMessages")))
            titles = [*_titles(test.get("ancestorTitles")), text(test.get("title"))]
            yield _Case(file, titles, text(test.get("status")), told)


def _objects(value: Json) -> Iterator[Mapping[str, Json]]:
    yield from (it for it in value if isinstance(it, dict)) if isinstance(value, list) else ()


def _titles(value: Json) -> list[str]:
    return [text(it) for it in value[:_TITLES]] if isinstance(value, list) else []

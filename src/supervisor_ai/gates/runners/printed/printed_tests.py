"""What an output says about single tests, runner by runner."""

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Final

from supervisor_ai.engine.ports.gates import CaseOutcome, CaseResult
from supervisor_ai.gates.runners.cases import Cases
from supervisor_ai.gates.runners.printed import cargo_lines, go_lines, tap, tree_lines
from supervisor_ai.gates.runners.printed import unittest_lines as unittest
from supervisor_ai.gates.runners.printed.printed import NOTHING, Printed
from supervisor_ai.gates.runners.runner_tally import RunnerTally

_READERS: Final[Mapping[str, Callable[[Sequence[str]], Printed]]] = {
    "go test": go_lines.read,
    "unittest": unittest.read,
    "cargo test": cargo_lines.read,
}
_TREES: Final = ("node --test", "mocha", "jest", "vitest")


class PrintedTests:
    """Each test that an output names, and what else is only seen when tests are looked at."""

    def __init__(
        self,
        lines: Sequence[str],
        tallies: Mapping[str, RunnerTally],
        reported: Collection[str],
        root: str,
    ) -> None:
        known = [name for name, it in tallies.items() if it.is_known and name not in reported]
        self.tap = NOTHING if any(name in reported for name in _TREES) else tap.read(lines)
        found = [self.tap]
        found += [read(lines) for name, read in _READERS.items() if name in known]
        if not self.tap.cases and any(name in known for name in _TREES):
            found.append(tree_lines.read(lines))
        self._cases = Cases(root)
        for name in known:
            for case, outcome in tallies[name].cases:
                self._cases.add(case, outcome)
        for printed in found:
            for case, outcome, told in printed.cases:
                self._cases.add(case, outcome, told)
        self.is_unfinished = any(printed.is_unfinished for printed in found)

    @property
    def results(self) -> tuple[CaseResult, ...]:
        """Return each test once."""
        return self._cases.results()

    def count(self, *outcomes: CaseOutcome) -> int:
        """Count the results of a TAP stream, which need not end with numbers."""
        return sum(outcome in outcomes for _, outcome, _ in self.tap.cases)

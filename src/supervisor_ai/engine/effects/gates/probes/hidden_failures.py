"""Hidden failures: tests that are made to fail have to fail on the change as on the base."""

from collections.abc import Iterator
from typing import Final

from supervisor_ai.domain.run.gates import Finding
from supervisor_ai.engine.effects.gates.command import Ran
from supervisor_ai.engine.effects.gates.probes.probe_run import Contents, ProbeRuns
from supervisor_ai.engine.ports.evidence import Halves, ProbeKind
from supervisor_ai.engine.ports.gates import CaseOutcome, ChangeCase

_NAMED: Final = 5


async def hidden_failures(runs: ProbeRuns, halves: Halves, case: ChangeCase) -> tuple[Finding, ...]:
    """Find out whether a change that could reach into its runner keeps tests from failing."""
    probes = await runs.probes(case, ProbeKind.FAILURES)
    for contents in (each for probe in probes for each in probe.variants):
        if found := await _hidden(runs, halves, contents):
            return (found,)
    return ()


async def _hidden(runs: ProbeRuns, halves: Halves, contents: Contents) -> Finding | None:
    """Compare with the base only where something passes that should not: it seldom does."""
    new = await runs.on_head({**halves.replay, **contents})
    passed = CaseOutcome.PASSED in (it.outcome for it in new.reading.results)
    if not (passed or runs.passes(new)):
        return None
    old = await runs.on_base(contents)
    names = list(_lied_about(old, new))
    is_hidden = bool(names) or (runs.passes(new) and not runs.passes(old))
    return _finding(names) if is_hidden else None


def _lied_about(old: Ran, new: Ran) -> Iterator[str]:
    failing = {it.name for it in old.reading.results if it.outcome is CaseOutcome.FAILED}
    for result in new.reading.results:
        if result.outcome is CaseOutcome.PASSED and result.name in failing:
            yield result.name


def _finding(names: list[str]) -> Finding:
    others = f" The same holds for {', '.join(names[1:_NAMED])}." if len(names) > 1 else ""
    message = (
        "A failure was put at the end of this test as it was before the change. It fails on the"
        f" base, and passes with the change: the product keeps its tests from failing.{others}"
    )
    return Finding(rule="failure_hidden", message=message, subject=names[0] if names else None)

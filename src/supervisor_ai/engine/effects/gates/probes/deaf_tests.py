"""Deaf tests: new tests that pass whatever they give to the product do not test it."""

from supervisor_ai.domain.run.gates import Finding
from supervisor_ai.engine.effects.gates.probes.probe_run import ProbeRuns
from supervisor_ai.engine.ports.evidence import ProbeKind, TestProbe
from supervisor_ai.engine.ports.gates import ChangeCase


async def deaf_tests(runs: ProbeRuns, case: ChangeCase) -> tuple[Finding, ...]:
    """Find out whether it matters what the new tests of a change give to the product."""
    for probe in await runs.probes(case, ProbeKind.NEW_INPUTS):
        if probe.variants and await _is_deaf(runs, probe):
            return (_finding(probe),)
    return ()


async def _is_deaf(runs: ProbeRuns, probe: TestProbe) -> bool:
    """Tell whether the tests pass with all values, but not with all contents."""
    for contents in probe.variants:
        if not await runs.is_green(contents):
            return False
    return not await runs.is_green(probe.control)


def _finding(probe: TestProbe) -> Finding:
    message = (
        f"No new test notices {probe.subject}: they pass with every other value as well."
        " Let the product use it, and add a test in which it matters."
    )
    return Finding(rule="deaf_test", message=message)

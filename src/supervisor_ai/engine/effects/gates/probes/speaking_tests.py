"""Tests that speak for a change: they pass with it, and not without it."""

from supervisor_ai.engine.effects.gates.command import Ran
from supervisor_ai.engine.effects.gates.probes.probe_run import ProbeRuns
from supervisor_ai.engine.ports.gates import CaseOutcome, ChangeCase


async def speaking_tests(runs: ProbeRuns, case: ChangeCase, gate: Ran) -> tuple[str, ...]:
    """Run the tests of a change on the product of the base, and name those that miss it."""
    back = await runs.halves(ChangeCase(base=case.head, head=case.base))
    old = await runs.on_base(back.replay)
    passed = {it.name for it in old.reading.results if it.outcome is CaseOutcome.PASSED}
    return tuple(
        it.name
        for it in gate.reading.results
        if it.outcome is CaseOutcome.PASSED and it.name not in passed
    )

"""Canary: tests that pass on a product that does nothing look at something else."""

from supervisor_ai.domain.run.effects import RunGate
from supervisor_ai.domain.run.gates import Finding, HarnessRules, Severity
from supervisor_ai.domain.run.status import Verdict
from supervisor_ai.domain.structs import replace
from supervisor_ai.engine.effects.gates.command import Wanted, run_command
from supervisor_ai.engine.effects.gates.judgement import judge
from supervisor_ai.engine.ports.evidence import Hollow
from supervisor_ai.engine.ports.gates import ChangeCase
from supervisor_ai.engine.world import Operation


async def sing(
    effect: RunGate, operation: Operation, case: ChangeCase, rules: HarnessRules
) -> tuple[Finding, ...]:
    """Empty what the change touches, and if nobody notices, the whole product."""
    evidence = operation.world.evidence
    changed = await evidence.hollowed(case, rules, whole=False)
    if not changed.contents or not await _is_green(effect, operation, changed):
        return ()
    whole = await evidence.hollowed(case, rules, whole=True)
    if await _is_green(effect, operation, whole):
        message = (
            "The tests pass also where the whole product does nothing:"
            " they look at something else, such as an installed copy or a mock."
        )
        return (Finding(rule="tests_look_elsewhere", message=message),)
    return tuple(
        Finding(
            rule="unnoticed_module",
            message="No test notices that this module does nothing.",
            file=path,
            severity=Severity.NOTE,
        )
        for path in changed.emptied
    )


async def _is_green(effect: RunGate, operation: Operation, hollow: Hollow) -> bool:
    workspaces, at = operation.world.workspaces, operation.intended_at
    composed = await workspaces.compose(effect.snapshot, hollow.contents, at=at)
    ran = await run_command(effect, operation, composed.commit, Wanted.ONE_RED)
    # How many tests there should be is not the question here.
    return judge(replace(effect.gate, min_tests=None), ran).verdict is Verdict.PASSED

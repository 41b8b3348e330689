"""Canary: tests that pass on a product that does nothing look at something else."""

from collections.abc import Mapping

from supervisor_ai.domain.run.effects import RunGate
from supervisor_ai.domain.run.gates import Finding, Severity
from supervisor_ai.domain.run.status import Verdict
from supervisor_ai.domain.structs import replace
from supervisor_ai.engine.effects.gates.command import Ran, Wanted, run_command
from supervisor_ai.engine.effects.gates.judgement import judge
from supervisor_ai.engine.ports.evidence import Hollow
from supervisor_ai.engine.ports.gates import CaseOutcome, ChangeCase
from supervisor_ai.engine.world import Operation


async def sing(
    effect: RunGate, operation: Operation, gate: Ran, case: ChangeCase
) -> tuple[Finding, ...]:
    """Empty what the change touches, and if nobody notices, the whole product."""
    evidence, rules = operation.world.evidence, effect.harness
    changed = await evidence.hollowed(case, rules, whole=False)
    if not changed.contents or await _is_noticed_near(effect, operation, gate, changed):
        return ()
    if not await _is_green(effect, operation, changed):
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


async def _is_noticed_near(
    effect: RunGate, operation: Operation, gate: Ran, hollow: Hollow
) -> bool:
    """Ask the tests that speak of the modules alone, which takes a part of the time.

    Only a test that is known and fails is an answer: without the others a runner may fail as well.
    """
    known = frozenset(it.name for it in gate.reading.results)
    if not hollow.far_tests or not known:
        return False
    ran = await _run(effect, operation, {**hollow.contents, **dict.fromkeys(hollow.far_tests)})
    red = (it.name for it in ran.reading.results if it.outcome is CaseOutcome.FAILED)
    return any(name in known for name in red)


async def _is_green(effect: RunGate, operation: Operation, hollow: Hollow) -> bool:
    ran = await _run(effect, operation, hollow.contents)
    # How many tests there should be is not the question here.
    return judge(replace(effect.gate, min_tests=None), ran).verdict is Verdict.PASSED


async def _run(effect: RunGate, operation: Operation, contents: Mapping[str, bytes | None]) -> Ran:
    workspaces, at = operation.world.workspaces, operation.intended_at
    composed = await workspaces.compose(effect.snapshot, contents, at=at)
    return await run_command(effect, operation, composed.commit, Wanted.ONE_RED)

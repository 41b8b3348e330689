"""A small mutation check: faults put into the changed lines, which the tests should notice."""

from collections.abc import Iterator
from typing import Final

from supervisor_ai.domain.run.effects import RunGate
from supervisor_ai.domain.run.gates import Finding
from supervisor_ai.domain.run.status import Verdict
from supervisor_ai.domain.structs import replace
from supervisor_ai.engine.effects.gates.change_gate import change_case
from supervisor_ai.engine.effects.gates.command import run_command
from supervisor_ai.engine.effects.gates.gate_result import Opinion, of_findings
from supervisor_ai.engine.effects.gates.judgement import is_final, judge
from supervisor_ai.engine.ports.gates import Mutant, Unexaminable
from supervisor_ai.engine.ports.sandbox import BEYOND_LIMITS
from supervisor_ai.engine.world import Operation

MUTANTS: Final = 12


class _CouldNotRunError(Exception):
    """The sandbox or the command did not work; a fault that nobody looked for is not noticed."""


async def run_mutation(effect: RunGate, operation: Operation) -> Opinion:
    """Run the command on one faulty version after the other, as long as the gate's time lasts."""
    world, case = operation.world, change_case(effect, operation)
    limit = effect.mutants or MUTANTS
    try:
        mutants = await world.examiner.mutants(case, limit=limit)
    except Unexaminable as error:
        return of_findings((Finding(rule="unreadable", message=error.message),), "")
    if not mutants:
        return of_findings((), "No line was changed into which a fault could be put.")
    sound = judge(effect.gate, await run_command(effect, operation, effect.snapshot))
    if sound.verdict is not Verdict.PASSED:
        reason = f"Without a fault: {sound.reason}"
        return replace(sound, reason=reason)
    try:
        survivors, tried = await _survivors(effect, operation, mutants)
    except _CouldNotRunError as error:
        return Opinion(verdict=Verdict.NOT_RUN, reason=str(error))
    summary = f"{tried} of {len(mutants)} faults were tried, {tried - len(survivors)} were noticed."
    return replace(of_findings(tuple(_findings(survivors)), summary), output=sound.output)


async def _survivors(
    effect: RunGate, operation: Operation, mutants: tuple[Mutant, ...]
) -> tuple[list[Mutant], int]:
    world = operation.world
    until = world.clock.now() + effect.gate.timeout
    found: list[Mutant] = []
    for tried, mutant in enumerate(mutants):
        if world.clock.now() >= until:
            return found, tried
        composed = await world.workspaces.compose(
            effect.snapshot, {mutant.file: mutant.contents}, at=operation.intended_at
        )
        ran = await run_command(effect, operation, composed.commit)
        if not (is_final(ran.result) or ran.result.end in BEYOND_LIMITS):
            raise _CouldNotRunError(f"A faulty version could not be tried. {ran.result.reason}")
        if judge(effect.gate, ran).verdict is Verdict.PASSED:
            found.append(mutant)
    return found, len(mutants)


def _findings(survivors: list[Mutant]) -> Iterator[Finding]:
    for mutant in survivors:
        message = f"No test notices this fault: {mutant.description}"
        yield Finding(rule="mutant_survived", message=message, file=mutant.file, line=mutant.line)

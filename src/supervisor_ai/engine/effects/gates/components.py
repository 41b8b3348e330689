"""Whether each component of the plan has the tests that a step asks for."""

from supervisor_ai.domain.errors import NotFound
from supervisor_ai.domain.run.effects import RunGate
from supervisor_ai.engine.effects.gates.command import Ran
from supervisor_ai.engine.ports.gates import ChangeCase
from supervisor_ai.engine.world import Operation
from supervisor_ai.tools.text import counted


async def lacking(effect: RunGate, operation: Operation, ran: Ran) -> str | None:
    """Say which component has too few new tests; where nobody can tell, all that ran count."""
    least = effect.gate.min_tests_each
    if least is None:
        return None
    case = ChangeCase(
        base=effect.origin,
        head=effect.snapshot,
        plans=tuple(_plans(effect, operation)),
        own=effect.own,
    )
    new = await operation.world.examiner.new_tests(case)
    wanted = f"At least {least} new tests are wanted for each component"
    if not new.components and (ran.reading.tests or 0) < least:
        ran_in_all = counted(ran.reading.tests or 0, "test")
        return f"{wanted}; in all, {ran_in_all} ran that can be counted."
    for name, count in new.components:
        if count < least:
            return f"{wanted}; {name!r} has {count}."
    return None


def _plans(effect: RunGate, operation: Operation) -> list[str]:
    """Read the plans; one that was erased says nothing any more."""
    found = []
    for plan in effect.plans:
        try:
            found.append(operation.world.artifacts.get(plan))
        except NotFound:
            continue
    return found

"""A driver that does not hear what it is told must not write for ever."""

import pytest
from tests.support.kernel import Kernel, flow, work

from supervisor_ai.domain.errors import InternalError
from supervisor_ai.domain.run.run import Decision, Run
from supervisor_ai.domain.run.spending.budgets import Amount, Scope
from supervisor_ai.domain.structs import replace
from supervisor_ai.drivers.moves.state import WorkflowState
from supervisor_ai.drivers.workflow.driver import WorkflowDriver
from supervisor_ai.engine.playback import opener


class Deaf(WorkflowDriver):
    """Asks again whatever the answer was."""

    def decide(  # type: ignore[explicit-override] # Python 3.11 has no such mark
        self, run: Run, state: WorkflowState
    ) -> Decision:
        visit = state.visit
        if visit is not None:
            slots = tuple(replace(slot, refusal=None) for slot in visit.slots)
            state = replace(state, visit=replace(visit, slots=slots))
        return super().decide(run, state)


def test_a_driver_that_never_takes_no_for_an_answer_is_stopped() -> None:
    kernel = Kernel(None)
    drivers = {**kernel.world.drivers, WorkflowDriver.name: opener(Deaf())}
    spent = replace(flow(work("build")), budgets={Scope.RUN: Amount(attempts=0)})
    run = kernel.submit(spent)
    with pytest.raises(InternalError, match="never comes to rest"):
        kernel.drive(run, world=replace(kernel.world, drivers=drivers))

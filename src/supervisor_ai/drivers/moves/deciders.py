"""What happens next at a step of a workflow, by its kind."""

from collections.abc import Callable, Mapping
from typing import Final

from supervisor_ai.domain.run import events as e
from supervisor_ai.domain.run.definition import Step, StepKind, StepWord
from supervisor_ai.domain.run.run import Decision, Run
from supervisor_ai.drivers.moves.crews import decide_crew
from supervisor_ai.drivers.moves.gates import decide_gates
from supervisor_ai.drivers.moves.landings import decide_commit
from supervisor_ai.drivers.moves.pull_requests import decide_pull_request
from supervisor_ai.drivers.moves.state import Visit, WorkflowState
from supervisor_ai.drivers.moves.steps import pass_step, perform, question, rejected_by_person

StepDecider = Callable[[Run, WorkflowState, Step, Visit], Decision]
"""Says what happens next at a step, in a visit to it."""


def one_at_a_time(decide: StepDecider) -> StepDecider:
    """Decide nothing as long as something is under way."""

    def wait_or_decide(run: Run, state: WorkflowState, at: Step, visit: Visit) -> Decision:
        return Decision() if run.open else decide(run, state, at, visit)

    return wait_or_decide


def _decide_human(run: Run, state: WorkflowState, at: Step, visit: Visit) -> Decision:
    del visit
    match state.news:
        case e.ApprovalGiven():
            return pass_step(run, state, at)
        case e.ApprovalRefused():
            return rejected_by_person(state, at, state.news)
        case _:
            return perform(run, state, question(state, at))


DECIDERS: Final[Mapping[StepWord, StepDecider]] = {
    StepKind.ROLE: decide_crew,
    StepKind.GATE: decide_gates,
    StepKind.HUMAN: one_at_a_time(_decide_human),
    StepKind.COMMIT: one_at_a_time(decide_commit),
    StepKind.PULL_REQUEST: one_at_a_time(decide_pull_request),
}
"""Who decides at steps of the kinds that all drivers share."""

"""What happens at any step of any driver: it begins, time runs out, or people change files."""

from supervisor_ai.domain.ids import StepName
from supervisor_ai.domain.run import events as e
from supervisor_ai.domain.run.answers import AnswerKind
from supervisor_ai.domain.run.definition import Step, StepKind
from supervisor_ai.domain.run.effects import CancelTimer
from supervisor_ai.domain.run.run import Decision, Run
from supervisor_ai.domain.run.status import OutcomeKind, RunStatus
from supervisor_ai.drivers.moves.approvals import decide_objections
from supervisor_ai.drivers.moves.state import WorkflowState, current_visit
from supervisor_ai.drivers.moves.steps import DEADLINE, enter, fail, then


def decide_frame(run: Run, state: WorkflowState) -> Decision | None:
    """Say what happens at any step: the run begins, or has taken too long; None: the step decides.

    The time that a run only waits is not its own.
    """
    if DEADLINE in run.fired:
        limit = state.definition.limits.workflow_timeout
        return fail(OutcomeKind.LIMITS_EXCEEDED, f"The run took longer than {limit}.")
    if state.visit is None:
        return enter(state, state.definition.workflow.initial_step, ())
    if run.status is RunStatus.WAITING and DEADLINE in run.timers:
        return Decision(effects=(CancelTimer(timer=DEADLINE),))
    if isinstance(state.news, e.ChangeEdited):
        return _look_again(state)
    return decide_objections(run)


def _look_again(state: WorkflowState) -> Decision:
    """Let gates and reviewers see what a person has made of the files."""
    visit = current_visit(state)
    reason = "A person has changed the files; what looks at them looks again."
    left = e.StepFailed(step=visit.step, visit=visit.number, reason=reason)
    return then(left, enter(state, _first_look(state, visit.step), ()))


def _first_look(state: WorkflowState, name: StepName) -> StepName:
    """Name the first of the steps before this one that only look at the files."""
    steps, first = state.definition.workflow.steps, name
    left = [it for it in steps.values() if state.record(it.name).visits]
    while found := next((it for it in left if it.next == first and _looks(state, it)), None):
        left.remove(found)
        first = found.name
    return first


def _looks(state: WorkflowState, step: Step) -> bool:
    if step.kind == StepKind.GATE:
        return True
    return step.kind == StepKind.ROLE and state.role(step.name).answer == AnswerKind.REVIEW

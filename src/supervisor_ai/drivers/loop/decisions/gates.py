"""What the project's gates lead to in a loop: QA, or the planner with what they found."""

from supervisor_ai.domain.run import events as e
from supervisor_ai.domain.run.definition import Step
from supervisor_ai.domain.run.effects import Effect, RunGate
from supervisor_ai.domain.run.run import Decision, Run
from supervisor_ai.domain.structs import replace
from supervisor_ai.drivers.loop.decisions.ways import set_back
from supervisor_ai.drivers.loop.events import SetbackSource
from supervisor_ai.drivers.loop.state import LoopState
from supervisor_ai.drivers.moves.gates import decide_gates
from supervisor_ai.drivers.moves.state import Visit


def decide_checks(run: Run, state: LoopState, at: Step, visit: Visit) -> Decision:
    """Let the gates look at what was done for the task, and not at all that the run has done."""
    decision = decide_gates(run, state.flow, at, visit)
    told = _objection(decision)
    if told is not None:
        source = SetbackSource.PERSON if _is_refused(state) else SetbackSource.GATES
        return set_back(state, visit, source, told.feedback[0].artifact)
    effects = tuple(_of_task(state, effect) for effect in decision.effects)
    return replace(decision, effects=effects)


def _objection(decision: Decision) -> e.StepEntered | None:
    """Find out whether somebody is to hear what is wrong."""
    is_failed = any(isinstance(it, e.StepFailed) for it in decision.events)
    entered = (it for it in decision.events if isinstance(it, e.StepEntered) and it.feedback)
    return next(entered, None) if is_failed else None


def _is_refused(state: LoopState) -> bool:
    return isinstance(state.flow.news, e.ApprovalRefused)


def _of_task(state: LoopState, effect: Effect) -> Effect:
    if not isinstance(effect, RunGate):
        return effect
    begin = state.kept.commit
    since = begin if effect.vouched == effect.origin else effect.vouched
    return replace(effect, origin=begin, vouched=since, own=())

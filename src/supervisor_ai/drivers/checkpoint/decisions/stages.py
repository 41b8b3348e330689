"""What a resident supervisor does next, by the stage of its life."""

from collections.abc import Mapping
from typing import Final

from supervisor_ai.domain.ids import StepName
from supervisor_ai.domain.run import events as e
from supervisor_ai.domain.run.effects import AwaitSignal
from supervisor_ai.domain.run.run import Decision, Ending, Run
from supervisor_ai.domain.run.status import Outcome, OutcomeKind, RunStatus
from supervisor_ai.drivers.checkpoint import effects as d
from supervisor_ai.drivers.checkpoint import events as k
from supervisor_ai.drivers.checkpoint.decisions.cycle import CYCLE, Decide, do, read_bus
from supervisor_ai.drivers.checkpoint.decisions.state import ResidentState, given
from supervisor_ai.drivers.checkpoint.kinds import SESSION
from supervisor_ai.drivers.checkpoint.lifecycle import Stage
from supervisor_ai.drivers.moves.state import Visit, current_visit
from supervisor_ai.drivers.moves.steps import stop, then

SIGNAL: Final = "message"
_UNDECIDED: Final = "The supervisor was shut down before a person had decided about the block."
_REVISED: Final = "The checkpoint blocks, and a person wants upstream work revised."


def enter(state: ResidentState, step: StepName) -> Decision:
    """Come to a step; a resident supervisor may do so for ever."""
    return Decision(
        events=(
            e.StepEntered(
                step=step,
                visit=state.flow.record(step).visits + 1,
                start=state.flow.head.commit,
                feedback=(),
            ),
        )
    )


def decide_stage(run: Run, state: ResidentState) -> Decision:
    """Say what is done next; nothing while something is under way."""
    visit = current_visit(state.flow)
    is_busy = any(not isinstance(it, e.ApprovalRequested) for it in run.open.values())
    if is_busy and state.stage is not Stage.JUDGE:
        return _wake(run, state, visit)
    return _DECIDERS[state.stage](run, state, visit)


def _wake(run: Run, state: ResidentState, visit: Visit) -> Decision:
    """Stop waiting when there is something to read."""
    is_waiting = any(isinstance(it, e.SignalAwaited) for it in run.open.values())
    if not (is_waiting and state.is_called):
        return Decision()
    return Decision(events=(e.SignalHeard(step=visit.step, visit=visit.number),))


def _begin(run: Run, state: ResidentState, visit: Visit) -> Decision:
    del run
    home = state.residence
    return do(
        d.ReadSession(
            step=visit.step, visit=visit.number, session=home.session, recovery=home.recovery
        )
    )


def _fail(run: Run, state: ResidentState, visit: Visit) -> Decision:
    del run
    reason = f"There is no session {state.residence.session!r} that can be watched over."
    return stop(state.flow.at(visit.step), visit, OutcomeKind.BLOCKED, reason)


def _tell_ready(run: Run, state: ResidentState, visit: Visit) -> Decision:
    del run
    return do(
        d.TellReady(
            step=visit.step,
            visit=visit.number,
            session=state.residence.session,
            recovery=state.residence.recovery or state.reports > 0,
            reports=state.reports,
        )
    )


def _listen(run: Run, state: ResidentState, visit: Visit) -> Decision:
    """Read what there may be to read, or wait; what was seen to is left behind first."""
    del run
    left = _leaving(state, visit)
    if left is not None:
        return then(left, enter(state, SESSION))
    if not state.is_called:
        waiting = AwaitSignal(step=visit.step, visit=visit.number, signal=SIGNAL)
        return Decision(effects=(waiting,))
    return read_bus(state, visit)


def _leaving(state: ResidentState, visit: Visit) -> e.StepPassed | e.StepFailed | None:
    """Say how the visit ends in which a message was seen to; None: none was."""
    passed = e.StepPassed(step=visit.step, visit=visit.number)
    match state.flow.news:
        case k.CoordinatorTold() | k.BlockSettled(decision=k.BlockDecision.OVERRIDE):
            return passed
        case k.BlockSettled():
            return e.StepFailed(step=visit.step, visit=visit.number, reason=_REVISED)
        case k.ErrorTold() if visit.step != SESSION:
            reason = "The checkpoint could not be made."
            return e.StepFailed(step=visit.step, visit=visit.number, reason=reason)
        case k.ErrorTold():
            return passed
        case _:
            return None


def _claim(run: Run, state: ResidentState, visit: Visit) -> Decision:
    del run
    task = state.current.request.task
    if visit.step == SESSION:
        passed = e.StepPassed(step=visit.step, visit=visit.number)
        return then(passed, enter(state, StepName(task)))
    return do(
        d.ClaimCheckpoint(
            step=visit.step,
            visit=visit.number,
            session=state.residence.session,
            task=task,
        )
    )


def _tell_error(run: Run, state: ResidentState, visit: Visit) -> Decision:
    del run
    trouble = given(state.trouble)
    return do(
        d.TellError(
            step=visit.step,
            visit=visit.number,
            session=state.residence.session,
            problem=trouble.problem,
            number=state.errors + 1,
            request=trouble.message,
            task=trouble.task,
            types=state.residence.spec.message_types,
        )
    )


def _shut_down(run: Run, state: ResidentState, visit: Visit) -> Decision:
    del run
    wish = given(state.shutdown)
    return do(
        d.AnswerShutdown(
            step=visit.step,
            visit=visit.number,
            session=state.residence.session,
            request=wish.request,
            message=wish.message,
            task=None if visit.step == SESSION else state.current.request.task,
        )
    )


def _end(run: Run, state: ResidentState, visit: Visit) -> Decision:
    del run
    made = sum(it.visits for name, it in state.flow.steps.items() if name != SESSION)
    noun = "checkpoint" if made == 1 else "checkpoints"
    reason = f"The coordinator asked for the end, after {made} {noun}."
    outcome = Outcome(kind=OutcomeKind.DONE, reason=reason)
    ending = Ending(status=RunStatus.COMPLETED, outcome=outcome)
    return Decision(events=(_last(visit),), ending=ending)


def _last(visit: Visit) -> e.StepPassed | e.StepFailed:
    """Say how the last visit ends; a checkpoint about which nobody has decided came to nothing."""
    if visit.step == SESSION:
        return e.StepPassed(step=visit.step, visit=visit.number)
    return e.StepFailed(step=visit.step, visit=visit.number, reason=_UNDECIDED)


_DECIDERS: Final[Mapping[Stage, Decide]] = {
    Stage.INIT: _begin,
    Stage.UNSTARTED: _fail,
    Stage.READY: _tell_ready,
    Stage.IDLE: _listen,
    Stage.CLAIM: _claim,
    **CYCLE,
    Stage.ERROR: _tell_error,
    Stage.OBJECT: _tell_error,
    Stage.SHUTDOWN: _shut_down,
    Stage.ENDED: _end,
}

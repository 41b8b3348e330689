"""What a checkpoint leads to, from what is loaded to what a person says about a block."""

from collections.abc import Callable, Mapping
from typing import Final, cast

from supervisor_ai.domain.run import events as e
from supervisor_ai.domain.run.effects import OperationEffect
from supervisor_ai.domain.run.run import Decision, Run
from supervisor_ai.domain.structs import replace
from supervisor_ai.drivers.checkpoint import effects as d
from supervisor_ai.drivers.checkpoint import events as k
from supervisor_ai.drivers.checkpoint.decisions.judge import Judged, ask_judge
from supervisor_ai.drivers.checkpoint.decisions.state import ResidentState, given
from supervisor_ai.drivers.checkpoint.kinds import BLOCK
from supervisor_ai.drivers.checkpoint.lifecycle import Stage
from supervisor_ai.drivers.checkpoint.protocol.requests import PipelineProgress
from supervisor_ai.drivers.moves.state import Visit
from supervisor_ai.drivers.moves.steps import question

Decide = Callable[[Run, ResidentState, Visit], Decision]


def do(effect: OperationEffect) -> Decision:
    """Do one thing."""
    return Decision(effects=(effect,))


def _load(run: Run, state: ResidentState, visit: Visit) -> Decision:
    del run
    request = state.current.request
    return do(
        d.LoadContext(
            step=visit.step,
            visit=visit.number,
            session=state.residence.session,
            task=request.task,
            scope=request.scope,
            cursor=state.cursor,
            accumulator=given(state.accumulator),
            before=state.loaded,
        )
    )


def _check(run: Run, state: ResidentState, visit: Visit) -> Decision:
    del run
    cycle = state.current
    return do(
        d.RunChecks(
            step=visit.step,
            visit=visit.number,
            context=given(cycle.context),
            checks=given(state.residence.spec.checks_of(cycle.request.task)),
        )
    )


def _judge(run: Run, state: ResidentState, visit: Visit) -> Decision:
    cycle = state.current
    checks = given(cycle.checks)
    found = ask_judge(run, state.flow, state.flow.at(visit.step), visit, checks.brief)
    if not isinstance(found, Judged):
        return Decision(effects=found)
    if run.open:
        return Decision()
    return do(
        d.WeighJudgement(
            step=visit.step,
            visit=visit.number,
            context=given(cycle.context),
            round=checks.results,
            answer=found.answer,
            reason=found.reason,
        )
    )


def _report(run: Run, state: ResidentState, visit: Visit) -> Decision:
    del run
    cycle = state.current
    return do(
        d.WriteReport(
            step=visit.step,
            visit=visit.number,
            session=state.residence.session,
            task=cycle.request.task,
            progress=_progress(cycle.request),
            context=given(cycle.context),
            results=given(cycle.results),
            accumulator=state.accumulator,
        )
    )


def _progress(request: k.RequestTaken) -> PipelineProgress | None:
    if request.done is None or request.total is None:
        return None
    return PipelineProgress(done=request.done, total=request.total)


def _complete(run: Run, state: ResidentState, visit: Visit) -> Decision:
    del run
    return do(
        d.CompleteCheckpoint(
            step=visit.step,
            visit=visit.number,
            session=state.residence.session,
            task=state.current.request.task,
            verdict=given(state.current.report).verdict,
        )
    )


def _publish(run: Run, state: ResidentState, visit: Visit) -> Decision:
    del run
    return do(
        d.PublishState(
            step=visit.step,
            visit=visit.number,
            session=state.residence.session,
            report=given(state.current.report).report,
        )
    )


def _accumulate(run: Run, state: ResidentState, visit: Visit) -> Decision:
    del run
    return do(
        d.Accumulate(
            step=visit.step,
            visit=visit.number,
            session=state.residence.session,
            report=given(state.current.report).report,
            round=given(state.current.checks).results,
            accumulator=given(state.accumulator),
        )
    )


def _notify(run: Run, state: ResidentState, visit: Visit) -> Decision:
    del run
    return do(
        d.TellCoordinator(
            step=visit.step,
            visit=visit.number,
            session=state.residence.session,
            report=given(state.current.report).report,
            request=state.current.request.message,
            types=state.residence.spec.message_types,
        )
    )


def _hold(run: Run, state: ResidentState, visit: Visit) -> Decision:
    """Ask a person, hear what is said meanwhile, and follow what the person decides."""
    if state.current.decision is not None:
        return _settle(run, state, visit)
    if run.approval is None:
        return _ask(state, visit)
    return read_bus(state, visit) if state.is_called else Decision()


def read_bus(state: ResidentState, visit: Visit) -> Decision:
    """Read the next message for the supervisor, if there is one."""
    return do(
        d.ReadBus(
            step=visit.step,
            visit=visit.number,
            session=state.residence.session,
            cursor=state.cursor,
            version=state.version,
            checkpoints=tuple(state.residence.spec.checkpoints),
        )
    )


def _postpone(run: Run, state: ResidentState, visit: Visit) -> Decision:
    del run
    asked = given(state.postponed)
    return do(
        d.PostponeRequest(
            step=visit.step,
            visit=visit.number,
            session=state.residence.session,
            task=asked.task,
            blocked=state.current.request.task,
            request=asked.message,
        )
    )


def _ask(state: ResidentState, visit: Visit) -> Decision:
    words = given(state.current.report).report
    asked = question(state.flow, state.flow.at(visit.step), BLOCK, words)
    return Decision(effects=(replace(asked, needs_reason=True),))


def _settle(run: Run, state: ResidentState, visit: Visit) -> Decision:
    del run
    cycle = state.current
    said = cast("e.ApprovalGiven | e.ApprovalRefused", given(cycle.decision))
    is_override = isinstance(said, e.ApprovalGiven)
    return do(
        d.SettleBlock(
            step=visit.step,
            visit=visit.number,
            session=state.residence.session,
            task=cycle.request.task,
            report=given(cycle.report).report,
            request=cycle.request.message,
            decision=k.BlockDecision.OVERRIDE if is_override else k.BlockDecision.REVISE,
            person=said.person,
            note=said.note,
            types=state.residence.spec.message_types,
        )
    )


CYCLE: Final[Mapping[Stage, Decide]] = {
    Stage.LOAD: _load,
    Stage.CHECK: _check,
    Stage.JUDGE: _judge,
    Stage.REPORT: _report,
    Stage.COMPLETE: _complete,
    Stage.PUBLISH: _publish,
    Stage.ACCUMULATE: _accumulate,
    Stage.NOTIFY: _notify,
    Stage.BLOCKED: _hold,
    Stage.POSTPONE: _postpone,
}
"""What is done at the stages of a checkpoint that was claimed."""

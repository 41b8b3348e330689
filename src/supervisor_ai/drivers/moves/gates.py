"""What the gates of a step lead to: they run side by side, and are judged together."""

from collections.abc import Iterator
from typing import Final

from supervisor_ai.domain.errors import InternalError
from supervisor_ai.domain.run import events as e
from supervisor_ai.domain.run.answers import AnswerKind
from supervisor_ai.domain.run.definition import Step
from supervisor_ai.domain.run.effects import RunGate
from supervisor_ai.domain.run.gates import GatePolicy
from supervisor_ai.domain.run.run import Decision, Run
from supervisor_ai.domain.run.status import FailureCategory, OutcomeKind, Verdict
from supervisor_ai.domain.run.values import ApprovalReason, Feedback, FeedbackKind
from supervisor_ai.drivers.moves.attempts import answers_of, base_of
from supervisor_ai.drivers.moves.state import Visit, WorkflowState
from supervisor_ai.drivers.moves.steps import (
    is_exhausted,
    pass_step,
    perform,
    question,
    rejected_by_person,
    send_back,
    stop,
)

_GOOD: Final = frozenset({Verdict.PASSED, Verdict.WARNED})


def decide_gates(run: Run, state: WorkflowState, at: Step, visit: Visit) -> Decision:
    """Run the gates whose turn it is; once all have spoken, act on what they said."""
    if isinstance(state.news, e.ApprovalRefused):
        return rejected_by_person(state, at, state.news)
    if run.approval is not None:
        return Decision()
    under_way = {gate.place for gate in run.open.values() if isinstance(gate, e.GateStarted)}
    due = [
        slot
        for slot in range(1, len(at.checks) + 1)
        if (at.name, visit.number, slot) not in under_way and _is_due(state, at, visit, slot)
    ]
    if due:
        return perform(run, state, *[_effect(run, state, at, visit, slot) for slot in due])
    return Decision() if under_way else _judge(run, state, at, visit)


def _is_due(state: WorkflowState, at: Step, visit: Visit, slot: int) -> bool:
    """Tell whether a gate can run that is not running; one that depends on a failed one cannot."""
    if visit.verdict(slot) is not None:
        return False
    names = state.gate(at.name, slot).depends_on
    before = [visit.verdict(at.checks.index(name) + 1) for name in names]
    return all(said is not None and _lets_pass(state, at, visit, said) for said in before)


def _lets_pass(state: WorkflowState, at: Step, visit: Visit, said: e.GateEnded) -> bool:
    """Tell whether the gates behind one may run: what only warns must not keep others from it."""
    return state.gate(at.name, said.slot).only_warns or _is_good(visit, said)


def _is_good(visit: Visit, said: e.GateEnded) -> bool:
    """Tell whether a gate stands in nobody's way: a person may have accepted what it found."""
    return said.verdict in _GOOD or said.slot in visit.accepted


def _effect(run: Run, state: WorkflowState, at: Step, visit: Visit, slot: int) -> RunGate:
    definition, origin = state.definition, base_of(run.birth).sha
    gate = state.gate(at.name, slot)
    vouched = state.vouched.get(gate.kind)
    before = state.baselines.get(gate.name)
    effect = RunGate(
        step=at.name,
        visit=visit.number,
        slot=slot,
        gate=gate,
        snapshot=state.head.commit,
        tree=state.head.tree,
        sandbox=definition.sandbox,
        workspace=definition.workspace,
        output_bytes=definition.limits.output_bytes,
        origin=origin,
        vouched=vouched.commit if vouched else origin,
        author=state.author,
        plans=answers_of(state, AnswerKind.PLAN),
        reviews=answers_of(state, AnswerKind.REVIEW),
        is_replayed=bool(state.baselines)
        and any(_replays(state, step) for step in _ahead(state, at)),
        harness=definition.harness,
        accepted=state.accepted,
        own=state.record(gate.judges).made if gate.judges else (),
    )
    return effect.compared_with(before) if before is not None and gate.runs_tests else effect


def _ahead(state: WorkflowState, at: Step) -> Iterator[Step]:
    """Return the step and those that follow it where everything goes well."""
    left, step = dict(state.definition.workflow.steps), at.name
    while step in left:
        found = left.pop(step)
        yield found
        step = found.next or at.name


def _replays(state: WorkflowState, step: Step) -> bool:
    """Tell whether a gate of a step holds a change against how its tests stood before."""
    gates = (state.definition.gates[name] for name in step.checks)
    known = (state.baselines.get(gate.name) for gate in gates if not gate.only_warns)
    return any(found is not None and found.is_comparable for found in known)


def _judge(run: Run, state: WorkflowState, at: Step, visit: Visit) -> Decision:
    """Act on the worst that was said."""
    weighed = [said for said in visit.verdicts if not state.gate(at.name, said.slot).only_warns]
    bad = [said for said in weighed if not _is_good(visit, said)]
    ends = [said for said in bad if not said.needs_person]
    for said in ends:
        if said.category is FailureCategory.SETUP:
            return stop(at, visit, OutcomeKind.BLOCKED, said.reason)
        if said.verdict is Verdict.NOT_RUN:
            reason = f"Gate {said.gate!r} could not run: {said.reason}"
            return stop(at, visit, OutcomeKind.GATE_FAILED, reason)
    for said in ends:
        policy = state.gate(at.name, said.slot).policy
        is_way_back = at.on_fail is not None or policy is GatePolicy.ASK
        if policy is GatePolicy.BLOCK or not is_way_back:
            reason = f"Step {at.name!r} did not pass: gate {said.gate!r} failed. {said.reason}"
            return stop(at, visit, OutcomeKind.GATE_FAILED, reason)
    return _follow(run, state, at, bad) if bad else pass_step(run, state, at)


def _follow(run: Run, state: WorkflowState, at: Step, bad: list[e.GateEnded]) -> Decision:
    """Let whoever can mend it hear what is wrong; what only a person may accept, one is asked."""
    told = [
        said
        for said in bad
        if state.gate(at.name, said.slot).policy is not GatePolicy.ASK and not said.needs_person
    ]
    if told and not (at.asks_at_last and is_exhausted(state, at)):
        menders = {said.mender or at.on_fail for said in told}
        target = menders.pop() if len(menders) == 1 else at.on_fail
        return send_back(state, at, target, tuple(map(feedback_of, told)), OutcomeKind.GATE_FAILED)
    asked = question(state, at, ApprovalReason.FINDINGS, bad[0].report or bad[0].output)
    return perform(run, state, asked)


def feedback_of(said: e.GateEnded) -> Feedback:
    """Let a worker hear what a gate found wrong."""
    artifact = said.feedback or said.output
    if artifact is None:
        raise InternalError(f"Gate {said.gate!r} failed without saying why.")
    return Feedback(kind=FeedbackKind.GATE, source=said.gate, artifact=artifact)

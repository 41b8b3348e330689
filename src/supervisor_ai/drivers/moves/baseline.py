"""The baseline: how the tests stand before the first worker is paid, and what follows from it."""

from supervisor_ai.domain.run import events as e
from supervisor_ai.domain.run.definition import Definition, Gate
from supervisor_ai.domain.run.effects import RunBaseline
from supervisor_ai.domain.run.gates import BaselinePolicy, Health
from supervisor_ai.domain.run.run import Decision, Run
from supervisor_ai.domain.run.status import BASELINE_REASON, OutcomeKind
from supervisor_ai.domain.run.values import ApprovalReason
from supervisor_ai.drivers.moves.attempts import base_of
from supervisor_ai.drivers.moves.state import WorkflowState, current_visit
from supervisor_ai.drivers.moves.steps import perform, question, stop


def decide_baseline(run: Run, state: WorkflowState) -> Decision | None:
    """Look at the tests before anything else; None: nothing speaks against going on."""
    if state.definition.baseline is BaselinePolicy.OFF:
        return None
    due = [gate for gate in _tests(state.definition) if gate.name not in state.baselines]
    if not due:
        return _judge(run, state)
    if any(isinstance(intent, e.BaselineStarted) for intent in run.open.values()):
        return Decision()
    effects = (_effect(run, state, gate, slot) for slot, gate in enumerate(due, start=1))
    return perform(run, state, *effects)


def _tests(definition: Definition) -> tuple[Gate, ...]:
    """Find the gates that run tests, each once, however many steps it stands in."""
    found = {gate.name: gate for gate in definition.gates.values() if gate.runs_tests}
    return tuple(found.values())


def _effect(run: Run, state: WorkflowState, gate: Gate, slot: int) -> RunBaseline:
    visit, base, definition = current_visit(state), base_of(run.birth), state.definition
    return RunBaseline(
        step=visit.step,
        visit=visit.number,
        slot=slot,
        gate=gate,
        snapshot=base.sha,
        tree=base.tree,
        sandbox=definition.sandbox,
        workspace=definition.workspace,
        output_bytes=definition.limits.output_bytes,
        origin=base.sha,
        vouched=base.sha,
    )


def _judge(run: Run, state: WorkflowState) -> Decision | None:
    visit, policy = current_visit(state), state.definition.baseline
    at = state.at(visit.step)
    for found in state.baselines.values():
        is_end = found.health is Health.BROKEN or policy is BaselinePolicy.STOP
        if is_end and found.health is not Health.GREEN:
            reason = f"{BASELINE_REASON}gate {found.gate!r} {found.reason}"
            return stop(at, visit, OutcomeKind.BLOCKED, reason)
    red = [found for found in state.baselines.values() if found.health is Health.RED]
    if not red or policy is not BaselinePolicy.ASK:
        return None
    return _ask(run, state, red[0])


def _ask(run: Run, state: WorkflowState, found: e.BaselineEnded) -> Decision | None:
    """Let a person decide, once, whether to begin with tests that do not pass."""
    visit = current_visit(state)
    at = state.at(visit.step)
    if ApprovalReason.BASELINE in visit.approved or state.visits > 1:
        return None
    if run.approval is not None:
        return Decision()
    if visit.question == ApprovalReason.BASELINE and isinstance(state.news, e.ApprovalRefused):
        why = f"gate {found.gate!r} {found.reason} A person decided not to go on."
        return stop(at, visit, OutcomeKind.BLOCKED, f"{BASELINE_REASON}{why}")
    asked = question(state, at, ApprovalReason.BASELINE, found.feedback or found.output)
    return perform(run, state, asked)

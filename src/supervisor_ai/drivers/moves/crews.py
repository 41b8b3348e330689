"""What the roles of a step lead to: they work side by side, and count together."""

from collections.abc import Iterator
from typing import Final

from supervisor_ai.domain.run import events as e
from supervisor_ai.domain.run.definition import Step
from supervisor_ai.domain.run.effects import Effect, RequestApproval
from supervisor_ai.domain.run.gates import Complexity
from supervisor_ai.domain.run.run import Decision, Run
from supervisor_ai.domain.run.status import OutcomeKind
from supervisor_ai.domain.run.values import ApprovalReason
from supervisor_ai.domain.structs import replace
from supervisor_ai.drivers.moves.review_loops import find_review_loop
from supervisor_ai.drivers.moves.slot_moves import Effects, Result, SlotPart, decide_slot
from supervisor_ai.drivers.moves.state import Visit, WorkflowState
from supervisor_ai.drivers.moves.steps import (
    go_on,
    needs_sign_off,
    pass_step,
    perform,
    quarantine,
    question,
    rejected_by_person,
    send_back,
    stop,
)

_GONE: Final = frozenset({OutcomeKind.WORKER_FAILED, OutcomeKind.CIRCUIT_OPEN})
"""How the part of a role ends that cannot answer."""


def decide_crew(run: Run, state: WorkflowState, at: Step, visit: Visit) -> Decision:
    """Let all roles of a step work side by side; the step is over when all of them are."""
    if isinstance(state.news, e.ApprovalRefused):
        return rejected_by_person(state, at, state.news)
    found = [decide_slot(run, state, at, visit.slot(number)) for number in wanted_slots(state, at)]
    found = [_counted(at, each) for each in found]
    results = [each for each in found if isinstance(each, Result)]
    for result in results:
        if result.part is SlotPart.FAILED:
            return stop(at, visit, result.kind, result.reason)
    missing = _impossible(at, visit, found, results)
    if missing is not None:
        return _impossible_wait(run, state, at, missing)
    effects = [effect for each in found if not isinstance(each, Result) for effect in each]
    if effects:
        return perform(run, state, *_one_question(effects))
    if len(results) < len(found) or run.approval is not None:
        return Decision()
    return _conclude(run, state, at, visit, results)


def _counted(at: Step, each: Result | Effects) -> Result | Effects:
    """Where a number of roles has to agree, one that cannot answer is one less to count on."""
    if not isinstance(each, Result) or not _counts(at):
        return each
    is_gone = each.part is SlotPart.FAILED and each.kind in _GONE
    return replace(each, part=SlotPart.SKIPPED) if is_gone else each


def _counts(at: Step) -> bool:
    return bool(at.needed or at.approvers)


def wanted_slots(state: WorkflowState, at: Step) -> list[int]:
    """Number the roles that are needed for a change like this one; one never measured needs all."""
    numbered = list(enumerate(at.crew, start=1))
    wanted = at.approvers.get(state.complexity or Complexity.COMPLEX, at.crew)
    return [number for number, role in numbered if role in wanted]


def _one_question(effects: list[Effect]) -> Iterator[Effect]:
    """Let a person be asked one thing at a time."""
    is_asked = False
    for effect in effects:
        is_question = isinstance(effect, RequestApproval)
        if not (is_question and is_asked):
            yield effect
        is_asked = is_asked or is_question


def _impossible(
    at: Step, visit: Visit, found: list[Result | Effects], results: list[Result]
) -> str | None:
    """Say so where those who are left cannot be enough, however they decide."""
    if ApprovalReason.IMPOSSIBLE_WAIT in visit.approved or not _counts(at):
        return None
    gone = [result.reason for result in results if result.part is SlotPart.SKIPPED]
    needed = min(at.needed or len(found), len(found))
    left = len(found) - len(gone)
    if left >= needed:
        return None
    return (
        f"IMPOSSIBLE_WAIT: {needed} of the roles of step {at.name!r} have to agree, and only "
        f"{left} can be asked. {' '.join(dict.fromkeys(gone))}"
    )


def _impossible_wait(run: Run, state: WorkflowState, at: Step, missing: str) -> Decision:
    """Ask a person at once; but no sooner than nobody works on what the answer may end."""
    if run.open:
        return Decision()
    asked = question(state, at, ApprovalReason.IMPOSSIBLE_WAIT)
    return quarantine(run, state, at, missing, asked)


def _conclude(
    run: Run, state: WorkflowState, at: Step, visit: Visit, results: list[Result]
) -> Decision:
    """Say what the parts of a step come to together."""
    counted = [result for result in results if result.part is not SlotPart.SKIPPED]
    if not counted:
        return _skip(run, state, at, visit, results)
    passed = sum(result.part is SlotPart.PASSED for result in counted)
    if passed >= min(at.needed or len(counted), len(counted)) or _is_overruled(visit):
        return pass_step(run, state, at)
    back = tuple(result.feedback for result in counted if result.feedback is not None)
    loop = find_review_loop(state.record(at.name).rounds, state.definition.loops)
    if loop is not None:
        asked = question(state, at, ApprovalReason.REVIEW_LOOP, back[0].artifact)
        return quarantine(run, state, at, loop, asked)
    return send_back(state, at, at.on_reject, back, OutcomeKind.REJECTED)


def _is_overruled(visit: Visit) -> bool:
    """Tell whether a person has seen that reviewers go round in circles, and said yes."""
    return ApprovalReason.REVIEW_LOOP in visit.approved


def _skip(
    run: Run, state: WorkflowState, at: Step, visit: Visit, results: list[Result]
) -> Decision:
    """Go on without the step, once a person has agreed where one has to."""
    if needs_sign_off(state, at):
        return perform(run, state, question(state, at))
    reason = "; ".join(dict.fromkeys(result.reason for result in results))
    skipped = e.StepSkipped(step=at.name, visit=visit.number, reason=reason)
    return go_on(state, at, skipped)

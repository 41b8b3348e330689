"""What one role of a step does next, until it is clear what its part comes to."""

from enum import StrEnum
from typing import Final

from msgspec import Struct

from supervisor_ai.domain.run import events as e
from supervisor_ai.domain.run.answers import NO_WORK, Meaning
from supervisor_ai.domain.run.definition import Step
from supervisor_ai.domain.run.effects import Effect, RequestApproval, SetTimer
from supervisor_ai.domain.run.failures.loops import Loop, find_loop
from supervisor_ai.domain.run.failures.retries import Move, MoveKind
from supervisor_ai.domain.run.run import Run
from supervisor_ai.domain.run.status import FailureCategory, OutcomeKind
from supervisor_ai.domain.run.values import ApprovalReason, Feedback, FeedbackKind
from supervisor_ai.domain.structs import replace
from supervisor_ai.drivers.moves.attempts import (
    attempt,
    last_approach,
    told_approach,
    usual_approach,
)
from supervisor_ai.drivers.moves.setbacks import (
    BadNews,
    move_after,
    next_agent,
    rest_timer,
    simpler_level,
    timer_of,
)
from supervisor_ai.drivers.moves.slots import Approach, Slot
from supervisor_ai.drivers.moves.state import WorkflowState, current_visit

_TELLING: Final = frozenset({MoveKind.RETRY_WITH_FEEDBACK, MoveKind.DEGRADE})
"""After these the worker hears what was wrong; the other moves are no fault of its own."""


class SlotPart(StrEnum):
    """What a role's part in a step comes to."""

    PASSED = "passed"
    REJECTED = "rejected"
    SKIPPED = "skipped"
    FAILED = "failed"


class Result(Struct, frozen=True, kw_only=True):
    """What a role's part in a step came to, and why."""

    part: SlotPart
    reason: str = ""
    kind: OutcomeKind = OutcomeKind.WORKER_FAILED
    """How the run ends if it ends because of this."""
    feedback: Feedback | None = None


PASSED: Final = Result(part=SlotPart.PASSED)

Effects = tuple[Effect, ...]
WAITS: Final[Effects] = ()


def decide_slot(run: Run, state: WorkflowState, at: Step, slot: Slot) -> Result | Effects:
    """Say what one role does next; nothing while something of it is under way."""
    if _is_under_way(run, state, at, slot):
        return WAITS
    if slot.refusal is not None:
        return _follow_refusal(run, state, at, slot, slot.refusal)
    loop = _loop(state, at, slot)
    if loop is not None:
        return _failed(OutcomeKind.LOOP_DETECTED, loop.reason)
    match slot.news:
        case e.AttemptFailed(is_cut_off=True, reason=reason):
            return _failed(OutcomeKind.BUDGET_EXHAUSTED, reason)
        case e.AttemptFailed(category=FailureCategory.SETUP, reason=reason):
            return _failed(OutcomeKind.BLOCKED, reason)
        case e.AttemptFailed():
            return _follow_setback(run, state, at, slot, slot.news)
        case e.AttemptSucceeded():
            return _follow_answer(run, state, at, slot, slot.news)
        case e.ApprovalRefused():
            reason = f"Step {at.name!r} is blocked, and a person decided not to go on."
            return _failed(OutcomeKind.BLOCKED, reason)
        case _:
            return (attempt(run, state, at, slot, usual_approach(state, at, slot)),)


def _is_under_way(run: Run, state: WorkflowState, at: Step, slot: Slot) -> bool:
    place = (at.name, current_visit(state).number, slot.number)
    placed = (intent for intent in run.open.values() if not isinstance(intent, e.PermitRequested))
    return any((intent.step, intent.visit, intent.slot) == place for intent in placed)


def _loop(state: WorkflowState, at: Step, slot: Slot) -> Loop | None:
    """Tell whether the attempt that just succeeded came to where others had come before."""
    if not isinstance(slot.news, e.AttemptSucceeded) or slot.news.meaning in NO_WORK:
        return None
    return find_loop(state.record(at.name).trail, state.definition.loops)


def _follow_answer(
    run: Run, state: WorkflowState, at: Step, slot: Slot, news: e.AttemptSucceeded
) -> Result | Effects:
    match news.meaning:
        case Meaning.PASS:
            return PASSED
        case Meaning.REFINE | Meaning.FAIL:
            return _follow_setback(run, state, at, slot, news)
        case Meaning.REJECT:
            source = state.role(at.name, slot.number).name if len(at.crew) > 1 else at.name
            back = Feedback(kind=FeedbackKind.REVIEW, source=source, artifact=news.feedback)
            return Result(part=SlotPart.REJECTED, kind=OutcomeKind.REJECTED, feedback=back)
        case _:
            return _ask(run, state, at, slot, news)


def _follow_setback(
    run: Run, state: WorkflowState, at: Step, slot: Slot, news: BadNews
) -> Result | Effects:
    move, way = move_after(run, state, at, slot, news), last_approach(state, at, slot)
    is_told = move.kind in _TELLING
    way = told_approach(state, at, slot, way) if is_told else replace(way, is_told=False)
    match move.kind:
        case MoveKind.RETRY_SAME | MoveKind.RETRY_WITH_FEEDBACK | MoveKind.PARK:
            return _try_later(run, state, at, slot, move, way)
        case MoveKind.FAIL_OVER:
            following = next_agent(state.role(at.name, slot.number), slot) or way.cli
            return (attempt(run, state, at, slot, replace(way, cli=following)),)
        case MoveKind.DEGRADE:
            simpler = simpler_level(at, slot) or way.level
            return (attempt(run, state, at, slot, replace(way, level=simpler)),)
        case MoveKind.SKIP:
            return Result(part=SlotPart.SKIPPED, reason=_why(news))
        case MoveKind.ESCALATE:
            return _ask(run, state, at, slot, news)
        case _ if at.asks_at_last:
            return _ask(run, state, at, slot, news)
        case _:
            tries = f"Step {at.name!r} {_tries(slot.failures)}: {_why(news)}"
            return _failed(OutcomeKind.WORKER_FAILED, tries)


def _try_later(
    run: Run, state: WorkflowState, at: Step, slot: Slot, move: Move, way: Approach
) -> Effects:
    """Begin the next attempt, once the time for it has come."""
    timer = timer_of(move, at, current_visit(state), slot)
    if timer in run.timers:
        return WAITS
    if timer in run.fired or (move.until is None and not move.after):
        return (attempt(run, state, at, slot, way),)
    parks = move.kind is MoveKind.PARK
    return (SetTimer(timer=timer, after=move.after, at=move.until, parks=parks),)


def _follow_refusal(
    run: Run, state: WorkflowState, at: Step, slot: Slot, refusal: e.LaunchRefused
) -> Result | Effects:
    """Go on with another agent, or later, or not at all, where an attempt may not start."""
    way = usual_approach(state, at, slot)
    following = next_agent(state.role(at.name, slot.number), slot)
    if refusal.kind is OutcomeKind.CIRCUIT_OPEN and following is not None:
        return (attempt(run, state, at, slot, replace(way, cli=following)),)
    if refusal.kind is OutcomeKind.CIRCUIT_OPEN and state.role(at.name, slot.number).is_optional:
        return Result(part=SlotPart.SKIPPED, reason=refusal.reason)
    if refusal.until is None or not state.definition.parking.is_allowed:
        return _failed(refusal.kind, refusal.reason)
    timer = rest_timer(at, current_visit(state), slot)
    if timer in run.timers:
        return WAITS
    if timer in run.fired:
        return (attempt(run, state, at, slot, way),)
    return (SetTimer(timer=timer, at=refusal.until, parks=True),)


def _ask(run: Run, state: WorkflowState, at: Step, slot: Slot, news: BadNews) -> Effects:
    """Ask a person what a worker cannot solve by itself; one question at a time."""
    if run.approval is not None:
        return WAITS
    asked = RequestApproval(
        step=at.name,
        visit=current_visit(state).number,
        slot=slot.number,
        reason=ApprovalReason.BLOCKED,
        tree=state.head.tree,
        commit=state.head.commit,
        question=news.feedback,
    )
    return (asked,)


def _failed(kind: OutcomeKind, reason: str) -> Result:
    return Result(part=SlotPart.FAILED, kind=kind, reason=reason)


def _tries(failures: int) -> str:
    match failures:
        case 0:
            return "cannot go on"
        case 1:
            return "failed"
        case _:
            return f"failed {failures} times; the last time"


def _why(news: BadNews) -> str:
    return news.reason if isinstance(news, e.AttemptFailed) else f"The worker answered {news.said}."

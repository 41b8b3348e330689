"""Leaving a node for the next one, as the table of the loop's ways says."""

from supervisor_ai.domain.ids import ArtifactHash, StepName
from supervisor_ai.domain.run import events as e
from supervisor_ai.domain.run.run import Decision
from supervisor_ai.domain.run.values import Feedback
from supervisor_ai.domain.structs import replace
from supervisor_ai.drivers.loop.events import SetbackSource, TaskSetBack
from supervisor_ai.drivers.loop.kinds import LoopNode, PlannerAction
from supervisor_ai.drivers.loop.routes import (
    LoopPhase,
    NodeOutcome,
    Signs,
    Word,
    after_detour,
    way_on,
)
from supervisor_ai.drivers.loop.state import LoopState, evolve
from supervisor_ai.drivers.moves.state import Visit
from supervisor_ai.drivers.moves.steps import enter, then

Facts = tuple[e.RunEvent, ...]


def signs_of(state: LoopState) -> Signs:
    """Say what decides about the way now."""
    book = state.book
    return Signs(
        phase=book.phase,
        is_supervision_due=bool(book.roster.due(book.supervisor_urgency)),
        is_review_due=book.tasks_since_last_review >= state.rules.review_interval,
    )


def leave(state: LoopState, visit: Visit, word: Word, facts: Facts = ()) -> Decision:
    """Leave a node that came out well."""
    passed = e.StepPassed(step=visit.step, visit=visit.number)
    return depart(state, word, (*facts, passed))


def depart(
    state: LoopState, word: Word, facts: Facts, feedback: tuple[Feedback, ...] = ()
) -> Decision:
    """Record how a node was left, and go where the table says."""
    after = state
    for fact in facts:
        after = evolve(after, fact)
    target = within_limits(after, way_on(state.node, word, signs_of(after)))
    return then_all(facts, enter(after.flow, StepName(target), feedback))


def go_on_after_supervisors(state: LoopState, visit: Visit) -> Decision:
    """Go where the loop would have gone if no supervisor had been due."""
    passed = e.StepPassed(step=visit.step, visit=visit.number)
    after = evolve(state, passed)
    target = within_limits(after, after_detour(state.before, left_with(state), signs_of(after)))
    return then(passed, enter(after.flow, StepName(target), ()))


def left_with(state: LoopState) -> Word:
    """Say how the node came out from which the supervisors were called."""
    match state.before:
        case LoopNode.TASK_PLANNER:
            return PlannerAction.MILESTONE_DONE
        case LoopNode.ASSESSOR:
            return state.book.last_verdict or NodeOutcome.MARKED
        case _:
            return NodeOutcome.MARKED


def within_limits(state: LoopState, target: LoopNode) -> LoopNode:
    """Begin no task that the loop may not begin any more."""
    book, rules = state.book, state.rules
    is_new = target is LoopNode.TASK_PLANNER and book.current is None
    is_worn_out = book.tasks + book.claims >= rules.max_tasks
    if is_new and is_worn_out and book.phase is LoopPhase.WORK:
        return LoopNode.REPORT
    return target


def set_back(
    state: LoopState, visit: Visit, found_by: SetbackSource, feedback: ArtifactHash
) -> Decision:
    """Let the planner think again about a task that is not done, or give it up."""
    task = state.book.task
    fact = TaskSetBack(
        step=visit.step,
        visit=visit.number,
        task=task.number,
        found_by=found_by,
        feedback=feedback,
    )
    is_last = task.failures + 1 >= state.rules.max_attempts
    word = NodeOutcome.TOO_OFTEN if is_last else NodeOutcome.FAILED
    reason = f"Task {task.number} is not done yet."
    failed = e.StepFailed(step=visit.step, visit=visit.number, reason=reason)
    return depart(state, word, (fact, failed))


def give_up_polish(state: LoopState, visit: Visit, reason: str) -> Decision:
    """End with what is done: nobody loses a complete remit because cleanup did not go well."""
    failed = e.StepFailed(step=visit.step, visit=visit.number, reason=reason)
    return then(failed, enter(state.flow, StepName(LoopNode.REPORT), ()))


def then_all(facts: Facts, decision: Decision) -> Decision:
    """Put facts before what follows from them."""
    return replace(decision, events=(*facts, *decision.events))

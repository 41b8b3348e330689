"""Leaving a node for the next one, as the table of the loop's ways says."""

from typing import Final

from supervisor_ai.domain.ids import ArtifactHash, StepName
from supervisor_ai.domain.run import events as e
from supervisor_ai.domain.run.run import Decision
from supervisor_ai.domain.run.values import Feedback
from supervisor_ai.domain.structs import replace
from supervisor_ai.drivers.loop.decisions.outcomes import (
    after_supervisors,
    next_node,
    setback_word,
)
from supervisor_ai.drivers.loop.events import SetbackSource, TaskSetBack
from supervisor_ai.drivers.loop.kinds import AssessmentVerdict, LoopNode
from supervisor_ai.drivers.loop.routes import NodeOutcome, Word
from supervisor_ai.drivers.loop.state import LoopState, evolve
from supervisor_ai.drivers.moves.state import Visit
from supervisor_ai.drivers.moves.steps import enter, then

_NEXT: Final = AssessmentVerdict.MILESTONE_COMPLETE
_REACHED: Final = frozenset({_NEXT, NodeOutcome.ALL_COMPLETE})
"""How the assessor says that a milestone is reached."""
Facts = tuple[e.RunEvent, ...]


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
    target = next_node(state.node, word, after.book, state.rules)
    checks = after.rules.milestone_steps if word in _REACHED else ()
    entered = checks[0] if checks else StepName(target)
    return then_all(facts, enter(after.flow, entered, feedback))


def go_on_after_milestone(state: LoopState, decision: Decision) -> Decision:
    """Go where the milestone leads, once others have said what they have to say about it."""
    *facts, last = decision.events
    planner = StepName(LoopNode.TASK_PLANNER)
    if not isinstance(last, e.StepEntered) or last.step != planner or last.feedback:
        return decision
    after = state
    for fact in facts:
        after = evolve(after, fact)
    word = NodeOutcome.ALL_COMPLETE if after.book.is_complete else _NEXT
    target = next_node(LoopNode.ASSESSOR, word, after.book, state.rules)
    return then_all(tuple(facts), enter(after.flow, StepName(target), ()))


def go_on_after_supervisors(state: LoopState, visit: Visit) -> Decision:
    """Go where the loop would have gone if no supervisor had been due."""
    passed = e.StepPassed(step=visit.step, visit=visit.number)
    after = evolve(state, passed)
    target = after_supervisors(state.before, after.book, state.rules)
    return then(passed, enter(after.flow, StepName(target), ()))


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
    reason = f"Task {task.number} is not done yet."
    failed = e.StepFailed(step=visit.step, visit=visit.number, reason=reason)
    return depart(state, setback_word(task, state.rules), (fact, failed))


def give_up_polish(state: LoopState, visit: Visit, reason: str) -> Decision:
    """End with what is done: nobody loses a complete remit because cleanup did not go well."""
    failed = e.StepFailed(step=visit.step, visit=visit.number, reason=reason)
    return then(failed, enter(state.flow, StepName(LoopNode.REPORT), ()))


def then_all(facts: Facts, decision: Decision) -> Decision:
    """Put facts before what follows from them."""
    return replace(decision, events=(*facts, *decision.events))

"""The nodes at which a role is asked: scope agent, planner, implementor, QA, assessor."""

from typing import Final

from supervisor_ai.domain.errors import InternalError
from supervisor_ai.domain.ids import ArtifactHash
from supervisor_ai.domain.run import events as e
from supervisor_ai.domain.run.definition import Step
from supervisor_ai.domain.run.effects import Effect, RunWorker
from supervisor_ai.domain.run.run import Decision, Run
from supervisor_ai.domain.run.status import OutcomeKind
from supervisor_ai.domain.structs import replace
from supervisor_ai.drivers.loop import events as k
from supervisor_ai.drivers.loop.decisions.aides import decide_research
from supervisor_ai.drivers.loop.decisions.outcomes import assessment_word
from supervisor_ai.drivers.loop.decisions.ways import give_up_polish, leave, set_back
from supervisor_ai.drivers.loop.effects import for_loop
from supervisor_ai.drivers.loop.kinds import (
    AssessmentVerdict,
    LoopNode,
    PlannerAction,
    QaVerdict,
    WorkStatus,
)
from supervisor_ai.drivers.loop.routes import LoopPhase, NodeOutcome
from supervisor_ai.drivers.loop.state import LoopState
from supervisor_ai.drivers.moves.slot_moves import Result, SlotPart, decide_slot
from supervisor_ai.drivers.moves.slots import Slot
from supervisor_ai.drivers.moves.state import Visit
from supervisor_ai.drivers.moves.steps import go_on, perform, stop

_OF_THE_TASK: Final = frozenset({OutcomeKind.WORKER_FAILED, OutcomeKind.LOOP_DETECTED})
"""How an implementor fails where another plan may help."""
_UNDONE: Final = frozenset({WorkStatus.FAILED, WorkStatus.BLOCKED})


def decide_role(run: Run, state: LoopState, at: Step, visit: Visit) -> Decision:
    """Let the role of a node answer, and follow its answer."""
    slot = visit.slot(1)
    found = decide_slot(run, state.flow, at, slot)
    if not isinstance(found, Result):
        return perform(run, state.flow, *(_told(state, it) for it in found))
    if found.part is SlotPart.PASSED and state.book.research.questions:
        return decide_research(run, state, at, visit)
    if found.part is SlotPart.PASSED and state.book.research.is_spent:
        # A plan would have settled it: what passed was a question.
        return leave(state, visit, NodeOutcome.RESEARCHED)
    if found.part in {SlotPart.PASSED, SlotPart.REJECTED}:
        return _follow(state, at, visit, answer_of(slot))
    if state.node is LoopNode.IMPLEMENTOR and found.kind in _OF_THE_TASK:
        return set_back(state, visit, k.SetbackSource.WORKER, said_last(slot))
    if state.book.phase is LoopPhase.POLISH:
        return give_up_polish(state, visit, found.reason)
    return stop(at, visit, found.kind, found.reason)


def _told(state: LoopState, effect: Effect) -> Effect:
    """Tell a role what the book says, and nothing of what others answered."""
    if not isinstance(effect, RunWorker):
        return effect
    heard = {effect.step, *state.rules.milestone_steps}
    feedback = tuple(it for it in effect.feedback if it.source in heard)
    known = replace(effect.knowledge, since=state.since)
    bare = replace(effect, context=(), plans=(), feedback=feedback, knowledge=known)
    bare = replace(bare, hears_directives=False)
    return for_loop(bare, state.book, state.kept.commit)


def answer_of(slot: Slot) -> e.AttemptSucceeded:
    """Return what was answered."""
    if isinstance(slot.news, e.AttemptSucceeded):
        return slot.news
    raise InternalError("A role of the loop passed without an answer.")


def said_last(slot: Slot) -> ArtifactHash:
    """Return what is known of the last attempt, in words."""
    if isinstance(slot.news, e.AttemptSucceeded | e.AttemptFailed):
        return slot.news.feedback
    raise InternalError("A role of the loop failed without an attempt.")


def _follow(state: LoopState, at: Step, visit: Visit, answer: e.AttemptSucceeded) -> Decision:
    match state.node:
        case LoopNode.SCOPE_AGENT:
            return leave(state, visit, NodeOutcome.SCOPED)
        case LoopNode.TASK_PLANNER:
            return leave(state, visit, PlannerAction(answer.said))
        case LoopNode.IMPLEMENTOR:
            return _follow_work(state, at, visit, answer)
        case LoopNode.QA if answer.said == QaVerdict.PASS:
            return leave(state, visit, NodeOutcome.PASSED)
        case LoopNode.QA:
            return set_back(state, visit, k.SetbackSource.QA, state.book.task.qa or answer.feedback)
        case _:
            verdict = AssessmentVerdict(answer.said)
            return leave(state, visit, assessment_word(state.book, verdict))


def _follow_work(state: LoopState, at: Step, visit: Visit, answer: e.AttemptSucceeded) -> Decision:
    """Let gates and QA look at the work, unless it is plain that it is not done."""
    problem = state.taken.problem if isinstance(state.taken, k.WorkTaken) else None
    if problem is not None:
        return set_back(state, visit, k.SetbackSource.FILES, problem)
    if answer.said in _UNDONE:
        return set_back(state, visit, k.SetbackSource.WORKER, answer.feedback)
    passed = e.StepPassed(step=visit.step, visit=visit.number)
    return go_on(state.flow, at, passed)

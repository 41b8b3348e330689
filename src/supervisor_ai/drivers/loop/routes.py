"""Where the loop goes next: the table of its ways, and the detour to the supervisors."""

from enum import StrEnum
from typing import Final

from msgspec import Struct

from supervisor_ai.domain.errors import InternalError
from supervisor_ai.drivers.loop.kinds import AssessmentVerdict, LoopNode, PlannerAction


class NodeOutcome(StrEnum):
    """How a visit to a node came out, where no answer has its own word for it."""

    SCOPED = "scoped"
    RESEARCHED = "researched"
    BUILT = "built"
    PASSED = "passed"
    FAILED = "failed"
    TOO_OFTEN = "failed too often"
    MARKED = "marked"
    LOOKED = "looked"
    ALL_COMPLETE = "all complete"
    LEFT = "cleanup left"
    EMPTY = "nothing left"


Word = NodeOutcome | PlannerAction | AssessmentVerdict


class LoopPhase(StrEnum):
    """What the loop is at."""

    WORK = "work"
    POLISH = "polish"


ROUTES: Final[dict[tuple[LoopNode, Word], LoopNode]] = {
    (LoopNode.SCOPE_AGENT, NodeOutcome.SCOPED): LoopNode.TASK_PLANNER,
    (LoopNode.SCOPE_AGENT, NodeOutcome.RESEARCHED): LoopNode.SCOPE_AGENT,
    (LoopNode.TASK_PLANNER, NodeOutcome.RESEARCHED): LoopNode.TASK_PLANNER,
    (LoopNode.TASK_PLANNER, PlannerAction.IMPLEMENT): LoopNode.IMPLEMENTOR,
    (LoopNode.TASK_PLANNER, PlannerAction.SKIP): LoopNode.MARK_COMPLETE,
    (LoopNode.TASK_PLANNER, PlannerAction.ABORT): LoopNode.MARK_FAILED,
    (LoopNode.TASK_PLANNER, PlannerAction.MILESTONE_DONE): LoopNode.ASSESSOR,
    (LoopNode.IMPLEMENTOR, NodeOutcome.BUILT): LoopNode.QA,
    (LoopNode.IMPLEMENTOR, NodeOutcome.FAILED): LoopNode.TASK_PLANNER,
    (LoopNode.IMPLEMENTOR, NodeOutcome.TOO_OFTEN): LoopNode.MARK_FAILED,
    (LoopNode.QA, NodeOutcome.PASSED): LoopNode.MARK_COMPLETE,
    (LoopNode.QA, NodeOutcome.FAILED): LoopNode.TASK_PLANNER,
    (LoopNode.QA, NodeOutcome.TOO_OFTEN): LoopNode.MARK_FAILED,
    (LoopNode.MARK_COMPLETE, NodeOutcome.MARKED): LoopNode.TASK_PLANNER,
    (LoopNode.MARK_COMPLETE, NodeOutcome.FAILED): LoopNode.TASK_PLANNER,
    (LoopNode.MARK_COMPLETE, NodeOutcome.TOO_OFTEN): LoopNode.MARK_FAILED,
    (LoopNode.MARK_FAILED, NodeOutcome.MARKED): LoopNode.ASSESSOR,
    (LoopNode.ASSESSOR, AssessmentVerdict.ALIGNED): LoopNode.TASK_PLANNER,
    (LoopNode.ASSESSOR, AssessmentVerdict.MINOR_DRIFT): LoopNode.TASK_PLANNER,
    (LoopNode.ASSESSOR, AssessmentVerdict.MAJOR_DIVERGENCE): LoopNode.SCOPE_AGENT,
    (LoopNode.ASSESSOR, AssessmentVerdict.MILESTONE_COMPLETE): LoopNode.TASK_PLANNER,
    (LoopNode.ASSESSOR, NodeOutcome.ALL_COMPLETE): LoopNode.POLISH,
    (LoopNode.POLISH, NodeOutcome.LEFT): LoopNode.TASK_PLANNER,
    (LoopNode.POLISH, NodeOutcome.EMPTY): LoopNode.REPORT,
}
"""From a node, by how the visit came out."""

POLISH_ROUTES: Final[dict[tuple[LoopNode, Word], LoopNode]] = {
    (LoopNode.TASK_PLANNER, PlannerAction.MILESTONE_DONE): LoopNode.REPORT,
    (LoopNode.MARK_COMPLETE, NodeOutcome.MARKED): LoopNode.POLISH,
    (LoopNode.MARK_FAILED, NodeOutcome.MARKED): LoopNode.POLISH,
}
"""What is otherwise once the remit is complete: nobody assesses, and no supervisor looks."""

DETOURS: Final[frozenset[tuple[LoopNode, Word]]] = frozenset(
    {
        (LoopNode.MARK_COMPLETE, NodeOutcome.MARKED),
        (LoopNode.MARK_FAILED, NodeOutcome.MARKED),
        (LoopNode.TASK_PLANNER, PlannerAction.MILESTONE_DONE),
        (LoopNode.ASSESSOR, AssessmentVerdict.MAJOR_DIVERGENCE),
        (LoopNode.ASSESSOR, AssessmentVerdict.MILESTONE_COMPLETE),
        (LoopNode.ASSESSOR, NodeOutcome.ALL_COMPLETE),
    }
)
"""Where supervisors look first if one of them is due, so that whoever comes next can read it."""


class Signs(Struct, frozen=True, kw_only=True):
    """What decides about the way besides how a visit came out."""

    phase: LoopPhase = LoopPhase.WORK
    is_supervision_due: bool = False
    is_review_due: bool = False


def way_on(node: LoopNode, word: Word, signs: Signs) -> LoopNode:
    """Name the node that comes next."""
    if (node, word) in DETOURS and signs.is_supervision_due and signs.phase is LoopPhase.WORK:
        return LoopNode.RUN_SUPERVISORS
    return after_detour(node, word, signs)


def after_detour(node: LoopNode, word: Word, signs: Signs) -> LoopNode:
    """Name the node that comes once the supervisors have looked, or need not."""
    if signs.phase is LoopPhase.POLISH and (node, word) in POLISH_ROUTES:
        return POLISH_ROUTES[node, word]
    if (node, word) == (LoopNode.MARK_COMPLETE, NodeOutcome.MARKED) and signs.is_review_due:
        return LoopNode.ASSESSOR
    found = ROUTES.get((node, word))
    if found is None:
        raise InternalError(f"The loop has no way on from {node.value!r} after {word.value!r}.")
    return found

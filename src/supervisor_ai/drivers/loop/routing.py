"""Where the loop goes next: the table of its ways, and the detour to the supervisors."""

from enum import StrEnum
from typing import Final

from msgspec import Struct

from supervisor_ai.domain.errors import InternalError
from supervisor_ai.drivers.loop.kinds import AssessmentVerdict, Node, PlannerAction


class NodeOutcome(StrEnum):
    """How a visit to a node came out, where no answer has its own word for it."""

    SCOPED = "scoped"
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


ROUTES: Final[dict[tuple[Node, Word], Node]] = {
    (Node.SCOPE_AGENT, NodeOutcome.SCOPED): Node.TASK_PLANNER,
    (Node.TASK_PLANNER, PlannerAction.IMPLEMENT): Node.IMPLEMENTOR,
    (Node.TASK_PLANNER, PlannerAction.SKIP): Node.MARK_COMPLETE,
    (Node.TASK_PLANNER, PlannerAction.ABORT): Node.MARK_FAILED,
    (Node.TASK_PLANNER, PlannerAction.MILESTONE_DONE): Node.ASSESSOR,
    (Node.IMPLEMENTOR, NodeOutcome.BUILT): Node.QA,
    (Node.IMPLEMENTOR, NodeOutcome.FAILED): Node.TASK_PLANNER,
    (Node.IMPLEMENTOR, NodeOutcome.TOO_OFTEN): Node.MARK_FAILED,
    (Node.QA, NodeOutcome.PASSED): Node.MARK_COMPLETE,
    (Node.QA, NodeOutcome.FAILED): Node.TASK_PLANNER,
    (Node.QA, NodeOutcome.TOO_OFTEN): Node.MARK_FAILED,
    (Node.MARK_COMPLETE, NodeOutcome.MARKED): Node.TASK_PLANNER,
    (Node.MARK_COMPLETE, NodeOutcome.FAILED): Node.TASK_PLANNER,
    (Node.MARK_COMPLETE, NodeOutcome.TOO_OFTEN): Node.MARK_FAILED,
    (Node.MARK_FAILED, NodeOutcome.MARKED): Node.ASSESSOR,
    (Node.ASSESSOR, AssessmentVerdict.ALIGNED): Node.TASK_PLANNER,
    (Node.ASSESSOR, AssessmentVerdict.MINOR_DRIFT): Node.TASK_PLANNER,
    (Node.ASSESSOR, AssessmentVerdict.MAJOR_DIVERGENCE): Node.SCOPE_AGENT,
    (Node.ASSESSOR, AssessmentVerdict.MILESTONE_COMPLETE): Node.TASK_PLANNER,
    (Node.ASSESSOR, NodeOutcome.ALL_COMPLETE): Node.POLISH,
    (Node.POLISH, NodeOutcome.LEFT): Node.TASK_PLANNER,
    (Node.POLISH, NodeOutcome.EMPTY): Node.REPORT,
}
"""From a node, by how the visit came out."""

POLISH_ROUTES: Final[dict[tuple[Node, Word], Node]] = {
    (Node.TASK_PLANNER, PlannerAction.MILESTONE_DONE): Node.REPORT,
    (Node.MARK_COMPLETE, NodeOutcome.MARKED): Node.POLISH,
    (Node.MARK_FAILED, NodeOutcome.MARKED): Node.POLISH,
}
"""What is otherwise once the remit is complete: nobody assesses, and no supervisor looks."""

DETOURS: Final[frozenset[tuple[Node, Word]]] = frozenset(
    {
        (Node.MARK_COMPLETE, NodeOutcome.MARKED),
        (Node.MARK_FAILED, NodeOutcome.MARKED),
        (Node.TASK_PLANNER, PlannerAction.MILESTONE_DONE),
        (Node.ASSESSOR, AssessmentVerdict.MAJOR_DIVERGENCE),
    }
)
"""Where supervisors look first if one of them is due, so that whoever comes next can read it."""


class Signs(Struct, frozen=True, kw_only=True):
    """What decides about the way besides how a visit came out."""

    phase: LoopPhase = LoopPhase.WORK
    is_supervision_due: bool = False
    is_review_due: bool = False


def way_on(node: Node, word: Word, signs: Signs) -> Node:
    """Name the node that comes next."""
    if (node, word) in DETOURS and signs.is_supervision_due and signs.phase is LoopPhase.WORK:
        return Node.RUN_SUPERVISORS
    return after_detour(node, word, signs)


def after_detour(node: Node, word: Word, signs: Signs) -> Node:
    """Name the node that comes once the supervisors have looked, or need not."""
    if signs.phase is LoopPhase.POLISH and (node, word) in POLISH_ROUTES:
        return POLISH_ROUTES[node, word]
    if (node, word) == (Node.MARK_COMPLETE, NodeOutcome.MARKED) and signs.is_review_due:
        return Node.ASSESSOR
    found = ROUTES.get((node, word))
    if found is None:
        raise InternalError(f"The loop has no way on from {node.value!r} after {word.value!r}.")
    return found

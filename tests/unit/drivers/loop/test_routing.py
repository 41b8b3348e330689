"""The seed's routing table, row by row."""

import pytest

from supervisor_ai.domain.errors import InternalError
from supervisor_ai.drivers.loop.kinds import AssessmentVerdict, Node, PlannerAction
from supervisor_ai.drivers.loop.routing import (
    DETOURS,
    POLISH_ROUTES,
    ROUTES,
    LoopPhase,
    NodeOutcome,
    Signs,
    Word,
    after_detour,
    way_on,
)

CALM = Signs()
DUE = Signs(is_supervision_due=True)
REVIEW = Signs(is_review_due=True)
BOTH = Signs(is_supervision_due=True, is_review_due=True)
POLISH = Signs(phase=LoopPhase.POLISH)
POLISH_DUE = Signs(phase=LoopPhase.POLISH, is_supervision_due=True, is_review_due=True)

ROWS: list[tuple[Node, Word, Signs, Node]] = [
    # ScopeAgent -> TaskPlanner
    (Node.SCOPE_AGENT, NodeOutcome.SCOPED, CALM, Node.TASK_PLANNER),
    # TaskPlanner: plan, skip, abort, milestone done
    (Node.TASK_PLANNER, PlannerAction.IMPLEMENT, CALM, Node.IMPLEMENTOR),
    (Node.TASK_PLANNER, PlannerAction.IMPLEMENT, BOTH, Node.IMPLEMENTOR),
    (Node.TASK_PLANNER, PlannerAction.SKIP, CALM, Node.MARK_COMPLETE),
    (Node.TASK_PLANNER, PlannerAction.SKIP, BOTH, Node.MARK_COMPLETE),
    (Node.TASK_PLANNER, PlannerAction.ABORT, CALM, Node.MARK_FAILED),
    (Node.TASK_PLANNER, PlannerAction.MILESTONE_DONE, CALM, Node.ASSESSOR),
    (Node.TASK_PLANNER, PlannerAction.MILESTONE_DONE, DUE, Node.RUN_SUPERVISORS),
    # Implementor -> QA; what is plainly not done goes back at once
    (Node.IMPLEMENTOR, NodeOutcome.BUILT, CALM, Node.QA),
    (Node.IMPLEMENTOR, NodeOutcome.FAILED, CALM, Node.TASK_PLANNER),
    (Node.IMPLEMENTOR, NodeOutcome.TOO_OFTEN, CALM, Node.MARK_FAILED),
    # QA: pass, fail, max retries
    (Node.QA, NodeOutcome.PASSED, CALM, Node.MARK_COMPLETE),
    (Node.QA, NodeOutcome.FAILED, CALM, Node.TASK_PLANNER),
    (Node.QA, NodeOutcome.FAILED, BOTH, Node.TASK_PLANNER),
    (Node.QA, NodeOutcome.TOO_OFTEN, CALM, Node.MARK_FAILED),
    # MarkComplete: supervisor trigger, review trigger, continue; both: supervisors first
    (Node.MARK_COMPLETE, NodeOutcome.MARKED, CALM, Node.TASK_PLANNER),
    (Node.MARK_COMPLETE, NodeOutcome.MARKED, DUE, Node.RUN_SUPERVISORS),
    (Node.MARK_COMPLETE, NodeOutcome.MARKED, REVIEW, Node.ASSESSOR),
    (Node.MARK_COMPLETE, NodeOutcome.MARKED, BOTH, Node.RUN_SUPERVISORS),
    # a person does not let the change land
    (Node.MARK_COMPLETE, NodeOutcome.FAILED, BOTH, Node.TASK_PLANNER),
    (Node.MARK_COMPLETE, NodeOutcome.TOO_OFTEN, BOTH, Node.MARK_FAILED),
    # MarkFailed -> Assessor, through the supervisors when one is due
    (Node.MARK_FAILED, NodeOutcome.MARKED, CALM, Node.ASSESSOR),
    (Node.MARK_FAILED, NodeOutcome.MARKED, DUE, Node.RUN_SUPERVISORS),
    # Assessor: aligned, minor drift, major divergence, milestone complete, all done
    (Node.ASSESSOR, AssessmentVerdict.ALIGNED, CALM, Node.TASK_PLANNER),
    (Node.ASSESSOR, AssessmentVerdict.ALIGNED, DUE, Node.TASK_PLANNER),
    (Node.ASSESSOR, AssessmentVerdict.MINOR_DRIFT, DUE, Node.TASK_PLANNER),
    (Node.ASSESSOR, AssessmentVerdict.MAJOR_DIVERGENCE, CALM, Node.SCOPE_AGENT),
    (Node.ASSESSOR, AssessmentVerdict.MAJOR_DIVERGENCE, DUE, Node.RUN_SUPERVISORS),
    (Node.ASSESSOR, AssessmentVerdict.MILESTONE_COMPLETE, DUE, Node.TASK_PLANNER),
    (Node.ASSESSOR, NodeOutcome.ALL_COMPLETE, DUE, Node.POLISH),
    # Polish phase -> Report, without any new look of a supervisor
    (Node.POLISH, NodeOutcome.LEFT, POLISH, Node.TASK_PLANNER),
    (Node.POLISH, NodeOutcome.EMPTY, POLISH, Node.REPORT),
    (Node.MARK_COMPLETE, NodeOutcome.MARKED, POLISH_DUE, Node.POLISH),
    (Node.MARK_FAILED, NodeOutcome.MARKED, POLISH_DUE, Node.POLISH),
    (Node.TASK_PLANNER, PlannerAction.MILESTONE_DONE, POLISH_DUE, Node.REPORT),
    (Node.TASK_PLANNER, PlannerAction.IMPLEMENT, POLISH_DUE, Node.IMPLEMENTOR),
    (Node.QA, NodeOutcome.FAILED, POLISH_DUE, Node.TASK_PLANNER),
]


@pytest.mark.parametrize(("node", "word", "signs", "following"), ROWS)
def test_a_row_of_the_table(node: Node, word: Word, signs: Signs, following: Node) -> None:
    assert way_on(node, word, signs) is following


def test_every_way_of_the_table_is_a_row_here() -> None:
    assert {(node, word) for node, word, _, _ in ROWS} == set(ROUTES)


@pytest.mark.parametrize(
    ("node", "word", "signs", "following"),
    [
        (Node.MARK_COMPLETE, NodeOutcome.MARKED, DUE, Node.TASK_PLANNER),
        (Node.MARK_COMPLETE, NodeOutcome.MARKED, BOTH, Node.ASSESSOR),
        (Node.MARK_FAILED, NodeOutcome.MARKED, BOTH, Node.ASSESSOR),
        (Node.TASK_PLANNER, PlannerAction.MILESTONE_DONE, DUE, Node.ASSESSOR),
        (Node.ASSESSOR, AssessmentVerdict.MAJOR_DIVERGENCE, DUE, Node.SCOPE_AGENT),
    ],
)
def test_after_the_supervisors_the_loop_goes_where_it_would_have_gone(
    node: Node, word: Word, signs: Signs, following: Node
) -> None:
    assert after_detour(node, word, signs) is following


def test_detours_and_ways_of_polish_are_ways_of_the_table() -> None:
    assert set(DETOURS) <= set(ROUTES)
    assert set(POLISH_ROUTES) <= set(ROUTES)


def test_what_the_table_does_not_list_is_refused() -> None:
    with pytest.raises(InternalError, match="no way on from 'report'"):
        way_on(Node.REPORT, NodeOutcome.MARKED, CALM)

"""The seed's routing table, row by row."""

import pytest

from supervisor_ai.domain.errors import InternalError
from supervisor_ai.drivers.loop.kinds import AssessmentVerdict, LoopNode, PlannerAction
from supervisor_ai.drivers.loop.routes import (
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

ROWS: list[tuple[LoopNode, Word, Signs, LoopNode]] = [
    # ScopeAgent -> TaskPlanner
    (LoopNode.SCOPE_AGENT, NodeOutcome.SCOPED, CALM, LoopNode.TASK_PLANNER),
    # questions that were asked first are answered: the same node again
    (LoopNode.SCOPE_AGENT, NodeOutcome.RESEARCHED, CALM, LoopNode.SCOPE_AGENT),
    (LoopNode.TASK_PLANNER, NodeOutcome.RESEARCHED, BOTH, LoopNode.TASK_PLANNER),
    # TaskPlanner: plan, skip, abort, milestone done
    (LoopNode.TASK_PLANNER, PlannerAction.IMPLEMENT, CALM, LoopNode.IMPLEMENTOR),
    (LoopNode.TASK_PLANNER, PlannerAction.IMPLEMENT, BOTH, LoopNode.IMPLEMENTOR),
    (LoopNode.TASK_PLANNER, PlannerAction.SKIP, CALM, LoopNode.MARK_COMPLETE),
    (LoopNode.TASK_PLANNER, PlannerAction.SKIP, BOTH, LoopNode.MARK_COMPLETE),
    (LoopNode.TASK_PLANNER, PlannerAction.ABORT, CALM, LoopNode.MARK_FAILED),
    (LoopNode.TASK_PLANNER, PlannerAction.MILESTONE_DONE, CALM, LoopNode.ASSESSOR),
    (LoopNode.TASK_PLANNER, PlannerAction.MILESTONE_DONE, DUE, LoopNode.RUN_SUPERVISORS),
    # Implementor -> QA; what is plainly not done goes back at once
    (LoopNode.IMPLEMENTOR, NodeOutcome.BUILT, CALM, LoopNode.QA),
    (LoopNode.IMPLEMENTOR, NodeOutcome.FAILED, CALM, LoopNode.TASK_PLANNER),
    (LoopNode.IMPLEMENTOR, NodeOutcome.TOO_OFTEN, CALM, LoopNode.MARK_FAILED),
    # QA: pass, fail, max retries
    (LoopNode.QA, NodeOutcome.PASSED, CALM, LoopNode.MARK_COMPLETE),
    (LoopNode.QA, NodeOutcome.FAILED, CALM, LoopNode.TASK_PLANNER),
    (LoopNode.QA, NodeOutcome.FAILED, BOTH, LoopNode.TASK_PLANNER),
    (LoopNode.QA, NodeOutcome.TOO_OFTEN, CALM, LoopNode.MARK_FAILED),
    # MarkComplete: supervisor trigger, review trigger, continue; both: supervisors first
    (LoopNode.MARK_COMPLETE, NodeOutcome.MARKED, CALM, LoopNode.TASK_PLANNER),
    (LoopNode.MARK_COMPLETE, NodeOutcome.MARKED, DUE, LoopNode.RUN_SUPERVISORS),
    (LoopNode.MARK_COMPLETE, NodeOutcome.MARKED, REVIEW, LoopNode.ASSESSOR),
    (LoopNode.MARK_COMPLETE, NodeOutcome.MARKED, BOTH, LoopNode.RUN_SUPERVISORS),
    # a person does not let the change land
    (LoopNode.MARK_COMPLETE, NodeOutcome.FAILED, BOTH, LoopNode.TASK_PLANNER),
    (LoopNode.MARK_COMPLETE, NodeOutcome.TOO_OFTEN, BOTH, LoopNode.MARK_FAILED),
    # MarkFailed -> Assessor, through the supervisors when one is due
    (LoopNode.MARK_FAILED, NodeOutcome.MARKED, CALM, LoopNode.ASSESSOR),
    (LoopNode.MARK_FAILED, NodeOutcome.MARKED, DUE, LoopNode.RUN_SUPERVISORS),
    # Assessor: aligned, minor drift, major divergence, milestone complete, all done
    (LoopNode.ASSESSOR, AssessmentVerdict.ALIGNED, CALM, LoopNode.TASK_PLANNER),
    (LoopNode.ASSESSOR, AssessmentVerdict.ALIGNED, DUE, LoopNode.TASK_PLANNER),
    (LoopNode.ASSESSOR, AssessmentVerdict.MINOR_DRIFT, DUE, LoopNode.TASK_PLANNER),
    (LoopNode.ASSESSOR, AssessmentVerdict.MAJOR_DIVERGENCE, CALM, LoopNode.SCOPE_AGENT),
    (LoopNode.ASSESSOR, AssessmentVerdict.MAJOR_DIVERGENCE, DUE, LoopNode.RUN_SUPERVISORS),
    (LoopNode.ASSESSOR, AssessmentVerdict.MILESTONE_COMPLETE, CALM, LoopNode.TASK_PLANNER),
    (LoopNode.ASSESSOR, AssessmentVerdict.MILESTONE_COMPLETE, DUE, LoopNode.RUN_SUPERVISORS),
    (LoopNode.ASSESSOR, NodeOutcome.ALL_COMPLETE, CALM, LoopNode.POLISH),
    (LoopNode.ASSESSOR, NodeOutcome.ALL_COMPLETE, DUE, LoopNode.RUN_SUPERVISORS),
    # Polish phase -> Report, without any new look of a supervisor
    (LoopNode.POLISH, NodeOutcome.LEFT, POLISH, LoopNode.TASK_PLANNER),
    (LoopNode.POLISH, NodeOutcome.EMPTY, POLISH, LoopNode.REPORT),
    (LoopNode.MARK_COMPLETE, NodeOutcome.MARKED, POLISH_DUE, LoopNode.POLISH),
    (LoopNode.MARK_FAILED, NodeOutcome.MARKED, POLISH_DUE, LoopNode.POLISH),
    (LoopNode.TASK_PLANNER, PlannerAction.MILESTONE_DONE, POLISH_DUE, LoopNode.REPORT),
    (LoopNode.TASK_PLANNER, PlannerAction.IMPLEMENT, POLISH_DUE, LoopNode.IMPLEMENTOR),
    (LoopNode.QA, NodeOutcome.FAILED, POLISH_DUE, LoopNode.TASK_PLANNER),
]


@pytest.mark.parametrize(("node", "word", "signs", "following"), ROWS)
def test_a_row_of_the_table(node: LoopNode, word: Word, signs: Signs, following: LoopNode) -> None:
    assert way_on(node, word, signs) is following


def test_every_way_of_the_table_is_a_row_here() -> None:
    assert {(node, word) for node, word, _, _ in ROWS} == set(ROUTES)


@pytest.mark.parametrize(
    ("node", "word", "signs", "following"),
    [
        (LoopNode.MARK_COMPLETE, NodeOutcome.MARKED, DUE, LoopNode.TASK_PLANNER),
        (LoopNode.MARK_COMPLETE, NodeOutcome.MARKED, BOTH, LoopNode.ASSESSOR),
        (LoopNode.MARK_FAILED, NodeOutcome.MARKED, BOTH, LoopNode.ASSESSOR),
        (LoopNode.TASK_PLANNER, PlannerAction.MILESTONE_DONE, DUE, LoopNode.ASSESSOR),
        (LoopNode.ASSESSOR, AssessmentVerdict.MAJOR_DIVERGENCE, DUE, LoopNode.SCOPE_AGENT),
        (LoopNode.ASSESSOR, AssessmentVerdict.MILESTONE_COMPLETE, DUE, LoopNode.TASK_PLANNER),
        (LoopNode.ASSESSOR, NodeOutcome.ALL_COMPLETE, DUE, LoopNode.POLISH),
    ],
)
def test_after_the_supervisors_the_loop_goes_where_it_would_have_gone(
    node: LoopNode, word: Word, signs: Signs, following: LoopNode
) -> None:
    assert after_detour(node, word, signs) is following


def test_detours_and_ways_of_polish_are_ways_of_the_table() -> None:
    assert set(DETOURS) <= set(ROUTES)
    assert set(POLISH_ROUTES) <= set(ROUTES)


def test_what_the_table_does_not_list_is_refused() -> None:
    with pytest.raises(InternalError, match="no way on from 'report'"):
        way_on(LoopNode.REPORT, NodeOutcome.MARKED, CALM)

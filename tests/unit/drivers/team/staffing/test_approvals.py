"""The approval matrix, row by row, against rosters that have everybody and that lack somebody."""

import pytest

from supervisor_ai.drivers.team.staffing.approvals import (
    APPROVAL_MATRIX,
    ReviewTier,
    approval_need,
    tier_of,
)
from supervisor_ai.drivers.team.staffing.complexity import TeamComplexity
from supervisor_ai.drivers.team.staffing.roles import SPECIALISTS, TeamRole

UNIFIED, TECH_LEAD = TeamRole.UNIFIED_REVIEWER, TeamRole.TECH_LEAD
SECURITY, LOGIC = TeamRole.SECURITY_REVIEWER, TeamRole.LOGIC_REVIEWER
EVERYBODY = frozenset(TeamRole)


@pytest.mark.parametrize(
    ("complexity", "is_escalated", "tier"),
    [
        (TeamComplexity.SIMPLE, False, ReviewTier.SIMPLE),
        (TeamComplexity.SIMPLE, True, ReviewTier.SIMPLE_ESCALATED),
        (TeamComplexity.MEDIUM, False, ReviewTier.MEDIUM),
        (TeamComplexity.MEDIUM, True, ReviewTier.COMPLEX),
        (TeamComplexity.COMPLEX, False, ReviewTier.COMPLEX),
        (TeamComplexity.COMPLEX, True, ReviewTier.COMPLEX),
    ],
)
def test_an_escalated_task_is_reviewed_more_heavily(
    complexity: TeamComplexity,
    is_escalated: bool,  # noqa: FBT001 - a column of the table
    tier: ReviewTier,
) -> None:
    assert tier_of(complexity, is_escalated=is_escalated) is tier


def test_every_tier_has_its_row() -> None:
    assert set(APPROVAL_MATRIX) == set(ReviewTier)


@pytest.mark.parametrize(
    ("tier", "required"),
    [
        (ReviewTier.SIMPLE, (UNIFIED,)),
        (ReviewTier.SIMPLE_ESCALATED, (*SPECIALISTS, TECH_LEAD)),
        (ReviewTier.COMPLEX, (*SPECIALISTS, TECH_LEAD)),
        (ReviewTier.MEDIUM, (UNIFIED, *SPECIALISTS, TECH_LEAD)),
    ],
)
def test_a_full_roster_can_give_every_approval(
    tier: ReviewTier, required: tuple[TeamRole, ...]
) -> None:
    need = approval_need(tier, active=EVERYBODY)
    assert (need.required, need.missing) == (required, ())
    assert not need.missing


def test_a_medium_task_needs_every_active_reviewer() -> None:
    need = approval_need(ReviewTier.MEDIUM, active=[TECH_LEAD, LOGIC, SECURITY])
    assert need.required == (SECURITY, LOGIC, TECH_LEAD)


@pytest.mark.parametrize(
    ("tier", "active", "missing"),
    [
        (ReviewTier.SIMPLE, {TeamRole.CODER}, (UNIFIED,)),
        (ReviewTier.COMPLEX, {SECURITY, LOGIC, TECH_LEAD}, (TeamRole.QUALITY_REVIEWER,)),
        (ReviewTier.MEDIUM, {SECURITY}, (TECH_LEAD,)),
        (ReviewTier.MEDIUM, {TECH_LEAD}, SPECIALISTS),
    ],
)
def test_who_is_not_active_makes_the_wait_impossible(
    tier: ReviewTier, active: set[TeamRole], missing: tuple[TeamRole, ...]
) -> None:
    need = approval_need(tier, active=active)
    assert need.missing == missing
    assert need.missing


def test_a_task_stays_open_until_all_have_agreed() -> None:
    need = approval_need(ReviewTier.MEDIUM, active=[TECH_LEAD, LOGIC])
    assert need.still_open([LOGIC]) == (TECH_LEAD,)
    assert need.still_open([TECH_LEAD, LOGIC]) == ()

"""Whose approval a task needs before it closes, and whether the roster can give it."""

from collections.abc import Collection, Mapping
from enum import StrEnum
from typing import Final

from msgspec import Struct

from supervisor_ai.drivers.team.staffing.complexity import TeamComplexity
from supervisor_ai.drivers.team.staffing.roles import REVIEWERS, SPECIALISTS, TeamRole


class ReviewTier(StrEnum):
    """How heavily a task is reviewed."""

    SIMPLE = "SIMPLE"
    SIMPLE_ESCALATED = "SIMPLE (escalated)"
    MEDIUM = "MEDIUM"
    COMPLEX = "COMPLEX"


_ALL_SPECIALISTS: Final = (*SPECIALISTS, TeamRole.TECH_LEAD)
APPROVAL_MATRIX: Final[Mapping[ReviewTier, tuple[TeamRole, ...]]] = {
    ReviewTier.SIMPLE: (TeamRole.UNIFIED_REVIEWER,),
    ReviewTier.SIMPLE_ESCALATED: _ALL_SPECIALISTS,
    ReviewTier.MEDIUM: (TeamRole.TECH_LEAD,),
    ReviewTier.COMPLEX: _ALL_SPECIALISTS,
}
"""Who has to agree; of a medium task also the active reviewers of the task."""

_ESCALATED: Final = {
    ReviewTier.SIMPLE: ReviewTier.SIMPLE_ESCALATED,
    ReviewTier.MEDIUM: ReviewTier.COMPLEX,
}


class ApprovalNeed(Struct, frozen=True, kw_only=True):
    """Who has to agree to a task, and who of them is not there."""

    required: tuple[TeamRole, ...]
    missing: tuple[TeamRole, ...]

    def still_open(self, given: Collection[TeamRole]) -> tuple[TeamRole, ...]:
        """Return who has not agreed yet."""
        return tuple(role for role in self.required if role not in given)


def tier_of(complexity: TeamComplexity, *, is_escalated: bool = False) -> ReviewTier:
    """Choose the tier of a task; an escalated one is the next heavier."""
    tier = ReviewTier(complexity.value)
    return _ESCALATED.get(tier, tier) if is_escalated else tier


def approval_need(tier: ReviewTier, *, active: Collection[TeamRole]) -> ApprovalNeed:
    """Compare the matrix with the active roster; a medium task needs every active reviewer."""
    required = APPROVAL_MATRIX[tier]
    if tier is ReviewTier.MEDIUM:
        # Where nobody reviews, those are missing who should.
        reviewers = tuple(it for it in REVIEWERS if it in active) or SPECIALISTS
        required = (*reviewers, *required)
    return ApprovalNeed(
        required=required, missing=tuple(role for role in required if role not in active)
    )

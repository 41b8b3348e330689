"""What a member of a team is there for."""

from enum import StrEnum
from typing import Final


class TeamRole(StrEnum):
    """The roles of a team; there is one lead and one supervisor."""

    LEAD = "lead"
    SUPERVISOR = "supervisor"
    TECH_LEAD = "tech-lead"
    CODER = "coder"
    UNIFIED_REVIEWER = "unified-reviewer"
    SECURITY_REVIEWER = "security-reviewer"
    LOGIC_REVIEWER = "logic-reviewer"
    QUALITY_REVIEWER = "quality-reviewer"
    RESEARCHER = "researcher"


SPECIALISTS: Final = (
    TeamRole.SECURITY_REVIEWER,
    TeamRole.LOGIC_REVIEWER,
    TeamRole.QUALITY_REVIEWER,
)
REVIEWERS: Final = (TeamRole.UNIFIED_REVIEWER, *SPECIALISTS)

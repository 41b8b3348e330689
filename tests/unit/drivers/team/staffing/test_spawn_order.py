"""Who may come when."""

import pytest

from supervisor_ai.drivers.team.staffing.roles import TeamRole
from supervisor_ai.drivers.team.staffing.spawn_order import (
    MOST_CODERS,
    SPAWN_ORDER,
    Staff,
    spawn_problem,
)

BEGUN = {TeamRole.LEAD: 1, TeamRole.SUPERVISOR: 1}
REVIEWED = {**BEGUN, TeamRole.UNIFIED_REVIEWER: 1}


def test_every_role_but_the_lead_has_its_place_in_the_order() -> None:
    assert {role for wave in SPAWN_ORDER for role in wave} == set(TeamRole) - {TeamRole.LEAD}
    assert MOST_CODERS == 3


@pytest.mark.parametrize(
    ("role", "staff", "problem"),
    [
        (TeamRole.SUPERVISOR, Staff(active={}, is_owned=False), None),
        (TeamRole.SUPERVISOR, Staff(active=BEGUN, is_owned=False), "has its supervisor already"),
        (TeamRole.LEAD, Staff(active=BEGUN, is_owned=True), "has its lead already"),
        (TeamRole.LOGIC_REVIEWER, Staff(active=BEGUN, is_owned=False), "supervisor comes first"),
        (TeamRole.CODER, Staff(active=REVIEWED, is_owned=False), "supervisor comes first"),
        (TeamRole.LOGIC_REVIEWER, Staff(active=BEGUN, is_owned=True), None),
        (TeamRole.TECH_LEAD, Staff(active=BEGUN, is_owned=True), None),
        (TeamRole.CODER, Staff(active=BEGUN, is_owned=True), "Reviewers come before coders"),
        (TeamRole.CODER, Staff(active=REVIEWED, is_owned=True), None),
        (
            TeamRole.CODER,
            Staff(active={**REVIEWED, TeamRole.CODER: 2}, is_owned=True),
            None,
        ),
        (
            TeamRole.CODER,
            Staff(active={**REVIEWED, TeamRole.CODER: 3}, is_owned=True),
            "3 coders are active",
        ),
        (
            TeamRole.CODER,
            Staff(active={**REVIEWED, TeamRole.CODER: 1}, is_owned=True, most_coders=1),
            "1 coders are active",
        ),
    ],
)
def test_the_order_is_kept(role: TeamRole, staff: Staff, problem: str | None) -> None:
    found = spawn_problem(role, staff)
    assert found is None if problem is None else problem in (found or "")

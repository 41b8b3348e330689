"""Who of a team comes first, and how many coders work at the same time."""

from collections.abc import Mapping
from typing import Final

from msgspec import Struct

from supervisor_ai.drivers.team.staffing.roles import REVIEWERS, TeamRole

MOST_CODERS: Final = 3
"""How many coders are active at most, unless a team says otherwise."""

SPAWN_ORDER: Final = (
    (TeamRole.SUPERVISOR,),
    (*REVIEWERS, TeamRole.TECH_LEAD, TeamRole.RESEARCHER),
    (TeamRole.CODER,),
)
"""Waves: between the first and the second the state is handed over and acknowledged."""
_BOOTSTRAP: Final = frozenset({TeamRole.LEAD, TeamRole.SUPERVISOR})


class Staff(Struct, frozen=True, kw_only=True):
    """Who of a team is active now."""

    active: Mapping[TeamRole, int]
    is_owned: bool
    """Whether the hand-over to the supervisor was acknowledged."""
    most_coders: int = MOST_CODERS

    def has(self, roles: tuple[TeamRole, ...]) -> bool:
        """Tell whether somebody has one of these roles."""
        return any(self.active.get(role, 0) for role in roles)


def spawn_problem(role: TeamRole, staff: Staff) -> str | None:
    """Say why somebody with a role cannot come now; None: it can."""
    if role in _BOOTSTRAP:
        there = staff.active.get(role, 0)
        return f"The team has its {role.value} already." if there else None
    if not staff.is_owned:
        return (
            "The supervisor comes first: nobody joins before the state was handed over to it and "
            "it has acknowledged."
        )
    if role is not TeamRole.CODER:
        return None
    if not staff.has(REVIEWERS):
        return "Reviewers come before coders, and no reviewer is active."
    if staff.active.get(role, 0) >= staff.most_coders:
        return f"{staff.most_coders} coders are active, which is the most of this team."
    return None

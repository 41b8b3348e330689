"""What the workers of a run of our own are in a team: one member for each of these roles."""

from collections.abc import Collection, Iterable, Mapping
from typing import Final

from msgspec import Struct

from supervisor_ai.domain.ids import ArtifactHash, RunId
from supervisor_ai.domain.run.answers import Meaning
from supervisor_ai.domain.run.definition import Role
from supervisor_ai.drivers.team.staffing.roles import REVIEWERS, TeamRole

_OWNERS: Final = (TeamRole.CODER, TeamRole.RESEARCHER)
"""Whose the task of a run is: the first of them that the run has."""
_BY_NAME: Final = frozenset(TeamRole) - {TeamRole.SUPERVISOR}


def team_role(role: Role, meanings: Collection[Meaning]) -> TeamRole:
    """Say what a role is: by its name, or else by what it may do and what its answers can mean."""
    named = role.name.replace("_", "-")
    if named in _BY_NAME:
        return TeamRole(named)
    if Meaning.REJECT in meanings:
        return TeamRole.UNIFIED_REVIEWER
    return TeamRole.CODER if role.writes else TeamRole.RESEARCHER


class RunCrew(Struct, frozen=True, kw_only=True):
    """Who works in a run, as its team sees it."""

    run: RunId
    subject: ArtifactHash
    """What the run is for."""
    roles: Mapping[str, TeamRole]
    """What each role of the run is in the team."""

    def member(self, role: TeamRole) -> str:
        """Name the member that a role is."""
        return f"{role.value}.{self.run}"

    @property
    def joining(self) -> tuple[TeamRole, ...]:
        """Return who joins, reviewers before coders."""
        there = set(self.roles.values())
        first = [it for it in TeamRole if it in there and it is not TeamRole.CODER]
        return (*first, *([TeamRole.CODER] if TeamRole.CODER in there else []))

    @property
    def owner(self) -> str | None:
        """Name whose the task of the run is; None: nobody works on one."""
        found = next((it for it in _OWNERS if it in self.roles.values()), None)
        return None if found is None else self.member(found)


def has_reviewer(roles: Iterable[TeamRole]) -> bool:
    """Tell whether somebody can review."""
    return any(it in REVIEWERS for it in roles)

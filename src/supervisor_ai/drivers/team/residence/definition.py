"""The definition of a resident run: which team it watches over, besides steps and limits."""

from typing import Final

from supervisor_ai.domain.errors import InternalError
from supervisor_ai.domain.ids import StepName
from supervisor_ai.domain.run.definition import Definition, StepWord

TEAM_STEP: Final = StepName("team")
"""The step in which the run stays."""
WATCH: Final = StepWord("team")
"""A team is looked at each minute, and tended where there is something to do."""


class TeamDefinition(Definition, frozen=True, kw_only=True):
    """Everything that the supervisor of a team needs, resolved and pinned."""

    team: str


def expect_team(definition: Definition) -> TeamDefinition:
    """Return the definition of a resident run as what it is."""
    if isinstance(definition, TeamDefinition):
        return definition
    raise InternalError("The run's definition says nothing about a team.")


def permit_of(team: str) -> str:
    """Name what only one run of a team may have."""
    return f"team:{team}"

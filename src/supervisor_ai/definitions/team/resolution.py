"""The run that watches over a team, resolved into what it pins."""

from typing import Final

from msgspec.structs import asdict

from supervisor_ai.definitions.catalog.library import Library
from supervisor_ai.definitions.catalog.resolution import resolve
from supervisor_ai.definitions.roles.agents import Agents
from supervisor_ai.definitions.sources.files import Origin
from supervisor_ai.definitions.step_checks.workflow import ReadWorkflow
from supervisor_ai.domain.run.definition import Step, Workflow
from supervisor_ai.domain.structs import replace
from supervisor_ai.drivers.team.residence.definition import TEAM_STEP, WATCH, TeamDefinition
from supervisor_ai.drivers.team.residence.wishes import WantedWatch

NAME: Final = "team"
_FOR_EVER: Final = 10**9
_DESCRIPTION: Final = "A team is watched over until it is deleted"


def resolve_team(library: Library, agents: Agents, wanted: WantedWatch) -> TeamDefinition:
    """Gather what the run of a team needs: one step, and no agent."""
    home = Step(name=TEAM_STEP, kind=WATCH, description=_DESCRIPTION, terminal=True)
    workflow = Workflow(
        name=NAME, description=_DESCRIPTION, initial_step=TEAM_STEP, steps={TEAM_STEP: home}
    )
    read = ReadWorkflow(workflow=workflow, gates={}, origin=Origin.BUILT_IN)
    found = resolve(library, read, agents, cli=None)
    # Nothing but the end of its team ends it.
    limits = replace(found.limits, workflow_timeout=None, workflow_max_steps=_FOR_EVER)
    return TeamDefinition(**asdict(replace(found, limits=limits, gates={})), team=wanted.team)

"""A resident supervisor and everything that it needs, resolved into what its run pins."""

from typing import Final

from msgspec.structs import asdict

from supervisor_ai.definitions.catalog.library import Library
from supervisor_ai.definitions.catalog.resolution import resolve
from supervisor_ai.definitions.checkpoint.role_specs import builtin_role_spec, load_role_spec
from supervisor_ai.definitions.checkpoint.shapes import SUPERVISION
from supervisor_ai.definitions.roles.agents import Agents
from supervisor_ai.definitions.sources.files import Origin
from supervisor_ai.definitions.step_checks.workflow import ReadWorkflow
from supervisor_ai.domain.errors import InvalidInput, NotFound
from supervisor_ai.domain.ids import StepName
from supervisor_ai.domain.run.definition import Definition, Step, Workflow
from supervisor_ai.domain.structs import replace
from supervisor_ai.drivers.checkpoint.commands.wishes import WantedSupervisor
from supervisor_ai.drivers.checkpoint.decisions.definition import Residence, ResidentDefinition
from supervisor_ai.drivers.checkpoint.kinds import CHECKPOINT, JUDGE, RESIDENCE, SESSION
from supervisor_ai.drivers.checkpoint.spec import CheckpointSpec, RoleSpec

NAME: Final = "checkpoint"
_FOR_EVER: Final = 10**9
_DESCRIPTION: Final = "The checkpoints of a session, as its coordinator asks for them"


def resolve_checkpoint(
    library: Library, agents: Agents, wanted: WantedSupervisor
) -> ResidentDefinition:
    """Gather what a resident supervisor needs."""
    spec = _spec(wanted)
    found = _found(library, agents, wanted, spec)
    # Nothing but the coordinator's wish ends a supervisor.
    limits = replace(found.limits, workflow_timeout=None, workflow_max_steps=_FOR_EVER)
    residence = Residence(session=wanted.session, spec=spec, recovery=wanted.recovery)
    return ResidentDefinition(
        **asdict(replace(found, limits=limits, gates={})), residence=residence
    )


def _spec(wanted: WantedSupervisor) -> RoleSpec:
    if wanted.spec is None:
        return builtin_role_spec()
    return load_role_spec(wanted.spec.file, wanted.spec.text)


def _found(
    library: Library, agents: Agents, wanted: WantedSupervisor, spec: RoleSpec
) -> Definition:
    """Ask for the worker that judges; where none is configured, do without."""
    has_judge = library.settings.section(SUPERVISION).judge and not wanted.is_alone
    if has_judge:
        try:
            return resolve(library, _read(spec, JUDGE), agents, cli=wanted.cli)
        except (InvalidInput, NotFound):
            if wanted.cli is not None:
                raise
    return resolve(library, _read(spec, None), agents, cli=None)


def _read(spec: RoleSpec, judge: str | None) -> ReadWorkflow:
    home = Step(
        name=SESSION,
        kind=RESIDENCE,
        next=SESSION,
        description="The supervisor waits for the coordinator",
    )
    steps = (home, *(_step(it, judge) for it in spec.checkpoints.values()))
    workflow = Workflow(
        name=NAME,
        description=_DESCRIPTION,
        initial_step=SESSION,
        steps={step.name: step for step in steps},
    )
    return ReadWorkflow(workflow=workflow, gates={}, origin=Origin.BUILT_IN)


def _step(spec: CheckpointSpec, judge: str | None) -> Step:
    return Step(
        name=StepName(spec.task),
        kind=CHECKPOINT,
        role=judge,
        next=SESSION,
        description=spec.title,
    )

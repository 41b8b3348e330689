"""The quality supervisors of a project, for loops and beside the steps of other drivers."""

from collections.abc import Callable
from typing import Final

from supervisor_ai.definitions.catalog.library import Library
from supervisor_ai.definitions.catalog.resolution import HostDriver, resolve
from supervisor_ai.definitions.config.settings import EffectiveSettings
from supervisor_ai.definitions.config.step_chains import free_name
from supervisor_ai.definitions.loop.settings import LOOP, QUALITY, QualitySetting
from supervisor_ai.definitions.roles.agents import Agents
from supervisor_ai.definitions.sources.files import Origin
from supervisor_ai.definitions.step_checks.workflow import Particulars, ReadWorkflow
from supervisor_ai.definitions.templates.step_notes import StepNotes
from supervisor_ai.domain.errors import InvalidInput, NotFound
from supervisor_ai.domain.ids import StepName
from supervisor_ai.domain.run.definition import Cli, Definition, Step, StepKind, Workflow
from supervisor_ai.domain.structs import replace
from supervisor_ai.drivers.quality.attached import AttachedStep, encode
from supervisor_ai.drivers.quality.directives import Backlog
from supervisor_ai.drivers.quality.kinds import ATTACHED, OF_SUPERVISORS
from supervisor_ai.drivers.quality.supervisors import SupervisorSpec, WantedLook

Pick = Callable[[str], Cli]
_NAME: Final = "supervisors"


def supervisors_of(library: Library, pick: Pick) -> tuple[SupervisorSpec, ...]:
    """Return the supervisors that are switched on; one whom nobody can play says why."""
    quality = library.settings.section(QUALITY)
    for spec in quality.supervisors:
        _check(library, quality, spec)
    return tuple(_if_had(pick, it) for it in quality.supervisors)


def _check(library: Library, quality: QualitySetting, spec: SupervisorSpec) -> None:
    if spec.role not in library.roles:
        place = quality.places.get(spec.name)
        where = f"{place.text}: " if place else ""
        raise NotFound(
            f"{where}The supervisor {spec.name!r} has the role {spec.role!r}, which nobody "
            "has defined.",
            hint="Write the role's file, or name another one with `role:`.",
        )
    shape = library.roles[spec.role]
    if shape.answer not in OF_SUPERVISORS:
        raise InvalidInput(
            f"The role {spec.role!r} answers with {shape.answer!r}, but a supervisor answers "
            f"with {', '.join(sorted(OF_SUPERVISORS))}."
        )
    if spec.owns and not shape.writes:
        raise InvalidInput(
            f"The supervisor {spec.name!r} owns {', '.join(spec.owns)}, but its role "
            f"{spec.role!r} may not write.",
            hint="Write `writes: true` into the role, or leave `owns` out.",
        )


def _if_had(pick: Pick, spec: SupervisorSpec) -> SupervisorSpec:
    """Say why there is no agent for a supervisor; the work goes on without it."""
    try:
        pick(spec.role)
    except (InvalidInput, NotFound) as error:
        return replace(spec, lacks=f"No agent can be had for it: {error.message}")
    return spec


def join(library: Library, pick: Pick, workflow: Workflow, host: HostDriver) -> Workflow:
    """Let the supervisors look behind the commits of another driver, if the config says so."""
    quality = library.settings.section(QUALITY)
    if not quality.is_attached(host.driver):
        return workflow
    own = replace(_attached(library, pick), is_one_task=host.is_one_task)
    steps: dict[StepName, Step] = {}
    for step in workflow.steps.values():
        is_wanted = host.after is None or step.name in host.after
        if step.kind != StepKind.COMMIT or not is_wanted:
            steps[step.name] = step
            continue
        name = StepName(free_name(_NAME, {*workflow.steps, *steps}))
        steps[step.name] = replace(step, next=name, terminal=False)
        steps[name] = replace(_step(name, own), next=step.next, terminal=step.terminal)
    return replace(workflow, steps=steps)


def _attached(library: Library, pick: Pick) -> AttachedStep:
    loop = library.settings.section(LOOP)
    backlog = Backlog(cap=loop.cleanup_cap, age=loop.directive_age)
    return AttachedStep(specs=supervisors_of(library, pick), backlog=backlog)


def _step(name: StepName, own: AttachedStep) -> Step:
    return Step(
        name=name,
        kind=ATTACHED,
        roles=tuple(it.role for it in own.specs if not it.lacks),
        terminal=True,
        description="The quality supervisors look whose turn it is",
        particulars=encode(own),
    )


def resolve_look(library: Library, agents: Agents, wanted: WantedLook) -> Definition:
    """Gather what a run of supervisors alone needs."""

    def pick(role: str) -> Cli:
        return agents.pick(role, flag=wanted.cli)

    own = replace(_attached(library, pick), moments=wanted.moments, of_base=True)
    step = _step(StepName(_NAME), own)
    workflow = Workflow(
        name=_NAME,
        description="The quality supervisors look at what was committed",
        initial_step=step.name,
        steps={step.name: step},
    )
    particulars = Particulars(gates=library.settings.gates, spared=frozenset({step.name}))
    read = ReadWorkflow(
        workflow=workflow, gates={}, origin=Origin.BUILT_IN, particulars=particulars
    )
    return resolve(library, read, agents, cli=wanted.cli)


def refuse_in_files(notes: StepNotes, settings: EffectiveSettings) -> str:
    """Say that no file of a workflow has such a step: the config puts it behind its commits."""
    del settings
    notes.add("type", "is put behind commits by the config: `quality: {attach: [workflow]}`")
    return ""

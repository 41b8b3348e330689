"""A loop and everything that its nodes name, resolved into what a run pins."""

from typing import Final

from msgspec.structs import asdict

from supervisor_ai.definitions.catalog.inherited_checks import LISTED, CheckWish, find_checks
from supervisor_ai.definitions.catalog.library import Library
from supervisor_ai.definitions.catalog.resolution import resolve
from supervisor_ai.definitions.loop import steps
from supervisor_ai.definitions.loop.settings import LOOP, QUALITY, LoopSetting
from supervisor_ai.definitions.roles.agents import Agents
from supervisor_ai.definitions.sources.files import Origin
from supervisor_ai.definitions.step_checks.workflow import Particulars, ReadWorkflow
from supervisor_ai.domain.errors import InvalidInput, NotFound
from supervisor_ai.domain.run.definition import Definition, Limits
from supervisor_ai.domain.structs import replace
from supervisor_ai.drivers.loop.commands.wishes import WantedLoop
from supervisor_ai.drivers.loop.definition import LoopDefinition
from supervisor_ai.drivers.loop.rules import LoopRules
from supervisor_ai.drivers.quality.directives import Backlog
from supervisor_ai.drivers.quality.kinds import OF_SUPERVISORS
from supervisor_ai.drivers.quality.supervisors import SupervisorSpec

_VISITS: Final = 12
"""So many steps a task takes at most, each time that it is tried, with gates between them."""


def resolve_loop(library: Library, agents: Agents, wanted: WantedLoop) -> LoopDefinition:
    """Gather what a loop needs."""
    setting = library.settings.section(LOOP)
    supervisors = _supervisors(library, agents, wanted)
    read = _read(library, setting, supervisors)
    found = resolve(library, read, agents, cli=wanted.cli)
    rules = LoopRules(
        max_tasks=wanted.max_tasks or setting.max_tasks,
        max_attempts=setting.max_attempts,
        review_interval=setting.review_interval,
        polish_tasks=setting.polish_tasks,
        backlog=Backlog(cap=setting.cleanup_cap, age=setting.directive_age),
        supervisors=supervisors,
    )
    limits = _limits(found, rules)
    return LoopDefinition(**asdict(_patient(replace(found, limits=limits), rules)), rules=rules)


def _supervisors(
    library: Library, agents: Agents, wanted: WantedLoop
) -> tuple[SupervisorSpec, ...]:
    """Return the supervisors that are switched on and for whom an agent can be had."""
    quality = library.settings.section(QUALITY)
    if wanted.is_alone:
        return ()
    for spec in quality.supervisors:
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
    return tuple(it for it in quality.supervisors if _can_be_had(agents, it, wanted.cli))


def _can_be_had(agents: Agents, spec: SupervisorSpec, cli: str | None) -> bool:
    """Tell whether there is an agent for a supervisor; without one the loop works all the same."""
    try:
        agents.pick(spec.role, flag=cli)
    except (InvalidInput, NotFound):
        return False
    return True


def _read(
    library: Library, setting: LoopSetting, supervisors: tuple[SupervisorSpec, ...]
) -> ReadWorkflow:
    named = None if setting.gates is None else tuple(name for name, _ in setting.gates)
    checks = find_checks(
        library,
        CheckWish(
            section=LOOP.key,
            plural="loops",
            named=named,
            back=steps.IMPLEMENTOR,
            reserved=steps.RESERVED,
            left_out=LISTED,
        ),
    )
    particulars = Particulars(
        gates=checks.known,
        tdd={steps.IMPLEMENTOR: True} if checks.is_test_first else {},
        spared=frozenset({steps.SUPERVISORS}),
    )
    return ReadWorkflow(
        workflow=steps.loop_workflow(checks.steps, supervisors),
        gates=dict(checks.gates),
        origin=Origin.BUILT_IN,
        particulars=particulars,
    )


def _limits(found: Definition, rules: LoopRules) -> Limits:
    """Let the tasks end a loop, and not the steps that they take."""
    tasks = rules.max_tasks + rules.polish_tasks
    per_task = _VISITS + len(found.workflow.steps)
    most = (tasks + 1) * rules.max_attempts * per_task
    limits = found.limits
    return replace(limits, workflow_max_steps=max(limits.workflow_max_steps, most))


def _patient(found: Definition, rules: LoopRules) -> Definition:
    """Let the attempts at a task end it, and not how often a single gate failed."""
    made = {
        name: replace(it, max_retries=rules.max_attempts, asks_at_last=False) if it.checks else it
        for name, it in found.workflow.steps.items()
    }
    return replace(found, workflow=replace(found.workflow, steps=made))

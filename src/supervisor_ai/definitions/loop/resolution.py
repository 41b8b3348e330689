"""A loop and everything that its nodes name, resolved into what a run pins."""

from collections.abc import Collection
from typing import Final

from msgspec.structs import asdict

from supervisor_ai.definitions.catalog.inherited_checks import LISTED, CheckWish, find_checks
from supervisor_ai.definitions.catalog.library import Library
from supervisor_ai.definitions.catalog.resolution import resolve
from supervisor_ai.definitions.loop import steps
from supervisor_ai.definitions.loop.settings import LOOP, LoopSetting
from supervisor_ai.definitions.loop.supervisors import resolve_look, supervisors_of
from supervisor_ai.definitions.roles.agents import Agents
from supervisor_ai.definitions.sources.files import Origin
from supervisor_ai.definitions.step_checks.workflow import Particulars, ReadWorkflow
from supervisor_ai.domain.errors import InvalidInput
from supervisor_ai.domain.run.definition import Cli, Definition, Limits
from supervisor_ai.domain.structs import replace
from supervisor_ai.drivers.loop.commands.wishes import WantedLoop
from supervisor_ai.drivers.loop.definition import LoopDefinition
from supervisor_ai.drivers.loop.kinds import RESEARCHER, SUMMARIZER, LoopNode
from supervisor_ai.drivers.loop.rules import LoopRules
from supervisor_ai.drivers.quality.directives import Backlog
from supervisor_ai.drivers.quality.supervisors import SupervisorSpec, WantedLook

_VISITS: Final = 12
"""So many steps a task takes at most, each time that it is tried, with gates between them."""


_AIDES: Final = (RESEARCHER, SUMMARIZER)
"""Who helps on the side, where the user has a model or an agent for it."""


def resolve_loop(library: Library, agents: Agents, wanted: WantedLoop | WantedLook) -> Definition:
    """Gather what a loop needs, or a run of its supervisors alone."""
    if isinstance(wanted, WantedLook):
        return resolve_look(library, agents, wanted)
    return _resolve(library, agents, wanted)


def _resolve(library: Library, agents: Agents, wanted: WantedLoop) -> LoopDefinition:
    setting = library.settings.section(LOOP)

    def pick(role: str) -> Cli:
        return agents.pick(role, flag=wanted.cli)

    supervisors = () if wanted.is_alone else supervisors_of(library, pick)
    aides = [it for it in _AIDES if agents.is_given(it)]
    read = _read(library, setting, supervisors, aides)
    found = resolve(library, read, agents, cli=wanted.cli)
    _check_tools(found)
    rules = LoopRules(
        max_tasks=wanted.max_tasks or setting.max_tasks,
        max_attempts=setting.max_attempts,
        review_interval=setting.review_interval,
        polish_tasks=setting.polish_tasks,
        backlog=Backlog(cap=setting.cleanup_cap, age=setting.directive_age),
        supervisors=supervisors,
        milestone_steps=steps.milestone_steps(found.workflow),
        is_research_offered=RESEARCHER in aides,
    )
    limits = _limits(found, rules)
    return LoopDefinition(**asdict(_patient(replace(found, limits=limits), rules)), rules=rules)


def _check_tools(found: Definition) -> None:
    """Refuse an implementor that could change no file."""
    role = found.roles[steps.ROLES[LoopNode.IMPLEMENTOR]]
    if found.clis[role.cli].adapter == "api":
        raise InvalidInput(
            f"The role {role.name!r} changes files, but its agent {role.cli!r} is a model behind "
            "an API, which has no tools.",
            hint="Let an agent with tools work with that model, in your own config: "
            "clis: {hands: {adapter: qwen, model: primary}}",
        )


def _read(
    library: Library,
    setting: LoopSetting,
    supervisors: tuple[SupervisorSpec, ...],
    aides: Collection[str],
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
        workflow=steps.loop_workflow(checks.steps, supervisors, aides),
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

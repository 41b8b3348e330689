"""A kanban and everything that its steps name, resolved into what a run pins."""

from collections.abc import Mapping
from typing import Final

from msgspec.structs import asdict

from supervisor_ai.definitions.catalog.inherited_checks import CheckWish, find_checks
from supervisor_ai.definitions.catalog.library import Library
from supervisor_ai.definitions.catalog.resolution import HostDriver, resolve
from supervisor_ai.definitions.kanban import steps
from supervisor_ai.definitions.kanban.settings import KANBAN, KanbanSetting
from supervisor_ai.definitions.roles.agents import Agents
from supervisor_ai.definitions.roles.prompt_files import variables
from supervisor_ai.definitions.sources.files import Origin
from supervisor_ai.definitions.step_checks.workflow import Particulars, ReadWorkflow
from supervisor_ai.domain.errors import InvalidInput
from supervisor_ai.domain.run.definition import MAX_RETRIES, Cli, Definition, Limits, Role
from supervisor_ai.domain.run.failures.retries import RetryMode
from supervisor_ai.domain.structs import replace
from supervisor_ai.drivers.kanban.board.policy import KanbanPolicy
from supervisor_ai.drivers.kanban.definition import KanbanDefinition
from supervisor_ai.drivers.kanban.ports import WantedKanban
from supervisor_ai.drivers.kanban.settings import EXACT, MECHANICAL, ManagerKind
from supervisor_ai.drivers.kanban.state import ARCHITECT, IMPLEMENTOR, LAND_TASK, MANAGER

_BARE: Final = "{{ task }}"
"""What a Manager that needs no words is told."""
_ATTEMPT: Final = "attempt"
_BUILTIN: Final = ManagerKind.BUILTIN.value
_MECHANICAL_CLI: Final = Cli(name=_BUILTIN, adapter=MECHANICAL)


def resolve_kanban(library: Library, agents: Agents, wanted: WantedKanban) -> KanbanDefinition:
    """Gather what a run on a kanban needs."""
    _check_wanted(wanted)
    setting = library.settings.section(KANBAN)
    is_mechanical = (wanted.manager or setting.manager) == _BUILTIN
    if is_mechanical:
        agents = replace(agents, fixed={MANAGER: _MECHANICAL_CLI})
    read = _read(library, setting, wanted)
    found = resolve(library, read, agents, cli=wanted.cli, host=_host(wanted))
    roles = dict(found.roles)
    if is_mechanical:
        _check_name(found.roles)
        roles[MANAGER] = _mechanical(roles[MANAGER])
    for name in (ARCHITECT, IMPLEMENTOR, MANAGER):
        _check_role(roles[name], library, setting)
    fixed = replace(
        found,
        roles=roles,
        limits=_limits(found, setting),
        retries={**found.retries, EXACT: replace(found.retries[EXACT], mode=RetryMode.SAME)},
    )
    policy = KanbanPolicy(
        place=wanted.place,
        instruction=wanted.instruction,
        max_iterations=setting.max_iterations,
    )
    return KanbanDefinition(**asdict(fixed), kanban=policy)


def _host(wanted: WantedKanban) -> HostDriver | None:
    """Let others look after each task, where the kanban is on the run's branch with the work."""
    if wanted.place.directory is not None:
        return None
    return HostDriver(driver=steps.NAME, after=(LAND_TASK,), is_one_task=False)


def _read(library: Library, setting: KanbanSetting, wanted: WantedKanban) -> ReadWorkflow:
    named = None if setting.gates is None else tuple(name for name, _ in setting.gates)
    checks = find_checks(
        library,
        CheckWish(
            section=KANBAN.key,
            plural="kanbans",
            named=named,
            back=IMPLEMENTOR,
            reserved=steps.RESERVED,
        ),
    )
    particulars = Particulars(
        gates=checks.known,
        tdd={IMPLEMENTOR: True} if checks.is_test_first else {},
        spared=frozenset({ARCHITECT, MANAGER}),
    )
    workflow = steps.kanban_workflow(
        checks.steps, retry=setting.retry, creates=bool(wanted.instruction)
    )
    return ReadWorkflow(
        workflow=workflow,
        gates=dict(checks.gates),
        origin=Origin.BUILT_IN,
        particulars=particulars,
    )


def _mechanical(role: Role) -> Role:
    """Leave of a role only what a Manager without a model needs."""
    return Role(
        name=role.name,
        description=role.description,
        answer=role.answer,
        writes=True,
        cli=_BUILTIN,
        template=_BARE,
    )


def _limits(found: Definition, setting: KanbanSetting) -> Limits:
    """Let the rounds end a kanban, and not the steps that they take, sent back or not."""
    limits, every = found.limits, found.workflow.steps
    usual = MAX_RETRIES if limits.step_max_retries is None else limits.step_max_retries
    tries = (
        usual if step.max_retries is None else step.max_retries
        for step in every.values()
        if step.checks
    )
    most = setting.max_iterations * len(every) * (2 + sum(tries))
    return replace(limits, workflow_max_steps=max(limits.workflow_max_steps, most))


def _check_wanted(wanted: WantedKanban) -> None:
    if wanted.manager not in {None, *ManagerKind}:
        raise InvalidInput(
            f"The Manager {wanted.manager!r} was asked for, but there is "
            f"{ManagerKind.MODEL.value!r} and {_BUILTIN!r}."
        )
    if not wanted.place.folder:
        raise InvalidInput(
            f"The kanban {wanted.place.file!r} is in no folder.",
            hint="Its files have to be in a folder of their own, such as tasks/.",
        )


def _check_name(roles: Mapping[str, Role]) -> None:
    others = (role for role in roles.values() if role.name != MANAGER)
    taken = [role.name for role in others if _BUILTIN in {role.cli, *role.fallback}]
    if taken:
        raise InvalidInput(
            f"The CLI {_BUILTIN!r} was chosen for the role {taken[0]!r}, but at a kanban that is "
            "the Manager without a model.",
            hint="Give the CLI another name in the config.",
        )


def _check_role(role: Role, library: Library, setting: KanbanSetting) -> None:
    if not role.can_edit:
        raise InvalidInput(
            f"The role {role.name!r} may use {', '.join(role.allowed_tools or ())} only, but at a "
            "kanban it has to write into files.",
            hint="Add write_file to its `allowed_tools`.",
        )
    if setting.retry == EXACT and _ATTEMPT in variables(role.template):
        place = library.book.roles[role.name].place("template")
        raise InvalidInput(
            f"{place.text}: the template speaks of `attempt`, but at a kanban every try is told "
            "exactly the same.",
            hint="Leave it out, or write `kanban: {retry: with_error}` into the config.",
        )

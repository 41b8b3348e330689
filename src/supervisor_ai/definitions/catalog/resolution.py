"""A workflow and everything it names, resolved into what a run pins."""

from collections.abc import Callable, Iterator, Mapping
from typing import cast

from msgspec import Struct

from supervisor_ai.control.ports.definitions import NO_ROLES
from supervisor_ai.control.slice_names import (
    import_place,
    registered_answer,
    registered_slices,
    registered_step,
)
from supervisor_ai.definitions.catalog.library import Library
from supervisor_ai.definitions.config.guards import Guarding, areas, with_guards
from supervisor_ai.definitions.config.step_chains import GatedWorkflow
from supervisor_ai.definitions.roles.agents import Agents
from supervisor_ai.definitions.roles.assignment import assigned
from supervisor_ai.definitions.roles.cli_flags import home_adapter
from supervisor_ai.definitions.roles.mcp_servers import server_of
from supervisor_ai.definitions.roles.prompts import template_text
from supervisor_ai.definitions.roles.strategies import expanded
from supervisor_ai.definitions.schema.cli_flags import passed_on
from supervisor_ai.definitions.schema.config import RoleShape
from supervisor_ai.definitions.schema.roles import RoleConfigShape
from supervisor_ai.definitions.sources.mistakes import FileMistakes, suggestion
from supervisor_ai.definitions.step_checks.approver_checks import check_agents
from supervisor_ai.definitions.step_checks.role_gates import with_role_gates
from supervisor_ai.definitions.step_checks.workflow import ReadWorkflow
from supervisor_ai.domain.errors import InvalidInput, NotFound
from supervisor_ai.domain.ids import StepName
from supervisor_ai.domain.knowledge.selection import KnowledgePlan
from supervisor_ai.domain.run.answers import AnswerWord
from supervisor_ai.domain.run.context_plan import ContextPlan
from supervisor_ai.domain.run.definition import Cli, Definition, Role, Step, Workflow
from supervisor_ai.domain.structs import replace


class HostDriver(Struct, frozen=True, kw_only=True):
    """The driver beside whose steps slices may put their own."""

    driver: str
    after: tuple[StepName, ...] | None = None
    """The commits behind which they may; None: each."""
    is_one_task: bool = True
    """Whether its runs do one task each."""


Company = Callable[[Library, Callable[[str], Cli], Workflow, HostDriver], Workflow]
"""Puts steps of a slice beside those of another driver."""


def find_workflow(library: Library, name: str, *, stale: str | None) -> ReadWorkflow:
    """Find a workflow that can be run by its name."""
    return _complete(named_workflow(library, name, stale=stale))


def named_workflow(library: Library, name: str, *, stale: str | None) -> ReadWorkflow:
    """Find a workflow by its name."""
    if name in library.workflows:
        return library.workflows[name]
    near = suggestion(name, library.workflows)
    meant = [f"Did you mean {near!r}?"] if near else []
    known = stale or f"Workflows: {', '.join(sorted(library.workflows))}."
    message = f"Workflow {name!r} was asked for, but there is no such workflow."
    raise NotFound(message, hint=" ".join((*meant, known)))


def _complete(read: ReadWorkflow) -> ReadWorkflow:
    """Refuse a workflow that needs what nobody has defined."""
    mistakes = FileMistakes()
    for missing in read.missing:
        mistakes.add(missing.place, missing.problem)
    if mistakes:
        raise mistakes.error()
    return read


def resolve(
    library: Library,
    read: ReadWorkflow,
    agents: Agents,
    *,
    cli: str | None,
    wanted: Mapping[str, str] = NO_ROLES,
    host: HostDriver | None = None,
) -> Definition:
    """Gather what the workflow's steps name, or what was wanted in their place."""
    workflow = assigned(read.workflow, wanted, library.roles, library.book.hint)

    def pick(name: str) -> Cli:
        return agents.pick(name, flag=cli)

    workflow = _asking_roles(workflow, pick)
    check_agents(workflow, read.particulars.approvers_at, pick)
    gated = _gated(library, read, workflow)
    joined = _joined(library, pick, gated.workflow, host)
    names = {name: None for step in joined.steps.values() for name in step.crew}
    roles: dict[str, Role] = {}
    clis: dict[str, Cli] = {}
    for name in names:
        agent = pick(name)
        following = agents.following(name, agent)
        clis |= {cli.name: cli for cli in (agent, *following)}
        roles[name] = replace(
            _role(library, name, agent), fallback=tuple(cli.name for cli in following)
        )
    policies = library.settings.policies
    return Definition(
        workflow=joined,
        roles=roles,
        clis=clis,
        gates=gated.gates,
        limits=library.settings.limits,
        sandbox=library.settings.sandbox,
        workspace=replace(library.settings.workspace, include=library.include),
        retries=policies.retries,
        parking=policies.parking,
        breaker=policies.breaker,
        loops=policies.loops,
        budgets=policies.budgets,
        prices=policies.prices,
        baseline=policies.baseline,
        harness=policies.harness,
        approvals=policies.approvals,
        quiet_hours=library.settings.notifications.policy.quiet_hours,
        git=library.settings.git,
        forge=library.settings.forge,
        hears_directives=joined is not gated.workflow,
    )


def _joined(
    library: Library, pick: Callable[[str], Cli], workflow: Workflow, host: HostDriver | None
) -> Workflow:
    """Let slices put steps of their own beside those of another driver."""
    if host is None:
        return workflow
    places = [it.company for it in registered_slices().values() if it.company is not None]
    for place in places:
        workflow = cast("Company", import_place(place))(library, pick, workflow, host)
    return workflow


def _asking_roles(workflow: Workflow, pick: Callable[[str], Cli]) -> Workflow:
    """Let steps of slices ask their role, where an agent can be had for it."""
    steps = {name: _asking_role(step, pick) for name, step in workflow.steps.items()}
    return replace(workflow, steps=steps)


def _asking_role(step: Step, pick: Callable[[str], Cli]) -> Step:
    registered = registered_step(step.kind)
    if registered is None or registered.role is None or not step.particulars:
        return step
    try:
        pick(registered.role)
    except (InvalidInput, NotFound):
        return step
    return replace(step, role=registered.role)


def role_gated(library: Library, read: ReadWorkflow, workflow: Workflow) -> GatedWorkflow:
    """Put behind each step the gates of its role."""
    settings = replace(library.settings, gates=dict(read.particulars.gates))
    given = GatedWorkflow(workflow=workflow, gates=read.gates)
    return with_role_gates(given, library.book.roles, settings)


def _gated(library: Library, read: ReadWorkflow, workflow: Workflow) -> GatedWorkflow:
    """Put behind each step what looks at it: the guards first, then the gates of its role."""
    return with_guards(role_gated(library, read, workflow), guarding_of(library, read))


def guarding_of(library: Library, read: ReadWorkflow) -> Guarding:
    """Say what decides which guards a workflow has."""
    particulars = read.particulars
    return Guarding(
        settings=replace(library.settings, gates=dict(particulars.gates)),
        roles=library.roles,
        tdd=particulars.tdd,
        spared=particulars.spared,
    )


def resolve_role(library: Library, agents: Agents, name: str) -> Role:
    """Return a role as a run would pin it, also where its agent cannot be had."""
    try:
        agent = agents.pick(name, flag=None)
    except (InvalidInput, NotFound):
        agent = Cli(name=library.book.roles[name].own_cli, adapter="")
    return _role(library, name, agent)


def _context(library: Library, name: str) -> ContextPlan | None:
    tokens = library.settings.tokens
    plan = library.book.context(name, tokens.usual)
    if plan is None or tokens.most is None:
        return plan
    return replace(plan, token_budget=min(plan.token_budget, tokens.most))


def _knowledge(shape: RoleShape) -> KnowledgePlan | None:
    wish = shape.knowledge
    if wish is None or not wish.use:
        return None
    return KnowledgePlan(budget=wish.budget, areas=tuple(dict.fromkeys(wish.areas)))


def _role(library: Library, name: str, agent: Cli) -> Role:
    shape, settings = library.roles[name], library.settings
    answer, form = AnswerWord(shape.answer), registered_answer(shape.answer)
    return Role(
        name=name,
        description=shape.description,
        answer=answer,
        writes=shape.writes,
        cli=agent.name,
        template=template_text(shape.template, answer, library.prompts),
        instructions=instructions(shape),
        timeout=shape.timeout,
        max_retries=shape.max_retries,
        allowed_tools=None if shape.allowed_tools is None else tuple(shape.allowed_tools),
        egress=tuple(shape.egress),
        hides=expanded(shape.hides),
        system_prompt=shape.system_prompt or "",
        mcp_servers=tuple(server_of(key, server) for key, server in shape.mcp_servers.items()),
        max_turns=shape.max_turns,
        is_optional=shape.optional or (form is not None and form.is_optional),
        context=_context(library, name),
        continuations=settings.continuity.turns_of(name),
        may_change=areas(shape),
        flags=passed_on(shape.flags),
        flags_for=home_adapter(library.book.roles[name], settings),
        knowledge=_knowledge(shape),
    )


def instructions(role: RoleShape) -> str:
    """Return what a role is told to do, its settings about tests included."""
    lines = [role.instructions.strip("\n")] if role.instructions else []
    lines += _config_lines(role.config)
    return "".join(f"{line}\n" for line in lines)


def _config_lines(config: RoleConfigShape) -> Iterator[str]:
    if config.tdd:
        yield "Write each test before the code that makes it pass, and see it fail first."
    if config.coverage is not None:
        yield f"Cover at least {config.coverage} % of what you write with tests."
    if config.test_types:
        yield f"Kinds of tests that are wanted: {', '.join(config.test_types)}."
    if config.min_tests_per_component is not None:
        yield f"Write at least {config.min_tests_per_component} tests for each component."

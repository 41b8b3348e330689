"""A workflow and everything it names, resolved into what a run pins."""

from dataclasses import replace
from typing import TypeVar

from supervisor_ai.definitions.agents import Agents
from supervisor_ai.definitions.library import Library
from supervisor_ai.definitions.mistakes import suggestion
from supervisor_ai.definitions.prompts import template_text
from supervisor_ai.definitions.role_terms import Terms, all_servers
from supervisor_ai.definitions.workflows import ReadWorkflow
from supervisor_ai.domain.errors import NotFound
from supervisor_ai.domain.run.answers import AnswerKind
from supervisor_ai.domain.run.definition import Cli, Definition, Role


def find_workflow(library: Library, name: str, *, stale: str | None) -> ReadWorkflow:
    """Find a workflow by its name."""
    if name in library.workflows:
        return library.workflows[name]
    near = suggestion(name, library.workflows)
    meant = [f"Did you mean {near!r}?"] if near else []
    known = stale or f"Workflows: {', '.join(sorted(library.workflows))}."
    message = f"Workflow {name!r} was asked for, but there is no such workflow."
    raise NotFound(message, hint=" ".join((*meant, known)))


def resolve(library: Library, read: ReadWorkflow, agents: Agents, *, cli: str | None) -> Definition:
    """Gather what the workflow's steps name."""
    names = {step.role: None for step in read.workflow.steps.values() if step.role is not None}
    roles: dict[str, Role] = {}
    clis: dict[str, Cli] = {}
    for name in names:
        agent = agents.pick(name, flag=cli, builtin=library.roles[name].cli)
        following = agents.following(name, agent)
        clis |= {cli.name: cli for cli in (agent, *following)}
        roles[name] = replace(
            _role(library, name, agent), fallback=tuple(cli.name for cli in following)
        )
    policies = library.settings.policies
    return Definition(
        workflow=read.workflow,
        roles=roles,
        clis=clis,
        gates=read.gates,
        limits=library.settings.limits,
        sandbox=library.settings.sandbox,
        workspace=replace(library.settings.workspace, include=library.include),
        retries=policies.retries,
        parking=policies.parking,
        breaker=policies.breaker,
        loops=policies.loops,
        budgets=policies.budgets,
        prices=policies.prices,
    )


def _role(library: Library, name: str, agent: Cli) -> Role:
    shape, setting = library.roles[name], library.settings.roles.get(name)
    answer, terms = AnswerKind(shape.answer), setting.terms if setting else Terms()
    return Role(
        name=name,
        description=shape.description,
        answer=answer,
        writes=shape.writes,
        cli=agent.name,
        template=template_text(shape.template, answer),
        instructions=shape.instructions,
        timeout=setting.timeout if setting else None,
        max_retries=setting.max_retries if setting else None,
        allowed_tools=setting.allowed_tools if setting else None,
        egress=setting.egress if setting else (),
        hides=setting.hides if setting else (),
        system_prompt=_said(terms.system_prompt, shape.system_prompt) or "",
        mcp_servers=all_servers(shape, terms),
        max_turns=terms.max_turns or shape.max_turns,
        is_optional=_said(terms.is_optional, shape.optional) or False,
        continuations=library.settings.continuity.turns_of(name),
    )


T = TypeVar("T")


def _said(value: T | None, otherwise: T | None) -> T | None:
    return otherwise if value is None else value

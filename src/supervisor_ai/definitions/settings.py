"""The settings that hold: the project's over the user's over the package's."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import timedelta
from typing import Final, TypeVar

from supervisor_ai.definitions.continuity import Continuity, lay_continuity
from supervisor_ai.definitions.gate_settings import GateSetting, lay_gates
from supervisor_ai.definitions.kanban_settings import KanbanSetting, lay_kanban
from supervisor_ai.definitions.layers import Layer, Written
from supervisor_ai.definitions.mistakes import Mistakes, Place
from supervisor_ai.definitions.models import (
    ConfiguredModel,
    check_fallbacks,
    lay_models,
    model_names,
    pin_models,
)
from supervisor_ai.definitions.policies import read_policies
from supervisor_ai.definitions.price_table import builtin_prices
from supervisor_ai.definitions.role_terms import Terms, lay_terms
from supervisor_ai.definitions.sandbox_settings import (
    check_orphans,
    lay_sandbox,
    lay_workspace,
    read_broker,
)
from supervisor_ai.definitions.scalars import reference
from supervisor_ai.definitions.scripts import read_script
from supervisor_ai.definitions.shapes import ConfigShape, LimitsShape
from supervisor_ai.definitions.shelves import Origin
from supervisor_ai.domain.kanban.policy import MECHANICAL
from supervisor_ai.domain.run.definition import Cli, Limits, SandboxPolicy, WorkspacePolicy
from supervisor_ai.domain.run.policies import Policies

_NEEDS: Final = {"command": "command", "scripted": "script", "api": "model"}
"""What an adapter cannot do without."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """A name, and where it was chosen."""

    name: str
    place: Place


@dataclass(frozen=True, slots=True, kw_only=True)
class ConfiguredCli:
    """An agent, and where its adapter is named."""

    cli: Cli
    place: Place
    model: Choice | None = None
    """One of the models, where the agent is one behind an API."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RoleSetting:
    """What is different for a role."""

    place: Place
    cli: Choice | None = None
    timeout: timedelta | None = None
    max_retries: int | None = None
    allowed_tools: tuple[str, ...] | None = None
    egress: tuple[str, ...] = ()
    hides: tuple[str, ...] = ()
    fallback: tuple[Choice, ...] = ()
    terms: Terms = field(default_factory=Terms)


@dataclass(frozen=True, slots=True, kw_only=True)
class TokenBudgets:
    """How large a context is where nobody says so, and at most."""

    usual: int = 25_000
    most: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """Everything that the config files say together."""

    cli: Choice | None = None
    workflow: Choice | None = None
    clis: dict[str, ConfiguredCli] = field(default_factory=dict)
    models: dict[str, ConfiguredModel] = field(default_factory=dict)
    gates: dict[str, GateSetting] = field(default_factory=dict)
    limits: Limits = field(default_factory=Limits)
    roles: dict[str, RoleSetting] = field(default_factory=dict)
    sandbox: SandboxPolicy = field(default_factory=SandboxPolicy)
    workspace: WorkspacePolicy = field(default_factory=WorkspacePolicy)
    fallback: tuple[Choice, ...] = ()
    policies: Policies = field(default_factory=Policies)
    continuity: Continuity = field(default_factory=Continuity)
    kanban: KanbanSetting = field(default_factory=KanbanSetting)
    step_policies: dict[str, Choice] = field(default_factory=dict)
    """The retry policies of steps that name none themselves."""
    tokens: TokenBudgets = field(default_factory=TokenBudgets)


def merge_settings(
    layers: Iterable[Layer], roles: Mapping[str, RoleSetting], mistakes: Mistakes
) -> Settings:
    """Lay the layers over each other, the last one on top; below all are the roles' own files."""
    settings = Settings(policies=Policies(prices=builtin_prices()), roles=dict(roles))
    for layer in layers:
        for config in layer.configs:
            settings = _laid_over(settings, config, mistakes)
        settings = _with_own_workflow(settings, layer)
    check_fallbacks(settings.models, mistakes)
    clis = {name: _with_models(cli, settings, mistakes) for name, cli in settings.clis.items()}
    return replace(settings, clis=clis)


def _with_own_workflow(settings: Settings, layer: Layer) -> Settings:
    """Choose the workflow of `workflow.yaml` where no config beside it names another one."""
    if layer.own is None or any(config.shape.workflow for config in layer.configs):
        return settings
    place = layer.workflows[layer.own].place()
    return replace(settings, workflow=Choice(name=layer.own, place=place))


def _with_models(
    configured: ConfiguredCli, settings: Settings, mistakes: Mistakes
) -> ConfiguredCli:
    """Pin the models of a CLI, which any layer may have the last word on."""
    choice = configured.model
    if choice is None or configured.cli.adapter != "api":
        return configured
    script = pin_models(choice.name, choice.place, settings.models, mistakes)
    names = model_names(choice.name, settings.models)
    return replace(configured, cli=replace(configured.cli, script=script, models=names))


def _laid_over(below: Settings, config: Written[ConfigShape], mistakes: Mistakes) -> Settings:
    shape = config.shape
    check_orphans(config, mistakes)
    # A CLI is replaced as a whole: a project's command must not run with the user's environment.
    clis = {name: _cli(name, config, mistakes) for name in shape.clis}
    return Settings(
        cli=_choice(config, shape.cli, "cli") or below.cli,
        workflow=_workflow(config) or below.workflow,
        clis={**below.clis, **clis},
        models=lay_models(below.models, shape.models, config, mistakes),
        gates=lay_gates(below.gates, shape.gates, config, mistakes),
        limits=_limits(below.limits, shape.limits),
        roles={**below.roles, **_roles(below, config)},
        sandbox=lay_sandbox(below.sandbox, shape.sandbox),
        workspace=lay_workspace(below.workspace, shape.workspace),
        fallback=_choices(config, shape.fallback, "fallback") or below.fallback,
        policies=read_policies(below.policies, config, mistakes),
        continuity=lay_continuity(below.continuity, config),
        kanban=lay_kanban(below.kanban, config),
        step_policies={**below.step_policies, **_step_policies(config)},
        tokens=_tokens(below.tokens, config),
    )


def _step_policies(config: Written[ConfigShape]) -> dict[str, Choice]:
    chosen = {
        name: _choice(config, step.retry_policy, "steps", name, "retry_policy")
        for name, step in config.shape.steps.items()
    }
    return {name: choice for name, choice in chosen.items() if choice is not None}


def _tokens(below: TokenBudgets, config: Written[ConfigShape]) -> TokenBudgets:
    """Lay one file's word over the others'; a project only makes the largest budget smaller."""
    limits = config.shape.limits
    most = limits.max_token_budget or below.most
    if config.origin is Origin.PROJECT and most and below.most:
        most = min(most, below.most)
    return TokenBudgets(usual=limits.default_token_budget or below.usual, most=most)


def _cli(name: str, config: Written[ConfigShape], mistakes: Mistakes) -> ConfiguredCli:
    shape = config.shape.clis[name]
    if config.origin is Origin.PROJECT:
        _refuse_references(name, config, mistakes)
    if shape.adapter == MECHANICAL:
        problem = "is no agent to choose; write `kanban: {manager: builtin}`"
        mistakes.add(config.place("clis", name, "adapter"), problem)
    place, needed = config.place("clis", name), _NEEDS.get(shape.adapter)
    if needed and getattr(shape, needed) is None and not mistakes.any_below(place.file, place.key):
        problem = f"is missing; the adapter {shape.adapter!r} needs it"
        mistakes.add(config.place("clis", name, needed), problem)
    script = None if shape.script is None else read_script(config, name, shape.script, mistakes)
    cli = Cli(
        name=name,
        adapter=shape.adapter,
        command=tuple(shape.command or ()),
        environment=dict(shape.env),
        script=script,
        egress=tuple(shape.egress),
        broker=read_broker(name, config, mistakes),
    )
    return ConfiguredCli(
        cli=cli,
        place=config.place("clis", name, "adapter"),
        model=_choice(config, shape.model, "clis", name, "model"),
    )


def _refuse_references(name: str, config: Written[ConfigShape], mistakes: Mistakes) -> None:
    for variable, value in config.shape.clis[name].env.items():
        named = reference(value)
        if named is not None:
            problem = f"{named} names a variable of your machine; only your own config may do that"
            mistakes.add(config.place("clis", name, "env", variable), problem)


def _limits(below: Limits, shape: LimitsShape) -> Limits:
    return Limits(
        step_timeout=shape.step_timeout or below.step_timeout,
        step_max_retries=(
            below.step_max_retries if shape.step_max_retries is None else shape.step_max_retries
        ),
        workflow_max_steps=_first(shape.workflow_max_steps, below.workflow_max_steps),
        workflow_timeout=shape.workflow_timeout or below.workflow_timeout,
        output_bytes=_first(shape.output_bytes, below.output_bytes),
        attempt_tokens=shape.attempt_tokens or below.attempt_tokens,
    )


def _roles(below: Settings, config: Written[ConfigShape]) -> dict[str, RoleSetting]:
    roles: dict[str, RoleSetting] = {}
    for name, shape in config.shape.roles.items():
        base = below.roles.get(name, RoleSetting(place=config.place("roles", name)))
        roles[name] = replace(
            base,
            cli=_choice(config, shape.cli, "roles", name, "cli") or base.cli,
            timeout=shape.timeout or base.timeout,
            max_retries=base.max_retries if shape.max_retries is None else shape.max_retries,
            allowed_tools=_listed(shape.allowed_tools, base.allowed_tools),
            egress=_listed(shape.egress, base.egress),
            hides=_listed(shape.hides, base.hides),
            fallback=_choices(config, shape.fallback or [], "roles", name, "fallback")
            or base.fallback,
            terms=lay_terms(base.terms, config, name),
        )
    return roles


def _workflow(config: Written[ConfigShape]) -> Choice | None:
    chosen = config.shape.workflow
    if chosen is None:
        return None
    path = ("workflow",) if chosen.is_plain else ("workflow", "template")
    return Choice(name=chosen.template, place=config.place(*path))


def _choice(config: Written[ConfigShape], name: str | None, *path: str) -> Choice | None:
    return None if name is None else Choice(name=name, place=config.place(*path))


def _choices(config: Written[ConfigShape], names: list[str], *path: str) -> tuple[Choice, ...]:
    return tuple(
        Choice(name=name, place=config.place(*path, number)) for number, name in enumerate(names)
    )


L = TypeVar("L", bound=tuple[str, ...] | None)


def _listed(value: list[str] | None, otherwise: L) -> tuple[str, ...] | L:
    return otherwise if value is None else tuple(value)


def _first(value: int | None, otherwise: int) -> int:
    return otherwise if value is None else value

"""What a project asks the user to trust."""

import json
from collections.abc import Iterator, Mapping
from typing import Final

from supervisor_ai.control.ports.definitions import Power
from supervisor_ai.definitions.gate_shapes import GateShape
from supervisor_ai.definitions.layers import Layer, Written
from supervisor_ai.definitions.mistakes import Place, shown
from supervisor_ai.definitions.scalars import dear
from supervisor_ai.definitions.settings import Choice
from supervisor_ai.definitions.shape import Shape
from supervisor_ai.definitions.shapes import ConfigShape
from supervisor_ai.definitions.shelves import PROJECT_DIRECTORY, Origin
from supervisor_ai.definitions.step_kinds import kind_of
from supervisor_ai.definitions.templates.composition import with_compositions
from supervisor_ai.definitions.workflow_shapes import WorkflowShape
from supervisor_ai.definitions.workflows import ReadWorkflow
from supervisor_ai.domain.run.definition import StepKind
from supervisor_ai.domain.run.gates import GatePolicy

Widening = tuple[tuple[str, ...], object]
"""A key and its value."""

_GROUPS: Final = ("retry_policies", "parking", "breaker", "sandbox", "workspace")
_LIMITS: Final = frozenset(
    {"attempt_tokens", "retry_base_delay", "retry_max_delay", "retry_exponential_base"}
)
"""Those that widen: what is spent, and what holds for the retry policy `default`."""
_HARMLESS: Final = frozenset({"command", "scripted"})
"""Adapters that are given nothing of the user's."""
_PUBLISHES: Final = "opens a pull request"


def project_powers(project: Layer) -> tuple[Power, ...]:
    """List every key of the project's files that widens what runs may do."""
    powers = [power for config in project.configs for power in _config_powers(config)]
    for layer in with_compositions([project]):
        for workflow in layer.workflows.values():
            powers.extend(_workflow_powers(workflow))
    return tuple(sorted(powers, key=lambda power: (power.file, power.line, power.key)))


def publishing_powers(
    workflows: Mapping[str, ReadWorkflow], default: Choice | None
) -> tuple[Power, ...]:
    """List what lets a project's own words open a pull request in the user's name."""
    own = [it for it in workflows.values() if it.origin is Origin.PROJECT]
    places = [it.particulars.publishes_at for it in own]
    chosen = workflows.get(default.name) if default else None
    is_project = default is not None and default.place.file.startswith(f"{PROJECT_DIRECTORY}/")
    if chosen and default and is_project and chosen.particulars.publishes_at and chosen not in own:
        places.append(default.place)
    return tuple(_power(place, _PUBLISHES) for place in places if place is not None)


def _config_powers(config: Written[ConfigShape]) -> Iterator[Power]:
    for path, value in _widening(config.shape):
        if value not in (None, [], {}):
            yield _power(config.place(*path), value)


def _widening(shape: ConfigShape) -> Iterator[Widening]:
    yield from _of_clis(shape)
    yield from _of_roles(shape)
    for name, model in shape.models.items():
        for key in ("model", "max_tokens", "fallback"):
            yield ("models", name, key), getattr(model, key)
    yield from _of_gates(shape.gates)
    for key, value in _said(shape.limits).items():
        if key in _LIMITS:
            yield ("limits", key), value
    for group in _GROUPS:
        for key, value in _said(getattr(shape, group)).items():
            yield (group, key), value


def _of_clis(shape: ConfigShape) -> Iterator[Widening]:
    yield ("cli",), dear(shape.cli)
    yield ("fallback",), [name for name in shape.fallback if dear(name)]
    for name, cli in shape.clis.items():
        # It takes the place of the user's own, with the way to its model.
        yield ("clis", name, "adapter"), None if cli.adapter in _HARMLESS else cli.adapter
        yield ("clis", name, "command"), cli.command
        yield ("clis", name, "script"), cli.script
        yield ("clis", name, "egress"), cli.egress
        for variable, value in cli.env.items():
            yield ("clis", name, "env", variable), value


def _of_roles(shape: ConfigShape) -> Iterator[Widening]:
    for name, role in shape.roles.items():
        yield ("roles", name, "cli"), dear(role.cli)
        yield ("roles", name, "fallback"), [at for at in role.fallback or () if dear(at)]
        yield ("roles", name, "egress"), role.egress
        yield ("roles", name, "allowed_tools"), role.allowed_tools
        yield ("roles", name, "may_change"), role.may_change
        for server, means in role.mcp_servers.items():
            yield ("roles", name, "mcp_servers", server), means.model_dump(exclude_defaults=True)


def _of_gates(gates: Mapping[str, GateShape]) -> Iterator[Widening]:
    for name, gate in gates.items():
        yield ("gates", name, "command"), gate.command
        for variable, value in gate.env.items():
            yield ("gates", name, "env", variable), value
        if gate.enabled is False:
            yield ("gates", name, "enabled"), "false"
        if gate.said_policy is GatePolicy.WARN:
            yield ("gates", name, "policy" if gate.policy else "on_fail"), "warn"


def _said(settings: object) -> Mapping[str, object]:
    """Return what is written of a group of settings."""
    if isinstance(settings, Shape):
        return settings.model_dump(mode="json", exclude_defaults=True)
    if isinstance(settings, Mapping):
        return {name: _said(value) for name, value in settings.items()}
    return {}


def _workflow_powers(workflow: Written[WorkflowShape]) -> Iterator[Power]:
    shape = workflow.shape
    for path, value in _of_gates(shape.gates):
        if value is not None:
            yield _power(workflow.place(*path), value)
    for part, steps in (("steps", shape.steps), ("overrides", shape.overrides)):
        for name, step in steps.items():
            if step.command is not None and kind_of(name, step) is not StepKind.COMMIT:
                yield _power(workflow.place(part, name, "command"), step.command)


def _power(place: Place, value: object) -> Power:
    text = shown(json.dumps(value, ensure_ascii=False))
    return Power(file=place.file, line=place.line, key=place.key, value=text)

"""What a project asks the user to trust."""

import json
from collections.abc import Iterator

from supervisor_ai.definitions.layers import Layer, Written
from supervisor_ai.definitions.mistakes import Place, shown
from supervisor_ai.definitions.shapes import ConfigShape, WorkflowShape
from supervisor_ai.definitions.steps import kind_of
from supervisor_ai.domain.run.definition import StepKind
from supervisor_ai.engine.ports.definitions import Power


def project_powers(project: Layer) -> tuple[Power, ...]:
    """List every key of the project's files that widens what runs may do."""
    powers = [] if project.config is None else list(_config_powers(project.config))
    for workflow in project.workflows.values():
        powers.extend(_workflow_powers(workflow))
    return tuple(sorted(powers, key=lambda power: (power.file, power.line, power.key)))


def _config_powers(config: Written[ConfigShape]) -> Iterator[Power]:
    for path, value in _widening(config.shape):
        if value not in (None, [], {}):
            yield _power(config.place(*path), value)


def _widening(shape: ConfigShape) -> Iterator[tuple[tuple[str, ...], object]]:
    for name, cli in shape.clis.items():
        yield ("clis", name, "command"), cli.command
        yield ("clis", name, "script"), cli.script
        yield ("clis", name, "egress"), cli.egress
        for variable, value in cli.env.items():
            yield ("clis", name, "env", variable), value
    for name, model in shape.models.items():
        for key in ("model", "max_tokens", "fallback"):
            yield ("models", name, key), getattr(model, key)
    for name, gate in shape.gates.items():
        yield ("gates", name, "command"), gate.command
    for name, role in shape.roles.items():
        yield ("roles", name, "egress"), role.egress
        yield ("roles", name, "allowed_tools"), role.allowed_tools
        for server, means in role.mcp_servers.items():
            yield ("roles", name, "mcp_servers", server), means.model_dump(exclude_defaults=True)
    yield ("limits", "attempt_tokens"), shape.limits.attempt_tokens
    for group, keys in (("sandbox", shape.sandbox), ("workspace", shape.workspace)):
        for key, value in keys.model_dump(mode="json", exclude_defaults=True).items():
            yield (group, key), value


def _workflow_powers(workflow: Written[WorkflowShape]) -> Iterator[Power]:
    for name, step in workflow.shape.steps.items():
        if step.command is not None and kind_of(name, step) is StepKind.GATE:
            yield _power(workflow.place("steps", name, "command"), step.command)


def _power(place: Place, value: object) -> Power:
    text = shown(json.dumps(value, ensure_ascii=False))
    return Power(file=place.file, line=place.line, key=place.key, value=text)

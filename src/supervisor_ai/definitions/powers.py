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
    for name, cli in config.shape.clis.items():
        if cli.command is not None:
            yield _power(config.place("clis", name, "command"), cli.command)
        if cli.script is not None:
            yield _power(config.place("clis", name, "script"), cli.script)
        for variable, value in cli.env.items():
            yield _power(config.place("clis", name, "env", variable), value)
    for name, gate in config.shape.gates.items():
        if gate.command is not None:
            yield _power(config.place("gates", name, "command"), gate.command)
    if config.shape.sandbox.ro_paths:
        yield _power(config.place("sandbox", "ro_paths"), config.shape.sandbox.ro_paths)


def _workflow_powers(workflow: Written[WorkflowShape]) -> Iterator[Power]:
    for name, step in workflow.shape.steps.items():
        if step.command is not None and kind_of(name, step) is StepKind.GATE:
            yield _power(workflow.place("steps", name, "command"), step.command)


def _power(place: Place, value: str | list[str]) -> Power:
    text = shown(json.dumps(value, ensure_ascii=False))
    return Power(file=place.file, line=place.line, key=place.key, value=text)

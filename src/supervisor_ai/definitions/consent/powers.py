"""What a project asks the user to trust."""

import json
from collections.abc import Iterator, Mapping
from typing import Final

from supervisor_ai.control.ports.definitions import Power
from supervisor_ai.definitions.config.approvals.comparison import looser_at
from supervisor_ai.definitions.config.approvals.policy import FACTS_KEY, KEY, policy_of
from supervisor_ai.definitions.config.merged import Choice, MergedConfig
from supervisor_ai.definitions.overlay.layers import Layer, WrittenFile
from supervisor_ai.definitions.overlay.project_limits import (
    CONFIG_LIMITS,
    WORKFLOW_LIMITS,
    ProjectLimit,
    asked_for,
    taken_back,
)
from supervisor_ai.definitions.schema.base import FileShape
from supervisor_ai.definitions.schema.config import ConfigShape
from supervisor_ai.definitions.schema.workflows import WorkflowShape
from supervisor_ai.definitions.sources.files import PROJECT_DIRECTORY, Origin
from supervisor_ai.definitions.sources.mistakes import FilePlace, KeyPath, shown
from supervisor_ai.definitions.step_checks.workflow import ReadWorkflow
from supervisor_ai.definitions.templates.composition import with_compositions
from supervisor_ai.definitions.templates.step_kinds import kind_of
from supervisor_ai.domain.run.definition import StepKind

_PUBLISHES: Final = "opens a pull request"
_LOOSER: Final = "may ask for less than your own policy at"


def project_powers(project: Layer) -> tuple[Power, ...]:
    """List every key of the project's files that widens what runs may do."""
    powers = [power for config in project.configs for power in _config_powers(config)]
    for layer in with_compositions([project]):
        for workflow in layer.workflows.values():
            powers.extend(_workflow_powers(workflow))
    return tuple(sorted(powers, key=lambda power: (power.file, power.line, power.key)))


def approval_powers(user: MergedConfig, whole: MergedConfig) -> tuple[Power, ...]:
    """List where the policy that counts in a project may ask for less than the user's own.

    It is looked at as a whole: facts that a project makes otherwise change the user's own levels.
    """
    mine, found = policy_of(user.shape), policy_of(whole.shape)
    if mine is None:
        return ()
    if found is None:
        levels = tuple(it.level.value for it in mine.levels)
    else:
        levels = tuple(dict.fromkeys(looser_at(found, mine)))
    place = whole.place(FACTS_KEY if levels == (FACTS_KEY,) else KEY)
    return (power(place, f"{_LOOSER} {', '.join(levels)}"),) if levels else ()


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
    return tuple(power(place, _PUBLISHES) for place in places if place is not None)


def _config_powers(config: WrittenFile[ConfigShape]) -> Iterator[Power]:
    keys = {str(row[0]) for row, limit in CONFIG_LIMITS.items() if limit.asked is not None}
    said = config.shape.model_dump(mode="json", exclude_defaults=True, include=keys)
    for path, value in asked_for(said, CONFIG_LIMITS):
        yield power(config.place(*path), value)
    yield from _nulls(config, CONFIG_LIMITS)


def _nulls(
    written: WrittenFile[FileShape], limits: Mapping[KeyPath, ProjectLimit]
) -> Iterator[Power]:
    """List what the file takes back; an empty section takes nothing back."""
    for path in taken_back(written.value, limits):
        if len(path) > 1:
            yield power(written.place(*path), None)


def _workflow_powers(workflow: WrittenFile[WorkflowShape]) -> Iterator[Power]:
    shape = workflow.shape
    gates = shape.model_dump(mode="json", exclude_defaults=True, include={"gates"})
    for path, value in asked_for(gates, WORKFLOW_LIMITS):
        yield power(workflow.place(*path), value)
    yield from _nulls(workflow, WORKFLOW_LIMITS)
    for part, steps in (("steps", shape.steps), ("overrides", shape.overrides)):
        for name, step in steps.items():
            if step.command is not None and kind_of(name, step) != StepKind.COMMIT:
                yield power(workflow.place(part, name, "command"), step.command)


def power(place: FilePlace, value: object) -> Power:
    """Describe something that the user is asked to trust."""
    text = shown(json.dumps(value, ensure_ascii=False))
    return Power(file=place.file, line=place.line, key=place.key, value=text)

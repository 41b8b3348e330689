"""Plans that are made of answers: written in the format of their files, checked, and kept."""

import json
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Final

import yaml
from msgspec import convert
from msgspec.structs import asdict

from supervisor_ai.control.slices import SliceProject
from supervisor_ai.definitions.feature.answers import (
    ComponentsOutput,
    PhasesOutput,
    PlannedFeaturePhase,
    PlannedPhaseContents,
)
from supervisor_ai.definitions.feature.plan_files import YamlPlans
from supervisor_ai.domain.errors import InvalidInput
from supervisor_ai.domain.structs import replace
from supervisor_ai.drivers.feature.commands.plan_folder import FOLDER, write_plan
from supervisor_ai.drivers.feature.ports import PlanAnswers

_FILE: Final = "plan"
_TITLE: Final = 300


class YamlDrafts:
    """Writes plans in the format of their files."""

    def __init__(self, folder: Callable[[], Path]) -> None:
        self._folder = folder

    def write(self, answers: PlanAnswers) -> str:
        """Write a plan in the format of its files; raises InvalidInput with every mistake."""
        phases = convert(json.loads(answers.phases), PhasesOutput).phases
        given = convert(json.loads(answers.components), ComponentsOutput).phases
        contents = _named(phases, given)
        problems = tuple(_mismatches(phases, contents))
        text = _yaml(answers, phases, {it.phase: it for it in contents})
        found = _mistakes(text)
        if problems or found:
            raise InvalidInput("\n".join((*problems, *found, "", f"{_FILE}:", _numbered(text))))
        return text

    def keep(self, feature: str, text: str) -> None:
        """Keep a plan under the id of its feature, in place of an earlier one."""
        write_plan(self._folder(), feature, text)


def open_plan_drafts(project: Callable[[], SliceProject]) -> YamlDrafts:
    """Make who writes plans into the project's folder of features."""
    return YamlDrafts(lambda: project().repository.state_directory / FOLDER)


def _named(
    phases: list[PlannedFeaturePhase], contents: list[PlannedPhaseContents]
) -> list[PlannedPhaseContents]:
    """Say of which phase the contents are that name none, where there is no other."""
    if len(phases) != 1:
        return contents
    return [it if it.phase else replace(it, phase=phases[0].id) for it in contents]


def _mismatches(
    phases: list[PlannedFeaturePhase], contents: list[PlannedPhaseContents]
) -> Iterator[str]:
    """Say where the tech lead does not keep to the planner's phases."""
    known, said = [it.id for it in phases], [it.phase for it in contents]
    for name in dict.fromkeys(said):
        if name not in known:
            yield f"The planner has no phase {name!r}; the phases are {', '.join(known)}."
        if said.count(name) > 1:
            yield f"The phase {name!r} is there {said.count(name)} times."
    for name in known:
        if name not in said:
            yield f"The phase {name!r} has no components."


def _yaml(
    answers: PlanAnswers,
    phases: list[PlannedFeaturePhase],
    contents: Mapping[str, PlannedPhaseContents],
) -> str:
    title, _, description = answers.task.strip().partition("\n")
    feature: dict[str, object] = {"id": answers.feature, "title": title.strip()[:_TITLE]}
    if description.strip():
        feature["description"] = description.strip()
    feature["phases"] = [
        _phase(number, it, contents[it.id])
        for number, it in enumerate(phases, 1)
        if it.id in contents
    ]
    return yaml.dump(
        {"feature": feature}, Dumper=_Writer, sort_keys=False, allow_unicode=True, width=100
    )


def _phase(
    number: int, phase: PlannedFeaturePhase, contents: PlannedPhaseContents
) -> dict[str, object]:
    written: dict[str, object] = {"id": phase.id, "sequence": number, "title": phase.title}
    if phase.start_when != "phases_completed":
        written["start_when"] = phase.start_when
    if contents.interfaces:
        written["interfaces"] = [asdict(it) for it in contents.interfaces]
    written["components"] = [
        {key: said for key, said in asdict(it).items() if said not in ("", [], None)}
        for it in contents.components
    ]
    return written


class _Writer(yaml.SafeDumper):
    """Writes texts of several lines as people do."""


def _text(writer: yaml.SafeDumper, value: str) -> yaml.ScalarNode:
    style = "|" if "\n" in value else None
    return writer.represent_scalar("tag:yaml.org,2002:str", value, style=style)


_Writer.add_representer(str, _text)


def _mistakes(text: str) -> tuple[str, ...]:
    try:
        YamlPlans().read(_FILE, text)
    except InvalidInput as error:
        return tuple(error.message.splitlines())
    return ()


def _numbered(text: str) -> str:
    return "\n".join(f"{number:4} {line}" for number, line in enumerate(text.splitlines(), 1))

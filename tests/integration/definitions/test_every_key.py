"""No key of a definition file is accepted and dropped: taking one away changes what is resolved."""

import copy
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Final, cast, get_args, get_origin

import pytest
import yaml
from pydantic import BaseModel
from tests.unit.definitions.project_files import COMMIT, ProjectFiles
from typing_extensions import override

from supervisor_ai.definitions.catalog.library import Library, Shelves, read_library
from supervisor_ai.definitions.catalog.resolution import find_workflow, resolve, resolve_role
from supervisor_ai.definitions.checkpoint.shapes import SUPERVISION
from supervisor_ai.definitions.config.merged import config_model
from supervisor_ai.definitions.config.slice_sections import slice_sections
from supervisor_ai.definitions.feature.projects import PROJECT_ORDER, PROJECTS
from supervisor_ai.definitions.feature.resolution import resolve_plan
from supervisor_ai.definitions.feature.shapes import FEATURES
from supervisor_ai.definitions.kanban.resolution import resolve_kanban
from supervisor_ai.definitions.kanban.settings import KANBAN
from supervisor_ai.definitions.loop.resolution import resolve_loop
from supervisor_ai.definitions.packs.inspection import MemorySource
from supervisor_ai.definitions.roles.agents import Agents
from supervisor_ai.definitions.roles.packs import PackShape
from supervisor_ai.definitions.roles.summaries import summaries
from supervisor_ai.definitions.schema.base import FileShape
from supervisor_ai.definitions.schema.roles import RoleFileShape
from supervisor_ai.definitions.schema.strategies import StrategyShape
from supervisor_ai.definitions.schema.workflows import WorkflowShape
from supervisor_ai.definitions.sources.aliased_files import AliasedSource
from supervisor_ai.definitions.sources.files import BUILTIN_DIRECTORY, CommitSource, Origin
from supervisor_ai.definitions.sources.mistakes import FileMistakes
from supervisor_ai.definitions.sources.slice_words import slice_directories
from supervisor_ai.domain.errors import InvalidInput
from supervisor_ai.drivers.feature.commands.plan_start import WantedPlan
from supervisor_ai.drivers.kanban.board.policy import KanbanPlace
from supervisor_ai.drivers.kanban.ports import WantedKanban
from supervisor_ai.drivers.loop.commands.wishes import WantedLoop
from supervisor_ai.engine.ports.workspaces import Repository

FIXTURES: Final = Path(__file__).parents[2] / "fixtures" / "every_key"
ADAPTERS: Final = frozenset({"claude", "codex", "gemini", "command", "scripted", "api"})
ROOTS: Final[Mapping[str, type[FileShape]]] = {
    "config.yaml": config_model(slice_sections()),
    "roles": RoleFileShape,
    "workflows": WorkflowShape,
    "strategies": StrategyShape,
    "packs": PackShape,
}
Path_ = tuple[str | int, ...]
Tree = dict[str, object]

REASONS: Final[Mapping[str, str]] = {
    "RoleFileShape.name": "must be the file's name, and is refused where it is another",
    "WorkflowShape.name": "must be the file's name, and is refused where it is another",
    "StrategyShape.name": "must be the file's name, and is refused where it is another",
    "StrategyShape.description": "words for whoever reads the file",
    "RoleFileShape.strengths": "words for readers: `role show`",
    "PackShape.author": "shown by `role search` and before a pack is installed",
    "PackShape.when": "read by `supervisor init`",
    "PackShape.description": "shown by `role search`; of a pack of one role, the role's",
    "AlgorithmStepShape.condition": "must name what the step takes; an empty diff is not shown",
    "RepomixShape.style": "there is one style, and every other word is refused",
    "ContinuityShape.default_mode": "there is one mode, and every other word is refused",
    "ContinuityShape.allow_continuation": "is so unless it is false",
    "DependencyShape.version": "a demand: a version that does not fit is refused",
    **dict.fromkeys(
        (
            "ConfigShape.allowed_signers",
            *("PersonShape.user", "PersonShape.ssh"),
        ),
        "read when somebody decides, and never pinned",
    ),
    "ConfigShape.trackers": "read by `run --issue`",
    "TrackerShape.url": "read by `run --issue`",
    "SettingsShape.audit_trail": "the ledger keeps every run, and nothing switches that off",
    "SettingsShape.parallel_reviews": "is so unless it is false",
    "KnowledgeShape.use": "true is what holds unless it is said; false is tried elsewhere",
    "SupervisionShape.enabled": "true is what holds unless it is said; false is tried elsewhere",
    "QualityShape.enabled": "true is what holds unless it is said; false is tried elsewhere",
    "SettingsShape.require_tests": "a demand: a workflow that does not meet it is refused",
    "SettingsShape.dual_review": "a demand: a workflow that does not meet it is refused",
    "StepShape.required": "a child that disables the step is refused",
    "StepShape.parallel": "several roles always work side by side; false is refused",
    "StepShape.terminal": "says that nothing follows, where nothing follows",
}
"""Why a key changes nothing that a run pins."""


def texts(part: str) -> dict[str, str]:
    place = FIXTURES / part
    files = (file for file in place.rglob("*") if file.is_file())
    return {str(file.relative_to(place)): file.read_text(encoding="utf-8") for file in files}


FILES: Final = {
    (part, path): text for part in ("user", "project") for path, text in texts(part).items()
}


class ReadFiles(MemorySource):
    """Files of somebody's that were read once."""

    def __init__(self, origin: Origin, files: Mapping[str, str]) -> None:
        super().__init__(files)
        self._origin = origin

    @property
    @override
    def origin(self) -> Origin:
        return self._origin

    @override
    def read_script(self, path: str, mistakes: FileMistakes) -> str | None:
        return self.read(path, mistakes)


def builtin() -> Iterator[tuple[str, str]]:
    """Read as much of the package as the files need."""
    parts = ("config.yaml", "roles/*", "prompts/*", "strategies/*", "workflows/standard.yaml")
    for directory in (BUILTIN_DIRECTORY, *slice_directories()):
        for pattern in (*parts, "workflows/_base.yaml"):
            for file in sorted(directory.glob(pattern)):
                yield str(file.relative_to(directory)), file.read_text(encoding="utf-8")


BUILTIN: Final = ReadFiles(Origin.BUILT_IN, dict(builtin()))


def library(files: Mapping[tuple[str, str], str]) -> Library:
    mine = {path: text for (part, path), text in files.items() if part == "user"}
    theirs = {f".supervisor/{path}": it for (part, path), it in files.items() if part == "project"}
    repository = cast("Repository", ProjectFiles(theirs))
    shelves = Shelves(
        builtin=BUILTIN,
        user=AliasedSource(ReadFiles(Origin.USER, mine)),
        project=AliasedSource(CommitSource(repository, COMMIT)),
    )
    mistakes = FileMistakes()
    read = read_library(shelves, ADAPTERS, mistakes)
    if mistakes:
        raise mistakes.error()
    return read


def resolved(files: Mapping[tuple[str, str], str]) -> str:
    """Write down all that runs would pin, or why none could start."""
    try:
        return repr(list(pinned(library(files))))
    except InvalidInput as error:
        return error.message


def pinned(read: Library) -> Iterator[object]:
    agents = Agents(settings=read.settings, roles=read.book.roles, adapters=ADAPTERS, stale=None)
    for name in ("composed", "flow", "child"):
        yield resolve(read, find_workflow(read, name, stale=None), agents, cli=None)
    place = KanbanPlace(file="board/kanban.md")
    yield resolve_kanban(read, agents, WantedKanban(place=place))
    yield resolve_loop(read, agents, WantedLoop())
    yield resolve_plan(read, agents, WantedPlan(feature="F1"))
    yield [resolve_role(read, agents, name) for name in sorted(read.roles)]
    yield summaries(read.book, read.settings, ())
    chosen = read.settings.workflow
    yield (read.settings.section(KANBAN).folder, chosen.name if chosen else None)
    yield read.settings.notifications
    yield read.settings.section(SUPERVISION)
    yield read.settings.section(FEATURES)
    yield read.settings.section(PROJECTS).projects
    yield read.settings.section(PROJECT_ORDER).needs


@cache
def everything() -> str:
    return resolved(FILES)


def shape_of(path: str) -> type[FileShape]:
    for start, shape in ROOTS.items():
        if path == start or (path.startswith(f"{start}/") and "/roles/" not in path):
            return shape
    return RoleFileShape


def keys(shape: type[BaseModel], value: object, path: Path_ = ()) -> Iterator[tuple[str, Path_]]:
    """List every key that is written, with the name of its field."""
    names = {
        alias: name
        for name, field in shape.model_fields.items()
        for alias in (field.alias or name,)
    }
    for key, inner in value.items() if isinstance(value, dict) else ():
        name = names.get(key)
        if name is None:
            continue
        yield f"{owner(shape, name)}.{name}", (*path, key)
        yield from below(shape.model_fields[name].annotation, inner, (*path, key))


def owner(shape: type[BaseModel], name: str) -> str:
    """Name the shape that declares a field first, so that a heir's is the same key."""
    declaring = [it for it in shape.__mro__ if name in getattr(it, "__annotations__", {})]
    return declaring[0].__name__


def below(annotation: object, value: object, path: Path_) -> Iterator[tuple[str, Path_]]:
    parts, kind = get_args(annotation), get_origin(annotation)
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        yield from keys(annotation, value, path)
    elif kind is dict and isinstance(value, dict):
        for key, inner in value.items():
            yield from below(parts[1], inner, (*path, key))
    elif kind is list and isinstance(value, list):
        for number, inner in enumerate(value):
            yield from below(parts[0], inner, (*path, number))
    elif kind not in {dict, list}:
        for part in parts:
            yield from below(part, value, path)


def written() -> Iterator[tuple[str, tuple[str, str], Path_]]:
    for place, text in FILES.items():
        if place[1].endswith(".yaml"):
            for field, path in keys(shape_of(place[1]), yaml.safe_load(text)):
                yield field, place, path


def without(text: str, path: Path_) -> str:
    """Write a file without one of its keys."""
    tree = copy.deepcopy(yaml.safe_load(text))
    holder = tree
    for key in path[:-1]:
        holder = holder[key]
    del holder[path[-1]]
    return yaml.safe_dump(tree, sort_keys=False)


@cache
def by_field() -> dict[str, list[tuple[tuple[str, str], Path_]]]:
    found: dict[str, list[tuple[tuple[str, str], Path_]]] = {}
    for field, place, path in written():
        found.setdefault(field, []).append((place, path))
    return found


def shapes(annotation: object, seen: set[type[BaseModel]]) -> None:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        if annotation not in seen:
            seen.add(annotation)
            for field in annotation.model_fields.values():
                shapes(field.annotation, seen)
        return
    for part in get_args(annotation):
        shapes(part, seen)


def test_the_files_have_every_key() -> None:
    seen: set[type[BaseModel]] = set()
    for root in ROOTS.values():
        shapes(root, seen)
    known = {f"{owner(shape, name)}.{name}" for shape in seen for name in shape.model_fields}
    assert known - set(by_field()) == set()


def test_the_files_have_no_mistake() -> None:
    assert everything().startswith("[Definition(")


@pytest.mark.parametrize("field", sorted(by_field()))
def test_a_key_that_is_taken_away_is_missed(field: str) -> None:
    is_missed = any(
        resolved({**FILES, place: without(FILES[place], path)}) != everything()
        for place, path in by_field()[field]
    )
    assert is_missed is (field not in REASONS), REASONS.get(field, "accepted and dropped")

"""What the files of one origin say, each validated against its shape."""

from collections.abc import Iterator, Mapping
from pathlib import PurePosixPath
from typing import Final, Generic, TypeVar

from msgspec import Struct, field
from pydantic import ValidationError

from supervisor_ai.definitions.overlay.tree import Location, MergeTable, ValueNode, plant
from supervisor_ai.definitions.schema import scalars
from supervisor_ai.definitions.schema.base import FileShape
from supervisor_ai.definitions.schema.config import ConfigShape
from supervisor_ai.definitions.schema.section_files import SECTION_FILES
from supervisor_ai.definitions.schema.workflows import WorkflowShape, WrappedWorkflowShape
from supervisor_ai.definitions.sources.files import DefinitionSource, Origin
from supervisor_ai.definitions.sources.findings import MAX_FINDINGS
from supervisor_ai.definitions.sources.mistakes import FileMistakes, FilePlace, KeyPath
from supervisor_ai.definitions.sources.model_errors import findings
from supervisor_ai.definitions.sources.yaml_document import (
    Document,
    Value,
    read_package_yaml,
    read_yaml,
)

CONFIG_FILE: Final = "config.yaml"
WORKFLOW_FILE: Final = "workflow.yaml"
WORKFLOWS: Final = "workflows"
SUFFIX: Final = ".yaml"
_WRAPPER: Final = "workflow"
_ROOT: Final = "root"

S_co = TypeVar("S_co", bound=FileShape, covariant=True)
S = TypeVar("S", bound=FileShape)


class WrittenFile(Struct, Generic[S_co], frozen=True, kw_only=True):
    """A shape, and the file in which it was written."""

    shape: S_co
    document: Document
    shelf: DefinitionSource
    path: KeyPath = ()
    called: Mapping[str, str] = field(default_factory=dict)
    """What keys of the shape are called in the file, where that is something else."""
    value: Value = None
    """That part of the file which has no mistakes."""

    @property
    def origin(self) -> Origin:
        """Say whose word it is."""
        return self.shelf.origin

    @property
    def location(self) -> Location:
        """Say where in the file it stands."""
        return Location(document=self.document, shelf=self.shelf, path=self.path)

    def planted(self, table: MergeTable) -> ValueNode:
        """Return what is written as a tree that can be merged over others."""
        return plant(self.value, self.location, table, self.called)

    def place(self, *path: str | int) -> FilePlace:
        """Find a key of the shape in the file."""
        return self.document.place(
            *self.path, *(self.called.get(str(key), key) for key in path[:1]), *path[1:]
        )


class Layer(Struct, frozen=True, kw_only=True):
    """Everything that one origin defines."""

    configs: tuple[WrittenFile[ConfigShape], ...]
    """The config, and the files that hold one part of it each; no two say different things."""
    workflows: dict[str, WrittenFile[WorkflowShape]]
    names: tuple[str, ...]
    """The workflows that have a file, also where nothing in it could be read."""
    own: str | None = None
    """The workflow of `workflow.yaml`, which runs unless a config names another one."""


def read_layer(
    shelf: DefinitionSource, mistakes: FileMistakes, model: type[ConfigShape] = ConfigShape
) -> Layer:
    """Read the configs and the workflows of a shelf."""
    names = names_in(shelf, WORKFLOWS, mistakes)
    written = ((name, _read_workflow(shelf, name, mistakes)) for name in names)
    workflows = {name: workflow for name, workflow in written if workflow is not None}
    own = _read_own(shelf, workflows, mistakes)
    configs = (read_config(shelf, mistakes, model), *_read_sections(shelf, mistakes))
    return Layer(
        configs=tuple(config for config in configs if config is not None),
        workflows={**workflows, **own},
        names=(*names, *own),
        own=next(iter(own), None),
    )


def names_in(shelf: DefinitionSource, directory: str, mistakes: FileMistakes) -> list[str]:
    """Name the definitions of a directory."""
    names: list[str] = []
    for file in shelf.names(directory):
        path, place = PurePosixPath(file), FilePlace(file=shelf.label(f"{directory}/{file}"))
        if path.suffix == ".yml":
            mistakes.add(place, f"is not read; rename it to {path.stem}{SUFFIX}")
        if path.suffix != SUFFIX:
            continue
        try:
            # A workflow that begins with `_` is there to be extended, not to be run.
            scalars.name(path.stem.removeprefix("_") if directory == WORKFLOWS else path.stem)
            names.append(path.stem)
        except ValueError as error:
            mistakes.add(place, str(error))
    return names


def read_document(shelf: DefinitionSource, path: str, mistakes: FileMistakes) -> Document | None:
    """Read one file; None where there is none, or where it is no YAML."""
    text = shelf.read(path, mistakes)
    if text is None:
        return None
    read = read_package_yaml if shelf.origin is Origin.BUILT_IN else read_yaml
    return read(shelf.label(path), text, mistakes)


def read_shape(
    shelf: DefinitionSource,
    path: str,
    model: type[S],
    mistakes: FileMistakes,
    *,
    may_be_empty: bool = False,
) -> WrittenFile[S] | None:
    """Read one file and validate it; None where nothing usable stands there."""
    document = read_document(shelf, path, mistakes)
    if document is None or (may_be_empty and document.value is None):
        return None
    fitted = fit(document.value, model, document, mistakes)
    if fitted is None:
        return None
    return WrittenFile(shape=fitted.shape, value=fitted.value, document=document, shelf=shelf)


def read_config(
    shelf: DefinitionSource, mistakes: FileMistakes, model: type[ConfigShape]
) -> WrittenFile[ConfigShape] | None:
    """Read the config of a shelf; None where there is none, or nothing usable in it."""
    return read_shape(shelf, CONFIG_FILE, model, mistakes, may_be_empty=True)


def _read_sections(
    shelf: DefinitionSource, mistakes: FileMistakes
) -> Iterator[WrittenFile[ConfigShape]]:
    for file, model in SECTION_FILES.items():
        section = read_shape(shelf, file, model, mistakes)
        if section is not None:
            yield WrittenFile(
                shape=section.shape.config,
                value=section.value,
                document=section.document,
                shelf=shelf,
                called=model.CALLED,
            )


def _read_own(
    shelf: DefinitionSource,
    others: Mapping[str, WrittenFile[WorkflowShape]],
    mistakes: FileMistakes,
) -> dict[str, WrittenFile[WorkflowShape]]:
    """Read `workflow.yaml`, which may call itself what it likes."""
    document = read_document(shelf, WORKFLOW_FILE, mistakes)
    written = None if document is None else _of_workflow(shelf, document, mistakes)
    if written is None:
        return {}
    name = written.shape.name or shelf.origin.value
    if name in others:
        other = others[name].document.file
        mistakes.add(written.place("name"), f"is {name!r}, and so is that of {other}; rename one")
    return {name: written}


def _read_workflow(
    shelf: DefinitionSource, name: str, mistakes: FileMistakes
) -> WrittenFile[WorkflowShape] | None:
    document = read_document(shelf, f"{WORKFLOWS}/{name}{SUFFIX}", mistakes)
    written = None if document is None else _of_workflow(shelf, document, mistakes)
    if written is not None and written.shape.name not in {None, name}:
        problem = f"is {written.shape.name!r}, but the file is called {name!r}"
        mistakes.add(written.place("name"), problem)
    return written


def _of_workflow(
    shelf: DefinitionSource, document: Document, mistakes: FileMistakes
) -> WrittenFile[WorkflowShape] | None:
    value = document.value
    if isinstance(value, dict) and _WRAPPER in value:
        wrapped = fit(value, WrappedWorkflowShape, document, mistakes)
        if wrapped is None or not isinstance(wrapped.value, dict):
            return None
        return WrittenFile(
            shape=wrapped.shape.workflow,
            value=wrapped.value.get(_WRAPPER),
            document=document,
            shelf=shelf,
            path=(_WRAPPER,),
        )
    fitted = fit(value, WorkflowShape, document, mistakes)
    if fitted is None:
        return None
    return WrittenFile(shape=fitted.shape, value=fitted.value, document=document, shelf=shelf)


class Fitted(Struct, Generic[S_co], frozen=True, kw_only=True):
    """A shape, and that part of what was written which it could be made of."""

    shape: S_co
    value: Value


def fit(
    value: Value,
    model: type[S],
    document: Document,
    mistakes: FileMistakes,
    below: KeyPath = (),
) -> Fitted[S] | None:
    """Validate; what does not fit is noted and left out, so that the rest is looked at too.

    `below` is where in the document the value stands.
    """
    root: dict[str, Value] = {_ROOT: _copy(value)}
    is_first = True
    while _ROOT in root:
        try:
            return Fitted(shape=model.model_validate(root[_ROOT]), value=root[_ROOT])
        except ValidationError as error:
            wrong, count = tuple(findings(error, model)), error.error_count()
        if is_first:
            for finding in wrong:
                mistakes.add(document.place(*below, *finding.path), finding.problem)
        if count > MAX_FINDINGS:
            problem = f"has {count} mistakes; the first {MAX_FINDINGS} are listed"
            mistakes.add(document.place(*below), problem)
            return None
        _leave_out(root, [(_ROOT, *finding.path) for finding in wrong])
        is_first = False
    return None


def _copy(value: Value) -> Value:
    if isinstance(value, dict):
        return {key: _copy(it) for key, it in value.items()}
    return [_copy(it) for it in value] if isinstance(value, list) else value


def _leave_out(root: dict[str, Value], paths: list[KeyPath]) -> None:
    gone: set[KeyPath] = set()
    for path in sorted(paths, key=len):
        if not any(path[:length] in gone for length in range(len(path) + 1)):
            gone.add(_drop(root, path))


def _drop(root: dict[str, Value], path: KeyPath) -> KeyPath:
    """Remove a value, or where there is none, what should have held it."""
    holder: Value = root
    for part in path[:-1]:
        holder = holder.get(str(part)) if isinstance(holder, dict) else None
    last = path[-1]
    if isinstance(holder, dict) and isinstance(last, str) and last in holder:
        del holder[last]
        return path
    return _drop(root, path[:-1])

"""Files of pipelines: read bounded and strictly, every mistake with its file, line and key."""

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Final

from pydantic import AfterValidator, Field, ValidationError

from supervisor_ai.definitions.schema.base import FileShape, Text
from supervisor_ai.definitions.sources.files import BUILTIN_DIRECTORY
from supervisor_ai.definitions.sources.mistakes import BUILTIN, FileMistakes
from supervisor_ai.definitions.sources.model_errors import findings
from supervisor_ai.definitions.sources.yaml_document import (
    MAX_CHARACTERS,
    Document,
    Value,
    read_yaml,
)
from supervisor_ai.domain.errors import InvalidInput, NotFound
from supervisor_ai.domain.session.decisions import check_word
from supervisor_ai.domain.session.pipeline import (
    MOST_TASKS,
    Pipeline,
    PipelineTask,
    pipeline_flaws,
)
from supervisor_ai.tools.text import nearest

_FOLDER: Final = "pipelines"
_ENDINGS: Final = (".yaml", ".yml")
_EXAMPLE: Final = "See: docs/howto/sessions.md"
_SUBJECT: Final = 2_000


def _word(value: str) -> str:
    try:
        return check_word("name", value)
    except InvalidInput as error:
        raise ValueError(f"must be a name: {error.hint}") from error


def _subject(value: str) -> str:
    if not value.strip() or len(value) > _SUBJECT:
        raise ValueError(f"must have 1 to {_SUBJECT} characters, found {len(value)}")
    return value


Word = Annotated[str, AfterValidator(_word)]


class PipelineTaskShape(FileShape):
    """A task of a pipeline's file."""

    id: Word
    subject: Annotated[str, AfterValidator(_subject)]
    owner: Word
    blocked_by: list[Word] = Field(default_factory=list)


class PipelineShape(FileShape):
    """A pipeline's file."""

    name: Word | None = None
    description: Text = ""
    supervision: bool = True
    tasks: Annotated[list[PipelineTaskShape], Field(min_length=1, max_length=MOST_TASKS)]


class FilePipelines:
    """The pipelines of the package, and whatever file a user names."""

    def all(self) -> Sequence[Pipeline]:
        """Return those that are built in."""
        return [self.find(name) for name in self._names()]

    def find(self, name: str) -> Pipeline:
        """Return one that is built in by its name, or one by the path of its file."""
        if name in self._names():
            path = BUILTIN_DIRECTORY / _FOLDER / f"{name}.yaml"
            return _read(path, f"{BUILTIN}{_FOLDER}/{path.name}")
        path = Path(name)
        if path.suffix in _ENDINGS or "/" in name:
            return _read(path, name)
        near = nearest(name, self._names())
        hint = f"Did you mean {near!r}?" if near else None
        known = ", ".join(self._names())
        raise NotFound(
            f"There is no pipeline {name[:80]!r}; built in are {known}.",
            hint=hint or "Or name a YAML file.",
        )

    def _names(self) -> Sequence[str]:
        return sorted(path.stem for path in (BUILTIN_DIRECTORY / _FOLDER).glob("*.yaml"))


def _read(path: Path, label: str) -> Pipeline:
    mistakes = FileMistakes()
    document = read_yaml(label, _content(path), mistakes)
    if document is None:
        raise mistakes.error(hint=_EXAMPLE)
    shape = _shape(document, document.value, mistakes) or _only_tasks(document)
    pipeline = None if shape is None else _pipeline(shape, path)
    for at, problem in () if pipeline is None else pipeline_flaws(pipeline):
        mistakes.add(document.place(*at), problem)
    if mistakes or pipeline is None:
        raise mistakes.error(hint=_EXAMPLE)
    return pipeline


def _content(path: Path) -> str:
    try:
        with path.open(encoding="utf-8") as file:
            return file.read(MAX_CHARACTERS + 1)
    except FileNotFoundError:
        raise NotFound(f"There is no file {str(path)!r}.", hint=_EXAMPLE) from None
    except (OSError, ValueError) as error:
        raise InvalidInput(f"The file {str(path)!r} cannot be read: {error}.") from error


def _only_tasks(document: Document) -> PipelineShape | None:
    """Read the tasks of a file that has mistakes elsewhere, so that all are told at once."""
    if not isinstance(document.value, dict):
        return None
    return _shape(document, {"tasks": document.value.get("tasks")}, FileMistakes())


def _shape(document: Document, value: Value, mistakes: FileMistakes) -> PipelineShape | None:
    try:
        return PipelineShape.model_validate(value)
    except ValidationError as error:
        for finding in findings(error, PipelineShape):
            mistakes.add(document.place(*finding.path), finding.problem)
        return None


def _pipeline(shape: PipelineShape, path: Path) -> Pipeline:
    return Pipeline(
        name=shape.name or path.stem,
        description=shape.description,
        supervision=shape.supervision,
        tasks=tuple(
            PipelineTask(
                task=it.id, subject=it.subject, owner=it.owner, blocked_by=tuple(it.blocked_by)
            )
            for it in shape.tasks
        ),
    )

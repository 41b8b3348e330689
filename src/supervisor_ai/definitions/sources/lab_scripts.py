"""Files with scripts for the lab, in YAML or JSON: read bounded, every mistake with its line."""

from collections.abc import Iterable
from pathlib import Path

from msgspec import Struct

from supervisor_ai.control.ports.lab import KeyPath
from supervisor_ai.definitions.sources.mistakes import FileMistakes, FilePlace
from supervisor_ai.definitions.sources.yaml_document import MAX_CHARACTERS, Document, read_yaml
from supervisor_ai.domain.errors import InvalidInput, NotFound, SupervisorError
from supervisor_ai.tools.json_value import BadJson, read_json


class LabScriptFile(Struct, frozen=True):
    """A script as a file says it."""

    document: Document

    @property
    def value(self) -> object:
        """Return what the file says, without a meaning."""
        return self.document.value

    def refuse(self, flaws: Iterable[tuple[KeyPath, str]], hint: str | None) -> SupervisorError:
        """Tell what is wrong with it, each with its file, line and key."""
        mistakes = FileMistakes()
        for path, problem in flaws:
            mistakes.add(self.document.place(*path), problem)
        return mistakes.error(hint=hint)


def read_lab_script(path: Path) -> LabScriptFile:
    """Open a file with a script; what it says is not judged yet."""
    mistakes = FileMistakes()
    document = _document(path, mistakes)
    if document is None or mistakes:
        raise mistakes.error(hint="See: supervisor lab example")
    return LabScriptFile(document)


def _document(path: Path, mistakes: FileMistakes) -> Document | None:
    """Read YAML, or JSON, which YAML's reader understands well enough to tell the lines."""
    text, file = _content(path), str(path)
    if path.suffix != ".json":
        return read_yaml(file, text, mistakes)
    try:
        value = read_json(text)
    except BadJson as error:
        mistakes.add(FilePlace(file=file), f"is not valid JSON: {error}")
        return None
    positions = read_yaml(file, text, FileMistakes())
    return Document(file=file, value=value, lines=positions.lines if positions else {})


def _content(path: Path) -> str:
    try:
        with path.open(encoding="utf-8") as file:
            return file.read(MAX_CHARACTERS + 1)
    except FileNotFoundError:
        raise NotFound(
            f"There is no script {str(path)!r}.", hint="See: supervisor lab example"
        ) from None
    except (OSError, UnicodeDecodeError) as error:
        raise InvalidInput(f"The script {str(path)!r} cannot be read: {error}.") from error

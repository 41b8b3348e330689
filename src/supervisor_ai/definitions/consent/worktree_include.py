"""`.worktreeinclude`: which ignored files of the checkout a workspace is given."""

from collections.abc import Iterator
from typing import Final

from msgspec import Struct

from supervisor_ai.control.ports.definitions import Power
from supervisor_ai.definitions.schema import scalars
from supervisor_ai.definitions.sources.files import DefinitionSource
from supervisor_ai.definitions.sources.mistakes import FileMistakes, FilePlace, shown

FILE: Final = ".worktreeinclude"


class IncludeLine(Struct, frozen=True, kw_only=True):
    """A pattern, and the line that it stands on."""

    pattern: str
    line: int


def read_include(project: DefinitionSource, mistakes: FileMistakes) -> tuple[IncludeLine, ...]:
    """Read the patterns of the project's root; blank lines and comments say nothing."""
    text = project.read_script(FILE, mistakes)
    return tuple(_lines(text or "", mistakes))


def include_powers(include: tuple[IncludeLine, ...]) -> Iterator[Power]:
    """List the patterns: what they match is shown to workers, and it may hold secrets."""
    for line in include:
        yield Power(file=FILE, line=line.line, key="include", value=shown(line.pattern))


def _lines(text: str, mistakes: FileMistakes) -> Iterator[IncludeLine]:
    for number, written in enumerate(text.splitlines(), start=1):
        if not written.strip() or written.startswith("#"):
            continue
        try:
            yield IncludeLine(pattern=scalars.pattern(written.strip()), line=number)
        except ValueError as error:
            mistakes.add(FilePlace(file=FILE, line=number), str(error))

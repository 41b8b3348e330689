"""FileMistakes in definition files: all of them at once, each with its place."""

from collections.abc import Iterable, Sequence
from typing import Final

from msgspec import Struct

from supervisor_ai.domain.errors import InvalidInput
from supervisor_ai.tools.text import escaped, nearest

KeyPath = tuple[str | int, ...]
"""Where a value stands in a file: keys of mappings and indices of lists."""


_MOST_LISTED: Final = 50
BUILTIN: Final = "builtin/"
"""How the names of the package's own files begin."""


class FilePlace(Struct, frozen=True, kw_only=True):
    """A key of a file and the line in which it stands."""

    file: str
    line: int = 1
    column: int | None = None
    key: str = ""

    @property
    def text(self) -> str:
        """Write the place as compilers do."""
        column = f":{self.column}" if self.column is not None else ""
        key = f": {self.key}" if self.key else ""
        return f"{self.file}:{self.line}{column}{key}"


class FileMistake(Struct, frozen=True, kw_only=True):
    """What is wrong, and where."""

    place: FilePlace
    problem: str

    @property
    def text(self) -> str:
        """Write the mistake as one line."""
        return shown(f"{self.place.text}: {self.problem}")


class Note(Struct, frozen=True, kw_only=True):
    """Something that is no mistake, but that whoever checks the definitions wants to know."""

    place: FilePlace
    text: str

    @property
    def line(self) -> str:
        """Write the note as one line."""
        return shown(f"{self.place.text}: {self.text}")


class FileMistakes:
    """Collects what is wrong, so that the user hears all of it at once."""

    def __init__(self) -> None:
        self._found: set[FileMistake] = set()

    def __len__(self) -> int:
        return len(self._found)

    def add(self, place: FilePlace, problem: str) -> None:
        """Note one more."""
        self._found.add(FileMistake(place=place, problem=problem))

    def any_below(self, file: str, key: str = "") -> bool:
        """Tell whether a file, or a part of it, has mistakes."""
        below = f"{key}." if key else ""
        return any(
            mistake.place.file == file
            and (mistake.place.key == key or mistake.place.key.startswith(below))
            for mistake in self._found
        )

    @property
    def files(self) -> frozenset[str]:
        """Name the files that have mistakes."""
        return frozenset(mistake.place.file for mistake in self._found)

    def error(self, *, hint: str | None = None) -> InvalidInput:
        """Say all of it, in the order of the files.

        What does not fit in the package's own files does so because of the others'.
        """
        others = [at for at in self._found if not at.place.file.startswith(BUILTIN)]
        found = sorted(others or self._found, key=_order)
        count = len(found)
        head = f"The definitions have {'a mistake' if count == 1 else f'{count} mistakes'}:"
        lines = (f"  {mistake.text}" for mistake in found)
        return InvalidInput("\n".join((head, *lines)), hint=hint)


def _order(mistake: FileMistake) -> tuple[str, int, int, str, str]:
    place = mistake.place
    return (place.file, place.line, place.column or 0, place.key, mistake.problem)


def key_text(path: KeyPath) -> str:
    """Write a path as people do: `clis.my_agent.command[1]`."""
    text = ""
    for part in path:
        if isinstance(part, int):
            text += f"[{part}]"
        else:
            text += f".{part}" if text else part
    return text


def suggestion(name: str, known: Iterable[str]) -> str | None:
    """Return the known name that was probably meant."""
    return nearest(name, known)


def unknown(what: str, name: str, known: Sequence[str]) -> str:
    """Say that a name is not known, and which one was probably meant."""
    near = suggestion(name, known)
    if near is not None:
        return f"unknown {what} {name!r}; did you mean {near!r}?"
    more = ["…"] if len(known) > _MOST_LISTED else []
    listed = ", ".join([*known[:_MOST_LISTED], *more]) or "none"
    return f"unknown {what} {name!r} (known: {listed})"


def shown(text: str) -> str:
    """Escape what a terminal or a reader's eye could be tricked by."""
    return escaped(text)

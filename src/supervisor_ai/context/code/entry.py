"""Declarations of a source file (functions, classes, constants), without the bodies."""

from collections.abc import Callable, Iterable, Iterator
from enum import StrEnum, unique
from typing import Final

from msgspec import Struct

MAX_LINE: Final = 400
MAX_DOC: Final = 120
MAX_VALUE: Final = 80
# What declares more in one place was written by a machine.
MAX_MEMBERS: Final = 5_000
_INDENT: Final = "    "


@unique
class EntryKind(StrEnum):
    """What an entry is: where something comes from, a definition, or a named value."""

    IMPORT = "import"
    DEFINITION = "definition"
    VALUE = "value"


class CodeEntry(Struct, frozen=True, kw_only=True):
    """One declaration: its signature, the first line of its documentation, its members."""

    kind: EntryKind
    text: str
    doc: str = ""
    is_public: bool = True
    members: tuple["CodeEntry", ...] = ()


def one_line(text: str, limit: int = MAX_LINE) -> str:
    """Put a text on one line and cut it where it gets long."""
    line = " ".join(text[: limit * 4].split())
    return line if len(line) <= limit and len(text) <= limit * 4 else f"{line[:limit]}..."


def first_sentence(doc: str) -> str:
    """Return the first line of a documentation text that says something."""
    lines = (line.strip() for line in doc[: MAX_LINE * 4].splitlines())
    return one_line(next((line for line in lines if line), ""), MAX_DOC)


def rendered(
    entries: Iterable[CodeEntry], comment: str, wanted: Callable[[CodeEntry], bool], depth: int = 0
) -> Iterator[str]:
    """Yield a line for each wanted entry, its documentation as a comment below it."""
    for entry in entries:
        if wanted(entry):
            yield f"{_INDENT * depth}{entry.text}"
            if entry.doc:
                yield f"{_INDENT * (depth + 1)}{comment} {entry.doc}"
            yield from rendered(entry.members, comment, wanted, depth + 1)

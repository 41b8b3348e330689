"""What every dialect can do: read a question, and write answers and errors."""

import uuid
from collections.abc import Iterator, Mapping
from typing import Final, Protocol

from msgspec import Struct

from supervisor_ai.lab.shapes import DialectName, Turn
from supervisor_ai.tools.json_value import Json

_PIECE: Final = 40


class BadRequest(Exception):
    """A request that the real service would refuse, too."""


class LabQuestion(Struct, frozen=True, kw_only=True):
    """What a request asks, whatever the dialect."""

    model: str
    is_streamed: bool
    has_tools: bool
    answered: int
    opening: Json
    schema: Mapping[str, Json] | None = None


class Frame(Struct, frozen=True, kw_only=True):
    """One server-sent event; text is sent as it is, everything else as JSON."""

    payload: Json
    event: str | None = None
    bare: bool = False
    """Whether it is a line of its own, and no event."""


class Dialect(Protocol):
    """The wire format of a model service."""

    @property
    def name(self) -> DialectName:
        """Name the dialect as scripts do."""
        ...

    @property
    def breakdown(self) -> Frame:
        """Return the event that tells of an overload in the middle of a stream."""
        ...

    def read(self, body: Mapping[str, Json], path: str) -> LabQuestion:
        """Understand a request; BadRequest when something is missing."""
        ...

    def whole(self, turn: Turn, question: LabQuestion) -> Json:
        """Write an answer in one piece."""
        ...

    def frames(self, turn: Turn, question: LabQuestion) -> Iterator[Frame]:
        """Write an answer as a stream."""
        ...

    def error(self, status: int, message: str | None = None) -> Json:
        """Write an error as the service does."""
        ...


def answered(is_answer: Iterator[bool]) -> int:
    """Count the turns of the model: one for each unbroken run of its messages."""
    count, before = 0, False
    for now in is_answer:
        count += now and not before
        before = now
    return count


def fresh(prefix: str) -> str:
    """Make an id."""
    return f"{prefix}_{uuid.uuid4().hex[:24]}"


def pieces(text: str, size: int = _PIECE) -> list[str]:
    """Cut a text as a stream does; an empty text is one empty piece."""
    return [text[at : at + size] for at in range(0, len(text), size)] or [""]

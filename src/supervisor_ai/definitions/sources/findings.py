"""How a value that does not fit is told to the person or the agent who wrote it."""

from typing import Final

from msgspec import Struct

from supervisor_ai.definitions.sources.mistakes import KeyPath

MAX_FINDINGS: Final = 200
_MAX_SHOWN: Final = 60


class ModelFinding(Struct, frozen=True, kw_only=True):
    """One thing that does not fit a model."""

    path: KeyPath
    problem: str


def unknown_key(near: str | None, known: tuple[str, ...]) -> str:
    """Say that a key is not known; `near` is the one that was probably meant."""
    if near is not None:
        return f"unknown key; did you mean {near!r}?"
    return f"unknown key (known: {', '.join(known)})"


def counted(word: str, bound: object, length: int) -> str:
    """Say that a list is too short or too long."""
    entries = "entry" if bound == 1 else "entries"
    return f"must have {word} {bound} {entries}, found {length}"


def found(value: object) -> str:
    """Show a value that was not expected, cut to a length that can be read."""
    if value is None:
        return "nothing"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, (list, dict)):
        return "a list" if isinstance(value, list) else "a mapping"
    text = repr(value if not isinstance(value, str) else value[: _MAX_SHOWN + 1])
    return text if len(text) <= _MAX_SHOWN + 2 else f"{text[:_MAX_SHOWN]}…"

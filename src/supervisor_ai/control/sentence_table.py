"""Sentence tables: what is said about each class of events, as a slice contributes it."""

from collections.abc import Callable
from typing import TypeVar, cast

from msgspec import Struct

from supervisor_ai.domain.envelope import Event

E = TypeVar("E", bound=Event)


class Sentence(Struct, frozen=True, kw_only=True):
    """What is said about one class of events; plain text, without colour or terminal codes."""

    kind: type[Event]
    tell: Callable[[Event], str]
    """Say in one line what happened."""
    mark: Callable[[Event], str] | None = None
    """Say in a word or two how the step stands then; None: it stands as before."""
    is_routine: bool = False
    """Whether it is left out where a person watches only what moves the run on."""


SentenceTable = tuple[Sentence, ...]


def on(
    kind: type[E],
    tell: Callable[[E], str],
    *,
    mark: str | Callable[[E], str] | None = None,
    is_routine: bool = False,
) -> Sentence:
    """Say what is told of a class of events."""
    word = (lambda _: mark) if isinstance(mark, str) else mark
    return Sentence(
        kind=kind,
        tell=cast("Callable[[Event], str]", tell),
        mark=cast("Callable[[Event], str] | None", word),
        is_routine=is_routine,
    )

"""What people tell a loop while it runs: rest, go on, do this as well, forget that."""

from enum import StrEnum
from typing import Final

from msgspec import Struct

from supervisor_ai.domain.ids import ArtifactHash
from supervisor_ai.drivers.quality.directives import (
    DirectivePriority,
    DirectiveType,
    NewDirective,
)

_ADD: Final = "directive-add"
_DROP: Final = "directive-drop"
_ADD_WORDS: Final = 4
_DROP_WORDS: Final = 2


class Pause(StrEnum):
    """Whether the loop rests at the next place where nothing is under way."""

    OFF = "resume"
    ON = "pause"


class LoopWish(Struct, frozen=True, kw_only=True):
    """What a person says about directives: a new one, or one to drop."""

    add: NewDirective | None = None
    drop: int | None = None


def write_wish(wish: LoopWish) -> str:
    """Write a wish as a signal."""
    if wish.add is not None:
        return " ".join((_ADD, wish.add.type, wish.add.priority, wish.add.text))
    return f"{_DROP} {wish.drop}"


def read_wish(signal: str) -> Pause | LoopWish | None:
    """Read a signal; None: it means nothing to a loop."""
    words = signal.split(" ")
    if signal in set(Pause):
        return Pause(signal)
    if words[0] == _ADD and len(words) == _ADD_WORDS:
        _, type_, priority, text = words
        is_known = type_ in set(DirectiveType) and priority in set(DirectivePriority)
        return _added(type_, priority, text) if is_known else None
    if words[0] == _DROP and len(words) == _DROP_WORDS and words[1].isdigit():
        return LoopWish(drop=int(words[1]))
    return None


def _added(type_: str, priority: str, text: str) -> LoopWish:
    directive = NewDirective(
        type=DirectiveType(type_), priority=DirectivePriority(priority), text=ArtifactHash(text)
    )
    return LoopWish(add=directive)

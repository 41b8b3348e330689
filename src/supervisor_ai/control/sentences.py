"""Sentences about events, for all faces: what happened, where, and how a step stands then."""

from collections.abc import Mapping
from typing import Final

from supervisor_ai.control.phrases import one_line
from supervisor_ai.control.run_sentences import PROJECT_SENTENCES, RUN_SENTENCES
from supervisor_ai.control.sentence_table import Sentence, on
from supervisor_ai.control.slices import all_slices
from supervisor_ai.domain.envelope import Event
from supervisor_ai.domain.run import events as e

SENTENCES: Final[Mapping[type[Event], Sentence]] = {
    it.kind: it for it in (*RUN_SENTENCES, *PROJECT_SENTENCES)
}


_UNKNOWN: Final = on(Event, lambda it: type(it).__name__)
"""Whoever watches must not fail, whatever is recorded."""


def describe(event: Event) -> str:
    """Say in one line what happened."""
    return one_line(_sentence(event).tell(event))


def mark_of(event: Event) -> str | None:
    """Say in a word or two how a step stands after the event; None: as before."""
    mark = _sentence(event).mark
    return None if mark is None else mark(event)


def is_routine(event: Event) -> bool:
    """Tell whether a person who watches can do without the event."""
    return _sentence(event).is_routine


def place(event: Event) -> str:
    """Say where in the run it happened."""
    if not isinstance(event, e.PlacedEvent):
        return ""
    attempt = getattr(event, "attempt", None)
    return f"{event.step} {event.visit}" + (f".{attempt}" if attempt is not None else "")


def _sentence(event: Event) -> Sentence:
    kind = type(event)
    if kind in SENTENCES:
        return SENTENCES[kind]
    told = (it for found in all_slices() for it in found.sentences if it.kind is kind)
    return next(told, _UNKNOWN)

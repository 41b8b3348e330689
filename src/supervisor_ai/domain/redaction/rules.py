"""The rules of redaction, all our own."""

from typing import Final

from supervisor_ai.domain.redaction.formats import FORMATS
from supervisor_ai.domain.redaction.places import PLACES
from supervisor_ai.domain.redaction.rule import Found, Rule, lower


def find_secrets(text: str, start: int = 0) -> list[Found]:
    """Find the secrets of a text from `start` on, in order and without overlaps.

    Places are judged without the secrets that were known by their form, so that a second redaction
    finds what the first one found: nothing.
    """
    lowered = lower(text)
    known = merged([found for rule in FORMATS for found in rule.find(text, lowered, start)])
    placed = [found for rule in PLACES for found in rule.find(text, lowered, start, known)]
    return merged(known + placed)


RULES: Final[tuple[Rule, ...]] = FORMATS + PLACES


def merged(found: list[Found]) -> list[Found]:
    """Bring secrets in order, and make one of those that overlap."""
    apart: list[Found] = []
    for secret in sorted(found):
        if apart and secret.start < apart[-1].end:
            apart[-1] = _union(apart[-1], secret)
        else:
            apart.append(secret)
    return apart


def _union(one: Found, other: Found) -> Found:
    return Found(
        start=one.start,
        end=max(one.end, other.end),
        rule=one.rule,
        first=min(one.first, other.first),
        last=max(one.last, other.last),
    )

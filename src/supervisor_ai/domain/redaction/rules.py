"""The rules of redaction, all our own."""

from bisect import bisect_right
from collections.abc import Callable, Sequence
from typing import Final, NamedTuple

from supervisor_ai.domain.redaction.colours import ColouredPlaces, has_colours, uncoloured
from supervisor_ai.domain.redaction.formats import FORMATS
from supervisor_ai.domain.redaction.places import PLACES
from supervisor_ai.domain.redaction.prefilter import Prefilter
from supervisor_ai.domain.redaction.private_keys import WORDS_OF_FRAMES
from supervisor_ai.domain.redaction.program_files import PROGRAM_FILES
from supervisor_ai.domain.redaction.rule import FoundSecret, KeywordPlaces, RedactionRule
from supervisor_ai.domain.redaction.sieve import Lines, Sieve


class SearchedText(NamedTuple):
    """What was found in a text, and in which of its lines it was looked for."""

    found: list[FoundSecret]
    seen: str
    """Every line with a sign of a secret, or of the frame of a private key, is in it."""


class RuleBook:
    """The rules for secrets that are known by their form, and for those known by their place."""

    def __init__(
        self, *, formats: Sequence[RedactionRule], places: Sequence[RedactionRule]
    ) -> None:
        self.rules = (*formats, *places)
        self._formats = Prefilter(formats)
        self._places = places
        self._sieve = Sieve(self.rules, shapes=WORDS_OF_FRAMES)

    def find(self, text: str, start: int = 0) -> list[FoundSecret]:
        """Find the secrets of a text from `start` on, in order and without overlaps."""
        return self.look(text, start).found

    def look(self, text: str, start: int = 0) -> SearchedText:
        """Find them, and tell where else a key may begin."""
        looked = self._look(text, start)
        return SearchedText(_in_colours(text, start, looked.found, self.find), looked.seen)

    def _look(self, text: str, start: int) -> SearchedText:
        """Look without the lines that have no sign of a secret, which no rule needs."""
        if not self._sieve.is_worth_it(len(text) - start):
            return SearchedText(self._search(text, start), text)
        kept = self._sieve.keep(text, start)
        if not kept.starts:
            return SearchedText([], "")
        found = self._search(kept.text, max(0, start - kept.origins[0]))
        return SearchedText([_restored(it, kept) for it in found], kept.text)

    def search(self, text: str, start: int = 0) -> list[FoundSecret]:
        """Find the same by every rule that may match, in every line."""
        return _in_colours(text, start, self._search(text, start), self.search)

    def _search(self, text: str, start: int) -> list[FoundSecret]:
        """Search by every rule that may match.

        Places are judged without the secrets that were known by their form, so that a second
        redaction finds what the first one found: nothing.
        """
        at = KeywordPlaces(text, start)
        formats = self._formats.possible(at.lowered)
        known = merged([found for rule in formats for found in rule.find(text, at)])
        placed = [it for rule in self._places for it in rule.find(text, at, known)]
        return merged(known + placed)


def _in_colours(
    text: str,
    start: int,
    found: list[FoundSecret],
    find: Callable[[str, int], list[FoundSecret]],
) -> list[FoundSecret]:
    """Add what is found when codes of colours are taken out, as between a name and its value."""
    if not has_colours(text):
        return found
    plain = uncoloured(text)
    more = find(plain, len(uncoloured(text[:start]))) if len(plain) < len(text) else []
    places = ColouredPlaces(text) if more else None
    return merged([*found, *map(places.restored, more)]) if places else found


def _restored(found: FoundSecret, lines: Lines) -> FoundSecret:
    line = bisect_right(lines.starts, found.start) - 1
    shift = lines.origins[line] - lines.starts[line]
    return FoundSecret(
        start=found.start + shift,
        end=found.end + shift,
        rule=found.rule,
        first=found.first + shift,
        last=found.last + shift,
    )


RULE_BOOK: Final = RuleBook(formats=FORMATS, places=(*PLACES, *PROGRAM_FILES))
RULES: Final = RULE_BOOK.rules


def merged(found: list[FoundSecret]) -> list[FoundSecret]:
    """Bring secrets in order, and make one of those that overlap."""
    apart: list[FoundSecret] = []
    for secret in sorted(found):
        if apart and secret.start < apart[-1].end:
            apart[-1] = _union(apart[-1], secret)
        else:
            apart.append(secret)
    return apart


def _union(one: FoundSecret, other: FoundSecret) -> FoundSecret:
    return FoundSecret(
        start=one.start,
        end=max(one.end, other.end),
        rule=one.rule,
        first=min(one.first, other.first),
        last=max(one.last, other.last),
    )

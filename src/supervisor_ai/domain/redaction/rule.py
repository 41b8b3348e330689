"""What a rule of redaction is, and how it is applied."""

import re
from bisect import bisect_left
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from typing import Final, NamedTuple

from msgspec import Struct

from supervisor_ai.domain.redaction.redacted import MARK
from supervisor_ai.domain.redaction.values import is_dull, is_filling, is_mask, is_wording

Test = Callable[[re.Match[str], str], bool]
"""Judges a match and its value, from which secrets already found have been taken out."""

_CLEAR_WORD: Final = 5
"""Letters that chance made look like words of two or three letters, sometimes of four."""

_SAMPLE: Final = 64

_LINE: Final = re.compile(r"(?:\n[+> |-]?[ \t]*)?(?P<secret>[^\r\n]+)")
"""What a secret has on one line, since lines stay where they are."""

LEAST_WORD: Final = 16
"""What is shorter than this is no secret by its form alone."""

SEAM: Final = "|".join(
    [
        r"(?<=\\[nrt])",
        r"(?<=\\u[0-9A-Fa-f]{4})",
        r"(?<=%[0-9A-Fa-f]{2})",
        *(rf"(?<=\x1b\[[\d;]{{{width}}}m)" for width in range(9)),
    ]
)
"""After an escape as in JSON, in a URL or for a colour, whose letters belong to no word."""

EDGE: Final = rf"(?:(?<![A-Za-z0-9])|{SEAM})"
"""The beginning of a word."""

_LETTERS_ONLY_WHEN_LOWER: Final = ("\N{LATIN CAPITAL LETTER I WITH DOT ABOVE}", "\N{KELVIN SIGN}")


class FoundSecret(NamedTuple):
    """A secret in a text, and how far the pattern looked to find it."""

    start: int
    end: int
    rule: str
    first: int
    last: int


def is_given(_match: re.Match[str], value: str) -> bool:
    """Judge that a value is no placeholder and no name, by its beginning."""
    head = value[:_SAMPLE]
    is_named = not head.isupper() and is_wording(head, word_length=_CLEAR_WORD)
    return not (is_named or is_mask(value) or is_filling(head) or is_dull(value))


class KeywordPlaces:
    """Where keywords stand in a text, from a place on; several rules look for the same ones."""

    def __init__(self, text: str, start: int = 0) -> None:
        self.lowered = lower(text)
        self.start = start
        self._places: dict[str, list[int]] = {}

    def of(self, keyword: str) -> list[int]:
        """Return every place of a keyword, in order."""
        if (found := self._places.get(keyword)) is None:
            found = self._places[keyword] = []
            at = self.lowered.find(keyword, self.start)
            while at >= 0:
                found.append(at)
                at = self.lowered.find(keyword, at + 1)
        return found


class RedactionRule(Struct, frozen=True, kw_only=True):
    """One kind of secret: a pattern that is tried wherever one of the keywords stands.

    Keywords are lower-case and found in any case; the pattern begins at the keyword or `lead`
    characters before it. The pattern crosses a line only to a value below its name (`open_from`),
    never matches more than a few thousand characters, and names the secret itself as the group
    `secret` where that is not the whole match. What matches a rule that is one word has no space
    and at least `LEAST_WORD` characters. What a line has in it wherever the rule finds a secret
    there may be told more closely than by the keywords: as a `shape`, in any case and in the syntax
    that linear matchers know, too.
    """

    id: str
    keywords: tuple[str, ...]
    pattern: str
    test: Test = is_given
    lead: int = 0
    is_one_word: bool = False
    shape: str = ""

    def find(
        self, text: str, places: KeywordPlaces, known: Sequence[FoundSecret] = ()
    ) -> Iterator[FoundSecret]:
        """Find the rule's secrets in a text, given those that are known already, in order."""
        pattern = _compiled(self.pattern)
        group = "secret" if "secret" in pattern.groupindex else 0
        for keyword in self.keywords:
            end = places.start + self.lead
            for at in places.of(keyword):
                if at < end:
                    continue
                end = at + len(keyword)
                match = pattern.match(text, at - self.lead)
                if match and self.test(match, _unknown_part(match, group, known)):
                    end = max(end, match.end(group))
                    for line in _LINE.finditer(text, *match.span(group)):
                        yield FoundSecret(*line.span("secret"), self.id, *match.span())


def begins_word(rule: RedactionRule) -> bool:
    """Tell whether what a rule finds is a word that begins with a keyword."""
    return rule.is_one_word and not rule.lead and rule.pattern.startswith(EDGE)


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    """Compile a pattern when its keyword is first met: most of them never are."""
    return re.compile(pattern, re.ASCII | re.MULTILINE)


def lower(text: str) -> str:
    """Return the text in lower case with every character in its place and no new letter of ours."""
    for letter in _LETTERS_ONLY_WHEN_LOWER:
        text = text.replace(letter, "?")
    return text.lower()


def _unknown_part(match: re.Match[str], group: str | int, known: Sequence[FoundSecret]) -> str:
    value = _without(match, group, known) if known else match[group]
    return MARK.sub("", value) if "[" in value else value


def _without(match: re.Match[str], group: str | int, known: Sequence[FoundSecret]) -> str:
    start, end = match.span(group)
    parts = []
    # Known secrets do not overlap, so only the one before can reach into the value.
    for index in range(max(0, bisect_left(known, (start,)) - 1), len(known)):
        secret = known[index]
        if secret.start >= end:
            break
        parts.append(match.string[start : max(start, secret.start)])
        start = max(start, secret.end)
    return "".join(parts) + match.string[start:end]

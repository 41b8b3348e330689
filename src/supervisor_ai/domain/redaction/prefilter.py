"""Telling quickly which of many rules cannot match a text."""

import re
from collections.abc import Iterable, Sequence
from functools import cached_property
from typing import Final

from supervisor_ai.domain.redaction.rule import LEAST_WORD, RedactionRule, begins_word
from supervisor_ai.domain.redaction.sieve import Sieve

_NEVER: Final = "(?!)"
_ESCAPES: Final = ("\\", "%", "\x1b")
_ESCAPED: Final = re.compile(r"\\(?:[nrt]|u[0-9a-f]{4})|%[0-9a-f]{2}|\x1b\[[0-9;]{0,8}m")
"""What ends in a seam; looking for seams themselves takes many times as long."""


class Prefilter:
    """Looks for the keywords of all rules at once.

    A rule that is one word is looked for in long words only, of which a sieve leaves few, and a
    keyword that must stand at the beginning of a word only there: a small part of most texts.
    """

    def __init__(self, rules: Sequence[RedactionRule], sieve: Sieve | None = None) -> None:
        self._sieve = sieve or Sieve(rules)
        self._edged = [rule for rule in rules if begins_word(rule)]
        self._others = [rule for rule in rules if not begins_word(rule)]

    def possible(self, lowered: str) -> list[RedactionRule]:
        """Return the rules of which a keyword stands in a text in lower case."""
        if not self._sieve.may_match(lowered):
            return []
        long = [word for word in lowered.split() if len(word) >= LEAST_WORD]
        words = self._sieve.sifted("\n".join(long))
        rules = [
            rule
            for rule in self._others
            if _has_keyword(rule, words if rule.is_one_word else lowered)
        ]
        begun = set(self._beginnings.findall(words))
        if any(escape in words for escape in _ESCAPES):
            begun.update(self._beginnings.findall(_ESCAPED.sub(r"\g<0> ", words)))
        return rules + [rule for keyword in begun for rule in self._begun_by[keyword]]

    @cached_property
    def _begun_by(self) -> dict[str, list[RedactionRule]]:
        """Map each keyword at an edge to the rules that it may begin, its own beginnings' too."""
        keywords = {keyword for rule in self._edged for keyword in rule.keywords}
        return {
            keyword: [rule for rule in self._edged if keyword.startswith(rule.keywords)]
            for keyword in sorted(keywords)
        }

    @cached_property
    def _beginnings(self) -> re.Pattern[str]:
        keyword = _one_of(self._begun_by) if self._begun_by else _NEVER
        return re.compile(f"(?<![a-z0-9])(?=({keyword}))")


def _has_keyword(rule: RedactionRule, text: str) -> bool:
    return any(keyword in text for keyword in rule.keywords)


def _one_of(words: Iterable[str]) -> str:
    """Return a pattern for the longest of the words, in which no character is tried twice."""
    rests: dict[str, list[str]] = {}
    for word in words:
        rests.setdefault(word[:1], []).append(word[1:])
    is_optional = rests.pop("", None) is not None
    branches = "|".join(re.escape(first) + _one_of(rest) for first, rest in rests.items())
    return f"(?:{branches}){'?' if is_optional else ''}"

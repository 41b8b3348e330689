"""Telling quickly which lines of a long text can hold no secret."""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache, cached_property
from importlib import import_module
from typing import Final, NamedTuple, Protocol

from supervisor_ai.domain.redaction.places import with_value_below
from supervisor_ai.domain.redaction.rule import LEAST_WORD, RedactionRule, begins_word

_MEMORY: Final = 64 * 1024 * 1024
"""What the tables of a matcher may take; beyond it they are made anew, which costs time only."""

_SHORT: Final = 4
"""A keyword of fewer characters stands in many words; more is asked of what follows it."""

_WORTH_MAKING: Final = 32 * 1024
"""From here on a text pays for making the matcher, which a process does once."""

_WORTH_ASKING: Final = 2048

_BEGINNING: Final = r"(?:^|[^a-z0-9]|\\[nrt]|\\u[0-9a-f]{4}|%[0-9a-f]{2}|\x1b\[[0-9;]{0,8}m)"
"""What stands before a keyword at the beginning of a word."""


class _Match(Protocol):
    def span(self) -> tuple[int, int]: ...


class _Matcher(Protocol):
    def search(self, text: bytes) -> _Match | None: ...
    def finditer(self, text: bytes, pos: int = 0) -> Iterator[_Match]: ...


CompileShape = Callable[[str], _Matcher | None]
"""Makes a matcher that takes time in proportion to a text, where there is one."""


class Lines(NamedTuple):
    """Lines of a text that were put together, and where they came from."""

    text: str
    starts: list[int]
    """Where each of them begins."""
    origins: list[int]
    """Where each of them began."""


class Sieve:
    """Knows what a line must have in it for one of the rules to find a secret there.

    One look at the whole text, in time that grows with its length, for all rules at once. A line
    that it keeps may have no secret; one that it drops has none.
    """

    def __init__(
        self,
        rules: Sequence[RedactionRule],
        compile_shape: CompileShape | None = None,
        *,
        shapes: Sequence[str] = (),
    ) -> None:
        self._rules = rules
        self._more = shapes
        self._compile = compile_shape or linear_matcher

    def is_worth_it(self, size: int) -> bool:
        """Tell whether a text of some size is searched in less time when it is sifted first."""
        is_made = "_matcher" in self.__dict__
        return size >= (_WORTH_ASKING if is_made else _WORTH_MAKING) and self._matcher is not None

    def may_match(self, text: str) -> bool:
        """Tell whether some line of a text can hold a secret."""
        return self._matcher is None or self._matcher.search(_bytes(text)) is not None

    def sifted(self, text: str) -> str:
        """Return the lines of a text that may hold a secret."""
        return text if self._matcher is None else self.keep(text, 0).text

    def keep(self, text: str, start: int) -> Lines:
        """Put together the lines of a text, beginning with that of `start`, that may hold one."""
        parts, starts, origins, size = [], list[int](), list[int](), 0
        kept = 0
        for line, end in self._lines(_bytes(text), text.rfind("\n", 0, start) + 1):
            first, last = max(line, kept), max(with_value_below(text, line, end), kept)
            if first < last:
                parts.append(text[first:last])
                starts.append(size)
                origins.append(first)
                size += last - first
                kept = last
        return Lines("".join(parts), starts, origins)

    def _lines(self, text: bytes, at: int) -> Iterator[tuple[int, int]]:
        is_done = False
        while self._matcher is not None and not is_done and at < len(text):
            is_done = True
            for start, end in (match.span() for match in self._matcher.finditer(text, at)):
                if start < at:
                    # The rest of a line that is kept already is of no use, however much it has.
                    is_done = False
                    break
                first = text.rfind(b"\n", at, start + 1) + 1 or at
                at = text.find(b"\n", max(first, end - 1)) + 1 or len(text)
                yield first, at

    @cached_property
    def _matcher(self) -> _Matcher | None:
        return self._compile(_shape(self._rules, self._more))


def _bytes(text: str) -> bytes:
    """Give every character one byte: what is no ASCII is a `?`, which no shape may shut out."""
    return text.encode("ascii", "replace")


def _shape(rules: Iterable[RedactionRule], more: Iterable[str]) -> str:
    """Join what lines must have in them, each shape once."""
    begun, others = dict[str, None](), dict.fromkeys(more)
    for rule in rules:
        begins = begins_word(rule)
        (begun if begins else others).update(dict.fromkeys(_shapes(rule, begins=begins)))
    beginnings = [f"{_BEGINNING}(?:{'|'.join(begun)})"] if begun else []
    return f"(?im:{'|'.join([*beginnings, *others])})"


def _shapes(rule: RedactionRule, *, begins: bool) -> Iterator[str]:
    if rule.shape:
        yield rule.shape
        return
    for keyword in rule.keywords:
        rest = LEAST_WORD - len(keyword) if begins and len(keyword) < _SHORT else 0
        yield re.escape(keyword) + (rf"\S{{{rest}}}" if rest else "")


@cache
def linear_matcher(shape: str, library: str = "re2") -> _Matcher | None:
    """Compile a shape; None: there is no such library here."""
    try:
        re2 = import_module(library)
    except ImportError:
        return None
    options = re2.Options()
    options.max_mem = _MEMORY
    options.encoding = re2.Options.Encoding.LATIN1
    matcher: _Matcher = re2.compile(shape.encode(), options)
    return matcher

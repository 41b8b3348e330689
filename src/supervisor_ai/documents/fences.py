"""Which lines of a document are shown as they are and structure nothing."""

import re
from bisect import bisect_right
from collections.abc import Sequence
from typing import Final

from msgspec import Struct

ITEMS_START: Final = "<!-- start workitems -->"
ITEMS_END: Final = "<!-- end workitems -->"
_FENCE: Final = re.compile(r"(`{3,}|~{3,})([^`]*)")
_MARKER: Final = re.compile(r"<!-- {0,4}(start|end) {1,4}work_?-? ?items {0,4}-->", re.IGNORECASE)
_ENDLESS: Final = 2**31


class Span(Struct, frozen=True, kw_only=True):
    """A fenced block, or a block of work items, by the indices of its first and last line."""

    first: int
    last: int
    word: str
    """What the fence says that it holds; of a block of work items, its marker."""

    @property
    def is_marked(self) -> bool:
        """Tell whether it is a block of work items."""
        return self.word == ITEMS_START


def marker(line: str) -> str | None:
    """Say which marker of work items a line is, `start` or `end`."""
    match = _MARKER.fullmatch(line.strip()) if "<!--" in line else None
    return match[1].lower() if match else None


def _fence(line: str) -> re.Match[str] | None:
    return _FENCE.fullmatch(line.strip()) if "```" in line or "~~~" in line else None


def spans(lines: Sequence[str], start: int = 0) -> list[Span]:
    """Find the blocks that are closed; what is never closed is no block."""
    ends = _Ends(lines)
    found: list[Span] = []
    number = start
    while number < len(lines):
        span = _span_at(lines, number, ends)
        if span is not None:
            found.append(span)
            number = span.last
        number += 1
    return found


def _span_at(lines: Sequence[str], number: int, ends: "_Ends") -> Span | None:
    if marker(lines[number]) == "start":
        last = ends.of_items(number)
        return None if last is None else Span(first=number, last=last, word=ITEMS_START)
    match = _fence(lines[number])
    if match is None:
        return None
    last = ends.of_fence(match[1], number)
    word = match[2].strip().lower()
    return None if last is None else Span(first=number, last=last, word=word)


class _Ends:
    """Where blocks can end, found once, so that openings without an end cost little."""

    def __init__(self, lines: Sequence[str]) -> None:
        self._items = [n for n, line in enumerate(lines) if marker(line) == "end"]
        self._fences: dict[str, list[tuple[int, int]]] = {"`": [], "~": []}
        self._hopeless = dict.fromkeys("`~", _ENDLESS)
        for number, line in enumerate(lines):
            match = _fence(line)
            if match is not None and not match[2]:
                self._fences[match[1][0]].append((number, len(match[1])))

    def of_items(self, number: int) -> int | None:
        """Find the marker that ends a block of work items."""
        place = bisect_right(self._items, number)
        return self._items[place] if place < len(self._items) else None

    def of_fence(self, fence: str, number: int) -> int | None:
        """Find the line that closes a fence: as long at least, and of the same character."""
        size = len(fence)
        if size >= self._hopeless[fence[0]]:
            return None
        closing = self._fences[fence[0]]
        for place in range(bisect_right(closing, (number, _ENDLESS)), len(closing)):
            if closing[place][1] >= size:
                return closing[place][0]
        self._hopeless[fence[0]] = size
        return None

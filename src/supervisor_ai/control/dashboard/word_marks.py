"""Word-level marks: which parts of a line that was changed are really other ones."""

import re
from collections.abc import Iterable, Mapping
from difflib import SequenceMatcher
from itertools import groupby, pairwise
from typing import Final

from supervisor_ai.control.dashboard.patches import DiffHunk, DiffLine, LineSign

Spans = tuple[tuple[int, int], ...]
"""Parts of a line, each from where to where."""
_WORD: Final = re.compile(r"\w+|\s+|.")
_MOST_WORDS: Final = 200
_MOST_PAIRS: Final = 500
_ALIKE: Final = 0.35
"""Lines that have less in common are two lines, and not one that was changed."""


def mark_words(hunks: Iterable[DiffHunk]) -> Mapping[int, Spans]:
    """Find the changed words of lines that took another one's place, by the identity of the line.

    The first removed line of a group is compared with the first added one, and so on.
    """
    found: dict[int, Spans] = {}
    left = _MOST_PAIRS
    for hunk in hunks:
        for old, new in _pairs(hunk.lines):
            left -= 1
            if left < 0:
                return found
            found |= _compared(old, new)
    return found


def _pairs(lines: tuple[DiffLine, ...]) -> Iterable[tuple[DiffLine, DiffLine]]:
    groups = [(sign, list(group)) for sign, group in groupby(lines, key=lambda it: it.sign)]
    for (sign, olds), (following, news) in pairwise(groups):
        if (sign, following) == (LineSign.REMOVED, LineSign.ADDED):
            yield from zip(olds, news, strict=False)


def _compared(old: DiffLine, new: DiffLine) -> dict[int, Spans]:
    before, after = _WORD.findall(old.text), _WORD.findall(new.text)
    if max(len(before), len(after)) > _MOST_WORDS:
        return {}
    matcher = SequenceMatcher(None, before, after, autojunk=False)
    if matcher.ratio() < _ALIKE:
        return {}
    changed = [it for it in matcher.get_opcodes() if it[0] != "equal"]
    return {
        id(old): _spans(before, [(it[1], it[2]) for it in changed]),
        id(new): _spans(after, [(it[3], it[4]) for it in changed]),
    }


def _spans(words: list[str], places: list[tuple[int, int]]) -> Spans:
    """Turn places among words into places among characters."""
    starts = [0]
    for word in words:
        starts.append(starts[-1] + len(word))
    return tuple((starts[begin], starts[end]) for begin, end in places if begin < end)

"""Private keys: blocks of many lines whose body goes and whose frame stays."""

import re
from collections.abc import Iterator
from enum import Enum
from typing import Final

from supervisor_ai.domain.redaction.redacted import MARK
from supervisor_ai.domain.redaction.rule import FoundSecret

PRIVATE_KEY: Final = "private-key"
_KIND: Final = r"[A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)? ?-{4,5}"
_BEGIN: Final = re.compile(rf"-{{4,5}} ?BEGIN {_KIND}|Private-Lines: \d{{1,4}}")
WORDS_OF_FRAMES: Final = ("PRIVATE KEY", "Private-Lines", "Private-MAC")
"""One of them is in every frame; to look for words costs a tenth of a search with a pattern."""
_FRAME: Final = re.compile(rf"(?P<end>-{{4,5}} ?END {_KIND}|Private-MAC:)|{_BEGIN.pattern}")
_HEADER: Final = re.compile(r"[^\w\n]{0,24}(?:Proc-Type|DEK-Info|Version|Comment|Hash|Charset): ")
_RUN: Final = re.compile(r"(?<!\\)[A-Za-z0-9+/=](?:\\+[nr]|[A-Za-z0-9+/=_.-])*+")
_WORD: Final = re.compile(r"[a-z_]*(?:\\+[nr])*")
_FULL_LINE: Final = 40
_LEAST_FIRST: Final = 8
_LEAST_PART: Final = 16


class _Stage(Enum):
    """How far a block has come."""

    OUTSIDE = "outside"
    HEADERS = "headers"
    BODY = "body"
    LAST_LINE = "last line"


class PrivateKeys:
    """Follows private keys through a text that comes in pieces of whole lines or long parts.

    A frame without a body is left alone, so that code which only speaks of keys stays readable.
    """

    def __init__(self) -> None:
        self._stage = _Stage.OUTSIDE
        self._width = 0
        self.count = 0

    def find(self, text: str, start: int, stop: int, seen: str) -> Iterator[FoundSecret]:
        """Find the bodies of keys between two places, line by line; frames begin in `seen` only."""
        at, line_end = start, -1
        words = [word for word in WORDS_OF_FRAMES if word in seen]
        last = max((text.rfind(word, start, stop) for word in words), default=-1)
        while at < stop:
            if self._stage is _Stage.OUTSIDE:
                begin = _BEGIN.search(text, at, stop) if at <= last else None
                if begin is None:
                    return
                self._stage, at = _Stage.HEADERS, begin.end()
            if at > line_end:
                line_end = text.find("\n", at, stop)
                line_end = stop if line_end < 0 else line_end
            frame = _FRAME.search(text, at, line_end)
            end = frame.start() if frame else line_end
            body = self._body(text, at, end, is_closed=bool(frame))
            if body:
                yield FoundSecret(*body, PRIVATE_KEY, *body)
            if frame:
                self._stage = _Stage.OUTSIDE
                at = frame.end() if frame["end"] else end
            elif self._stage is not _Stage.OUTSIDE:
                at = line_end + 1

    def _body(self, text: str, at: int, end: int, *, is_closed: bool) -> tuple[int, int] | None:
        """Return what of the line belongs to the body, and move to the stage after it."""
        runs = [run.span() for run in _RUN.finditer(text, at, end)]
        # What is marked was redacted before, and so was all that belongs to it.
        is_marked = bool(MARK.search(text, at, end))
        if not is_marked and (not runs or _HEADER.match(text, at, end)):
            return None
        first, last = max(runs, key=lambda run: run[1] - run[0])
        if last - first >= _FULL_LINE:
            self._enter(last - first)
            large = [run for run in runs if is_closed or run[1] - run[0] >= _LEAST_PART]
            return large[0][0], large[-1][1]
        is_short = (is_closed or len(runs) == 1) and not is_marked
        if is_short and self._continues(text[first:last]):
            self._enter(last - first)
            return runs[0][0], runs[-1][1]
        self._stage = _Stage.OUTSIDE
        return None

    def _continues(self, line: str) -> bool:
        """Tell whether a line that is shorter than most belongs to the body."""
        is_word = bool(_WORD.fullmatch(line))
        if self._stage is _Stage.HEADERS:
            return len(line) >= _LEAST_FIRST and not is_word
        if self._stage is _Stage.BODY:
            return self._width >= _FULL_LINE or not is_word
        return line.startswith("=")

    def _enter(self, width: int) -> None:
        if self._stage is _Stage.HEADERS:
            self.count += 1
            self._width = width
        is_last = width < self._width and self._width >= _FULL_LINE
        self._stage = _Stage.LAST_LINE if is_last else _Stage.BODY


def frame_reaches(text: str) -> Iterator[tuple[int, int]]:
    """Find where a text must not be cut: in a frame, and where a body shows that it is one."""
    for frame in _FRAME.finditer(text):
        yield frame.start(), min(frame.end() + 2 * _FULL_LINE, len(text))

"""The part of an output that tells what went wrong."""

import re
from collections.abc import Iterable, Sequence
from typing import Final

from msgspec import Struct

from supervisor_ai.gates.runners.table import LinePattern, Runner

_LINE: Final = 400
"""How much of a line patterns look at."""
_INDENT: Final = 40
LIMIT: Final = 8000
_TAIL: Final = 3000
_NAMED: Final = re.compile(r"\(\?P<\w+>")
_NOTHING: Final = r"(?!)"


class _Marks(Struct, frozen=True, kw_only=True):
    """The lines that divide an output into parts."""

    begins: LinePattern
    ends: LinePattern
    marks: LinePattern
    lines: LinePattern
    any: LinePattern


def seen(line: str) -> str:
    """Return what patterns look at; no runner that speaks indents so far."""
    return "" if line[:_INDENT].isspace() else line[:_LINE]


def joined(patterns: Iterable[LinePattern]) -> LinePattern:
    """Make one pattern that matches where any of some does; one search is faster than many."""
    texts = [f"(?:{_NAMED.sub('(?:', pattern.text)})" for pattern in patterns]
    return LinePattern("|".join(texts) or _NOTHING)


def failing_part(lines: Sequence[str], known: Sequence[Runner]) -> str:
    """Return what the known runners say about failures; empty where they say nothing."""
    all_four = (
        pattern
        for runner in known
        for patterns in (runner.begins, runner.ends, runner.marks, runner.lines)
        for pattern in patterns
    )
    marks = _Marks(
        any=joined(all_four),
        begins=joined(pattern for runner in known for pattern in runner.begins),
        ends=joined(pattern for runner in known for pattern in runner.ends),
        marks=joined(pattern for runner in known for pattern in runner.marks),
        lines=joined(pattern for runner in known for pattern in runner.lines),
    )
    return shortened("\n".join(_kept(lines, marks)).strip("\n"))


def _kept(lines: Sequence[str], marks: _Marks) -> list[str]:
    """Divide the output into parts and keep those that tell of a failure."""
    kept: list[str] = []
    part: list[str] = []
    is_failure = False
    for line in lines:
        told = seen(line)
        if marks.any.match(told) is None:
            part.append(line)
            continue
        is_marked = marks.marks.match(told) is not None
        is_single = marks.lines.match(told) is not None
        begins = marks.begins.match(told) is not None and not is_marked
        if begins or is_single or marks.ends.match(told) is not None:
            kept.extend(part if is_failure else ())
            part, is_failure = [], begins
        is_failure = is_failure or is_marked
        (kept if is_single else part).append(line)
    return [*kept, *(part if is_failure else ())]


def shortened(text: str) -> str:
    """Keep the beginning and the end of a text that is too long."""
    if len(text) <= LIMIT:
        return text
    head, tail = text[: LIMIT - _TAIL - 60], text[-_TAIL:]
    head = head[: head.rfind("\n") + 1] or f"{head}\n"
    tail = tail[tail.find("\n") + 1 :]
    left_out = len(text) - len(head) - len(tail)
    return f"{head}[{left_out} characters are left out]\n{tail}"

"""The sliding window: what was done last in detail, what was done before in a paragraph."""

from collections.abc import Sequence
from typing import Final

from msgspec import Struct

from supervisor_ai.domain.terminal import plain

DETAILED: Final = 6
"""So many of the newest entries are told in detail."""
ENTRY: Final = 300
CARRIED: Final = 100
_ROLLED_UP: Final = 600
_CUT: Final = "…"


class DoneText(Struct, frozen=True, kw_only=True):
    """A task that is over, in words."""

    task: int
    outcome: str
    text: str
    said: str = ""
    """What the implementor, or QA, said about it."""


def cut(text: str, most: int) -> str:
    """Write a text on one line, within so many characters."""
    line = " ".join(plain(text).split())
    return line if len(line) <= most else line[: most - len(_CUT)] + _CUT


def done_lines(entries: Sequence[DoneText]) -> list[str]:
    """Tell what was done: a paragraph about what is long over, then a line for each of the last."""
    older, newest = entries[:-DETAILED], entries[-DETAILED:]
    rolled = [_rolled_up(older)] if older else []
    return [*rolled, *(cut(_detail(it), ENTRY) for it in newest)]


def _detail(entry: DoneText) -> str:
    said = f" - {entry.said}" if entry.said else ""
    return f"task_{entry.task} ({entry.outcome}): {entry.text}{said}"


def _rolled_up(entries: Sequence[DoneText]) -> str:
    counts = {it.outcome: 0 for it in entries}
    for it in entries:
        counts[it.outcome] += 1
    tally = ", ".join(f"{number} {outcome}" for outcome, number in counts.items())
    titles = "; ".join(cut(it.text, CARRIED) for it in entries)
    first, last = entries[0].task, entries[-1].task
    return cut(f"Earlier, task_{first} to task_{last} ({tally}): {titles}", _ROLLED_UP)

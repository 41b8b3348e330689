"""The sliding window: what was done last in detail, what was done before in a paragraph."""

from collections.abc import Sequence
from typing import Final

from msgspec import Struct

from supervisor_ai.domain.ids import ArtifactHash
from supervisor_ai.domain.structs import replace
from supervisor_ai.domain.terminal import plain

DETAILED: Final = 6
"""So many of the newest entries are told in detail."""
ENTRY: Final = 300
CARRIED: Final = 100
ROLLED_UP: Final = 600
_CUT: Final = "…"


ENOUGH: Final = 4
"""So many tasks have left the window since the last time before they are summed up."""


class RolledUp(Struct, frozen=True, kw_only=True):
    """What is long over, in somebody's words."""

    tasks: int = 0
    """How many tasks it is about, the oldest first."""
    text: ArtifactHash | None = None
    tried: int = 0
    """About how many it was asked for last."""

    def summed(self, tasks: int, text: ArtifactHash | None) -> "RolledUp":
        """Take up a summary; None: there is none."""
        if text is None:
            return replace(self, tried=tasks)
        return RolledUp(tasks=tasks, text=text, tried=tasks)


def long_over(done: int) -> int:
    """Say how many of the tasks that are over are told in a paragraph."""
    return max(0, done - DETAILED)


def is_summary_due(rolled: RolledUp, done: int) -> bool:
    """Tell whether enough tasks have left the window to be summed up."""
    return long_over(done) - rolled.tried >= ENOUGH


class RolledText(Struct, frozen=True, kw_only=True):
    """A summary of what is long over."""

    tasks: int = 0
    text: str = ""


NOTHING_ROLLED: Final = RolledText()


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


def done_lines(entries: Sequence[DoneText], rolled: RolledText = NOTHING_ROLLED) -> list[str]:
    """Tell what was done: a paragraph about what is long over, then a line for each of the last."""
    newest = entries[-DETAILED:]
    return [*earlier_lines(entries, rolled), *(cut(detail(it), ENTRY) for it in newest)]


def earlier_lines(entries: Sequence[DoneText], rolled: RolledText = NOTHING_ROLLED) -> list[str]:
    """Tell what is long over: what was summed up, then the titles of what came after that."""
    older = entries[rolled.tasks : -DETAILED]
    summed = [f"Earlier, in short: {rolled.text}"] if rolled.text else []
    return [*summed, *([_rolled_up(older)] if older else [])]


def detail(entry: DoneText) -> str:
    """Tell of a task what there is to tell."""
    said = f" - {entry.said}" if entry.said else ""
    return f"task_{entry.task} ({entry.outcome}): {entry.text}{said}"


def _rolled_up(entries: Sequence[DoneText]) -> str:
    counts = {it.outcome: 0 for it in entries}
    for it in entries:
        counts[it.outcome] += 1
    tally = ", ".join(f"{number} {outcome}" for outcome, number in counts.items())
    titles = "; ".join(cut(it.text, CARRIED) for it in entries)
    first, last = entries[0].task, entries[-1].task
    return cut(f"Earlier, task_{first} to task_{last} ({tally}): {titles}", ROLLED_UP)

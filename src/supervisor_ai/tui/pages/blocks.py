"""Blocks of lines, and the few ways in which words are cut, wrapped and coloured.

A colour never says anything that no mark or word says besides it. Blue and orange stand for well
and ill: red and green look the same to one man in twelve.
"""

from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta
from decimal import Decimal
from typing import Final, NamedTuple

from rich.cells import cell_len, set_cell_size
from rich.text import Text

from supervisor_ai.control.dashboard.log_lines import Tone
from supervisor_ai.control.phrases import one_line
from supervisor_ai.domain.run.approvals.policy import RiskLevel
from supervisor_ai.domain.run.status import RunStatus, StepStatus, Verdict
from supervisor_ai.domain.terminal import plain

GOOD: Final = "#6cb6ff"
BAD: Final = "bold #ffa657"
ASKS: Final = "bold #f2cc60"
BUSY: Final = "#56d4dd"
DIM: Final = "#9198a1"
STRONG: Final = "bold"
HEAD: Final = "bold #9198a1"
_TAB: Final = 4
_MINUTE: Final = 60
_HOUR: Final = 3600
_DAY: Final = 86400

RUN_MARKS: Final = {
    "queued": ("○", DIM),
    "running": ("●", BUSY),
    "waiting": ("◆", ASKS),
    "completed": ("✓", GOOD),
    "failed": ("✗", BAD),
    "cancelled": ("-", DIM),
    "interrupted": ("!", BAD),
}
"""By the word that is shown for a run."""
STEP_MARKS: Final = {
    StepStatus.PENDING: ("○", DIM),
    StepStatus.RUNNING: ("●", BUSY),
    StepStatus.WAITING: ("◆", ASKS),
    StepStatus.PASSED: ("✓", GOOD),
    StepStatus.FAILED: ("✗", BAD),
    StepStatus.SKIPPED: ("-", DIM),
    StepStatus.CANCELLED: ("-", DIM),
}
VERDICT_MARKS: Final = {
    None: ("●", BUSY),
    Verdict.PASSED: ("✓", GOOD),
    Verdict.FAILED: ("✗", BAD),
    Verdict.WARNED: ("!", ASKS),
    Verdict.NOT_RUN: ("?", BAD),
}
TONES: Final = {Tone.GOOD: GOOD, Tone.BAD: BAD, Tone.ASKS: ASKS, Tone.PLAIN: ""}
_LEVELS: Final = {
    RiskLevel.LOW: ("LOW", GOOD),
    RiskLevel.MEDIUM: ("MEDIUM", BUSY),
    RiskLevel.HIGH: ("HIGH", BAD),
    RiskLevel.CRITICAL: ("CRITICAL", f"reverse {BAD}"),
    RiskLevel.UNKNOWN: ("UNKNOWN", BAD),
}


class LineBlock(NamedTuple):
    """What the cursor stands on as a whole: one run, one line of a file, one finding."""

    lines: tuple[Text, ...]
    key: str = ""
    """By which the cursor finds it again; nothing: the cursor passes it by."""


def said(text: str, style: str = "") -> Text:
    """Make a line of words from anywhere: plain, on one line, and never read as markup."""
    return Text(one_line(text), style=style, no_wrap=True, end="")


def own(text: str, style: str = "") -> Text:
    """Make a piece of our own words, with the spaces that it has."""
    return Text(text, style=style, no_wrap=True, end="")


def code(text: str, style: str = "") -> Text:
    """Make a line of a file or of an output: spaces stay, tabs become spaces."""
    shown = plain(text).replace("\n", " ").expandtabs(_TAB)
    return Text(shown, style=style, no_wrap=True, end="")


def joined(*parts: Text | str) -> Text:
    """Put pieces behind each other."""
    return Text("", no_wrap=True, end="").join(
        it if isinstance(it, Text) else own(it) for it in parts
    )


def cut(text: Text, width: int) -> Text:
    """Let a text end with a mark where it is too wide."""
    found = text.copy()
    if cell_len(found.plain) > width:
        found.truncate(max(width, 1), overflow="ellipsis")
    return found


def cell(text: Text, width: int, *, right: bool = False) -> Text:
    """Give a text exactly this width."""
    found = cut(text, width)
    missing = width - cell_len(found.plain)
    if right:
        found.pad_left(missing)
    else:
        found.pad_right(missing)
    return found


def wrapped(text: Text, width: int, *, indent: int = 0) -> tuple[Text, ...]:
    """Break a text at the width, between words where there are any; nothing of it is lost."""
    width = max(width, 8)
    if cell_len(text.plain) <= width:
        return (text,)
    first, *more = _broken(text, width, width - indent)
    return (first, *(joined(" " * indent, it) for it in more))


def _broken(text: Text, first: int, later: int) -> Iterable[Text]:
    rest, width = text, first
    while cell_len(rest.plain) > width:
        at = _break(rest.plain, width)
        head, rest = rest.divide([at])
        yield head
        width = later
    yield rest


def _break(text: str, width: int) -> int:
    """Find where a line ends; a word that is longer than the line is broken."""
    fits = len(set_cell_size(text, width).rstrip("\0"))
    while cell_len(text[:fits]) > width:
        fits -= 1
    space = text.rfind(" ", 1, fits)
    return space + 1 if space > fits // 2 else max(fits, 1)


def plain_blocks(lines: Iterable[Text], width: int) -> list[LineBlock]:
    """Make a block without a cursor of each line, wrapped."""
    return [LineBlock(wrapped(line, width)) for line in lines]


def rule(width: int, title: str = "") -> Text:
    """Draw a line across, with a heading in it."""
    head = f"─ {title} " if title else ""
    return own(head + "─" * max(width - cell_len(head), 0), HEAD)


def level_text(level: RiskLevel | None) -> Text:
    """Name a level of risk; the word says it, the colour helps."""
    return own("-", DIM) if level is None else own(*_LEVELS[level])


def money(cost: Decimal, *, is_estimated: bool = False) -> str:
    """Write what was spent, in USD; `~`: only estimated."""
    return f"{'~' if is_estimated else ''}{cost:.2f}"


def length(time: timedelta) -> str:
    """Write how long something takes, as short as it can be read."""
    seconds = max(0, int(time.total_seconds()))
    if seconds >= _DAY:
        return f"{seconds // _DAY}d{seconds % _DAY // _HOUR:02}h"
    if seconds >= _HOUR:
        return f"{seconds // _HOUR}h{seconds % _HOUR // _MINUTE:02}m"
    return f"{seconds // _MINUTE}:{seconds % _MINUTE:02}"


def clock(moment: datetime) -> str:
    """Write a time of day in the reader's own time."""
    return f"{moment.astimezone():%H:%M:%S}"


def counts(words: Sequence[tuple[int, str]]) -> str:
    """Say how many there are of what, without what there is none of."""
    return " · ".join(f"{number} {word}" for number, word in words if number)


ENDED_WORDS: Final = frozenset(
    it.value for it in (RunStatus.COMPLETED, RunStatus.FAILED, RunStatus.CANCELLED)
)

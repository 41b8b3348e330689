"""The board: every run in a line or two, those that need a person first."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Final

from rich.text import Text

from supervisor_ai.control.dashboard.feed import News
from supervisor_ai.control.dashboard.run_lines import RunLine
from supervisor_ai.control.run_views import MAY_OBJECT, NEEDS_YOU, due_words
from supervisor_ai.tools.text import counted
from supervisor_ai.tui.pages.blocks import (
    ASKS,
    BAD,
    DIM,
    HEAD,
    RUN_MARKS,
    STRONG,
    LineBlock,
    cell,
    clock,
    counts,
    cut,
    joined,
    length,
    level_text,
    money,
    own,
    said,
    wrapped,
)

_NARROW: Final = 64
_ALERTS: Final = 3
_NUMBERS: Final = frozenset({"COST", "TIME"})
_WIDE: Final = 110
_STATUS: Final = 11
_RUN: Final = 5
_LONG_RUN: Final = 12
_STEP: Final = 22
_RISK: Final = 8
_COST: Final = 6
_TIME: Final = 6


def word_of(line: RunLine) -> str:
    """Say in a word or two how a run stands."""
    if line.needs_person:
        return MAY_OBJECT if line.can_lapse else NEEDS_YOU
    return line.word


def elapsed(line: RunLine, now: datetime) -> timedelta:
    """Return how long a run has taken."""
    return (line.ended_at or now) - line.created_at


def board_blocks(lines: Sequence[RunLine], *, now: datetime, width: int) -> list[LineBlock]:
    """Draw the runs."""
    draw = _narrow if width < _NARROW else _row
    return [LineBlock(tuple(draw(line, now, width)), key=line.id) for line in lines]


def board_head(width: int) -> Text:
    """Draw the names of the columns."""
    if width < _NARROW:
        return said("RUNS", HEAD)
    names = _columns(width)
    cells = [cell(own(name, HEAD), size, right=name in _NUMBERS) for name, size in names]
    return joined("  ", own(" ").join(cells))


def tally(lines: Sequence[RunLine], total: int) -> str:
    """Say how many runs there are, and how many of them need somebody."""
    asking = sum(it.needs_person for it in lines)
    told = counts(
        (
            (asking, "needs you" if asking == 1 else "need you"),
            (sum(it.word == "running" for it in lines), "running"),
            (sum(it.word == "interrupted" for it in lines), "interrupted"),
        )
    )
    of = f"{total} run" if total == 1 else f"{total} runs"
    return f"{told} · {of}" if told else of


def notices(news: News, width: int) -> list[Text]:
    """Say what a person wants to hear of besides questions, and what reached nobody."""
    asking = {it.id for it in news.lines if it.needs_person}
    told = [it for it in news.alerts if it.run not in asking][:_ALERTS]
    lines = [joined(own("! ", ASKS), said(it.title)) for it in told]
    if news.missed:
        first = news.missed[0]
        lost = f"{counted(len(news.missed), 'notice')} not delivered: {first.run}: {first.reason}"
        lines.append(joined(own("✗ ", BAD), said(lost, BAD)))
    return [cut(it, width) for it in lines]


def empty_words(*, is_unread: bool, is_filtered: bool, command: str) -> list[Text]:
    """Say what to do where there is nothing to show."""
    if is_unread:
        return [said("The ledger is being read …", DIM)]
    if is_filtered:
        return [said("No run is like that."), said("Esc shows all of them again.", DIM)]
    return [
        said("No runs yet."),
        joined("Start one: ", said(f'{command} run "Add a /health endpoint"', STRONG)),
        joined("Or watch a small one: ", said(f"{command} demo", STRONG)),
    ]


def _columns(width: int) -> list[tuple[str, int]]:
    is_wide = width >= _WIDE
    ahead = [("STATUS", _STATUS), ("RUN", _LONG_RUN if is_wide else _RUN)]
    behind = [("STEP", _STEP)] if is_wide else []
    behind += [("RISK", _RISK), ("COST", _COST), ("TIME", _TIME)]
    left = width - 2 - sum(size + 1 for _, size in (*ahead, *behind))
    return [*ahead, ("TASK", max(left, 1)), *behind]


def _row(line: RunLine, now: datetime, width: int) -> list[Text]:
    mark, style = RUN_MARKS.get(line.word, ("?", DIM))
    style = ASKS if line.needs_person else style
    columns = _columns(width)
    run = dict(columns)["RUN"]
    texts = {
        "STATUS": own(word_of(line), style),
        "RUN": said(line.id[:run]),
        "TASK": said(_task(line), "" if line.ended_at is None else DIM),
        "STEP": said(line.at),
        "RISK": level_text(line.level),
        "COST": own(_cost(line)),
        "TIME": own(length(elapsed(line, now))),
    }
    cells = [cell(texts[name], size, right=name in _NUMBERS) for name, size in columns]
    first = joined(own(f"{mark} ", style), own(" ").join(cells))
    return [first, *_below(line, width)]


def _narrow(line: RunLine, now: datetime, width: int) -> list[Text]:
    mark, style = RUN_MARKS.get(line.word, ("?", DIM))
    style = ASKS if line.needs_person else style
    risk = f" · {level_text(line.level).plain}" if line.level else ""
    facts = f"{line.at or '-'}{risk} · {_cost(line)} · {length(elapsed(line, now))}"
    return [
        cut(joined(own(f"{mark} {word_of(line)}", style), "  ", said(line.id)), width),
        cut(joined("  ", said(_task(line))), width),
        *wrapped(joined("  ", said(facts, DIM)), width, indent=2),
        *(it for words in waits_words(line) for it in _indented(words, width)),
    ]


def _indented(words: str, width: int) -> tuple[Text, ...]:
    return wrapped(joined("  ", said(words, DIM)), width, indent=2)


def waits_words(line: RunLine) -> list[str]:
    """Say what a run waits for, if it does."""
    if line.can_lapse:
        when = "" if line.waits_until is None else f" at {clock(line.waits_until)}"
        how = "by itself" if line.is_attended else "when somebody goes on with it"
        return [f"it lands {how}{when}, unless somebody objects"]
    if line.waits_until is not None:
        until = clock(line.waits_until)
        told = due_words(until, is_over=line.is_over, is_attended=line.is_attended)
        return [f"waits {told}"]
    if line.waits is not None:
        return [line.waits if line.needs_person else f"waits for {line.waits}"]
    return ["no process drives it; g goes on with it"] if line.word == "interrupted" else []


def _below(line: RunLine, width: int) -> list[Text]:
    """Say under a run where it is and what it waits for; one that went well needs no more words."""
    at = [line.at] if width < _WIDE and line.word not in {"completed", "queued"} else []
    words = [*filter(None, at), *waits_words(line)]
    if not words:
        return []
    return [cut(joined("  ", own("└ ", DIM), said(": ".join(words), DIM)), width)]


def _cost(line: RunLine) -> str:
    return money(line.cost, is_estimated=line.is_estimated)


def _task(line: RunLine) -> str:
    return f"(degraded) {line.task}" if line.degraded else line.task

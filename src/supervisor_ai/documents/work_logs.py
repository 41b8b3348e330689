"""Entries of logs: what was found, what that means, and how it came out in one word."""

import re
from collections.abc import Iterator, Sequence
from typing import Final

from supervisor_ai.documents.outline import Block, Outline, label
from supervisor_ai.documents.quotes import is_quoted, unquoted
from supervisor_ai.drivers.kanban.board.kanban import Conclusion, LogEntry, PlanEntry

WORK_LOG: Final = "work log"
PLAN_LOG: Final = "plan adjustment log"
_WORDS: Final = {
    "ok": Conclusion.OK,
    "blocked": Conclusion.BLOCKED,
    "escalate": Conclusion.ESCALATE,
    "escalated": Conclusion.ESCALATE,
}
_BEFORE: Final = r"(?!>)[\W_]{0,12}"
_FIRST_WORD: Final = re.compile(_BEFORE + r"([A-Za-z]{1,12})\b")
_ONLY_WORD: Final = re.compile(_BEFORE + r"([A-Za-z]{1,12})[\W_]{0,12}")
_STATUS: Final = re.compile(_BEFORE + r"status[\W_]{1,12}([A-Za-z]{1,12})\b", re.IGNORECASE)
_LISTED: Final = re.compile(
    r"[-*+][ \t]{1,4}\**\[?(\d{4}-\d\d-\d\d[^\]*]{0,40}?)\]?\**[ \t:—\u2013-]{1,8}[*`]{0,2}"
    r"([A-Za-z_]{1,60})[*`]{0,2}(?:[ \t]{0,4}[:—\u2013-](.*))?"
)


def work_log(outline: Outline) -> tuple[LogEntry, ...]:
    """Read the work log of a task file."""
    return tuple(_entry(outline, block) for block in outline.entries(WORK_LOG))


def _entry(outline: Outline, block: Block) -> LogEntry:
    parts: dict[str, list[str]] = {"": [], "facts": [], "analysis": [], "conclusion": []}
    free: dict[str, list[str]] = {name: [] for name in parts}
    for name, number, line in _labelled(outline, block):
        parts[name].append(line)
        if number not in outline.shown:
            free[name].append(line)
    status, conclusion = _conclusion(parts["conclusion"], free["conclusion"])
    return LogEntry(
        at=block.at,
        title=block.title,
        facts=unquoted(parts["facts"]),
        analysis=unquoted(parts["analysis"]),
        conclusion=conclusion,
        status=status or _stated(free[""]),
    )


def _labelled(outline: Outline, block: Block) -> Iterator[tuple[str, int, str]]:
    """Say of every line of an entry which part it belongs to, and what it says there."""
    part = ""
    for number in range(block.first + 1, block.last):
        line = outline.lines[number]
        found = None if number in outline.shown else label(line)
        if found is None:
            yield part, number, line
        else:
            part, rest = found
            yield part, number, rest


def _conclusion(lines: list[str], free: list[str]) -> tuple[Conclusion | None, str]:
    """Tell the word from the text; what is fenced has no say in the word."""
    only = _ONLY_WORD.fullmatch(lines[0]) if lines else None
    word = _WORDS.get(only[1].lower()) if only else None
    if word is None:
        return status_in(free), unquoted(lines)
    return word, unquoted(lines[1:]) or lines[0]


def status_in(lines: Sequence[str]) -> Conclusion | None:
    """Find the word of a conclusion: after `Status`, else at its beginning."""
    first = next((line for line in lines if line.strip()), "")
    if is_quoted([first]):
        return None
    begin = _FIRST_WORD.match(first.strip())
    return _stated(lines) or (_WORDS.get(begin[1].lower()) if begin else None)


def _stated(lines: Sequence[str]) -> Conclusion | None:
    for line in lines:
        match = _STATUS.match(line.strip())
        if match is not None and match[1].lower() in _WORDS:
            return _WORDS[match[1].lower()]
    return None


def plan_log(outline: Outline) -> tuple[PlanEntry, ...]:
    """Read the Plan Adjustment Log: a list, or headings, or first the one and then the other."""
    listed = [entry for block in outline.sections(PLAN_LOG) for entry in _listed(outline, block)]
    headed = [
        PlanEntry(at=block.at, event=block.title, details=unquoted(outline.below(block)))
        for block in outline.entries(PLAN_LOG)
    ]
    return (*listed, *headed)


def _listed(outline: Outline, block: Block) -> list[PlanEntry]:
    found: list[tuple[str, str, list[str]]] = []
    for line in outline.below(block):
        match = _LISTED.fullmatch(line.rstrip())
        if match is not None:
            found.append((match[1].strip(), match[2], [match[3] or ""]))
        elif found:
            found[-1][2].append(line)
    return [PlanEntry(at=at, event=event, details=unquoted(d)) for at, event, d in found]

"""What an agent owes its task file: a new entry in its work log, and nothing else changed."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import zip_longest
from typing import Final

from supervisor_ai.documents.outline import Outline
from supervisor_ai.documents.task_parser import ReadTask
from supervisor_ai.documents.work_items import SECTIONS
from supervisor_ai.documents.work_logs import WORK_LOG
from supervisor_ai.drivers.kanban.board.kanban import LogEntry
from supervisor_ai.drivers.kanban.kinds import AnswerStatus
from supervisor_ai.tools.text import excerpt

_TOLD: Final = ("context", "files", "description")
_OWN: Final = "expected changes in its work items and its work log alone"


@dataclass(frozen=True, kw_only=True)
class Page:
    """A task file at one time."""

    path: str
    content: bytes
    read: ReadTask

    @cached_property
    def outline(self) -> Outline:
        """Take the text apart."""
        return Outline(self.content.decode(errors="replace"))

    @cached_property
    def own(self) -> int | None:
        """Find the line in which the part begins that an agent may write; None: there is none."""
        sections = (block.first for block in self.outline.sections(*SECTIONS, WORK_LOG))
        marked = (span.first for span in self.outline.spans if span.is_marked)
        return min((*sections, *marked), default=None)

    @cached_property
    def others(self) -> list[str]:
        """Return the lines before that part, without blanks at their ends."""
        lines = [line.rstrip() for line in self.outline.lines[: self.own]]
        while lines and not lines[-1]:
            lines.pop()
        return lines

    def section(self, name: str) -> list[str]:
        """Return what all sections of a name say, but for the work items in them."""
        items = {n for s in self.outline.spans if s.is_marked for n in range(s.first, s.last + 1)}
        lines = [
            self.outline.lines[number].rstrip()
            for block in self.outline.sections(name)
            for number in range(block.first + 1, block.last)
            if number not in items
        ]
        return [line for line in lines if line]


def change_problems(old: Page, new: Page) -> Iterator[str]:
    """Find what an agent changed that is not its own."""
    if not old.content:
        return
    lines = new.others if old.own is not None else new.others[: len(old.others)]
    for number, (was, now) in enumerate(zip_longest(old.others, lines), start=1):
        if was != now:
            what = "front matter" if number <= old.outline.start else "text of the task"
            yield f"{new.path}:{number}: The {what} was changed{_change(was, now)}; {_OWN}."
            return
    yield from _section_problems(old, new)


def _change(was: str | None, now: str | None) -> str:
    if was is None:
        return f": {excerpt(now or '')} is new"
    return (
        f": {excerpt(was)} is gone" if now is None else f", from {excerpt(was)} to {excerpt(now)}"
    )


def _section_problems(old: Page, new: Page) -> Iterator[str]:
    """Find a second section that adds to what the task says, wherever it is."""
    for name in _TOLD:
        if old.section(name) != new.section(name):
            yield f"{new.path}: What the task says as its {name} was changed; {_OWN}."


def log_problems(old: Page, new: Page, status: object) -> Iterator[str]:
    """Look for a whole new entry that concludes with the word of the answer."""
    if status == AnswerStatus.ERROR:
        return
    before, after = old.read.log, new.read.log
    if len(after) <= len(before):
        yield (
            f"{new.path}: The work log has {len(after)} entries and had {len(before)} before; "
            "expected a new one at the end of its section '## Work Log': '### [timestamp] Title'."
        )
        return
    # Some write the newest entry first: what counts is the last one that was not there before.
    added = Counter(after) - Counter(before)
    last = next(entry for entry in reversed(after) if added[entry])
    if not last.is_whole:
        yield (
            f"{new.path}: The last entry of the work log lacks {_lacking(last)}; expected "
            "**Facts**, **Analysis** and **Conclusion** with ok, blocked or escalate."
        )
    elif last.status != status:
        yield (
            f"{new.path}: The last entry of the work log concludes with {str(last.status)!r} and "
            f"the answer's status is {excerpt(str(status))}; expected the same word."
        )


def _lacking(entry: LogEntry) -> str:
    parts = {
        "facts": entry.facts,
        "an analysis": entry.analysis,
        "a conclusion": entry.conclusion,
        "the word of its conclusion": entry.status,
    }
    return ", ".join(name for name, value in parts.items() if not value)

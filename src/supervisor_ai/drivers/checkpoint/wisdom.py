"""Wisdom: files of a session to which entries are added and from which nothing is taken.

An entry is one line, `- [CHECKPOINT-001 #1] risk: words`; the number is that of the report.
"""

from collections.abc import Iterable
from typing import Final

from supervisor_ai.drivers.checkpoint.protocol.words import TAG, plain
from supervisor_ai.drivers.checkpoint.report import CheckpointReport

RISKS_FILE: Final = "wisdom/issues.md"
DECISIONS_FILE: Final = "wisdom/decisions.md"
_LONGEST: Final = 600


def risk_entries(report: CheckpointReport) -> tuple[str, ...]:
    """Write the risks of a report as entries."""
    return tuple(
        _entry(report.task, report.number, "risk", f"{it.title}: {it.note}") for it in report.risks
    )


def override_entry(task: str, number: int, *, by: str, reason: str) -> str:
    """Write down that a person lets the pipeline go on although a checkpoint blocked it."""
    return _entry(task, number, "override", f"by {plain(by, 100)}: {reason}")


def _entry(task: str, number: int, kind: str, words: str) -> str:
    return f"- [{task} #{number}] {kind}: {plain(words, _LONGEST)} {TAG}"


def appended(text: str, entries: Iterable[str]) -> str:
    """Add the entries that a file does not have yet; what it has stays as it is."""
    there = set(text.split("\n"))
    more = [entry for entry in dict.fromkeys(entries) if entry not in there]
    if not more:
        return text
    start = text if not text or text.endswith("\n") else f"{text}\n"
    return start + "".join(f"{entry}\n" for entry in more)


def is_appended(before: str, after: str) -> bool:
    """Tell whether a file has only grown."""
    return after.startswith(before)


def new_entries(text: str, offset: int) -> str:
    """Return what was added to a file since it had `offset` characters."""
    return text[offset:] if 0 <= offset <= len(text) else text

"""Text tables: columns, labelled rows, local times, and the record of a packed context."""

import shutil
import sys
from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import TYPE_CHECKING

from supervisor_ai.control.phrases import one_line

if TYPE_CHECKING:
    from supervisor_ai.domain.run.context_plan import PackedContext, PackedItem

_GAP = "  "


def columns(rows: Sequence[Sequence[str]]) -> list[str]:
    """Put cells under each other; the last column takes what is left of the line."""
    if not rows:
        return []
    widths = [max(len(row[at]) for row in rows) for at in range(len(rows[0]) - 1)]
    return [
        _GAP.join(
            [*(cell.ljust(width) for cell, width in zip(row, widths, strict=False)), row[-1]]
        ).rstrip()
        for row in rows
    ]


def fitted(lines: Sequence[str]) -> list[str]:
    """Cut lines at the terminal's width; leave them whole where there is no terminal."""
    if not sys.stdout.isatty():
        return list(lines)
    width = shutil.get_terminal_size().columns
    return [line if len(line) <= width else f"{line[: width - 1]}…" for line in lines]


def labelled(rows: Sequence[tuple[str, str]]) -> list[str]:
    """Put values beside their labels; further lines of a value stand under its first one."""
    width = max((len(label) for label, _ in rows), default=0)
    lines: list[str] = []
    for label, value in rows:
        first, *more = value.split("\n")
        lines.append(f"  {label.ljust(width)}  {first}".rstrip())
        lines += [f"  {' ' * width}  {line}".rstrip() for line in more]
    return lines


def local_time(moment: datetime) -> str:
    """Show a moment in the reader's own time."""
    return f"{moment.astimezone():%Y-%m-%d %H:%M:%S}"


def title(task: str) -> str:
    """Show a task on one line."""
    return one_line(task.strip().partition("\n")[0])


def shown_record(packed: "PackedContext") -> Iterator[str]:
    """List what is in a context, what is not, and why."""
    yield (
        f"{packed.tokens:,} of {packed.budget:,} tokens, counted by {packed.counter}; "
        f"{len(packed.items)} items"
    )
    rows = [("SOURCE", "SHOWN", "TOKENS", "NAME", "WHY"), *map(_row, packed.items)]
    yield from fitted(columns(rows))


def _row(item: "PackedItem") -> tuple[str, ...]:
    redacted = f" ({item.redactions} redacted)" if item.redactions else ""
    name = f"{one_line(item.name)}{redacted}"
    return item.source.value, item.detail.value, f"{item.tokens:,}", name, one_line(item.reason)

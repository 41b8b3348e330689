"""Text tables: columns, labelled rows, local times, and the record of a packed context."""

import os
import shutil
import sys
import textwrap
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Final

from supervisor_ai.control.phrases import one_line

if TYPE_CHECKING:
    from supervisor_ai.domain.knowledge.selection import InjectedKnowledge
    from supervisor_ai.domain.run.context_plan import PackedContext, PackedItem

_GAP: Final = "  "
_INDENT: Final = "  "
_LEAST: Final = 16
"""How many characters of its last column a table needs beside the others to be read."""
_NARROW: Final = 60
"""Below this many columns a value stands under its label."""
_TYPED: Final = "next"
"""The label of what a reader may want to type, which stays in one piece."""


def columns(rows: Sequence[Sequence[str]]) -> list[str]:
    """Put cells under each other; what does not fit goes on in the next line, and nothing is lost.

    The last column takes what is left of the line; where that is too little, each row is a
    paragraph of its cells.
    """
    return _laid_out(rows, _wrapped)


def fitted(rows: Sequence[Sequence[str]]) -> list[str]:
    """Give each row one line, where the last column may lose its end; else as `columns` does."""
    return _laid_out(rows, _cut)


def labelled(rows: Sequence[tuple[str, str]]) -> list[str]:
    """Put values beside their labels; further lines of a value stand under its first one."""
    width = terminal_width()
    if width is not None and width < _NARROW:
        return [line for row in rows for line in _under(*row, width)]
    widest = max((len(label) for label, _ in rows), default=0)
    lines: list[str] = []
    for label, value in rows:
        first, *more = value.split("\n")
        lines.append(f"  {label.ljust(widest)}  {first}".rstrip())
        lines += [f"  {' ' * widest}  {line}".rstrip() for line in more]
    return lines


def folded(lines: Iterable[str]) -> Iterator[str]:
    """Let lines of a page go on below where the terminal is too narrow for them."""
    width = terminal_width()
    for line in lines:
        if width is None or len(line) <= width:
            yield line
            continue
        indent = line[: len(line) - len(line.lstrip())]
        ahead = len(indent) + len(_INDENT)
        first, *more = _wrapped(line.strip(), width - ahead)
        yield f"{indent}{first}"
        yield from (f"{indent}{_INDENT}{piece}" for piece in more)


def terminal_width() -> int | None:
    """Return how wide lines may be; None where nobody looks at them."""
    if not (sys.stdout.isatty() or os.environ.get("COLUMNS")):
        return None
    return shutil.get_terminal_size().columns


def _laid_out(rows: Sequence[Sequence[str]], shorten: Callable[[str, int], list[str]]) -> list[str]:
    if not rows:
        return []
    widths = [max(len(row[at]) for row in rows) for at in range(len(rows[0]) - 1)]
    fixed = sum(widths) + len(_GAP) * len(widths)
    width = terminal_width()
    if width is None:
        left = max(len(row[-1]) for row in rows)
    else:
        # Whoever calls may put the table under a heading.
        left = width - len(_INDENT) - fixed
        if left < min(_LEAST, max(len(row[-1]) for row in rows)):
            told = [rows[0], *(_named(rows[0], row) for row in rows[1:])]
            return [line for row in told for line in _paragraph(row, width - len(_INDENT))]
    return [line for row in rows for line in _row_lines(row, widths, shorten(row[-1], left))]


def _row_lines(row: Sequence[str], widths: Sequence[int], last: Sequence[str]) -> Iterator[str]:
    ahead = _GAP.join(cell.ljust(width) for cell, width in zip(row, widths, strict=False))
    gap = _GAP if widths else ""
    for at, piece in enumerate(last or [""]):
        yield f"{ahead if at == 0 else ' ' * len(ahead)}{gap}{piece}".rstrip()


def _named(heads: Sequence[str], row: Sequence[str]) -> list[str]:
    """Say of what a number is one, where it does not stand under its head."""
    return [
        f"{head.lower()} {cell}" if cell.isdigit() and head.isupper() else cell
        for head, cell in zip(heads, row, strict=True)
    ]


def _paragraph(row: Sequence[str], width: int) -> list[str]:
    """Write cells one after the other; none is torn apart that fits a line."""
    lines = [""]
    for cell in filter(None, row):
        indent = _INDENT if lines != [""] else ""
        joined = f"{lines[-1]}{_GAP}{cell}" if lines[-1] else cell
        if len(joined) <= width:
            lines[-1] = joined
        else:
            more = [f"{indent}{piece}" for piece in _wrapped(cell, width - len(indent))]
            lines = [*(it for it in lines if it), *more]
    return lines


def _under(label: str, value: str, width: int) -> Iterator[str]:
    yield f"{_INDENT}{label}"
    indent = _INDENT * 2
    for line in value.split("\n"):
        pieces = [line] if label == _TYPED else _wrapped(line, width - len(indent))
        yield from (f"{indent}{piece}".rstrip() for piece in pieces or [""])


def _wrapped(text: str, width: int) -> list[str]:
    """Break between words; a name that is longer than the line stays whole."""
    if len(text) <= width:
        return [text]
    return textwrap.wrap(text, max(width, 1), break_long_words=False, break_on_hyphens=False)


def _cut(text: str, width: int) -> list[str]:
    return [text if len(text) <= width else f"{text[: width - 1]}…"]


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
    yield from fitted(rows)


def shown_knowledge(told: "InjectedKnowledge") -> Iterator[str]:
    """List of which documents a worker is told, of which not, and why."""
    yield f"{told.tokens:,} of {told.budget:,} tokens of knowledge"
    rows = [("STATUS", "TOLD", "TOKENS", "DOCUMENT", "WHY")]
    rows += [
        (
            it.status.value,
            "yes" if it.is_shown else "no",
            f"{it.tokens:,}",
            one_line(it.path if it.store == "project" else f"user:{it.path}"),
            one_line(it.reason),
        )
        for it in told.items
    ]
    yield from fitted(rows)
    if told.left_out:
        yield f"{told.left_out} more documents were left out."
    yield from (f"note: {one_line(problem)}" for problem in told.problems)


def _row(item: "PackedItem") -> tuple[str, ...]:
    redacted = f" ({item.redactions} redacted)" if item.redactions else ""
    name = f"{one_line(item.name)}{redacted}"
    return item.source.value, item.detail.value, f"{item.tokens:,}", name, one_line(item.reason)

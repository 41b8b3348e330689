"""A list of tasks: side by side by their states where there is room, else below each other."""

from collections.abc import Sequence
from itertools import zip_longest
from typing import Final

from rich.text import Text

from supervisor_ai.control.slices import TaskLine, TaskList, TaskPanel
from supervisor_ai.tools.text import counted
from supervisor_ai.tui.pages.blocks import (
    ASKS,
    DIM,
    STRONG,
    LineBlock,
    cell,
    cut,
    joined,
    own,
    rule,
    said,
    wrapped,
)

_COLUMN: Final = 26
_WIDEST_CELL: Final = 24
"""Of a panel; its last column takes what is left."""


def tasks_head(tasks: TaskList | None, width: int) -> list[Text]:
    """Say which list it is and how far it is."""
    if tasks is None:
        return [own("The list is being read …", STRONG)]
    title = joined(said(f"{tasks.noun}: {tasks.title}", STRONG), "  ", said(tasks.phase, ASKS))
    facts = f"{counted(len(tasks.tasks), 'task')}, read from {tasks.source}"
    return [*wrapped(title, width)[:2], *wrapped(said(facts, DIM), width)[:2]]


def tasks_blocks(tasks: TaskList, width: int) -> list[LineBlock]:
    """Draw who works on them, and the tasks by their states."""
    return [*_panels(tasks.panels, width), *_by_state(tasks, width)]


def _by_state(tasks: TaskList, width: int) -> list[LineBlock]:
    groups = [(state, [it for it in tasks.tasks if it.state == state]) for state in tasks.states]
    used = [(state, found) for state, found in groups if found]
    if not used:
        return [LineBlock((own("There are no tasks yet.", DIM),))]
    size = (width - len(used) + 1) // len(used)
    if size < _COLUMN:
        return _below(used, width)
    return _beside(used, size)


def _panels(panels: Sequence[TaskPanel], width: int) -> list[LineBlock]:
    lines: list[Text] = []
    for panel in panels:
        if len(panel.rows) > 1:
            lines += [rule(width, panel.title), *_rows(panel, width)]
    return [LineBlock((line,)) for line in lines]


def _rows(panel: TaskPanel, width: int) -> list[Text]:
    """Draw the rows of a panel, each on one line; a row that needs somebody has a mark."""
    sizes = [
        min(_WIDEST_CELL, max(len(row[at]) for row in panel.rows))
        for at in range(len(panel.rows[0]) - 1)
    ]
    lines = []
    for number, row in enumerate(panel.rows, start=-1):
        style = DIM if number < 0 else ASKS if number in panel.alerts else ""
        mark = own("! ", ASKS) if number in panel.alerts else own("  ")
        cells = [cell(said(it, style), size) for it, size in zip(row, sizes, strict=False)]
        lines.append(cut(joined(mark, own(" ").join([*cells, said(row[-1], style)])), width))
    return lines


def _below(groups: Sequence[tuple[str, list[TaskLine]]], width: int) -> list[LineBlock]:
    blocks = []
    for state, found in groups:
        blocks.append(LineBlock((rule(width, f"{state} ({len(found)})"),)))
        blocks += [LineBlock(tuple(_task(it, width))) for it in found]
    return blocks


def _beside(groups: Sequence[tuple[str, list[TaskLine]]], size: int) -> list[LineBlock]:
    columns = [
        [rule(size, f"{state} ({len(found)})"), *(line for it in found for line in _task(it, size))]
        for state, found in groups
    ]
    rows = zip_longest(*columns, fillvalue=own(""))
    return [LineBlock((own(" ").join(cell(it, size) for it in row),)) for row in rows]


def _task(task: TaskLine, width: int) -> list[Text]:
    mark = own("→ ", ASKS) if task.is_current else own("  ")
    title = joined(mark, said(f"{task.name} {task.title}", STRONG if task.is_current else ""))
    facts = ", ".join(filter(None, (task.who, task.said)))
    return [*wrapped(title, width, indent=4), *wrapped(joined("    ", said(facts, DIM)), width)]

"""Which work items wait for which."""

from collections.abc import Mapping
from typing import Final

from supervisor_ai.drivers.kanban.board.kanban import WorkItem

Order = Mapping[int, tuple[int, ...]]
"""For every item, by its index, the items that come before it."""
_NAMED: Final = 10


def untangled(items: tuple[WorkItem, ...]) -> Order:
    """Keep the dependencies that can be met: on items that exist and do not wait themselves."""
    kept: dict[int, list[int]] = {}
    above: set[int] = set()

    # Goes as deep as there are items, and nobody makes tasks of more items than a kanban may have.
    def visit(index: int) -> None:
        kept[index] = []
        above.add(index)
        for other in _wanted(items, index):
            if other in above or not 0 <= other < len(items):
                continue
            if other not in kept:
                visit(other)
            kept[index].append(other)
        above.discard(index)

    for index in range(len(items)):
        if index not in kept:
            visit(index)
    return {index: tuple(others) for index, others in kept.items()}


def cuts(items: tuple[WorkItem, ...], order: Order) -> str:
    """Name the dependencies that an order leaves out; nothing if it has them all."""
    left = [
        f"{index} on {other}"
        for index in range(len(items))
        for other in _wanted(items, index)
        if other not in order[index]
    ]
    more = f" and {len(left) - _NAMED} more" if len(left) > _NAMED else ""
    return ", ".join(left[:_NAMED]) + more


def _wanted(items: tuple[WorkItem, ...], index: int) -> tuple[int, ...]:
    return tuple(dict.fromkeys(items[index].dependencies))

"""Finds what waits for itself."""

from collections.abc import Iterable, Mapping
from graphlib import CycleError, TopologicalSorter
from typing import TypeVar

Node = TypeVar("Node", int, str)


def find_cycle(graph: Mapping[Node, Iterable[Node]]) -> list[Node]:
    """Return one circle of dependencies, its first node again at its end; empty: there is none."""
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        # It names each node before the one that depends on it.
        found: list[Node] = error.args[1]
        return found[::-1]
    return []

"""Transition tables: the only list of moves that a machine has."""

from collections.abc import Mapping
from enum import StrEnum
from typing import TypeVar

from supervisor_ai.domain.errors import InternalError

Status = TypeVar("Status", bound=StrEnum)
Flow = Mapping[tuple[Status, type], Status]


def step(flow: Flow[Status], status: Status, event: object) -> Status:
    """Move along the table; refuse what it does not list."""
    target = find(flow, status, type(event))
    if target is None:
        name = type(event).__name__
        raise InternalError(f"{name} cannot happen while the status is {status.value!r}.")
    return target


def find(flow: Flow[Status], status: Status, kind: type) -> Status | None:
    """Return where a kind of fact leads, by its own row or by that of the nearest base."""
    for base in kind.__mro__:
        target = flow.get((status, base))
        if target is not None:
            return target
    return None


def is_terminal(flow: Flow[Status], status: Status) -> bool:
    """Tell whether no edge leaves the status; one that leads back to it does not."""
    return all(source != status or to == status for (source, _), to in flow.items())

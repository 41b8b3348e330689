"""Transition tables: the only list of moves that a machine has."""

from collections.abc import Mapping
from enum import StrEnum
from typing import TypeVar

from supervisor_ai.domain.errors import InternalError

Status = TypeVar("Status", bound=StrEnum)
Flow = Mapping[tuple[Status, type], Status]


def step(flow: Flow[Status], status: Status, event: object) -> Status:
    """Move along the table; refuse what it does not list."""
    try:
        return flow[status, type(event)]
    except KeyError:
        name = type(event).__name__
        raise InternalError(f"{name} cannot happen while the status is {status.value!r}.") from None


def is_terminal(flow: Flow[Status], status: Status) -> bool:
    """Tell whether no edge leaves the status."""
    return all(source != status for source, _ in flow)

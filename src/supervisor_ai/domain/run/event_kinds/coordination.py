"""The facts of timers, permits and children."""

from dataclasses import dataclass
from datetime import datetime

from supervisor_ai.domain.ids import (
    RunId,
    TimerName,
)
from supervisor_ai.domain.run.event_kinds.placed import PlacedEvent, RunEvent
from supervisor_ai.domain.run.status import (
    Outcome,
    RunStatus,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class TimerSet(RunEvent):
    """Something is due at a time."""

    timer: TimerName
    due: datetime
    parks: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class TimerFired(RunEvent):
    """The time has come."""

    timer: TimerName


@dataclass(frozen=True, slots=True, kw_only=True)
class TimerCancelled(RunEvent):
    """The time does not matter any more."""

    timer: TimerName


@dataclass(frozen=True, slots=True, kw_only=True)
class PermitRequested(RunEvent):
    """The run needs one of a limited number of places that runs share."""

    permit: str
    limit: int


@dataclass(frozen=True, slots=True, kw_only=True)
class PermitGranted(RunEvent):
    """The run has the place."""

    permit: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PermitReleased(RunEvent):
    """The run gave the place back."""

    permit: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ChildStarted(PlacedEvent):
    """A child run was submitted in the same transaction."""

    child: RunId


@dataclass(frozen=True, slots=True, kw_only=True)
class ChildCancelRequested(RunEvent):
    """The child was asked to stop."""

    child: RunId


@dataclass(frozen=True, slots=True, kw_only=True)
class ChildEnded(RunEvent):
    """The child reached its end."""

    child: RunId
    status: RunStatus
    outcome: Outcome

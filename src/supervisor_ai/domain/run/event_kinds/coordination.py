"""The facts of timers, permits, children and signals."""

from datetime import datetime
from typing import ClassVar

from supervisor_ai.domain.ids import (
    RunId,
    TimerName,
)
from supervisor_ai.domain.run.event_kinds.placed import (
    PlacedEvent,
    RequestAnswered,
    RequestMade,
    RunEvent,
)
from supervisor_ai.domain.run.status import (
    Outcome,
    RunStatus,
)


class TimerSet(RunEvent, frozen=True, kw_only=True):
    """Something is due at a time."""

    timer: TimerName
    due: datetime
    parks: bool


class TimerFired(RunEvent, frozen=True, kw_only=True):
    """The time has come."""

    timer: TimerName


class TimerCancelled(RunEvent, frozen=True, kw_only=True):
    """The time does not matter any more."""

    timer: TimerName


class PermitRequested(RunEvent, frozen=True, kw_only=True):
    """The run needs one of a limited number of places that runs share."""

    permit: str
    limit: int


class PermitGranted(RunEvent, frozen=True, kw_only=True):
    """The run has the place."""

    permit: str


class PermitReleased(RunEvent, frozen=True, kw_only=True):
    """The run gave the place back."""

    permit: str


class ChildStarted(PlacedEvent, frozen=True, kw_only=True):
    """A child run was submitted in the same transaction."""

    child: RunId


class ChildCancelRequested(RunEvent, frozen=True, kw_only=True):
    """The child was asked to stop."""

    child: RunId


class ChildEnded(RunEvent, frozen=True, kw_only=True):
    """The child reached its end."""

    child: RunId
    status: RunStatus
    outcome: Outcome


class SignalReceived(RunEvent, frozen=True, kw_only=True):
    """Somebody says that something happened, whether the run waits for it or not."""

    signal: str


class SignalAwaited(RequestMade, frozen=True, kw_only=True):
    """The run has nothing to do until a signal comes."""

    operation: ClassVar = "signal"
    waits_for: ClassVar = "a message"

    signal: str


class SignalHeard(RequestAnswered, frozen=True, kw_only=True):
    """The run goes on because a signal came."""

    ends: ClassVar = SignalAwaited

"""The facts of signals: what tells a run that something happened which it may wait for."""

from typing import ClassVar

from supervisor_ai.domain.run.event_kinds.placed import RequestAnswered, RequestMade, RunEvent


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

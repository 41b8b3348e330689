"""The life of a resident run: the table of its stages.

begin → look → (tend →) rest → look …; when the team is gone, leave → ended. Each but `rest`,
`unstarted` and `ended` has one operation.
"""

from enum import StrEnum
from typing import Final

from supervisor_ai.domain.envelope import Event
from supervisor_ai.domain.flow import Flow, step
from supervisor_ai.domain.run.events import SignalReceived, TimerFired
from supervisor_ai.drivers.team.residence import run_events as e


class WatchStage(StrEnum):
    """Where a resident run stands."""

    BEGIN = "begin"
    LOOK = "look"
    TEND = "tend"
    REST = "rest"
    LEAVE = "leave"
    UNSTARTED = "unstarted"
    ENDED = "ended"


_S = WatchStage


def _deed(stage: WatchStage, started: type[Event], lost: type[Event]) -> Flow[WatchStage]:
    """Stay where the operation of a stage begins, and where its owner dies."""
    return {(stage, started): stage, (stage, lost): stage}


WATCH_FLOW: Final[Flow[WatchStage]] = {
    **_deed(_S.BEGIN, e.WatchStarted, e.WatchLost),
    (_S.BEGIN, e.WatchBegun): _S.TEND,
    (_S.BEGIN, e.TeamNotFound): _S.UNSTARTED,
    **_deed(_S.LOOK, e.TeamLookStarted, e.TeamLookLost),
    **_deed(_S.TEND, e.TendingStarted, e.TendingLost),
    (_S.TEND, e.TeamTended): _S.REST,
    (_S.REST, TimerFired): _S.LOOK,
    (_S.REST, SignalReceived): _S.LOOK,
    **_deed(_S.LEAVE, e.WatchEnding, e.WatchEndingLost),
    (_S.LEAVE, e.WatchEnded): _S.ENDED,
}


def advance(stage: WatchStage, event: Event) -> WatchStage:
    """Move along the table; a look goes where what it saw leads, and other facts lead nowhere."""
    if isinstance(event, e.TeamSeen):
        return _seen(event)
    if any((stage, kind) in WATCH_FLOW for kind in type(event).__mro__):
        return step(WATCH_FLOW, stage, event)
    return stage


def _seen(event: e.TeamSeen) -> WatchStage:
    if event.is_over:
        return WatchStage.LEAVE
    return WatchStage.TEND if event.is_due else WatchStage.REST

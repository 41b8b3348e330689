"""The stream of a landing in several repositories: how it is called, and how its facts add up."""

from typing import Final

from supervisor_ai.control.slices import SliceStream
from supervisor_ai.domain.ids import RunId, StreamId
from supervisor_ai.drivers.feature.projects.landings import (
    LANDING_EVENTS,
    LandingFact,
    LandingState,
    evolve,
)
from supervisor_ai.engine.ports.ledger import EventLog
from supervisor_ai.engine.streams.folded_stream import Fold
from supervisor_ai.engine.streams.shared_stream import SharedStream

_PREFIX: Final = "landing"
_FOLD: Final = Fold(name="landing", kind=LandingState, evolve=evolve, code=(LandingState,))
LANDING_STREAM: Final = SliceStream(prefix=_PREFIX, fold=_FOLD, events=LANDING_EVENTS)


def landing_stream(run: RunId) -> StreamId:
    """Name the stream that holds how the work of a run landed."""
    return StreamId(f"{_PREFIX}:{run}")


class LandingView(SharedStream[LandingState, LandingFact]):
    """A landing, folded as far as it was read, and the only way to add to it."""

    noun = "landing"

    def __init__(self, log: EventLog, run: RunId) -> None:
        super().__init__(log, landing_stream(run), _FOLD)

"""The stream of a landing in several repositories: how it is called, and how its facts add up."""

from typing import Final

from supervisor_ai.control.ports.queries import RunRow
from supervisor_ai.control.records import Records
from supervisor_ai.control.slices import SliceStream
from supervisor_ai.domain.ids import CommitSha, RunId, StreamId
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


def earlier_landings(records: Records, run: RunRow) -> dict[str, CommitSha]:
    """Say which commit of each project has what the runs landed with whose branch this one goes on.

    What the run itself has to land begins there: only what has changed since is to come.
    """
    found: dict[str, CommitSha] = {}
    fork = run.fork
    while fork is not None:
        landed = LandingView(records.log, fork.run).refresh().landed
        found = {it.project: it.own for it in landed} | found
        before = records.queries.run(fork.run)
        fork = None if before is None else before.fork
    return found

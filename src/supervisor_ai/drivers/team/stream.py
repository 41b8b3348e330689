"""The stream of a team: how it is called, and how its facts add up."""

from typing import Final

from supervisor_ai.control.slices import SliceStream
from supervisor_ai.domain.ids import StreamId
from supervisor_ai.drivers.team.event_kinds.fact import TeamFact
from supervisor_ai.drivers.team.events import TEAM_EVENTS
from supervisor_ai.drivers.team.state import TeamState, evolve
from supervisor_ai.engine.ports.artifacts import Documents
from supervisor_ai.engine.ports.ledger import EventLog, StateCache
from supervisor_ai.engine.streams.folded_stream import Fold
from supervisor_ai.engine.streams.shared_stream import SharedStream

_PREFIX: Final = "team"
PIPELINE: Final = "team"
"""What the session of a team names as its pipeline, by which teams are found."""
_FOLD: Final = Fold(name="team", kind=TeamState, evolve=evolve, code=(TeamState,))
TEAM_STREAM: Final = SliceStream(prefix=_PREFIX, fold=_FOLD, events=TEAM_EVENTS)


def team_stream(name: str) -> StreamId:
    """Name the stream that holds a team's facts."""
    return StreamId(f"{_PREFIX}:{name}")


class TeamView(SharedStream[TeamState, TeamFact]):
    """A team, folded as far as it was read, and the only way to add to it."""

    noun = "team"

    def __init__(
        self,
        log: EventLog,
        name: str,
        cache: StateCache | None = None,
        documents: Documents | None = None,
    ) -> None:
        super().__init__(log, team_stream(name), _FOLD, cache, documents)

"""What people say about the directives of a project, as facts of a stream that no run owns."""

from typing import Final

from msgspec import Struct

from supervisor_ai.control.slices import SliceStream
from supervisor_ai.domain.envelope import Event
from supervisor_ai.domain.ids import ArtifactHash, StreamId
from supervisor_ai.drivers.quality.directives import DirectivePriority, DirectiveType
from supervisor_ai.engine.streams.folded_stream import Fold

_PREFIX: Final = "directives"


class StandingFact(Event, frozen=True, kw_only=True):
    """A fact about the directives of a project."""


class StandingDirectiveAdded(StandingFact, frozen=True, kw_only=True):
    """A person wants something done in the project."""

    type: DirectiveType
    priority: DirectivePriority
    text: ArtifactHash
    """Description, rationale and files, as JSON."""
    since: int
    """How many commits were counted when it came."""


class StandingDirectiveDropped(StandingFact, frozen=True, kw_only=True):
    """A person wants a directive of the project no more."""

    number: int


STANDING_EVENTS: Final[tuple[type[StandingFact], ...]] = (
    StandingDirectiveAdded,
    StandingDirectiveDropped,
)


class StandingState(Struct, frozen=True, kw_only=True):
    """What people said so far."""

    added: int = 0
    dropped: frozenset[int] = frozenset()


def evolve(state: StandingState, event: Event) -> StandingState:
    """Fold one recorded fact into the state."""
    match event:
        case StandingDirectiveAdded():
            return StandingState(added=state.added + 1, dropped=state.dropped)
        case StandingDirectiveDropped(number=number):
            return StandingState(added=state.added, dropped=state.dropped | {number})
        case _:
            return state


FOLD: Final = Fold(name="directives", kind=StandingState, evolve=evolve, code=(StandingState,))
STANDING_STREAM: Final = SliceStream(prefix=_PREFIX, fold=FOLD, events=STANDING_EVENTS)
PROJECT: Final = StreamId(f"{_PREFIX}:project")
"""The stream that a project has."""

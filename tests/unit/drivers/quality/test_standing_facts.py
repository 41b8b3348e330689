"""What people said about a project's directives, folded."""

from supervisor_ai.domain.envelope import Event
from supervisor_ai.domain.ids import ArtifactHash
from supervisor_ai.drivers.quality.directives import DirectivePriority, DirectiveType
from supervisor_ai.drivers.quality.standing_facts import (
    PROJECT,
    STANDING_STREAM,
    StandingDirectiveAdded,
    StandingDirectiveDropped,
    StandingState,
    evolve,
)


def test_what_was_added_and_dropped_adds_up() -> None:
    added = StandingDirectiveAdded(
        type=DirectiveType.CLEANUP,
        priority=DirectivePriority.LOW,
        text=ArtifactHash("text"),
        since=2,
    )
    state = StandingState()
    for fact in (added, added, StandingDirectiveDropped(number=1), Event()):
        state = evolve(state, fact)
    assert state == StandingState(added=2, dropped=frozenset({1}))
    assert STANDING_STREAM.owner_of(PROJECT) == "project"

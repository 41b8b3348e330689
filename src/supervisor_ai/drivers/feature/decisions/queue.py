"""The queue to the feature's branch: whose turn it is, and on top of what others are merged ahead.

The first of the queue is merged with the branch. While it is tested, those behind it are merged on
top of what it makes and tested side by side. A merge counts only if the files below it are still
those on which it was made: when one is sent back, what was made on top of it is thrown away.
"""

from enum import StrEnum

from supervisor_ai.domain.ids import CommitSha
from supervisor_ai.domain.run.values import Snapshot
from supervisor_ai.drivers.feature.parts import PartStage
from supervisor_ai.drivers.feature.plan.model import ComponentId
from supervisor_ai.drivers.feature.state import FeatureState


class QueueTurn(StrEnum):
    """What can become of a merge now."""

    FIRST = "first"
    """It is its turn: what was found counts."""
    AHEAD = "ahead"
    """Others come first, and it is made on top of them."""
    STALE = "stale"
    """It is made on top of files that are not there any more."""


def below(state: FeatureState, name: ComponentId) -> Snapshot | None:
    """Return what a component is merged with; None: nobody knows yet, or it is too far ahead."""
    place = state.queue.index(name)
    if place == 0:
        return state.tip
    if place >= state.definition.speculation:
        return None
    before = state.queue[place - 1]
    part = state.part(before)
    if part.stage is not PartStage.GATES or turn_of(state, before) is QueueTurn.STALE:
        return None
    return part.snapshot


def turn_of(state: FeatureState, name: ComponentId) -> QueueTurn:
    """Tell whether what was found about a merge counts; what is taken back stands in no queue."""
    if name not in state.queue:
        return QueueTurn.FIRST
    part, found = state.part(name), below(state, name)
    if found is None or (part.onto is not None and part.onto != found.tree):
        return QueueTurn.STALE
    return QueueTurn.FIRST if state.queue[0] == name else QueueTurn.AHEAD


def landed_before(state: FeatureState, commit: CommitSha | None) -> int:
    """Tell which landing made a commit; -1: it is older than all of them."""
    found = (at for at, (_, tip) in enumerate(state.line) if tip.commit == commit)
    return next(found, -1)

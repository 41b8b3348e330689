"""The place of a fact in a run."""

from dataclasses import dataclass

from supervisor_ai.domain.envelope import Event
from supervisor_ai.domain.ids import (
    StepName,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class PlacedEvent(Event):
    """A fact that belongs to one slot of one visit to one step."""

    step: StepName
    visit: int
    slot: int = 1

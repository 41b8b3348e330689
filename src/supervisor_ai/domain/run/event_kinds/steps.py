"""The facts of steps."""

from dataclasses import dataclass

from supervisor_ai.domain.ids import (
    CommitSha,
)
from supervisor_ai.domain.run.event_kinds.placed import PlacedEvent, StepNote
from supervisor_ai.domain.run.values import (
    Feedback,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class StepEntered(PlacedEvent):
    """The run came to a step."""

    start: CommitSha | None
    feedback: tuple[Feedback, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class StepPassed(PlacedEvent):
    """The step holds and the run may go on."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StepFailed(PlacedEvent):
    """The step does not hold in this visit."""

    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class StepSkipped(PlacedEvent):
    """Nobody could do the step, and the run can go on without it."""

    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class StepQuarantined(StepNote):
    """The step gets nowhere by itself; it rests until a person decides."""

    reason: str

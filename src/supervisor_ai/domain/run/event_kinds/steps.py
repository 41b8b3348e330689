"""The facts of steps."""

from supervisor_ai.domain.ids import (
    CommitSha,
)
from supervisor_ai.domain.run.event_kinds.placed import PlacedEvent, StepNote
from supervisor_ai.domain.run.values import (
    Feedback,
)


class StepEntered(PlacedEvent, frozen=True, kw_only=True):
    """The run came to a step."""

    start: CommitSha | None
    feedback: tuple[Feedback, ...] = ()


class StepPassed(PlacedEvent, frozen=True, kw_only=True):
    """The step holds and the run may go on."""


class StepFailed(PlacedEvent, frozen=True, kw_only=True):
    """The step does not hold in this visit."""

    reason: str


class StepSkipped(PlacedEvent, frozen=True, kw_only=True):
    """Nobody could do the step, and the run can go on without it."""

    reason: str


class StepQuarantined(StepNote, frozen=True, kw_only=True):
    """The step gets nowhere by itself; it rests until a person decides."""

    reason: str

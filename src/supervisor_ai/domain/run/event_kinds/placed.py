"""The bases of a run's facts: where one belongs, and what it begins, ends or only tells.

The kernel knows a fact by its base alone, so that a driver can add facts of its own.
"""

from abc import abstractmethod
from typing import ClassVar

from supervisor_ai.domain.envelope import Event
from supervisor_ai.domain.ids import StepName


class RunEvent(Event, frozen=True, kw_only=True):
    """A fact of a run's stream."""


class PlacedEvent(RunEvent, frozen=True, kw_only=True):
    """A fact that belongs to one slot of one visit to one step."""

    step_verdict: ClassVar[str | None] = None
    """What the step is said to have come to from now on; `:name` stands for that field."""
    is_remembered: ClassVar[bool] = False
    """Whether it is found in the visit, by whoever decides there, until the step is left."""

    step: StepName
    visit: int
    slot: int = 1

    @property
    def place(self) -> tuple[StepName, int, int]:
        """Tell to which slot of which visit to which step the fact belongs."""
        return self.step, self.visit, self.slot


class StepNote(PlacedEvent, frozen=True, kw_only=True):
    """A fact about a step in work that leaves the step's status as it is."""


class Intent(PlacedEvent, frozen=True, kw_only=True):
    """A fact that says: this is under way, and has no end yet."""

    operation: ClassVar[str]
    """The word for it in the operation's key."""


class OperationStarted(Intent, frozen=True, kw_only=True):
    """Something is about to be done by the engine, between this fact and an outcome."""

    @abstractmethod
    def lost(self) -> "OperationEnded":
        """State that its owner died before there was an outcome."""


class RequestMade(Intent, frozen=True, kw_only=True):
    """Somebody else has to answer, and the run may have nothing to do but wait."""

    waits_for: ClassVar[str]
    """What the run waits for, in words for people."""


class IntentEnded(PlacedEvent, frozen=True, kw_only=True):
    """The end of what was under way at the same place."""

    ends: ClassVar[type[Intent]]


class OperationEnded(IntentEnded, frozen=True, kw_only=True):
    """What came of something that the engine did."""


class RequestAnswered(IntentEnded, frozen=True, kw_only=True):
    """What somebody else said; it may come while the run waits."""

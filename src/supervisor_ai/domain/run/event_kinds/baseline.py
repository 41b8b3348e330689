"""The facts of baselines: how the tests stand before anybody has changed anything."""

from typing import ClassVar

from supervisor_ai.domain.ids import ArtifactHash, CommitSha
from supervisor_ai.domain.run.event_kinds.placed import OperationEnded, OperationStarted
from supervisor_ai.domain.run.gates import Health


class BaselineStarted(OperationStarted, frozen=True, kw_only=True):
    """A gate is about to run on the files that the run starts from."""

    operation: ClassVar = "baseline"

    gate: str
    base: CommitSha

    def lost(self) -> "BaselineLost":  # type: ignore[explicit-override]
        """State that its owner died before there was an outcome."""
        return BaselineLost(step=self.step, visit=self.visit, slot=self.slot, gate=self.gate)


class BaselineEnded(OperationEnded, frozen=True, kw_only=True):
    """How the gate stands on these files."""

    ends: ClassVar = BaselineStarted

    gate: str
    health: Health
    reason: str
    output: ArtifactHash | None = None
    feedback: ArtifactHash | None = None
    """What a worker is told: the failing part of the output."""
    tests: int | None = None
    results: ArtifactHash | None = None
    """The tests by name, each with its outcome."""
    key: str | None = None
    """By which it is found again for the same files; None: it counts this once."""
    is_reused: bool = False
    """Whether it was known from before and nothing was run."""

    @property
    def is_comparable(self) -> bool:
        """Tell whether a change can be held against it: by the tests' names, or as a whole."""
        return self.results is not None or self.health is Health.GREEN


class BaselineLost(OperationEnded, frozen=True, kw_only=True):
    """Its owner died before the baseline had an end."""

    ends: ClassVar = BaselineStarted

    gate: str

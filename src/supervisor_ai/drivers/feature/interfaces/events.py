"""The facts about interfaces while a feature is built."""

from typing import ClassVar, Final

from supervisor_ai.domain.ids import ArtifactHash, CommitSha
from supervisor_ai.domain.run.event_kinds.placed import (
    OperationEnded,
    OperationStarted,
    RunEvent,
    StepNote,
)
from supervisor_ai.drivers.feature.interfaces.checks import InterfaceCheck
from supervisor_ai.drivers.feature.plan.model import ComponentId


class ValidationStarted(OperationStarted, frozen=True, kw_only=True):
    """The interfaces are about to be looked at, together with what was built."""

    operation: ClassVar = "validation"

    snapshot: CommitSha

    def lost(self) -> "ValidationLost":  # type: ignore[explicit-override]
        """State that its owner died before there was an outcome."""
        return ValidationLost(step=self.step, visit=self.visit, slot=self.slot)


class InterfacesValidated(OperationEnded, frozen=True, kw_only=True):
    """Each kind of interface was looked at, or nobody here can look at it."""

    ends: ClassVar = ValidationStarted

    checks: tuple[InterfaceCheck, ...]


class ValidationLost(OperationEnded, frozen=True, kw_only=True):
    """Its owner died; looking again is harmless."""

    ends: ClassVar = ValidationStarted


class InterfaceUnlocked(StepNote, frozen=True, kw_only=True):
    """A person agreed that an interface may change; what depends on it waits and is built again."""

    name: str
    number: int
    """Which of all unlocks of the run this is."""
    why: ArtifactHash


class InterfaceLocked(StepNote, frozen=True, kw_only=True):
    """An interface that was open is locked again."""

    name: str
    commit: CommitSha
    """Where the feature's branch stands."""


class ComponentReopened(StepNote, frozen=True, kw_only=True):
    """A component has to be built again, because something that it depends on is open."""

    component: ComponentId
    why: ArtifactHash
    """What whoever builds it again is told."""


INTERFACE_EVENTS: Final[tuple[type[RunEvent], ...]] = (
    ValidationStarted,
    InterfacesValidated,
    ValidationLost,
    InterfaceUnlocked,
    InterfaceLocked,
    ComponentReopened,
)

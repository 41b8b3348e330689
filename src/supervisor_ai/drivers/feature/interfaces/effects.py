"""What a feature can ask for about its interfaces."""

from datetime import timedelta
from typing import ClassVar, Final

from msgspec import field

from supervisor_ai.domain.ids import ArtifactHash, CommitSha
from supervisor_ai.domain.run.definition import Gate
from supervisor_ai.domain.run.effects import OperationEffect, RunGate
from supervisor_ai.drivers.feature.interfaces.checks import InterfaceCheck
from supervisor_ai.drivers.feature.interfaces.events import ValidationStarted
from supervisor_ai.drivers.feature.plan.model import Interface

VALIDATION: Final = Gate(name="interfaces", command=(), timeout=timedelta(minutes=10))
"""How long a tool may look at interfaces; its command is its own."""


class ValidateInterfaces(OperationEffect, frozen=True, kw_only=True):
    """Look at the interfaces in a snapshot with the tools of their languages."""

    begins_with: ClassVar = ("snapshot",)

    interfaces: tuple[Interface, ...]
    snapshot: CommitSha
    frame: RunGate
    """How a command is run on the snapshot; each tool puts its own command there."""
    known: tuple[InterfaceCheck, ...] | None = None
    """What was found when the interfaces were locked; None: they are being locked."""
    definitions: dict[str, ArtifactHash] = field(default_factory=dict)
    """What holds in place of the plan's definitions, by the names of interfaces."""

    def intent(self) -> ValidationStarted:  # type: ignore[explicit-override]
        """State what is about to be done."""
        return ValidationStarted(
            step=self.step, visit=self.visit, slot=self.slot, snapshot=self.snapshot
        )

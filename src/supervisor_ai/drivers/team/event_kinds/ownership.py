"""The facts of who writes the operational state."""

from typing import ClassVar

from supervisor_ai.drivers.team.event_kinds.fact import TeamFact
from supervisor_ai.drivers.team.text.report import ActionType, AlertSeverity, AlertType


class OwnershipHandedOff(TeamFact, frozen=True, kw_only=True):
    """The Lead hands the state over; nobody writes until it is acknowledged."""

    word: ClassVar = "STATE_OWNERSHIP_HANDOFF"

    offered: int
    """The epoch that begins with the acknowledgement."""


class OwnershipAcknowledged(TeamFact, frozen=True, kw_only=True):
    """The supervisor owns the state from this epoch on."""

    word: ClassVar = "STATE_OWNERSHIP_ACK"
    speaks: ClassVar = True

    offered: int


class HandoffDuplicated(TeamFact, frozen=True, kw_only=True):
    """The Lead handed over again what was handed over; nothing changes."""

    word: ClassVar = "HANDOFF_DUPLICATE"
    speaks: ClassVar = True
    alert: ClassVar = AlertType.HANDOFF_DUPLICATE

    offered: int


class HandoffMissed(TeamFact, frozen=True, kw_only=True):
    """A hand-off was expected and none came; the owner stays who it was."""

    word: ClassVar = "HANDOFF_MISSING"
    speaks: ClassVar = True
    alert: ClassVar = AlertType.HANDOFF_MISSING
    severity: ClassVar = AlertSeverity.WARN
    action: ClassVar = ActionType.ESCALATE


class SplitBrainDetected(TeamFact, frozen=True, kw_only=True):
    """Two own the state in one epoch; the Lead has to say which."""

    word: ClassVar = "SPLIT_BRAIN_DETECTED"
    speaks: ClassVar = True
    alert: ClassVar = AlertType.SPLIT_BRAIN_DETECTED
    severity: ClassVar = AlertSeverity.CRITICAL
    action: ClassVar = ActionType.ESCALATE

    owners: tuple[str, ...]


class OwnershipArbitrated(TeamFact, frozen=True, kw_only=True):
    """The Lead said who owns the state."""

    word: ClassVar = "OWNERSHIP_ARBITRATED"

    owner: str
    chosen: str = ""
    """The Lead whose hand-off counts; nobody: the dispute was not between Leads."""

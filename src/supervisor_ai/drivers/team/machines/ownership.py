"""Who writes the operational state: the machine of hand-off and acknowledgement.

The Lead owns the state until the first acknowledgement. From a hand-off to its acknowledgement
nobody writes. Epochs only grow, so that whatever comes late is known to be late.
"""

from enum import StrEnum
from typing import Final

from msgspec import Struct

from supervisor_ai.domain.envelope import Event
from supervisor_ai.domain.flow import Flow, step
from supervisor_ai.domain.structs import replace
from supervisor_ai.drivers.team.event_kinds import ownership as o


class OwnershipStatus(StrEnum):
    """Where the ownership of the state stands."""

    BOOTSTRAP = "bootstrap"
    HANDING_OFF = "handing_off"
    ACTIVE = "active"
    DISPUTED = "disputed"


_S = OwnershipStatus
OWNERSHIP_FLOW: Final[Flow[OwnershipStatus]] = {
    (_S.BOOTSTRAP, o.OwnershipHandedOff): _S.HANDING_OFF,
    (_S.BOOTSTRAP, o.HandoffMissed): _S.BOOTSTRAP,
    # A higher epoch takes the place of a hand-off that nobody acknowledged.
    (_S.HANDING_OFF, o.OwnershipHandedOff): _S.HANDING_OFF,
    (_S.HANDING_OFF, o.OwnershipAcknowledged): _S.ACTIVE,
    (_S.HANDING_OFF, o.HandoffDuplicated): _S.HANDING_OFF,
    (_S.HANDING_OFF, o.SplitBrainDetected): _S.DISPUTED,
    (_S.ACTIVE, o.OwnershipHandedOff): _S.HANDING_OFF,
    (_S.ACTIVE, o.HandoffDuplicated): _S.ACTIVE,
    (_S.ACTIVE, o.SplitBrainDetected): _S.DISPUTED,
    (_S.DISPUTED, o.OwnershipArbitrated): _S.ACTIVE,
}
STANDING: Final = frozenset({_S.HANDING_OFF, _S.ACTIVE})
"""Where the newest hand-off still holds."""


class StateOwnership(Struct, frozen=True, kw_only=True):
    """Who owns the state, and since which epoch."""

    status: OwnershipStatus = OwnershipStatus.BOOTSTRAP
    epoch: int = 0
    """The epoch that is active; 0: none was yet."""
    owner: str = ""
    """Who writes; nothing: the Lead, as it was before the first acknowledgement."""
    offered: int = 0
    """The newest epoch that was handed over."""
    offered_by: str = ""
    duplicates: int = 0
    """How many hand-offs of the newest epoch came again."""
    is_missed: bool = False
    """Whether it was said that no hand-off came."""
    rivals: tuple[str, ...] = ()
    """Who claims one epoch, until the Lead has said who it is."""

    @property
    def is_active(self) -> bool:
        """Tell whether the supervisor writes."""
        return self.status is OwnershipStatus.ACTIVE

    @property
    def shown_owner(self) -> str:
        """Name the owner as state.md does."""
        return f"{self.owner}@{self.epoch}" if self.owner else "lead"


def evolve(ownership: StateOwnership, event: Event) -> StateOwnership:
    """Fold a fact about who owns the state."""
    ownership = replace(ownership, status=step(OWNERSHIP_FLOW, ownership.status, event))
    match event:
        case o.OwnershipHandedOff(offered=offered, actor=actor):
            return replace(ownership, offered=offered, offered_by=actor, duplicates=0)
        case o.OwnershipAcknowledged(offered=offered, actor=actor):
            return replace(ownership, epoch=offered, owner=actor)
        case o.HandoffDuplicated():
            return replace(ownership, duplicates=ownership.duplicates + 1)
        case o.SplitBrainDetected(owners=owners):
            return replace(ownership, rivals=owners)
        case o.OwnershipArbitrated(owner=owner, chosen=chosen):
            by = chosen or ownership.offered_by
            return replace(
                ownership, owner=owner, epoch=ownership.offered, offered_by=by, rivals=()
            )
        case _:  # The table admits one more: a hand-off that is missing.
            return replace(ownership, is_missed=True)

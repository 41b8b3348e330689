"""The lock under which a state that does not agree with itself is put right."""

from datetime import datetime
from enum import StrEnum
from typing import Final

from msgspec import Struct

from supervisor_ai.domain.envelope import Event
from supervisor_ai.domain.flow import Flow, step
from supervisor_ai.domain.ids import ArtifactHash
from supervisor_ai.domain.structs import replace
from supervisor_ai.drivers.team.event_kinds import reconcile as r


class LockStatus(StrEnum):
    """Whether the operational state may be written."""

    OPEN = "open"
    DIVERGED = "diverged"
    """A difference is recorded; the lock is entered next."""
    LOCKED = "RECONCILE_LOCK"
    AWAITING_ACK = "awaiting_ack"
    """The rollback is planned; the Lead has to agree to it, or nothing in work is touched."""
    FROZEN = "STATE_FROZEN"

    @property
    def word(self) -> str:
        """Return what people are told: the seed knows the lock, not its stages."""
        stages = {LockStatus.DIVERGED, LockStatus.AWAITING_ACK}
        return LockStatus.LOCKED.value if self in stages else self.value.upper()


_S = LockStatus
RECONCILE_FLOW: Final[Flow[LockStatus]] = {
    # The file is true under the lock as well, and shows it.
    **{(status, r.SnapshotTaken): status for status in _S},
    (_S.OPEN, r.StateDiverged): _S.DIVERGED,
    # A split brain locks without a difference between file and ledger.
    (_S.OPEN, r.ReconcileLockEntered): _S.LOCKED,
    (_S.DIVERGED, r.ReconcileLockEntered): _S.LOCKED,
    (_S.LOCKED, r.SnapshotNotFound): _S.FROZEN,
    (_S.LOCKED, r.SnapshotConflicted): _S.FROZEN,
    (_S.LOCKED, r.ReconcileConflicted): _S.FROZEN,
    (_S.LOCKED, r.RollbackPlanned): _S.AWAITING_ACK,
    (_S.LOCKED, r.ReconcileLockExited): _S.OPEN,
    # Somebody edits again while the Lead thinks: that edit is kept as well.
    (_S.LOCKED, r.StateDiverged): _S.LOCKED,
    (_S.AWAITING_ACK, r.StateDiverged): _S.AWAITING_ACK,
    (_S.AWAITING_ACK, r.ReconcileLockExited): _S.OPEN,
    (_S.FROZEN, r.StateDiverged): _S.FROZEN,
    (_S.FROZEN, r.ReconcileLockExited): _S.OPEN,
}

WHITELIST: Final = frozenset(
    {
        *("STATE_DIVERGENCE", "SNAPSHOT_NOT_FOUND", "SNAPSHOT_CONFLICT"),
        *("RECONCILE_CONFLICT", "RECONCILE_LOCK_ENTER", "RECONCILE_LOCK_EXIT"),
    }
)
"""What alone is written of the operational state while the lock holds."""
_KEPT: Final = 8


class StateSnapshot(Struct, frozen=True, kw_only=True):
    """The state as it was written down: its identity, and the page."""

    epoch: int
    replay_index: int
    snapshot_hash: str
    page: ArtifactHash
    file: str
    replaces: str = ""
    """The hash of the settled edit over which the page is written."""


class Reconcile(Struct, frozen=True, kw_only=True):
    """Whether the state agrees with itself, and what it can go back to."""

    status: LockStatus = LockStatus.OPEN
    reason: r.LockReason | None = None
    found: str = ""
    """The hash of the file that was found last, where it is not ours."""
    edit: ArtifactHash | None = None
    plan: r.RollbackPlanned | None = None
    taken_at: datetime | None = None
    """When the newest snapshot was taken."""
    settled: str = ""
    """The hash of an edit that was kept and settled: the file may be written over it."""
    snapshots: tuple[StateSnapshot, ...] = ()
    """The newest ones, oldest first."""

    @property
    def is_open(self) -> bool:
        """Tell whether the operational state may be written."""
        return self.status is LockStatus.OPEN

    @property
    def known(self) -> frozenset[str]:
        """Return the hashes of files that may be written over: our own, and what was kept."""
        newest = self.newest
        settled = {self.found, self.settled, "" if newest is None else newest.replaces}
        return frozenset({it.file for it in self.snapshots} | settled) - {""}

    @property
    def newest(self) -> StateSnapshot | None:
        """Return the newest snapshot."""
        return self.snapshots[-1] if self.snapshots else None


def evolve(reconcile: Reconcile, event: Event) -> Reconcile:
    """Fold a fact about the state's agreement with itself."""
    reconcile = replace(reconcile, status=step(RECONCILE_FLOW, reconcile.status, event))
    match event:
        case r.SnapshotTaken():
            taken = StateSnapshot(
                epoch=event.epoch,
                replay_index=event.replay_index,
                snapshot_hash=event.snapshot_hash,
                page=event.page,
                file=event.file,
                replaces=reconcile.settled,
            )
            kept = (*reconcile.snapshots, taken)[-_KEPT:]
            return replace(reconcile, snapshots=kept, taken_at=event.at, settled="")
        case r.StateDiverged(found=found, edit=edit):
            return replace(reconcile, found=found, edit=edit)
        case r.ReconcileLockEntered(reason=reason):
            return replace(reconcile, reason=reason)
        case r.RollbackPlanned():
            return replace(reconcile, plan=event)
        case r.ReconcileLockExited():
            settled = reconcile.found or reconcile.settled
            return replace(reconcile, reason=None, found="", edit=None, plan=None, settled=settled)
        case _:
            return reconcile

"""The facts of a state that does not agree with itself, and of how it does again."""

from enum import StrEnum
from typing import ClassVar

from supervisor_ai.domain.ids import ArtifactHash
from supervisor_ai.drivers.team.event_kinds.fact import TeamFact
from supervisor_ai.drivers.team.text.report import ActionType, AlertSeverity, AlertType


class LockReason(StrEnum):
    """Why nothing operational is written."""

    DIVERGENCE = "divergence"
    SPLIT_BRAIN = "split_brain"


class LockEnd(StrEnum):
    """The only ways out of the lock."""

    LEAD_ACK = "lead_ack"
    NO_IMPACT = "no_impact"
    LEAD_RESOLVED = "lead_resolved"
    """The Lead settled what had frozen the state, or which of two owners it is."""


class SnapshotTaken(TeamFact, frozen=True, kw_only=True):
    """The state was written down as a file, and can be gone back to."""

    word: ClassVar = "SNAPSHOT"
    is_shown: ClassVar = False

    replay_index: int
    snapshot_hash: str
    page: ArtifactHash
    """The text of the file."""
    file: str
    """The SHA-256 of its bytes; it is recorded before they are written."""


class StateDiverged(TeamFact, frozen=True, kw_only=True):
    """The file is not what was written; what was found is kept."""

    word: ClassVar = "STATE_DIVERGENCE"
    speaks: ClassVar = True
    alert: ClassVar = AlertType.STATE_DIVERGENCE
    severity: ClassVar = AlertSeverity.CRITICAL
    action: ClassVar = ActionType.ESCALATE

    found: str
    """The hash of what was found; nothing: the file is gone."""
    edit: ArtifactHash | None


class ReconcileLockEntered(TeamFact, frozen=True, kw_only=True):
    """Nothing operational is written until this is settled."""

    word: ClassVar = "RECONCILE_LOCK_ENTER"
    alert: ClassVar = AlertType.RECONCILE_LOCK_ENTER
    severity: ClassVar = AlertSeverity.CRITICAL
    action: ClassVar = ActionType.RECONCILE_LOCK_ENTER

    reason: LockReason


class SnapshotNotFound(TeamFact, frozen=True, kw_only=True):
    """There is nothing to go back to; the state is frozen."""

    word: ClassVar = "SNAPSHOT_NOT_FOUND"
    speaks: ClassVar = True
    alert: ClassVar = AlertType.SNAPSHOT_NOT_FOUND
    severity: ClassVar = AlertSeverity.CRITICAL
    action: ClassVar = ActionType.ESCALATE


class SnapshotConflicted(TeamFact, frozen=True, kw_only=True):
    """Two snapshots claim one place; the state is frozen."""

    word: ClassVar = "SNAPSHOT_CONFLICT"
    speaks: ClassVar = True
    alert: ClassVar = AlertType.SNAPSHOT_CONFLICT
    severity: ClassVar = AlertSeverity.CRITICAL
    action: ClassVar = ActionType.ESCALATE

    replay_index: int
    hashes: tuple[str, ...]


class RollbackPlanned(TeamFact, frozen=True, kw_only=True):
    """The trail of a rollback: to what, why, what it touches, and what the Lead was shown."""

    word: ClassVar = "ROLLBACK_TRAIL"
    speaks: ClassVar = True

    replay_index: int
    snapshot_hash: str
    checks: tuple[str, ...]
    """The integrity checks that were made, in their order."""
    replayed: int
    """How many facts after the snapshot were replayed in the canonical order."""
    reason: str
    tasks: tuple[str, ...]
    """The tasks that it affects; of them, the Lead has to agree to those in work."""
    diff: ArtifactHash
    needs_ack: bool


class ReconcileConflicted(TeamFact, frozen=True, kw_only=True):
    """What is recorded contradicts itself; the state is frozen."""

    word: ClassVar = "RECONCILE_CONFLICT"
    speaks: ClassVar = True
    alert: ClassVar = AlertType.RECONCILE_CONFLICT
    severity: ClassVar = AlertSeverity.CRITICAL
    action: ClassVar = ActionType.ESCALATE

    check: str
    """The check that failed."""
    places: tuple[int, ...]
    """The places in the stream that contradict."""


class ReconcileLockExited(TeamFact, frozen=True, kw_only=True):
    """Writing goes on."""

    word: ClassVar = "RECONCILE_LOCK_EXIT"
    speaks: ClassVar = True
    alert: ClassVar = AlertType.RECONCILE_LOCK_EXIT
    action: ClassVar = ActionType.RECONCILE_LOCK_EXIT

    end: LockEnd

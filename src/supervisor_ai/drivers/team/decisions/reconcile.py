"""A state that does not agree with itself is put right: the seed's eleven steps, in their order.

The ledger is the truth, and the file a projection of it. So the rollback point is a snapshot of the
ledger, the facts after it are checked and replayed, and what is rolled back is the edit.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Final

from msgspec import Struct

from supervisor_ai.domain.ids import ArtifactHash
from supervisor_ai.drivers.team.decisions.turn import TeamTurn, refuse
from supervisor_ai.drivers.team.event_kinds import ownership as o
from supervisor_ai.drivers.team.event_kinds import reconcile as r
from supervisor_ai.drivers.team.event_kinds import tasks as t
from supervisor_ai.drivers.team.event_kinds.fact import TaskFact, TeamFact
from supervisor_ai.drivers.team.machines.reconcile import LockStatus, Reconcile, StateSnapshot
from supervisor_ai.drivers.team.sent import Ruling, SentEvent
from supervisor_ai.drivers.team.state import TeamState
from supervisor_ai.drivers.team.words import RefusalCode

MOST_PLACES: Final = 20


class Claim(Struct, frozen=True, kw_only=True):
    """Which snapshot a file says it is."""

    epoch: int
    replay_index: int
    snapshot_hash: str


class FoundEdit(Struct, frozen=True, kw_only=True):
    """What was found where state.md should be, where that is not what was written."""

    found: str
    """The hash of what was found; nothing: the file is gone."""
    edit: ArtifactHash | None
    diff: ArtifactHash
    """In a few lines, how it differs from what was written."""
    tasks: tuple[str, ...] = ()
    """The tasks whose lines differ."""
    claim: Claim | None = None


class Recorded(Struct, frozen=True, kw_only=True):
    """What the ledger holds: the state at the rollback point, and the facts since."""

    before: TeamState
    facts: tuple[TeamFact, ...]


class FactConflict(Struct, frozen=True, kw_only=True):
    """Facts that contradict each other."""

    check: str
    places: tuple[int, ...]


def diverge(turn: TeamTurn, sight: FoundEdit) -> None:
    """Record the difference and lock (steps 1 to 3); a new edit under the lock is kept as well."""
    lock = turn.state.reconcile
    if sight.found == lock.found and not lock.is_open:
        return
    turn.add(r.StateDiverged(**turn.by(), found=sight.found, edit=sight.edit))
    if turn.state.lock is LockStatus.DIVERGED:
        turn.add(r.ReconcileLockEntered(**turn.by(), reason=r.LockReason.DIVERGENCE))


def rollback_point(lock: Reconcile, claim: Claim | None) -> StateSnapshot | tuple[str, ...] | None:
    """Return the one last verifiable snapshot; hashes: several claim its place; None: none is one.

    A snapshot counts with an owner: before the first epoch nobody owned the state.
    """
    owned = [it for it in lock.snapshots if it.epoch > 0 and it.snapshot_hash]
    if not owned:
        return None
    newest = max(it.replay_index for it in owned)
    hashes = {it.snapshot_hash for it in owned if it.replay_index == newest}
    if claim is not None and claim.replay_index == newest:
        hashes.add(claim.snapshot_hash)
    if len(hashes) > 1:
        return tuple(sorted(hashes))
    return next(it for it in reversed(owned) if it.replay_index == newest)


def reconcile(turn: TeamTurn, sight: FoundEdit, recorded: Callable[[int], Recorded]) -> None:
    """Go from the lock to its end, or to the Lead (steps 4 to 11).

    `recorded` returns the state at a replay index, and the facts since.
    """
    lock = turn.state.reconcile
    if lock.status is not LockStatus.LOCKED or lock.reason is not r.LockReason.DIVERGENCE:
        return
    point = rollback_point(lock, sight.claim)
    if point is None:
        turn.add(r.SnapshotNotFound(**turn.by()))
        return
    if isinstance(point, tuple):
        at = lock.snapshots[-1].replay_index
        turn.add(r.SnapshotConflicted(**turn.by(), replay_index=at, hashes=point))
        return
    known = recorded(point.replay_index)
    conflict = examine(known)
    if conflict is not None:
        turn.add(
            r.ReconcileConflicted(
                **turn.by(), check=conflict.check, places=conflict.places[:MOST_PLACES]
            )
        )
        return
    _plan(turn, sight, point, len(known.facts))


def _plan(turn: TeamTurn, sight: FoundEdit, point: StateSnapshot, replayed: int) -> None:
    """Keep the trail, tell the Lead, and go on at once where no task in work is touched."""
    open_ones = {task.task for task in turn.state.open_tasks()}
    needs_ack = bool(open_ones.intersection(sight.tasks))
    turn.add(
        r.RollbackPlanned(
            **turn.by(),
            replay_index=point.replay_index,
            snapshot_hash=point.snapshot_hash,
            checks=tuple(CHECKS),
            replayed=replayed,
            reason="state.md was changed by somebody else",
            tasks=sight.tasks,
            diff=sight.diff,
            needs_ack=needs_ack,
        )
    )
    if not needs_ack:
        turn.add(r.ReconcileLockExited(**turn.by(), end=r.LockEnd.NO_IMPACT))


def acknowledge_rollback(turn: TeamTurn, sent: SentEvent) -> Ruling:
    """Unlock as the Lead says: the rollback is applied, or what froze the state is settled."""
    match turn.state.lock:
        case LockStatus.AWAITING_ACK:
            end = r.LockEnd.LEAD_ACK
        case LockStatus.FROZEN:
            end = r.LockEnd.LEAD_RESOLVED
        case LockStatus.OPEN:
            return refuse(sent, RefusalCode.NOT_POSSIBLE, "No lock waits for the Lead.")
        case _:
            told = "The lock waits for an ARBITRATION, or is still being looked into."
            return refuse(sent, RefusalCode.NOT_POSSIBLE, told)
    turn.add(r.ReconcileLockExited(**turn.by(sent.sender), end=end))
    return turn.accept("RECONCILE_LOCK_EXIT", end.value)


def examine(known: Recorded) -> FactConflict | None:
    """Make the checks in their fixed order, then replay in the canonical order."""
    for name, check in CHECKS.items():
        places = check(known)
        if places:
            return FactConflict(check=name, places=places)
    return None


def _numbered(known: Recorded) -> list[tuple[int, TeamFact]]:
    return list(enumerate(known.facts, start=known.before.index + 1))


def _epochs(known: Recorded) -> tuple[int, ...]:
    """Find facts of an epoch that was not active when they were recorded."""
    epoch, offered, wrong = known.before.ownership.epoch, known.before.ownership.offered, []
    for place, fact in _numbered(known):
        if fact.epoch != epoch:
            wrong.append(place)
        if isinstance(fact, o.OwnershipHandedOff):
            offered = fact.offered
        if isinstance(fact, o.OwnershipAcknowledged | o.OwnershipArbitrated):
            epoch = offered
    return tuple(wrong)


def _sequence(known: Recorded) -> tuple[int, ...]:
    """Find facts whose time goes back or stands still."""
    latest, wrong = known.before.latest, []
    for place, fact in _numbered(known):
        if latest is not None and fact.at <= latest:
            wrong.append(place)
        latest = fact.at
    return tuple(wrong)


def _idempotency(known: Recorded) -> tuple[int, ...]:
    """Find facts that were taken twice: same task, revision, type and actor."""
    seen: set[tuple[str, int, str, str]] = set()
    wrong = []
    for place, fact in _numbered(known):
        if isinstance(fact, TaskFact) and not isinstance(fact, t.OverlapFound):
            key = (fact.task, fact.rev, fact.word, fact.actor)
            if key in seen:
                wrong.append(place)
            seen.add(key)
    return tuple(wrong)


def _conflicts(known: Recorded) -> tuple[int, ...]:
    """Find two claims of one task at one revision that nobody froze."""
    owners: dict[tuple[str, int], str] = {}
    wrong = []
    for place, fact in _numbered(known):
        if isinstance(fact, t.TaskClaimed):
            owner = owners.setdefault((fact.task, fact.rev), fact.actor)
            if owner != fact.actor:
                wrong.append(place)
    return tuple(wrong)


def _replay(known: Recorded) -> tuple[int, ...]:
    """Find where the canonical order is not the order of the ledger."""
    places = _numbered(known)
    canonical = canonical_order(known.facts)
    pairs = zip(places, canonical, strict=True)
    return tuple(place for (place, fact), other in pairs if fact is not other)


def canonical_order(facts: Sequence[TeamFact]) -> list[TeamFact]:
    """Order facts by time, then type, then actor."""
    return sorted(facts, key=lambda it: (it.at, it.word, it.actor))


CHECKS: Final[Mapping[str, Callable[[Recorded], tuple[int, ...]]]] = {
    "owner_epoch": _epochs,
    "monotonic_sequence": _sequence,
    "idempotency_keys": _idempotency,
    "task_rev_conflicts": _conflicts,
    "canonical_replay": _replay,
}
"""The integrity checks in the seed's order, and the replay that follows them."""

"""At most one owner per run: an epoch in the ledger and a lock that dies with its owner."""

from contextlib import ExitStack
from datetime import UTC, datetime, timedelta
from typing import Final

from msgspec import Struct

from supervisor_ai.domain.errors import Busy, LeaseLost
from supervisor_ai.domain.ids import RunId
from supervisor_ai.domain.run.values import Process
from supervisor_ai.engine.ports.clock import Clock, Processes
from supervisor_ai.engine.ports.ledger import Lease
from supervisor_ai.store.connection import Connection, Sql
from supervisor_ai.store.files.locks import OwnerLocks

_FIND: Final = """
    SELECT epoch, owner, boot, pid, started, expires, until FROM leases WHERE run = ?
"""
_TAKE: Final = """
    INSERT OR REPLACE INTO leases (run, epoch, owner, boot, pid, started, expires, until)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?)
"""
_RENEW: Final = """
    UPDATE leases SET expires = ?, until = ? WHERE run = ? AND epoch = ? AND owner IS NOT NULL
"""
_RELEASE: Final = "UPDATE leases SET owner = NULL WHERE run = ? AND epoch = ?"
_SKEW: Final = timedelta(minutes=1)
"""How far the clocks of two machines may be apart."""
EPOCH: Final = "SELECT epoch FROM leases WHERE run = ? AND owner IS NOT NULL"


class Holder(Struct, frozen=True, kw_only=True):
    """Who has a run, by the ledger's own word; without an owner it was given back."""

    run: RunId
    epoch: int
    owner: str | None
    process: Process
    expires: float
    """Its end by the clock of its own boot, which says nothing to another one."""
    until: float
    """Its end by the time of day."""


class SqliteLeases:
    """Owners of runs, on this machine or on another one that sees the same directory."""

    def __init__(
        self, connection: Connection, *, locks: OwnerLocks, clock: Clock, processes: Processes
    ) -> None:
        self._connection = connection
        self._locks = locks
        self._clock = clock
        self._processes = processes

    def acquire(self, run: RunId, *, owner: str, process: Process, ttl: timedelta) -> Lease:
        """Take the run with a higher epoch than ever before; a dead owner is taken over at once."""
        with ExitStack() as undo:
            with self._connection.transaction() as sql:
                epoch = self._next_epoch(sql, run)
                self._locks.hold(run, epoch)
                undo.callback(self._locks.drop, run, epoch)
                who = (owner, process.boot, process.pid, process.started)
                sql.execute(_TAKE, (run, epoch, *who, *self._ends(ttl)))
            undo.pop_all()
        self._locks.drop(run, epoch - 1)
        return Lease(run=run, owner=owner, epoch=epoch)

    def renew(self, lease: Lease, *, ttl: timedelta) -> None:
        """Keep the run; raises LeaseLost when somebody else has it."""
        with self._connection.transaction() as sql:
            check_lease(sql, lease)
            sql.execute(_RENEW, (*self._ends(ttl), lease.run, lease.epoch))

    def release(self, lease: Lease) -> None:
        """Give the run back; harmless when it is not ours any more."""
        with self._connection.transaction() as sql:
            sql.execute(_RELEASE, (lease.run, lease.epoch))
        self._locks.drop(lease.run, lease.epoch)

    def holder(self, run: RunId) -> Holder | None:
        """Return who has the run, dead or alive."""
        with self._connection.snapshot() as sql:
            holder = _find(sql, run)
        return holder if holder and holder.owner is not None else None

    def is_alive(self, holder: Holder) -> bool:
        """Tell whether the owner can still act on its lease."""
        if holder.owner is None:
            return False
        if self._is_foreign(holder):
            return self._may_live(holder)
        if self._clock.boottime() >= holder.expires:
            return False
        is_held = self._locks.is_held(holder.run, holder.epoch)
        return self._processes.is_alive(holder.process) if is_held is None else is_held

    def _is_foreign(self, holder: Holder) -> bool:
        return holder.process.boot != self._processes.current().boot

    def _may_live(self, holder: Holder) -> bool:
        """Tell whether an owner can be alive of which only its lock and its lease are known."""
        is_held = self._locks.is_held(holder.run, holder.epoch)
        if is_held is False and self._locks.is_proof:
            return False
        return bool(is_held) or self._clock.now() < _free_at(holder)

    def _next_epoch(self, sql: Sql, run: RunId) -> int:
        holder = _find(sql, run)
        if holder is None:
            return 1
        if self.is_alive(holder):
            raise self._busy(holder)
        return holder.epoch + 1

    def _ends(self, ttl: timedelta) -> tuple[float, float]:
        """Say when a lease ends: by the clock of this boot, and by the time of day."""
        return self._clock.boottime() + ttl.total_seconds(), (self._clock.now() + ttl).timestamp()

    def _busy(self, holder: Holder) -> Busy:
        who = f"{holder.owner!r} (process {holder.process.pid}, epoch {holder.epoch})"
        if self._is_foreign(holder):
            is_held = self._locks.is_held(holder.run, holder.epoch)
            free = f"{_free_at(holder):%Y-%m-%d %H:%M:%S} UTC"
            when = (
                f"as soon as its lock is free, and not before {free}" if is_held else f"at {free}"
            )
            return Busy(
                f"Run {holder.run!r} was begun by {who} on another machine, or in a container of "
                "its own, and may still be driven there.",
                hint=f"End it there; unless it goes on, it can be taken over {when}.",
            )
        return Busy(
            f"Run {holder.run!r} is driven by {who}.",
            hint=f"Watch it: supervisor events {holder.run} --follow; "
            f"or stop it: supervisor cancel {holder.run}",
        )


def check_lease(sql: Sql, lease: Lease) -> int:
    """Return the epoch of a lease that is still the newest for its run."""
    row = sql.execute(EPOCH, (lease.run,)).fetchone()
    require_epoch(None if row is None else row[0], lease)
    return lease.epoch


def require_epoch(epoch: int | None, lease: Lease) -> None:
    """Refuse a lease that is not the newest for its run."""
    if epoch != lease.epoch:
        raise LeaseLost(
            f"Run {lease.run!r} is not owned by {lease.owner!r} any more: "
            f"its lease with epoch {lease.epoch} has been taken over or given back.",
            hint=f"See who drives it now: supervisor status {lease.run}",
        )


def _find(sql: Sql, run: RunId) -> Holder | None:
    row = sql.execute(_FIND, (run,)).fetchone()
    if row is None:
        return None
    epoch, owner, boot, pid, started, expires, until = row
    process = Process(boot=boot, pid=pid, started=started)
    return Holder(run=run, epoch=epoch, owner=owner, process=process, expires=expires, until=until)


def _free_at(holder: Holder) -> datetime:
    """Return when a lease of another boot is over by every clock."""
    return datetime.fromtimestamp(holder.until, UTC) + _SKEW

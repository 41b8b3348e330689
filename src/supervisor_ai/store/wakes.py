"""Runs that somebody should drive."""

from collections.abc import Sequence
from datetime import datetime
from typing import Final

from supervisor_ai.domain.ids import RunId
from supervisor_ai.engine.ports.ledger import Wake
from supervisor_ai.store.codec import instant, moment
from supervisor_ai.store.connection import Connection, Sql
from supervisor_ai.store.leases import SqliteLeases

_KEEP: Final = "INSERT INTO wakes (run, number, not_before) VALUES (?, ?, ?) ON CONFLICT DO NOTHING"
_DUE: Final = """
    SELECT run, number, not_before FROM wakes
    WHERE not_before IS NULL OR not_before <= ? ORDER BY place
"""
_NEXT: Final = "SELECT min(not_before) FROM wakes"
_DONE: Final = "DELETE FROM wakes WHERE run = ? AND number = ?"
_RESTLESS: Final = """
    SELECT run, is_called, has_wake FROM (
        SELECT seq, run, status,
            EXISTS (SELECT 1 FROM letters WHERE letters.run = runs.run AND NOT is_taken)
            OR EXISTS (SELECT 1 FROM timers
                WHERE timers.run = runs.run AND timers.status = 'set' AND due <= :now) AS is_called,
            EXISTS (SELECT 1 FROM wakes WHERE wakes.run = runs.run) AS has_wake
        FROM runs
        WHERE status IN ('queued', 'running', 'waiting') AND NOT EXISTS (
            SELECT 1 FROM wakes
            WHERE wakes.run = runs.run AND (not_before IS NULL OR not_before <= :now))
    )
    WHERE is_called OR status IN ('queued', 'running') ORDER BY seq
"""


class SqliteWakeQueue:
    """The queue of one machine, kept in the ledger."""

    def __init__(self, connection: Connection, *, leases: SqliteLeases) -> None:
        self._connection = connection
        self._leases = leases

    def submit(self, wake: Wake) -> None:
        """Ask for a run to be driven; asking twice for one wake is harmless."""
        with self._connection.transaction() as sql:
            keep_wake(sql, wake)

    def due(self, *, now: datetime) -> Sequence[Wake]:
        """Return the wakes whose time has come, oldest first."""
        rows = self._connection.query(_DUE, (instant(now),))
        return [
            Wake(run=run, number=number, not_before=moment(at) if at else None)
            for run, number, at in rows
        ]

    def next_due(self) -> datetime | None:
        """Return the earliest time that a wake waits for."""
        ((at,),) = self._connection.query(_NEXT)
        return moment(at) if at else None

    def done(self, wake: Wake) -> None:
        """Forget exactly this wake."""
        with self._connection.transaction() as sql:
            sql.execute(_DONE, (wake.run, wake.number))

    def orphans(self, *, now: datetime) -> Sequence[RunId]:
        """Return runs that could go on, but have neither a living owner nor a wake.

        A wake that is still to come does not help a run whose owner died, nor one that a letter
        or a timer calls now.
        """
        rows = self._connection.query(_RESTLESS, {"now": instant(now)})
        return [
            run
            for run, is_called, has_wake in rows
            if self._is_free(run, may_sleep=has_wake and not is_called)
        ]

    def _is_free(self, run: RunId, *, may_sleep: bool) -> bool:
        holder = self._leases.holder(run)
        return not may_sleep if holder is None else not self._leases.is_alive(holder)


def keep_wake(sql: Sql, wake: Wake) -> None:
    """Ask for a run to be driven, in a transaction."""
    at = instant(wake.not_before) if wake.not_before else None
    sql.execute(_KEEP, (wake.run, wake.number, at))

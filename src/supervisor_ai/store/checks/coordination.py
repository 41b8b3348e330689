"""What lies beside the chain and moves runs: inbox commands, leases, wakes and locks.

Nothing in the file proves who wrote a letter that was not taken yet; but it must be one that
supervisor could have written, and one that was taken must have led to a fact.
"""

from collections.abc import Iterator
from typing import Final

from supervisor_ai.control.ports.queries import FaultKind, LedgerFault
from supervisor_ai.domain.envelope import Actor
from supervisor_ai.domain.errors import Unavailable
from supervisor_ai.domain.ids import RunId, run_stream
from supervisor_ai.domain.run.inbox_commands import Approve, InboxCommand, Reject, ReportChild
from supervisor_ai.domain.structs import replace
from supervisor_ai.store.codec import canonical
from supervisor_ai.store.connection import Row, Sql
from supervisor_ai.store.shapes import from_json

_LETTERS: Final = "SELECT number, key, run, letter, is_taken FROM letters ORDER BY number"
_KNOWN: Final = "SELECT 1 FROM events WHERE stream = ? AND version = 1"
_ANSWERS: Final = "SELECT actor FROM events WHERE stream = ? AND cause = ?"
_ASKED: Final = """
    SELECT 1 FROM events WHERE stream = ? AND type = 'ApprovalRequested'
    AND payload ->> 'step' = ? AND payload ->> 'visit' = ? AND payload ->> 'tree' = ?
"""
_CHILD: Final = "SELECT 1 FROM events WHERE stream = ? AND version = 1 AND payload ->> 'parent' = ?"
_BEHIND: Final = """
    SELECT run, leases.epoch, max(iif(version = 1, 0, events.epoch)) AS newest FROM leases
    LEFT JOIN events ON events.stream = 'run:' || run
        OR version = 1 AND events.stream = replace(run, 'served:', 'session:')
    GROUP BY run HAVING newest IS NULL OR newest > leases.epoch
"""
"""A run's first event has the epoch of whoever submitted it: a child's has its parent's.

Who serves a session holds a lease of that name as well.
"""
_STRAY: Final = """
    SELECT DISTINCT run FROM wakes WHERE NOT EXISTS (
        SELECT 1 FROM events WHERE stream = 'run:' || run AND version = 1)
"""
_REMOVE: Final = 'If none of yours sent it, remove it: sqlite3 {!r} "DELETE FROM {} WHERE {}"'


class Coordination:
    """The rows that tell processes what to do next."""

    def __init__(self, sql: Sql, *, path: str) -> None:
        self._sql = sql
        self._path = path

    def faults(self) -> Iterator[LedgerFault]:
        """Name the rows that supervisor would not have written."""
        for row in self._sql.execute(_LETTERS).fetchall():
            for what in self._letter_faults(row):
                yield self._letter_fault(row, what)
        for run, epoch, newest in self._sql.execute(_BEHIND).fetchall():
            yield self._lease_fault(run, epoch, newest)
        for (run,) in self._sql.execute(_STRAY).fetchall():
            yield self._fault(
                FaultKind.WAKE,
                f"the wakes of run {run!r}",
                f"A wake calls run {run!r}, which the ledger does not know.",
                self._remedy("wakes", f"run = '{run}'"),
            )

    def notes(self) -> Iterator[str]:
        """Tell of inbox commands that wait, since nothing proves who wrote them."""
        for _, key, run, encoded, is_taken in self._sql.execute(_LETTERS).fetchall():
            letter = None if is_taken else _read(encoded)
            if letter is not None:
                word = type(letter.command).__name__
                yield (
                    f"Inbox command {key!r} waits for run {run!r}: {word}, said to be from "
                    f"{letter.actor.id!r} by way of {letter.actor.via!r} at {letter.sent_at}."
                )

    def letters(self) -> Iterator[InboxCommand]:
        """Return every inbox command that can be read."""
        for row in self._sql.execute(_LETTERS).fetchall():
            letter = _read(row[3])
            if letter is not None:
                yield letter

    def _letter_faults(self, row: Row) -> Iterator[str]:
        _, key, run, encoded, is_taken = row
        letter = _read(encoded)
        if letter is None:
            yield "cannot be read"
            return
        if (letter.key, letter.run) != (key, run):
            yield f"says that it is inbox command {letter.key!r} for run {letter.run!r}"
        if not self._has(_KNOWN, run_stream(RunId(run))):
            yield "is for a run that the ledger does not know"
            return
        if is_taken:
            yield from self._taken_faults(letter)
        else:
            yield from self._command_faults(letter)

    def _taken_faults(self, letter: InboxCommand) -> Iterator[str]:
        cause = f"letter:{letter.key}"
        actors = self._sql.execute(_ANSWERS, (run_stream(letter.run), cause)).fetchall()
        if not actors:
            yield "is said to be taken, but no event came of it"
        elif actors[0][0] not in _believed(letter.actor):
            yield "is not from whom the event says that came of it"

    def _command_faults(self, letter: InboxCommand) -> Iterator[str]:
        match letter.command:
            case (
                Approve(step=step, visit=visit, tree=tree)
                | Reject(step=step, visit=visit, tree=tree)
            ):
                if not self._has(_ASKED, run_stream(letter.run), step, visit, tree):
                    yield "answers a question that the run did not ask"
            case ReportChild(child=child):
                if not self._has(_CHILD, run_stream(child), letter.run):
                    yield f"tells of {child!r}, which is no child of the run"
            case _:
                pass

    def _letter_fault(self, row: Row, what: str) -> LedgerFault:
        number, key, run = row[:3]
        return self._fault(
            FaultKind.LETTER,
            f"inbox command {key!r} of run {run!r}",
            f"Inbox command {key!r} for run {run!r} {what}.",
            self._remedy("letters", f"number = {number}"),
        )

    def _lease_fault(self, run: str, epoch: int, newest: int | None) -> LedgerFault:
        found = "the ledger does not know the run"
        if newest is not None:
            found = f"the run's events have epoch {newest} already"
        return self._fault(
            FaultKind.LEASE,
            f"the lease of run {run!r}",
            f"The lease of run {run!r} has epoch {epoch}, but {found}.",
            self._remedy("leases", f"run = '{run}'"),
        )

    def _has(self, statement: str, *parameters: object) -> bool:
        return self._sql.execute(statement, parameters).fetchone() is not None

    def _remedy(self, table: str, condition: str) -> str:
        return _REMOVE.format(self._path, table, condition)

    def _fault(self, kind: FaultKind, where: str, message: str, hint: str) -> LedgerFault:
        return LedgerFault(kind=kind, where=where, message=message, hint=hint)


def _believed(actor: Actor) -> set[str]:
    """Write the actors that an event may have of a letter: its owner may believe less than all."""
    return {canonical(actor), canonical(replace(actor, verified=False))}


def _read(encoded: str) -> InboxCommand | None:
    try:
        return from_json(encoded, InboxCommand)
    except Unavailable:
        return None

"""Looking after the ledger: is it what it was, and do its tables say what its events say?"""

from collections.abc import Iterator, Sequence
from contextlib import closing
from typing import Final

from supervisor_ai.control.ports.queries import (
    FaultKind,
    LedgerFault,
    Progress,
    Verification,
    tell_nobody,
)
from supervisor_ai.domain.errors import Unavailable
from supervisor_ai.domain.ids import ArtifactHash, RunId, StreamId, stream_run
from supervisor_ai.domain.project.events import ArtifactErased
from supervisor_ai.engine.ports.ledger import CachedState
from supervisor_ai.engine.ports.workspaces import Anchor
from supervisor_ai.store.checks.artifacts import ArtifactCheck, named_artifacts
from supervisor_ai.store.checks.chain import Chain, anchor_faults, read_anchor
from supervisor_ai.store.checks.coordination import Coordination
from supervisor_ai.store.checks.files import driven_runs, file_faults, lost_run
from supervisor_ai.store.checks.schema import mend_schema, schema_faults
from supervisor_ai.store.codec import RECORDS, EventCodec, Record
from supervisor_ai.store.connection import Connection, Sql
from supervisor_ai.store.tables.projections import clear, known_tables, project, rows, rows_if_made

_STATES: Final = "SELECT stream, version, fold, state FROM states ORDER BY stream, fold"
_STREAMS: Final = "SELECT stream FROM events WHERE version = 1"
_SAID_EVERY: Final = 1000
_REBUILD: Final = "`supervisor ledger rebuild` makes it again."


class SqliteLedgerCare:
    """Checks the chain against itself, its anchor and the tables; makes the tables again."""

    def __init__(self, connection: Connection, *, codec: EventCodec, anchor: Anchor) -> None:
        self._connection = connection
        self._directory = connection.path.parent
        self._locks = self._directory / "locks"
        self._codec = codec
        self._anchor = anchor

    def verify(self, progress: Progress = tell_nobody) -> Verification:
        """Check the database: chain, anchor, schema, tables, inbox commands, leases and wakes."""
        # Read before the snapshot is taken: what is anchored or driven later must not be missed.
        (anchored, faults), driven = read_anchor(self._anchor), driven_runs(self._locks)
        with self._connection.snapshot() as sql:
            chain, told = Chain(), _Told(sql, progress)
            events = told.records("the chain of events")
            faults += [fault for record in events for fault in chain.follow(record)]
            faults += anchor_faults(sql, anchored, last=chain.seq)
            if all(fault.kind is not FaultKind.EVENT for fault in faults):
                faults += self._table_faults(sql, told)
            faults += schema_faults(sql)
            beside = Coordination(sql, path=str(self._connection.path))
            faults += beside.faults()
            faults += file_faults(self._directory)
            faults += map(lost_run, sorted(driven - _recorded(sql)))
            notes = tuple(beside.notes())
        return Verification(events=chain.length, faults=tuple(faults), notes=notes)

    def verify_artifacts(self, progress: Progress = tell_nobody) -> Verification:
        """Check every artifact that an event or an inbox command names."""
        named: dict[ArtifactHash, int | None] = {}
        erased: set[ArtifactHash] = set()
        count = 0
        with self._connection.snapshot() as sql:
            for record in _Told(sql, progress).records("the texts that they name"):
                event = self._codec.unseal(record).envelope.event
                named |= {it: record.seq for it in named_artifacts(event) if it not in named}
                if isinstance(event, ArtifactErased):
                    erased.add(event.artifact)
                count += 1
            for letter in Coordination(sql, path="").letters():
                named |= {it: None for it in named_artifacts(letter) if it not in named}
        check = ArtifactCheck(self._directory / "artifacts", named, erased)
        return Verification(events=count, faults=tuple(check.faults()), notes=tuple(check.notes()))

    def states(self) -> Sequence[tuple[StreamId, CachedState]]:
        """Return the folded states that are kept."""
        return [
            (StreamId(stream), CachedState(version=version, fold=fold, state=state))
            for stream, version, fold, state in self._connection.query(_STATES)
        ]

    def rebuild(self) -> int:
        """Throw the projections away and make them again; return how many events were read.

        Cached states go with them: they too are only a reading of the events. Triggers and
        indexes are put right as well.
        """
        with self._connection.transaction() as sql:
            mend_schema(sql)
            sql.execute("DELETE FROM states")
            clear(sql)
            return self._fill(sql, _records(sql))

    def _fill(self, target: Sql, records: Iterator[Record]) -> int:
        count = 0
        for record in records:
            project(target, self._codec.unseal(record))
            count += 1
        return count

    def _table_faults(self, sql: Sql, told: "_Told") -> list[LedgerFault]:
        with closing(Connection.scratch()) as scratch:
            try:
                with scratch.transaction() as fresh:
                    self._fill(fresh, told.records("the tables beside them"))
                    tables = known_tables(sql)
                    missing = sorted(set(known_tables(fresh)) - set(tables))
                    there = [it for it in tables if rows(sql, it) != rows_if_made(fresh, it)]
                    wrong = [*there, *missing]
            except Unavailable as error:
                return [_unreadable(error)]
        return [_wrong_table(table) for table in wrong]


class _Told:
    """Reads all events, and says now and then how far it is."""

    def __init__(self, sql: Sql, progress: Progress) -> None:
        self._sql = sql
        self._progress = progress
        (self._total,) = sql.execute("SELECT count(*) FROM events").fetchone()

    def records(self, part: str) -> Iterator[Record]:
        """Return every record in order."""
        for number, record in enumerate(_records(self._sql), 1):
            if number % _SAID_EVERY == 0:
                self._progress(part, number, self._total)
            yield record


def _records(sql: Sql) -> Iterator[Record]:
    return map(Record._make, sql.execute(f"{RECORDS} ORDER BY seq"))


def _recorded(sql: Sql) -> frozenset[RunId]:
    """Name what can be locked: runs, and sessions, which somebody serves."""
    streams = [
        StreamId(stream.replace("session:", "run:served:")) for (stream,) in sql.execute(_STREAMS)
    ]
    return frozenset(run for it in streams if (run := stream_run(it)) is not None)


def _unreadable(error: Unavailable) -> LedgerFault:
    return LedgerFault(
        kind=FaultKind.EVENT,
        where="the events",
        message=error.message,
        hint=error.hint or "Restore the ledger from a backup.",
    )


def _wrong_table(table: str) -> LedgerFault:
    return LedgerFault(
        kind=FaultKind.TABLE,
        where=f"table {table!r}",
        message=f"Table {table!r} does not say what the events say.",
        hint=_REBUILD,
    )

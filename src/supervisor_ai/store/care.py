"""Looking after the ledger: is it what it was, and do its tables say what its events say?"""

from collections.abc import Iterator
from typing import Final

from supervisor_ai.domain.errors import Unavailable
from supervisor_ai.engine.ports.queries import Fault, Verification
from supervisor_ai.engine.ports.workspaces import Anchor, AnchorPoint
from supervisor_ai.store.codec import EventCodec, Record, link
from supervisor_ai.store.connection import Connection, Sql
from supervisor_ai.store.event_log import RECORDS
from supervisor_ai.store.projections import TABLES, clear, project, rows

_NOT_AS_TOLD: Final = (
    "Table {!r} does not say what the events say; `supervisor ledger rebuild` makes it again."
)


class SqliteLedgerCare:
    """Checks the chain against itself, its anchor and the tables; makes the tables again."""

    def __init__(self, connection: Connection, *, codec: EventCodec, anchor: Anchor) -> None:
        self._connection = connection
        self._codec = codec
        self._anchor = anchor

    def verify(self) -> Verification:
        """Look for a change, a gap, a reorder or (by the anchor) a cut tail."""
        # Read before the snapshot is taken: an event that is anchored later must not be missed.
        anchored = self._anchor.read()
        with self._connection.snapshot() as sql:
            chain = _Chain()
            faults = [fault for record in _records(sql) for fault in chain.follow(record)]
            if anchored is not None:
                faults += _anchor_faults(sql, anchored, last=chain.seq)
            if not faults:
                faults += self._table_faults(sql)
        return Verification(events=chain.length, faults=tuple(faults))

    def rebuild(self) -> int:
        """Throw the projections away and make them again; return how many events were read.

        Cached states go with them: they too are only a reading of the events.
        """
        with self._connection.transaction() as sql:
            sql.execute("DELETE FROM states")
            clear(sql)
            return self._fill(sql, _records(sql))

    def _fill(self, target: Sql, records: Iterator[Record]) -> int:
        count = 0
        for record in records:
            project(target, self._codec.unseal(record))
            count += 1
        return count

    def _table_faults(self, sql: Sql) -> list[Fault]:
        scratch = Connection.scratch()
        try:
            with scratch.transaction() as fresh:
                self._fill(fresh, _records(sql))
                wrong = [table for table in TABLES if rows(sql, table) != rows(fresh, table)]
        except Unavailable as error:
            return [Fault(seq=None, message=error.message)]
        finally:
            scratch.close()
        return [Fault(seq=None, message=_NOT_AS_TOLD.format(table)) for table in wrong]


class _Chain:
    """The chain as far as it was followed."""

    def __init__(self) -> None:
        self.length = 0
        self.seq = 0
        self._hash = ""
        self._versions: dict[str, int] = {}

    def follow(self, record: Record) -> Iterator[Fault]:
        """Go to the next link; what comes after a fault is judged by what the ledger claims."""
        if record.seq != self.seq + 1:
            yield _fault(self.seq + 1, f"is missing: event {record.seq} comes next")
        elif link(self._hash, record[:-1]) != record.hash:
            yield _fault(record.seq, "is not what was recorded there: it was changed or moved")
        version = self._versions.get(record.stream, 0) + 1
        if record.version != version:
            place = f"version {record.version} of stream {record.stream!r}, not {version}"
            yield _fault(record.seq, f"is {place}: events were removed or reordered")
        self.length += 1
        self.seq, self._hash = record.seq, record.hash
        self._versions[record.stream] = max(record.version, version - 1)


def _records(sql: Sql) -> Iterator[Record]:
    return map(Record._make, sql.execute(f"{RECORDS} ORDER BY seq"))


def _anchor_faults(sql: Sql, anchored: AnchorPoint, *, last: int) -> Iterator[Fault]:
    row = sql.execute("SELECT hash FROM events WHERE seq = ?", (anchored.seq,)).fetchone()
    if row is None:
        yield _fault(anchored.seq, f"is anchored, but missing: the ledger ends at event {last}")
    elif row[0] != anchored.hash:
        yield _fault(anchored.seq, "is not the one that was anchored: the chain was made anew")


def _fault(seq: int, what: str) -> Fault:
    return Fault(seq=seq, message=f"Event {seq} {what}.")

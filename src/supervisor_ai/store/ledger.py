"""A project's ledger: one file, opened once, seen through the ports."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final

from msgspec import Struct

from supervisor_ai.domain.envelope import Envelope
from supervisor_ai.domain.ids import stream_run
from supervisor_ai.domain.run.events import BaselineEnded, GateEnded
from supervisor_ai.engine.ports.clock import Clock, Processes
from supervisor_ai.engine.ports.gates import GivenVerdict
from supervisor_ai.engine.ports.workspaces import Anchor
from supervisor_ai.store.anchors import RecordedAnchor
from supervisor_ai.store.codec import RECORDS, EventCodec, Record
from supervisor_ai.store.connection import Connection
from supervisor_ai.store.event_log import SqliteEventLog
from supervisor_ai.store.files.directory import filesystem_of, prepare_directory
from supervisor_ai.store.files.locks import OwnerLocks
from supervisor_ai.store.inbox import SqliteInbox
from supervisor_ai.store.leases import SqliteLeases
from supervisor_ai.store.maintenance import SqliteLedgerCare
from supervisor_ai.store.state_cache import SqliteStateCache
from supervisor_ai.store.tables.quality_queries import SqliteQualityRecords
from supervisor_ai.store.tables.queries import SqliteKnowledgeUses, SqliteRunQueries
from supervisor_ai.store.tables.session_queries import SqliteSessionQueries
from supervisor_ai.store.wakes import SqliteWakeQueue

_NEWEST: Final = f"{RECORDS} WHERE seq = (SELECT seq FROM verdicts WHERE key = ?)"  # noqa: S608 - our own names

_BEGINNING: Final = "SELECT 1 FROM verdicts WHERE key >= ? AND key < ? LIMIT 1"


class SqliteVerdicts:
    """Reads the events again that the table of verdicts points to."""

    def __init__(self, connection: Connection, *, codec: EventCodec) -> None:
        self._connection = connection
        self._codec = codec

    def has_some(self, beginning: str) -> bool:
        """Tell whether there is a verdict or baseline whose key begins so."""
        after = beginning + "\U0010ffff"
        return any(self._connection.query(_BEGINNING, (beginning, after)))

    def find(self, key: str) -> GivenVerdict | None:
        """Return the newest verdict with the key."""
        for envelope in self._newest(key):
            run, event = stream_run(envelope.stream), envelope.event
            if run is not None and isinstance(event, GateEnded):
                return GivenVerdict(run=run, ended=event)
        return None

    def find_baseline(self, key: str) -> BaselineEnded | None:
        """Return the newest baseline with the key."""
        found = (envelope.event for envelope in self._newest(key))
        return next((event for event in found if isinstance(event, BaselineEnded)), None)

    def _newest(self, key: str) -> Iterator[Envelope]:
        for row in self._connection.query(_NEWEST, (key,)):
            yield self._codec.unseal(Record._make(row)).envelope


class SqliteLedger(Struct, frozen=True, kw_only=True):
    """Every view of one ledger, over one connection."""

    connection: Connection
    locks: OwnerLocks
    events: SqliteEventLog
    leases: SqliteLeases
    inbox: SqliteInbox
    wakes: SqliteWakeQueue
    cache: SqliteStateCache
    queries: SqliteRunQueries
    sessions: SqliteSessionQueries
    knowledge: SqliteKnowledgeUses
    quality: SqliteQualityRecords
    verdicts: SqliteVerdicts
    care: SqliteLedgerCare
    anchor: RecordedAnchor

    def close(self) -> None:
        """Let go of the file and of every run that is still held."""
        self.locks.close()
        self.connection.close()


def open_ledger(
    directory: Path,
    *,
    clock: Clock,
    processes: Processes,
    anchor: Anchor,
    connect: Callable[[Path], Connection] = Connection.open,
    filesystem: Callable[[Path], str] = filesystem_of,
) -> SqliteLedger:
    """Open the ledger in a state directory; make it on first use."""
    prepare_directory(directory, filesystem)
    connection = connect(directory / "state.db")
    codec, locks = EventCodec(), OwnerLocks(directory / "locks", filesystem=filesystem(directory))
    leases = SqliteLeases(connection, locks=locks, clock=clock, processes=processes)
    recorded = RecordedAnchor(anchor, connection)
    return SqliteLedger(
        connection=connection,
        locks=locks,
        events=SqliteEventLog(connection, clock=clock, codec=codec, follow=recorded.follow),
        leases=leases,
        inbox=SqliteInbox(connection),
        wakes=SqliteWakeQueue(connection, leases=leases),
        cache=SqliteStateCache(connection),
        queries=SqliteRunQueries(connection, leases=leases, codec=codec),
        sessions=SqliteSessionQueries(connection),
        knowledge=SqliteKnowledgeUses(connection),
        quality=SqliteQualityRecords(connection),
        verdicts=SqliteVerdicts(connection, codec=codec),
        care=SqliteLedgerCare(connection, codec=codec, anchor=recorded),
        anchor=recorded,
    )

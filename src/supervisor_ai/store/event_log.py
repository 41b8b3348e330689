"""Append-only streams in one global, hash-chained order."""

from collections.abc import Callable, Iterator, Sequence
from typing import Final, NamedTuple

from supervisor_ai.domain.envelope import Envelope
from supervisor_ai.domain.errors import StaleVersion
from supervisor_ai.domain.ids import StreamId
from supervisor_ai.engine.ports.clock import Clock
from supervisor_ai.engine.ports.ledger import Batch, Head, StreamAppend
from supervisor_ai.store.codec import COLUMNS, RECORDS, EventCodec, EventPlace, Record, Sealed
from supervisor_ai.store.connection import Connection, Sql
from supervisor_ai.store.inbox import keep_letter, take_letters
from supervisor_ai.store.leases import EPOCH, require_epoch
from supervisor_ai.store.tables.projections import project
from supervisor_ai.store.wakes import keep_wake

_INSERT: Final = f"INSERT INTO events ({COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"  # noqa: S608
_STREAM: Final = (
    f"{RECORDS} WHERE stream = ? AND version > ? AND version <= ? ORDER BY version LIMIT ?"
)
_ALL: Final = f"{RECORDS} WHERE seq > ? ORDER BY seq LIMIT ?"
_HEAD: Final = "SELECT seq, hash FROM events ORDER BY seq DESC LIMIT 1"
_VERSION: Final = "SELECT max(version) FROM events WHERE stream = ?"
_BEFORE: Final = f"""
    SELECT ({EPOCH}), coalesce(({_VERSION}), 0),
        coalesce((SELECT max(seq) FROM events), 0),
        coalesce((SELECT hash FROM events ORDER BY seq DESC LIMIT 1), '')
"""  # noqa: S608 - our own words
_PAGE: Final = 500
_FOR_EVER: Final = 2**63 - 1


class SqliteEventLog:
    """The streams, the inbox and the queue of wakes change together or not at all."""

    def __init__(
        self,
        connection: Connection,
        *,
        clock: Clock,
        codec: EventCodec,
        follow: Callable[[int, Sequence[Envelope]], None] = lambda _, __: None,
    ) -> None:
        self._connection = connection
        self._clock = clock
        self._codec = codec
        self._follow = follow

    def append(self, batch: Batch) -> tuple[Envelope, ...]:
        """Commit the batch and return its events with their places in the chain."""
        with self._connection.transaction() as sql:
            start = _look(sql, batch)
            if batch.lease:
                require_epoch(start.epoch, batch.lease)
            envelopes = self._write(sql, batch, start) if batch.appends else ()
            if batch.lease and batch.taken:
                take_letters(sql, batch.lease.run, batch.taken)
            for letter in batch.sent:
                keep_letter(sql, letter)
            for wake in batch.wakes:
                keep_wake(sql, wake)
        if envelopes:
            self._follow(start.seq, envelopes)
        return envelopes

    def read(
        self, stream: StreamId, *, after: int = 0, upto: int | None = None
    ) -> Iterator[Envelope]:
        """Read one stream in order, by version; `upto` is included."""
        last = _FOR_EVER if upto is None else upto
        while page := self._envelopes(_STREAM, stream, after, last, _PAGE):
            yield from page
            after = page[-1].version

    def read_all(self, *, after: int = 0, limit: int = 1000) -> Sequence[Envelope]:
        """Read all streams in global order, by sequence number."""
        return self._envelopes(_ALL, after, limit)

    def head(self) -> Head:
        """Return the newest link of the chain."""
        with self._connection.snapshot() as sql:
            return newest(sql)

    def _envelopes(self, statement: str, *parameters: object) -> list[Envelope]:
        rows = self._connection.query(statement, parameters)
        return [self._codec.unseal(Record._make(row)).envelope for row in rows]

    def _write(self, sql: Sql, batch: Batch, start: "_Start") -> tuple[Envelope, ...]:
        seq, previous, now = start.seq, start.hash, self._clock.now()
        epoch = batch.lease.epoch if batch.lease else 0
        written: list[Sealed] = []
        versions = {batch.appends[0].stream: start.version}
        for append in batch.appends:
            stream = append.stream
            version = versions[stream] if stream in versions else _version(sql, stream)
            _check_version(append, version)
            for version, new in enumerate(append.events, start=append.expected + 1):
                seq += 1
                place = EventPlace(seq, stream, version, now, epoch)
                sealed = self._codec.seal(new, place, previous=previous)
                written.append(sealed)
                previous = sealed.record.hash
            versions[stream] = append.expected + len(append.events)
        sql.executemany(_INSERT, [sealed.record for sealed in written])
        for sealed in written:
            project(sql, sealed)
        return tuple(sealed.envelope for sealed in written)


def newest(sql: Sql) -> Head:
    """Return the newest link of the chain."""
    row = sql.execute(_HEAD).fetchone()
    return Head(seq=row[0], hash=row[1]) if row else Head(seq=0, hash="")


class _Start(NamedTuple):
    """What a batch is written upon: its lease's epoch, its first stream, the head of the chain."""

    epoch: int | None
    version: int
    seq: int
    hash: str


def _look(sql: Sql, batch: Batch) -> _Start:
    """Ask everything at once: each question costs as much as what it is asked for."""
    run = batch.lease.run if batch.lease else None
    stream = batch.appends[0].stream if batch.appends else None
    return _Start(*sql.execute(_BEFORE, (run, stream)).fetchone())


def _version(sql: Sql, stream: StreamId) -> int:
    (version,) = sql.execute(_VERSION, (stream,)).fetchone()
    return version or 0


def _check_version(append: StreamAppend, version: int) -> None:
    if version != append.expected:
        raise StaleVersion(
            f"Stream {append.stream!r} is at version {version}, not at {append.expected}.",
            hint="Read the stream again and decide anew.",
        )

"""Golden histories: logs of past releases that today's code must still read."""

from collections.abc import Iterable
from pathlib import Path
from typing import Final

import msgspec

from supervisor_ai.store.codec import Record, canonical
from supervisor_ai.store.connection import Connection

_JSON_COLUMNS: Final = ("payload", "actor")
_RECORDS: Final = f"SELECT {', '.join(Record._fields)} FROM events ORDER BY seq"  # noqa: S608 - our own names
_INSERT: Final = f"INSERT INTO events VALUES ({', '.join('?' * len(Record._fields))})"  # noqa: S608 - our own names


def write_history(connection: Connection, path: Path) -> None:
    """Write all records of a ledger, one per line."""
    records = map(Record._make, connection.query(_RECORDS))
    path.write_bytes(b"".join(_line(record) for record in records))


def read_history(path: Path) -> list[Record]:
    """Return the records of a history exactly as they were in the ledger."""
    return [_record(line) for line in path.read_bytes().splitlines()]


def restore_history(connection: Connection, records: Iterable[Record]) -> None:
    """Put records into an empty ledger, hashes and all, as if an old release had left it."""
    with connection.transaction() as sql:
        sql.executemany(_INSERT, records)


def _line(record: Record) -> bytes:
    columns: dict[str, object] = record._asdict()
    for name in _JSON_COLUMNS:
        columns[name] = msgspec.Raw(str(columns[name]).encode())
    return msgspec.json.encode(columns) + b"\n"


def _record(line: bytes) -> Record:
    columns = msgspec.json.decode(line)
    for name in _JSON_COLUMNS:
        columns[name] = canonical(columns[name])
    return Record(**columns)

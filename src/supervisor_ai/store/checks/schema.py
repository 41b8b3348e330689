"""The tables, indexes and triggers that the migrations make: those, and no others."""

from collections.abc import Iterator
from contextlib import closing
from typing import Final

from supervisor_ai.control.ports.queries import FaultKind, LedgerFault
from supervisor_ai.control.slices import all_slices
from supervisor_ai.store.connection import Connection, Sql

_OBJECTS: Final = (
    "SELECT type, name, sql FROM sqlite_master WHERE name NOT LIKE 'sqlite!_%' ESCAPE '!'"
)
_MENDABLE: Final = ("trigger", "index", "view")
_REBUILD: Final = "`supervisor ledger rebuild` makes it again."
_RESTORE: Final = "Restore the ledger from a backup."

Name = tuple[str, str]
"""A kind of object and its name."""


def schema_faults(sql: Sql) -> Iterator[LedgerFault]:
    """Name what is missing, what was changed and what does not belong there."""
    found, wanted = _objects(sql), _as_migrated()
    for name in sorted(found.keys() | wanted.keys()):
        if name not in found:
            yield _fault(name, "is missing")
        elif name not in wanted and not _is_of_driver(name, found[name]):
            yield _fault(name, "does not belong into a ledger")
        elif name in wanted and _words(found[name]) != _words(wanted[name]):
            yield _fault(name, "is not as supervisor makes it")


def mend_schema(sql: Sql) -> None:
    """Put right what holds no rows; tables stay as they are."""
    found, wanted = _objects(sql), _as_migrated()
    for name in found.keys() | wanted.keys():
        kind, called = name
        if kind in _MENDABLE and found.get(name) != wanted.get(name):
            if name in found:
                quoted = called.replace('"', '""')
                sql.execute(f'DROP {kind} "{quoted}"')
            if name in wanted:
                sql.execute(wanted[name])


def _is_of_driver(name: Name, made: str) -> bool:
    """Tell whether a driver of ours makes the table so when it is first needed."""
    kind, called = name
    own = {table: statement for found in all_slices() for table, statement in found.tables.items()}
    statement = own.get(called, "") if kind == "table" else ""
    return bool(statement) and _words(statement.replace(" IF NOT EXISTS", "")) == _words(made)


def _as_migrated() -> dict[Name, str]:
    with closing(Connection.scratch()) as scratch, scratch.snapshot() as sql:
        return _objects(sql)


def _objects(sql: Sql) -> dict[Name, str]:
    return {(kind, name): made or "" for kind, name, made in sql.execute(_OBJECTS)}


def _words(made: str) -> list[str]:
    return made.split()


def _fault(name: Name, what: str) -> LedgerFault:
    kind, called = name
    return LedgerFault(
        kind=FaultKind.SCHEMA,
        where=f"{kind} {called!r}",
        message=f"The {kind} {called!r} {what}.",
        hint=_REBUILD if kind in _MENDABLE else _RESTORE,
    )

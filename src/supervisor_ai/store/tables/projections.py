"""The tables that people read: changed with every fact, and made again from all of them."""

from datetime import datetime
from typing import Final

import msgspec

from supervisor_ai.control.slices import all_slices
from supervisor_ai.domain.envelope import Event
from supervisor_ai.domain.ids import stream_run, stream_session
from supervisor_ai.store.codec import Sealed, canonical, instant
from supervisor_ai.store.connection import Row, Sql
from supervisor_ai.store.tables.projection_rules import rule_of

TABLES: Final = (
    "runs",
    "steps",
    "attempts",
    "gates",
    "verdicts",
    "claims",
    "approvals",
    "votes",
    "comments",
    "timers",
    "children",
    "permits",
    "notices",
    "sessions",
    "messages",
    "session_tasks",
    "members",
    "knowledge_uses",
)


class _Parameters(dict[str, object]):
    """The values of a rule's parameters; a field of an absent object is NULL."""

    def __missing__(self, name: str) -> None:
        return None


def project(sql: Sql, fact: Sealed) -> None:
    """Change the tables as a fact says, in the transaction that records it."""
    record, envelope = fact
    statements = rule_of(type(envelope.event))
    if not statements:
        return
    parameters = _parameters(envelope.event)
    parameters.update(seq=record.seq, at=record.recorded_at, actor=envelope.actor.id)
    run = stream_run(envelope.stream)
    if run is not None:
        parameters["run"] = run
    session = stream_session(envelope.stream)
    if session is not None:
        parameters["session"] = session
    if run is None and session is None:
        parameters["stream"] = envelope.stream.partition(":")[2]
    for statement in statements:
        sql.execute(statement, parameters)


def known_tables(sql: Sql) -> tuple[str, ...]:
    """Name the tables that facts change, and those of drivers' own that are there."""
    own = {name for found in all_slices() for name in found.tables}
    made = (name for (name,) in sql.execute("SELECT name FROM sqlite_master WHERE type = 'table'"))
    return (*TABLES, *sorted(own.intersection(made)))


def clear(sql: Sql) -> None:
    """Throw the tables' rows away."""
    for table in known_tables(sql):
        sql.execute(f"DELETE FROM {table}")  # noqa: S608 - a name from our lists


def rows(sql: Sql, table: str) -> list[Row]:
    """Return a table's rows in a fixed order."""
    found = sql.execute(f"SELECT * FROM {table}").fetchall()  # noqa: S608 - a name from our lists
    return sorted(found, key=repr)


def rows_if_made(sql: Sql, table: str) -> list[Row]:
    """Return a table's rows; a driver's own is made by the first fact that it shows."""
    return rows(sql, table) if table in known_tables(sql) else []


def _bound(value: object) -> object:
    if isinstance(value, datetime):
        return instant(value)
    return canonical(value) if isinstance(value, list | tuple) else value


def _parameters(event: Event) -> _Parameters:
    flat = _Parameters()
    for name, value in msgspec.to_builtins(event, builtin_types=(datetime,)).items():
        if isinstance(value, dict):
            flat.update((f"{name}_{inner}", _bound(deep)) for inner, deep in value.items())
        else:
            flat[name] = _bound(value)
    return flat

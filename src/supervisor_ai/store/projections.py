"""The tables that people read: changed with every fact, and made again from all of them."""

from datetime import datetime
from typing import Final

import msgspec

from supervisor_ai.domain.envelope import Event
from supervisor_ai.domain.ids import stream_run
from supervisor_ai.store.codec import Sealed, instant
from supervisor_ai.store.connection import Row, Sql
from supervisor_ai.store.projection_rules import RULES

TABLES: Final = (
    "runs",
    "steps",
    "attempts",
    "gates",
    "verdicts",
    "claims",
    "approvals",
    "timers",
    "children",
    "permits",
)


class _Parameters(dict[str, object]):
    """The values of a rule's parameters; a field of an absent object is NULL."""

    def __missing__(self, name: str) -> None:
        return None


def project(sql: Sql, fact: Sealed) -> None:
    """Change the tables as a fact says, in the transaction that records it."""
    record, envelope = fact
    statements = RULES[type(envelope.event)]
    if not statements:
        return
    parameters = _parameters(envelope.event)
    parameters.update(seq=record.seq, at=record.recorded_at, actor=envelope.actor.id)
    run = stream_run(envelope.stream)
    if run is not None:
        parameters["run"] = run
    for statement in statements:
        sql.execute(statement, parameters)


def clear(sql: Sql) -> None:
    """Throw the tables' rows away."""
    for table in TABLES:
        sql.execute(f"DELETE FROM {table}")  # noqa: S608 - a name from the list above


def rows(sql: Sql, table: str) -> list[Row]:
    """Return a table's rows in a fixed order."""
    found = sql.execute(f"SELECT * FROM {table}").fetchall()  # noqa: S608 - a name from the list above
    return sorted(found, key=repr)


def _parameters(event: Event) -> _Parameters:
    flat = _Parameters()
    for name, value in msgspec.to_builtins(event, builtin_types=(datetime,)).items():
        if isinstance(value, dict):
            flat.update((f"{name}_{inner}", deep) for inner, deep in value.items())
        else:
            flat[name] = instant(value) if isinstance(value, datetime) else value
    return flat

"""The tables that people read: changed with every fact, and made again from all of them."""

import re
from collections.abc import Callable, Collection, Mapping
from datetime import datetime
from functools import cache, lru_cache
from operator import itemgetter
from typing import Final, NamedTuple

import msgspec

from supervisor_ai.control.slices import all_slices
from supervisor_ai.domain.envelope import Event
from supervisor_ai.domain.ids import StreamId, stream_run, stream_session
from supervisor_ai.store.codec import Sealed, canonical, instant
from supervisor_ai.store.connection import Row, Sql
from supervisor_ai.store.tables.projection_rules import Guarded, rule_of

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


_PARAMETER: Final = re.compile(r"'[^']*'|:([a-z_]+)")
_PLAIN: Final = frozenset({str, int, float, bool, type(None)})


class _Statement(NamedTuple):
    """A statement whose parameters have numbers: those with names take SQLite twice as long."""

    text: str
    names: tuple[str, ...]
    values: Callable[[Mapping[str, object]], tuple[object, ...]]
    concerns: Callable[[Mapping[str, object]], bool] | None


class _Rule(NamedTuple):
    """What a kind of fact does to the tables, and the fields that this needs."""

    statements: tuple[_Statement, ...]
    fields: tuple[str, ...]
    absent: dict[str, object]
    """Every parameter as NULL, which a field of an absent object stays."""


@cache
def _prepared(kind: type[Event]) -> _Rule:
    statements = tuple(map(_numbered, rule_of(kind)))
    named = {name for statement in statements for name in statement.names}
    fields = tuple(field for field in kind.__struct_fields__ if _is_named(field, named))
    return _Rule(statements, fields, dict.fromkeys(named))


def _numbered(rule: str | Guarded) -> _Statement:
    """Give each parameter the number of its first place; what stands in quotes is no parameter."""
    written, concerns = rule if isinstance(rule, Guarded) else (rule, None)
    names: dict[str, int] = {}

    def number(match: re.Match[str]) -> str:
        name = match[1]
        return match[0] if name is None else f"?{names.setdefault(name, len(names) + 1)}"

    text = _PARAMETER.sub(number, written)
    return _Statement(text, tuple(names), _reader(*names), concerns)


def _reader(*names: str) -> Callable[[Mapping[str, object]], tuple[object, ...]]:
    """Make what takes some values out of all; itemgetter makes a tuple only of two and more."""
    if len(names) > 1:
        return itemgetter(*names)
    return lambda values: tuple(values[name] for name in names)


def _is_named(field: str, named: Collection[str]) -> bool:
    """Tell whether a field, or one of the object in it, is a parameter."""
    return field in named or any(name.startswith(f"{field}_") for name in named)


def project(sql: Sql, fact: Sealed) -> None:
    """Change the tables as a fact says, in the transaction that records it."""
    record, envelope = fact.record, fact.envelope
    rule = _prepared(type(envelope.event))
    if not rule.statements:
        return
    parameters = _parameters(envelope.event, rule)
    parameters |= _surroundings(envelope.stream)
    parameters["seq"], parameters["at"] = record.seq, record.recorded_at
    parameters["actor"] = envelope.actor.id
    for text, _, values, concerns in rule.statements:
        if concerns is None or concerns(parameters):
            sql.execute(text, values(parameters))


@lru_cache(maxsize=256)
def _surroundings(stream: StreamId) -> Mapping[str, str]:
    """Say whose stream a fact stands in."""
    run, session = stream_run(stream), stream_session(stream)
    if run is None and session is None:
        return {"stream": stream.partition(":")[2]}
    return {"run": run} if run is not None else {"session": str(session)}


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


def _parameters(event: Event, rule: _Rule) -> dict[str, object]:
    flat = rule.absent.copy()
    for name in rule.fields:
        value = getattr(event, name)
        if type(value) in _PLAIN:
            flat[name] = value
            continue
        value = msgspec.to_builtins(value, builtin_types=(datetime,))
        if isinstance(value, dict):
            flat.update((f"{name}_{inner}", _bound(deep)) for inner, deep in value.items())
        else:
            flat[name] = _bound(value)
    return flat

"""A fact changes the tables by the fields that its rule names, as it did by all of its fields."""

import sqlite3
from collections import defaultdict
from collections.abc import Callable
from contextlib import closing
from datetime import UTC, datetime
from typing import Final

import msgspec
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.integration.store.any_facts import any_fact
from tests.support.example_counts import examples

from supervisor_ai.domain.envelope import Actor, ActorKind, Event, NewEvent
from supervisor_ai.domain.ids import StreamId, run_stream, stream_run, stream_session
from supervisor_ai.domain.run.events import RUN_EVENTS
from supervisor_ai.store.codec import EventCodec, EventPlace, Sealed, canonical, instant
from supervisor_ai.store.connection import Connection, Row, Sql
from supervisor_ai.store.ledger import SqliteLedger
from supervisor_ai.store.tables.projection_rules import Guarded, rule_of
from supervisor_ai.store.tables.projections import TABLES, project, rows
from supervisor_ai.testing.ledger_harness import RUN, batch, birth, started

ACTOR: Final = Actor(kind=ActorKind.RUNTIME, id="me", via="test")
AT: Final = datetime(2030, 1, 1, tzinfo=UTC)
FACTS: Final = st.lists(st.sampled_from(RUN_EVENTS).flatmap(any_fact), min_size=1, max_size=12)


def project_by_all_fields(sql: Sql, fact: Sealed) -> None:
    """Change the tables with every field at hand and no statement passed over."""
    record, envelope = fact.record, fact.envelope
    flat: dict[str, object] = defaultdict(lambda: None)
    for name, value in msgspec.to_builtins(envelope.event, builtin_types=(datetime,)).items():
        inner = (
            {f"{name}_{key}": deep for key, deep in value.items()} if type(value) is dict else {}
        )
        for key, deep in (inner or {name: value}).items():
            bound = instant(deep) if isinstance(deep, datetime) else deep
            flat[key] = canonical(bound) if isinstance(bound, list | tuple) else bound
    flat.update(seq=record.seq, at=record.recorded_at, actor=envelope.actor.id)
    flat["run"] = stream_run(envelope.stream)
    assert stream_session(envelope.stream) is None
    for rule in rule_of(type(envelope.event)):
        sql.execute(rule.statement if isinstance(rule, Guarded) else rule, flat)


def sealed(facts: list[Event]) -> list[Sealed]:
    codec = EventCodec()
    stream = StreamId("run:r1")
    return [
        codec.seal(
            NewEvent(event=fact, actor=ACTOR), EventPlace(seq, stream, seq, AT, 1), previous=""
        )
        for seq, fact in enumerate(facts, 1)
    ]


def contents(sql: Sql) -> dict[str, list[Row]]:
    return {table: rows(sql, table) for table in TABLES}


@given(facts=FACTS)
@settings(max_examples=examples(40))
def test_the_tables_are_the_same_either_way(facts: list[Event]) -> None:
    found = []
    for way in (project, project_by_all_fields):
        with closing(Connection.scratch()) as scratch, scratch.transaction() as sql:
            for fact in sealed(facts):
                _tried(sql, way, fact)
            found.append(contents(sql))
    assert found[0] == found[1]


def _tried(sql: Sql, way: Callable[[Sql, Sealed], None], fact: Sealed) -> None:
    """Project a fact; one that cannot follow, because it was made up, leaves nothing behind."""
    sql.execute("SAVEPOINT one")
    try:
        way(sql, fact)
    except sqlite3.IntegrityError:
        sql.execute("ROLLBACK TO one")
    sql.execute("RELEASE one")


def test_a_batch_is_asked_about_once_and_written_with_one_statement(ledger: SqliteLedger) -> None:
    said: list[str] = []
    with ledger.connection.transaction() as sql:
        sql.set_trace_callback(said.append)
    ledger.events.append(batch(run_stream(RUN), 0, birth(), started()))
    said = [line for line in said if not line.startswith("--")]
    asked = [line for line in said if line.lstrip().startswith("SELECT")]
    assert len(asked) == 1

"""A ledger that somebody tampered with is found out."""

import sqlite3
from collections.abc import Callable
from contextlib import closing
from datetime import timedelta
from pathlib import Path

import pytest
from tests.integration.store.conftest import HERE

from supervisor_ai.control.ports.queries import FaultKind, LedgerFault
from supervisor_ai.domain.envelope import Event
from supervisor_ai.domain.ids import RunId, SessionId, run_stream, session_stream
from supervisor_ai.domain.session.events import FileSynced, MemberRemoved, SessionClosed
from supervisor_ai.engine.ports.ledger import Batch, CachedState, Lease
from supervisor_ai.engine.ports.workspaces import Anchor, AnchorPoint
from supervisor_ai.store.codec import Record, link
from supervisor_ai.store.ledger import SqliteLedger
from supervisor_ai.testing.ledger_harness import RUN, batch, birth, started

OTHER = RunId("r2")
SYNCED = FileSynced(folder="f", path="p", content="c", size=1)
TRIGGERS = ("events_follow_each_other", "events_are_never_changed", "events_are_never_removed")


@pytest.fixture(autouse=True)
def _history(ledger: SqliteLedger, anchor: Anchor) -> None:
    ledger.events.append(batch(run_stream(RUN), 0, birth(), started(), started()))
    ledger.events.append(batch(run_stream(OTHER), 0, birth(), started()))
    ledger.events.append(batch(run_stream(RUN), 3, started()))
    head = ledger.events.head()
    anchor.write(AnchorPoint(seq=head.seq, hash=head.hash))


@pytest.fixture
def tamper(ledger: SqliteLedger) -> Callable[..., None]:
    def execute(*statements: str) -> None:
        """Change the file behind the guards' backs, and put them back."""
        path = ledger.connection.path
        with closing(sqlite3.connect(path, isolation_level=None)) as sql:
            guards = sql.execute("SELECT sql FROM sqlite_master WHERE type = 'trigger'").fetchall()
            for statement in (*(f"DROP TRIGGER {name}" for name in TRIGGERS), *statements):
                sql.execute(statement)
            for (guard,) in guards:
                sql.execute(guard)

    return execute


def faults(ledger: SqliteLedger) -> list[tuple[int | None, str]]:
    return [(fault.seq, fault.message) for fault in ledger.care.verify().faults]


def test_an_honest_ledger_has_no_faults(ledger: SqliteLedger) -> None:
    found = ledger.care.verify()
    assert (found.events, found.faults) == (6, ())


@pytest.mark.parametrize(
    "change",
    [
        "payload = replace(payload, 'workflow', 'werkflow')",
        "recorded_at = '2031-01-01T00:00:00.000000+00:00'",
        "actor = replace(actor, 'owner', 'other')",
        "cause = 'nothing'",
        "epoch = 7",
        "type = 'RunContinued'",
        "hash = 'forged'",
    ],
)
def test_a_changed_event_is_found(
    ledger: SqliteLedger, tamper: Callable[..., None], change: str
) -> None:
    tamper(f"UPDATE events SET {change} WHERE seq = 2")  # noqa: S608 - the forger's words
    seqs = [seq for seq, _ in faults(ledger)]
    assert seqs == ([2, 3] if "hash" in change else [2])


def test_a_removed_event_is_a_gap(ledger: SqliteLedger, tamper: Callable[..., None]) -> None:
    tamper("DELETE FROM events WHERE seq = 2")
    assert faults(ledger) == [
        (2, "Event 2 is missing: event 3 comes next."),
        (3, "Event 3 is version 3 of stream 'run:r1', not 2: events were removed or reordered."),
    ]


def test_swapped_events_are_found(ledger: SqliteLedger, tamper: Callable[..., None]) -> None:
    tamper(
        "UPDATE events SET seq = -2 WHERE seq = 2",
        "UPDATE events SET seq = 2 WHERE seq = 3",
        "UPDATE events SET seq = 3 WHERE seq = -2",
    )
    assert {seq for seq, _ in faults(ledger)} == {2, 3, 4}


def test_a_renumbered_stream_is_found(ledger: SqliteLedger, tamper: Callable[..., None]) -> None:
    tamper("UPDATE events SET stream = 'run:r9', version = 1 WHERE seq = 6")
    assert [seq for seq, _ in faults(ledger)] == [6]


def test_a_cut_tail_is_found_by_the_anchor(
    ledger: SqliteLedger, tamper: Callable[..., None]
) -> None:
    tamper("DELETE FROM events WHERE seq > 4")
    assert faults(ledger) == [(6, "Event 6 is anchored, but missing: the ledger ends at event 4.")]


def said(session: str, version: int, *events: Event) -> Batch:
    return batch(session_stream(SessionId(session)), version, *events)


def removed(number: int) -> list[Event]:
    return [MemberRemoved(member=f"m{it}") for it in range(number)]


def test_a_session_that_no_run_left_is_anchored_every_fifty_events(
    ledger: SqliteLedger, anchor: Anchor, tamper: Callable[..., None]
) -> None:
    for version in range(192):
        ledger.events.append(said("s", version, *removed(1)))
    tamper("DELETE FROM events WHERE seq > 138")
    ledger.care.rebuild()
    assert anchor.read() is not None
    assert (150, "Event 150 is anchored, but missing: the ledger ends at event 138.") in faults(
        ledger
    )


@pytest.mark.parametrize("event", [SessionClosed(), SYNCED])
def test_a_session_is_anchored_when_it_is_closed_or_synced(
    ledger: SqliteLedger, tamper: Callable[..., None], event: Event
) -> None:
    ledger.events.append(said("s", 0, *removed(3), event))
    tamper("DELETE FROM events WHERE seq > 8")
    assert (10, "Event 10 is anchored, but missing: the ledger ends at event 8.") in faults(ledger)


def test_what_a_killed_process_left_behind_is_anchored_by_the_next_that_writes(
    ledger: SqliteLedger,
    anchor: Anchor,
    open_here: Callable[[Path], SqliteLedger],
    directory: Path,
) -> None:
    ledger.events.append(said("s", 0, *removed(3)))
    open_here(directory).events.append(said("s", 3, *removed(1)))
    assert anchor.read() == AnchorPoint(seq=10, hash=ledger.events.head().hash)


def test_a_process_that_writes_after_the_tail_was_cut_does_not_hide_it(
    ledger: SqliteLedger,
    tamper: Callable[..., None],
    open_here: Callable[[Path], SqliteLedger],
    directory: Path,
) -> None:
    ledger.events.append(said("s", 0, *removed(3), SessionClosed()))
    tamper("DELETE FROM events WHERE seq > 8")
    after = open_here(directory)
    after.events.append(said("t", 0, *removed(1)))
    head = after.events.head()
    after.anchor.write(AnchorPoint(seq=head.seq, hash=head.hash))
    assert any(seq == 10 for seq, _ in faults(after))


def test_a_chain_that_was_made_anew_is_found_by_the_anchor(
    ledger: SqliteLedger, tamper: Callable[..., None]
) -> None:
    tamper("UPDATE events SET cause = 'forged' WHERE seq = 2")
    _forge_hashes(ledger.connection.path)
    assert faults(ledger) == [
        (6, "Event 6 is not the one that was anchored: the chain was made anew.")
    ]


def test_an_older_anchor_is_good_enough(ledger: SqliteLedger, anchor: Anchor) -> None:
    first = next(ledger.events.read(run_stream(RUN)))
    anchor.write(AnchorPoint(seq=1, hash=first.hash))
    assert faults(ledger) == []


def test_a_changed_table_is_found_and_made_again(
    ledger: SqliteLedger, tamper: Callable[..., None]
) -> None:
    tamper("UPDATE runs SET status = 'completed' WHERE run = 'r1'")
    assert ledger.care.verify().faults == (
        LedgerFault(
            kind=FaultKind.TABLE,
            where="table 'runs'",
            message="Table 'runs' does not say what the events say.",
            hint="`supervisor ledger rebuild` makes it again.",
        ),
    )
    assert ledger.care.rebuild() == 6
    assert faults(ledger) == []


def test_cached_states_do_not_outlive_a_rebuild(ledger: SqliteLedger) -> None:
    cached = CachedState(version=1, fold="f:1", state=b"x")
    ledger.cache.save(run_stream(RUN), cached)
    ledger.care.rebuild()
    assert ledger.cache.load(run_stream(RUN), fold="f:1") is None


def test_an_event_that_cannot_be_read_is_a_fault(
    ledger: SqliteLedger, tamper: Callable[..., None], anchor: Anchor
) -> None:
    tamper("UPDATE events SET type = 'RunTeleported' WHERE seq = 6")
    _forge_hashes(ledger.connection.path)
    head = ledger.events.head()
    anchor.write(AnchorPoint(seq=head.seq, hash=head.hash))
    ((seq, message),) = faults(ledger)
    assert seq is None
    assert "newer version" in message


def test_a_child_is_born_in_the_epoch_of_its_parent(ledger: SqliteLedger) -> None:
    child = RunId("r3")
    ledger.leases.release(_take(ledger, RUN))
    ledger.events.append(batch(run_stream(child), 0, birth(), lease=_take(ledger, RUN)))
    taken = _take(ledger, child)
    assert faults(ledger) == []
    ledger.events.append(batch(run_stream(child), 1, started(), lease=taken))
    assert [it.epoch for it in ledger.events.read(run_stream(child))] == [2, 1]
    assert faults(ledger) == []


def test_a_lease_that_is_older_than_its_run_is_found(
    ledger: SqliteLedger, tamper: Callable[..., None]
) -> None:
    ledger.events.append(batch(run_stream(RUN), 4, started(), lease=_take(ledger, RUN)))
    tamper("UPDATE leases SET epoch = 0")
    ((_, message),) = faults(ledger)
    assert (
        message == "The lease of run 'r1' has epoch 0, but the run's events have epoch 1 already."
    )


def _take(ledger: SqliteLedger, run: RunId) -> Lease:
    return ledger.leases.acquire(run, owner="me", process=HERE, ttl=timedelta(seconds=9))


def _forge_hashes(path: Path) -> None:
    """Do what a skilled forger would: make every hash fit again."""
    columns = ", ".join(Record._fields)
    with closing(sqlite3.connect(path, isolation_level=None)) as sql:
        previous = ""
        name = "events_are_never_changed"
        (guard,) = sql.execute("SELECT sql FROM sqlite_master WHERE name = ?", (name,)).fetchone()
        sql.execute(f"DROP TRIGGER {name}")
        rows = sql.execute(f"SELECT {columns} FROM events ORDER BY seq").fetchall()  # noqa: S608 - our own names
        for record in map(Record._make, rows):
            previous = link(previous, record[:-1])
            sql.execute("UPDATE events SET hash = ? WHERE seq = ?", (previous, record.seq))
        sql.execute(guard)


def test_a_long_look_says_how_far_it_is(ledger: SqliteLedger) -> None:
    for version in range(4, 1_504, 100):
        ledger.events.append(batch(run_stream(RUN), version, *[started()] * 100))
    told: list[tuple[str, int, int]] = []
    ledger.care.verify(lambda part, done, total: told.append((part, done, total)))
    assert told == [
        ("the chain of events", 1_000, 1_506),
        ("the tables beside them", 1_000, 1_506),
    ]

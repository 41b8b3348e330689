"""The ledger's file: how it is made, opened, refused and brought up to date."""

import fcntl
import os
import sqlite3
import stat
import threading
from collections.abc import Callable
from contextlib import closing
from datetime import timedelta
from pathlib import Path

import pytest

from supervisor_ai.domain.errors import Busy, Unavailable
from supervisor_ai.domain.ids import RunId, run_stream
from supervisor_ai.domain.run.values import Process
from supervisor_ai.engine.ports.ledger import Batch
from supervisor_ai.store.connection import Connection
from supervisor_ai.store.ledger import SqliteLedger
from supervisor_ai.store.migrations import MIGRATIONS
from supervisor_ai.testing.ledger_harness import RUN, batch, birth, letter, started

Open = Callable[[Path], SqliteLedger]


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def tamper(directory: Path, statement: str) -> None:
    with closing(sqlite3.connect(directory / "state.db", isolation_level=None)) as sql:
        sql.execute(statement)


def test_a_commit_is_on_the_disk(ledger: SqliteLedger) -> None:
    assert ledger.connection.query("PRAGMA journal_mode") == [("wal",)]
    assert ledger.connection.query("PRAGMA synchronous") == [(2,)]
    assert ledger.connection.query("PRAGMA foreign_keys") == [(1,)]
    assert ledger.connection.query("PRAGMA user_version") == [(len(MIGRATIONS),)]


def test_nobody_else_can_read_the_state(ledger: SqliteLedger, directory: Path) -> None:
    ledger.events.append(batch(run_stream(RUN), 0, birth()))
    files = {path.name: mode(path) for path in directory.glob("state.db*")}
    assert files == {"state.db": 0o600, "state.db-wal": 0o600, "state.db-shm": 0o600}


def test_state_stays_out_of_git_and_definitions_do_not(
    ledger: SqliteLedger, directory: Path
) -> None:
    assert ledger.events.head().seq == 0
    ignored = (directory / ".gitignore").read_text().splitlines()
    assert ignored[1:] == [
        *("/.gitignore", "/state.db*", "/artifacts/", "/locks/", "/logs/", "/sessions/")
    ]


def test_a_gitignore_of_the_user_is_left_alone(open_here: Open, directory: Path) -> None:
    directory.mkdir()
    (directory / ".gitignore").write_text("mine\n")
    open_here(directory)
    assert (directory / ".gitignore").read_text() == "mine\n"


def test_what_was_written_is_there_after_opening_again(open_here: Open, directory: Path) -> None:
    first = open_here(directory)
    written = first.events.append(batch(run_stream(RUN), 0, birth(), started()))
    first.close()
    assert tuple(open_here(directory).events.read_all()) == written


def test_a_locked_ledger_is_busy(ledger: SqliteLedger, directory: Path) -> None:
    impatient = Connection.open(directory / "state.db", patience=timedelta(0))
    with ledger.connection.transaction(), pytest.raises(Busy) as caught, impatient.transaction():
        pass
    assert caught.value.message == (
        f"The ledger {str(directory / 'state.db')!r} is locked by another process."
    )
    assert caught.value.hint == "Wait until it has finished, then try again."
    impatient.close()


def test_a_new_ledger_is_prepared_by_one_process_at_a_time(directory: Path) -> None:
    directory.mkdir()
    path = directory / "state.db"
    other = os.open(directory, os.O_RDONLY)
    fcntl.flock(other, fcntl.LOCK_EX)
    with pytest.raises(Busy, match="locked by another process"):
        Connection.open(path, patience=timedelta(0))
    os.close(other)
    Connection.open(path, patience=timedelta(0)).close()


def test_a_locked_ledger_can_be_read(ledger: SqliteLedger, open_here: Open) -> None:
    ledger.events.append(batch(run_stream(RUN), 0, birth()))
    other = open_here(ledger.connection.path.parent)
    with ledger.connection.transaction():
        assert other.events.head().seq == 1


def test_a_ledger_from_the_future_is_refused(open_here: Open, directory: Path) -> None:
    open_here(directory).close()
    tamper(directory, "PRAGMA user_version = 99")
    with pytest.raises(Unavailable, match=r"newer version of supervisor.*schema is 99") as caught:
        open_here(directory)
    assert caught.value.hint == "Upgrade supervisor and try again."


@pytest.mark.parametrize("content", [b"not a database" * 100, b"SQLite format 3\0" + b"x" * 8000])
def test_a_file_of_something_else_is_refused(
    open_here: Open, directory: Path, content: bytes
) -> None:
    directory.mkdir()
    (directory / "state.db").write_bytes(content)
    with pytest.raises(Unavailable) as caught:
        open_here(directory)
    assert caught.value.hint == "Look at the ledger: supervisor ledger verify"
    assert (directory / "state.db").read_bytes() == content


def test_a_damaged_ledger_is_refused(open_here: Open, directory: Path) -> None:
    first = open_here(directory)
    for number in range(100):
        first.events.append(batch(run_stream(RunId(f"r{number}")), 0, birth()))
    first.close()
    path = directory / "state.db"
    content = bytearray(path.read_bytes())
    content[4096:] = b"\xff" * (len(content) - 4096)
    path.write_bytes(content)
    with pytest.raises(Unavailable, match="damaged") as caught:
        list(open_here(directory).events.read_all())
    assert caught.value.hint == "Look at the ledger: supervisor ledger verify"


@pytest.mark.parametrize("name", ["state.db", "locks", ""])
def test_a_link_in_place_of_state_is_refused(
    open_here: Open, directory: Path, tmp_path: Path, name: str
) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (directory if name else tmp_path).mkdir(exist_ok=True)
    (directory / name if name else directory).symlink_to(elsewhere)
    with pytest.raises(Unavailable):
        open_here(directory).leases.acquire(
            RUN, owner="me", process=_process(), ttl=timedelta(seconds=1)
        )
    assert list(elsewhere.iterdir()) == []


def test_a_directory_that_cannot_be_made_is_unavailable(open_here: Open, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(Unavailable, match="Not a directory"):
        open_here(tmp_path / "file" / ".supervisor")


@pytest.mark.parametrize("statement", ["UPDATE events SET cause = 'x'", "DELETE FROM events"])
def test_events_refuse_to_be_changed(ledger: SqliteLedger, statement: str) -> None:
    ledger.events.append(batch(run_stream(RUN), 0, birth()))
    with pytest.raises(sqlite3.IntegrityError, match="an event is never"):
        tamper(ledger.connection.path.parent, statement)


def test_events_refuse_a_gap(ledger: SqliteLedger) -> None:
    insert = "INSERT INTO events VALUES (7, 's', 1, 't', 1, '{}', '', '{}', NULL, 0, '')"
    with pytest.raises(sqlite3.IntegrityError, match="must follow the last one"):
        tamper(ledger.connection.path.parent, insert)


def test_migrations_go_forward_one_transaction_each(directory: Path) -> None:
    directory.mkdir()
    path = directory / "state.db"
    first = ("CREATE TABLE notes (note TEXT)", "INSERT INTO notes VALUES ('kept')")
    second = ("ALTER TABLE notes ADD COLUMN by TEXT DEFAULT 'nobody'",)
    Connection.open(path, migrations=(first,)).close()
    broken = (*second, "CREATE TABLE oops (")
    with pytest.raises(Unavailable):
        Connection.open(path, migrations=(first, broken))
    opened = Connection.open(path, migrations=(first, second))
    assert opened.query("SELECT note, by FROM notes") == [("kept", "nobody")]
    assert opened.query("PRAGMA user_version") == [(2,)]
    opened.close()


def test_a_failed_transaction_leaves_the_connection_usable(ledger: SqliteLedger) -> None:
    def fail() -> None:
        with ledger.connection.transaction() as sql:
            sql.execute("INSERT INTO wakes (run, number) VALUES ('r', 1)")
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fail()
    with pytest.raises(Unavailable, match="cannot be used"):
        ledger.connection.query("SELECT nothing FROM nowhere")
    assert ledger.wakes.next_due() is None
    assert ledger.connection.query("SELECT count(*) FROM wakes") == [(0,)]


def test_threads_take_turns(ledger: SqliteLedger) -> None:
    def send(name: str) -> None:
        for number in range(20):
            ledger.inbox.put(letter(f"{name}{number}"))
            ledger.events.append(Batch())

    threads = [threading.Thread(target=send, args=(name,)) for name in "abc"]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(ledger.inbox.pending(RUN)) == 60


def _process() -> Process:
    return Process(boot="boot", pid=1, started=1)

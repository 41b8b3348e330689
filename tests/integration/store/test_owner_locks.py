"""Who counts as alive when locks, boots and processes tell different stories."""

import fcntl
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path

import pytest

from supervisor_ai.domain.errors import Busy, Unavailable
from supervisor_ai.domain.ids import RunId
from supervisor_ai.domain.run.values import Process
from supervisor_ai.engine.ports.ledger import Lease
from supervisor_ai.store.connection import Connection
from supervisor_ai.store.files.locks import OwnerLocks
from supervisor_ai.store.leases import SqliteLeases
from supervisor_ai.store.ledger import SqliteLedger
from supervisor_ai.testing.ledger_harness import RUN, StillClock, refused

HOUR = timedelta(hours=1)


@dataclass(frozen=True)
class Machine:
    """A machine after a certain boot, and what its process table says of anybody."""

    boot: str = "boot"
    says_alive: bool = True

    def current(self) -> Process:
        return Process(boot=self.boot, pid=1, started=1)

    def is_alive(self, process: Process) -> bool:
        return self.says_alive and process.boot == self.boot


def acquire(leases: SqliteLeases, run: RunId = RUN) -> Lease:
    process = Process(boot="boot", pid=1, started=1)
    return leases.acquire(run, owner="me", process=process, ttl=HOUR)


@pytest.fixture
def seen_from(
    ledger: SqliteLedger, clock: StillClock
) -> Iterator[Callable[[Machine], SqliteLeases]]:
    with ExitStack() as stack:

        def leases(machine: Machine) -> SqliteLeases:
            connection = stack.enter_context(closing(Connection.open(ledger.connection.path)))
            locks = OwnerLocks(ledger.connection.path.parent / "locks")
            stack.enter_context(closing(locks))
            return SqliteLeases(connection, locks=locks, clock=clock, processes=machine)

        yield leases


def test_an_owner_of_another_boot_is_dead(
    ledger: SqliteLedger, seen_from: Callable[[Machine], SqliteLeases]
) -> None:
    acquire(ledger.leases)
    assert acquire(seen_from(Machine(boot="next boot"))).epoch == 2


def test_a_held_lock_is_believed_more_than_the_process_table(
    ledger: SqliteLedger, seen_from: Callable[[Machine], SqliteLeases]
) -> None:
    """A process in another pid namespace cannot be seen, but its lock can."""
    acquire(ledger.leases)
    with refused(Busy):
        acquire(seen_from(Machine(says_alive=False)))


def test_without_a_lock_file_the_process_table_decides(
    ledger: SqliteLedger, seen_from: Callable[[Machine], SqliteLeases], directory: Path
) -> None:
    acquire(ledger.leases)
    (directory / "locks" / "r1.1").unlink()
    with refused(Busy):
        acquire(seen_from(Machine(says_alive=True)))
    assert acquire(seen_from(Machine(says_alive=False))).epoch == 2


def test_a_lease_that_could_not_be_recorded_leaves_no_lock(
    ledger: SqliteLedger, directory: Path
) -> None:
    refuse = "CREATE TRIGGER refuse BEFORE INSERT ON leases BEGIN SELECT raise(ABORT, 'no'); END"
    with closing(sqlite3.connect(directory / "state.db", isolation_level=None)) as sql:
        sql.execute(refuse)
        with pytest.raises(Unavailable, match="no"):
            acquire(ledger.leases)
        assert list((directory / "locks").iterdir()) == []
        sql.execute("DROP TRIGGER refuse")
    assert acquire(ledger.leases).epoch == 1


def test_a_lock_stays_in_its_directory(ledger: SqliteLedger, directory: Path) -> None:
    acquire(ledger.leases, RunId("../../up"))
    assert [path.name for path in (directory / "locks").iterdir()] == ["..%2F..%2Fup.1"]


def test_locks_are_gone_when_the_run_is_given_back(ledger: SqliteLedger, directory: Path) -> None:
    ledger.leases.release(acquire(ledger.leases))
    assert list((directory / "locks").iterdir()) == []


def test_a_lock_that_a_stranger_holds_is_reported(ledger: SqliteLedger, directory: Path) -> None:
    (directory / "locks").mkdir()
    with (directory / "locks" / "r1.1").open("w") as stranger:
        fcntl.flock(stranger, fcntl.LOCK_EX)
        with pytest.raises(Unavailable, match="Run 'r1' cannot be locked"):
            acquire(ledger.leases)
    assert acquire(ledger.leases).epoch == 1

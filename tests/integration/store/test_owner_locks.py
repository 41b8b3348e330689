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
def seen_from(ledger: SqliteLedger, clock: StillClock) -> Iterator[Callable[..., SqliteLeases]]:
    with ExitStack() as stack:

        def leases(machine: Machine, filesystem: str = "ext4") -> SqliteLeases:
            connection = stack.enter_context(closing(Connection.open(ledger.connection.path)))
            directory = ledger.connection.path.parent / "locks"
            locks = OwnerLocks(directory, filesystem=filesystem)
            stack.enter_context(closing(locks))
            return SqliteLeases(connection, locks=locks, clock=clock, processes=machine)

        yield leases


def test_a_lock_that_is_held_keeps_an_owner_of_another_boot(
    ledger: SqliteLedger, seen_from: Callable[..., SqliteLeases], clock: StillClock
) -> None:
    acquire(ledger.leases)
    clock.advance(10 * HOUR)
    with pytest.raises(Busy, match="on another machine") as error:
        acquire(seen_from(Machine(boot="next boot")))
    assert "as soon as its lock is free" in (error.value.hint or "")


def test_an_owner_of_another_boot_is_dead_where_one_kernel_has_all_locks_and_it_is_free(
    ledger: SqliteLedger, seen_from: Callable[..., SqliteLeases]
) -> None:
    acquire(ledger.leases)
    ledger.locks.close()
    assert acquire(seen_from(Machine(boot="next boot"))).epoch == 2


@pytest.mark.parametrize("filesystem", ["", "virtiofs", "fuse", "something-new"])
def test_where_a_free_lock_proves_nothing_an_owner_of_another_boot_has_its_lease_and_a_minute(
    ledger: SqliteLedger,
    seen_from: Callable[..., SqliteLeases],
    clock: StillClock,
    filesystem: str,
) -> None:
    acquire(ledger.leases)
    ledger.locks.close()
    elsewhere = seen_from(Machine(boot="next boot"), filesystem)
    clock.advance(HOUR + timedelta(seconds=59))
    with pytest.raises(Busy) as error:
        acquire(elsewhere)
    assert "taken over at 2030-01-01 01:01:00 UTC" in (error.value.hint or "")
    clock.advance(timedelta(seconds=1))
    assert acquire(elsewhere).epoch == 2


def test_a_renewed_lease_ends_later_for_other_boots_too(
    ledger: SqliteLedger, seen_from: Callable[..., SqliteLeases], clock: StillClock
) -> None:
    lease = acquire(ledger.leases)
    clock.advance(timedelta(minutes=50))
    ledger.leases.renew(lease, ttl=HOUR)
    (lock,) = (ledger.connection.path.parent / "locks").iterdir()
    lock.unlink()
    clock.advance(timedelta(minutes=20))
    with refused(Busy):
        acquire(seen_from(Machine(boot="next boot")))


def test_a_held_lock_is_believed_more_than_the_process_table(
    ledger: SqliteLedger, seen_from: Callable[..., SqliteLeases]
) -> None:
    """A process in another pid namespace cannot be seen, but its lock can."""
    acquire(ledger.leases)
    with refused(Busy):
        acquire(seen_from(Machine(says_alive=False)))


def test_without_a_lock_file_the_process_table_decides(
    ledger: SqliteLedger, seen_from: Callable[..., SqliteLeases], directory: Path
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

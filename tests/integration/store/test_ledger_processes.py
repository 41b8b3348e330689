"""Several real processes on one ledger: no fork of the chain, no lost fact, one owner."""

import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from datetime import timedelta
from pathlib import Path

import pytest
from tests.support.processes import PATIENCE

from supervisor_ai.control.ports.queries import Verification
from supervisor_ai.domain.errors import Busy
from supervisor_ai.domain.ids import RunId
from supervisor_ai.domain.run.values import Process
from supervisor_ai.engine.ports.ledger import Lease
from supervisor_ai.store.ledger import SqliteLedger
from supervisor_ai.testing.ledger_harness import RUN, refused

PROGRAM = Path(__file__).with_name("ledger_process.py")

Start = Callable[..., "subprocess.Popen[str]"]


@pytest.fixture
def start(directory: Path) -> Iterator[Start]:
    with ExitStack() as stack:

        def popen(verb: str, run: RunId, number: float) -> "subprocess.Popen[str]":
            command = [sys.executable, str(PROGRAM), verb, str(directory), run, str(number)]
            process = subprocess.Popen(
                command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
            )
            stack.enter_context(process)
            stack.callback(process.kill)
            return process

        yield popen


def hear(process: "subprocess.Popen[str]") -> str:
    assert process.stdout is not None
    return process.stdout.readline().strip()


def tell(process: "subprocess.Popen[str]") -> str:
    assert process.stdin is not None
    process.stdin.write("go\n")
    process.stdin.flush()
    return hear(process)


def test_processes_that_write_at_once_never_fork_the_chain(
    start: Start, directory: Path, open_here: Callable[[Path], SqliteLedger]
) -> None:
    writers = [start("append", RunId(f"r{number}"), 60) for number in range(4)]
    said = [[int(line) for line in writer.communicate()[0].split()] for writer in writers]
    assert [writer.returncode for writer in writers] == [0, 0, 0, 0]
    assert sorted(seq for seqs in said for seq in seqs) == list(range(1, 241))
    assert all(seqs == sorted(seqs) for seqs in said)
    ledger = open_here(directory)
    assert ledger.care.verify() == Verification(events=240, faults=())


def test_a_new_ledger_may_be_made_by_many_at_once(
    start: Start, directory: Path, open_here: Callable[[Path], SqliteLedger]
) -> None:
    writers = [start("append", RunId(f"r{number}"), 1) for number in range(8)]
    assert [writer.wait(30) for writer in writers] == [0] * 8
    assert open_here(directory).care.verify() == Verification(events=8, faults=())


def test_a_killed_process_loses_nothing_that_it_was_told(
    start: Start, directory: Path, open_here: Callable[[Path], SqliteLedger]
) -> None:
    chance = random.Random(7)  # noqa: S311 - only varies the moment of death
    safe = 0
    for number in range(4):
        writer = start("append", RunId(f"r{number}"), 100_000)
        for _ in range(chance.randrange(1, 40)):
            safe = int(hear(writer))
        writer.kill()
        writer.wait(10)
        found = open_here(directory).care.verify()
        assert found.faults == ()
        assert found.events >= safe


def test_a_killed_owner_is_taken_over_at_once(
    start: Start, directory: Path, ledger: SqliteLedger
) -> None:
    owner = start("own", RUN, 3600)
    assert hear(owner) == "1"
    assert tell(owner) == "1"
    with refused(Busy, "'r1'", f"process {owner.pid}"):
        take(ledger)
    owner.kill()
    owner.wait(10)
    assert take(ledger).epoch == 2
    locks = sorted(path.name for path in (directory / "locks").iterdir())
    assert locks == ["r1.2"]


def test_a_frozen_owner_is_taken_over_after_its_lease_and_stops(
    start: Start, ledger: SqliteLedger
) -> None:
    owner = start("own", RUN, 0.5)
    assert hear(owner) == "1"
    assert tell(owner) == "1"
    os.kill(owner.pid, signal.SIGSTOP)
    successor = start("own", RUN, 3600)
    epoch = hear(successor)
    deadline = time.monotonic() + PATIENCE
    while epoch != "2" and time.monotonic() < deadline:
        successor = start("own", RUN, 3600)
        epoch = hear(successor)
    assert tell(successor) == "2"
    os.kill(owner.pid, signal.SIGCONT)
    assert tell(owner) == "LeaseLost"
    assert [envelope.epoch for envelope in ledger.events.read_all()] == [1, 2]


def take(ledger: SqliteLedger) -> Lease:
    process = Process(boot="boot", pid=os.getpid(), started=1)
    return ledger.leases.acquire(RUN, owner="me", process=process, ttl=timedelta(hours=1))

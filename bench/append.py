"""What one recorded fact costs, beside the raw cost of SQLite on the same disk.

Run: .venv/bin/python bench/append.py [ROUNDS] [DIRECTORY]
"""

import sqlite3
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

from supervisor_ai.domain.envelope import Actor, ActorKind, NewEvent
from supervisor_ai.domain.ids import ArtifactHash, CommitSha, RunId, StepName, run_stream
from supervisor_ai.domain.run import events as e
from supervisor_ai.domain.run.status import Verdict
from supervisor_ai.domain.run.values import Process
from supervisor_ai.engine.ports.ledger import Batch, Lease, StreamAppend
from supervisor_ai.engine.ports.workspaces import AnchorPoint
from supervisor_ai.store.ledger import SqliteLedger, open_ledger

RUN = RunId("bench")
STEP = StepName("test")
HASH = ArtifactHash("0" * 64)
ACTOR = Actor(kind=ActorKind.RUNTIME, id="bench", via="bench", verified=True)
PROCESS = Process(boot="bench", pid=1, started=1)
PAYLOAD = "x" * 150


class BenchWorld:
    """The real clock, a process that lives, and no anchor."""

    def now(self) -> datetime:
        return datetime.now(UTC)

    def boottime(self) -> float:
        return time.monotonic()

    async def sleep(self, seconds: float) -> None:
        raise NotImplementedError(seconds)

    def current(self) -> Process:
        return PROCESS

    def is_alive(self, process: Process) -> bool:
        return process == PROCESS

    def read(self) -> AnchorPoint | None:
        return None

    def write(self, point: AnchorPoint) -> None:
        raise NotImplementedError(point)


class Ledger:
    """A run whose gate starts and ends for ever."""

    def __init__(self, directory: Path) -> None:
        world = BenchWorld()
        self._ledger: SqliteLedger = open_ledger(
            directory, clock=world, processes=world, anchor=world
        )
        self._version = 0
        self._lease: Lease = self._ledger.leases.acquire(
            RUN, owner="bench", process=PROCESS, ttl=timedelta(hours=1)
        )
        self._append(_birth())
        self._append(e.StepEntered(step=STEP, visit=1, start=None))

    def step(self, number: int) -> None:
        """Record an intent or an outcome."""
        visit = number // 2 + 1
        if number % 2:
            ended = e.GateEnded(
                step=STEP, visit=visit, gate="test", verdict=Verdict.PASSED, reason="", output=HASH
            )
            self._append(ended)
        else:
            snapshot = CommitSha("1" * 40)
            self._append(e.GateStarted(step=STEP, visit=visit, gate="test", snapshot=snapshot))

    def _append(self, event: e.RunEvent) -> None:
        new = NewEvent(event=event, actor=ACTOR)
        append = StreamAppend(stream=run_stream(RUN), expected=self._version, events=(new,))
        self._ledger.events.append(Batch(appends=(append,), lease=self._lease))
        self._version += 1


def _birth() -> e.RunSubmitted:
    return e.RunSubmitted(
        task=HASH,
        driver="workflow",
        workflow="standard",
        definition=HASH,
        base=None,
        branch=None,
        identity=None,
        parent=None,
        root=RUN,
    )


class Raw:
    """SQLite alone: so many rows, one commit."""

    def __init__(self, path: Path, *, rows: int) -> None:
        self._rows = rows
        self._sql = sqlite3.connect(path, isolation_level=None)
        self._sql.execute("PRAGMA journal_mode = WAL")
        self._sql.execute("PRAGMA synchronous = FULL")
        self._sql.execute("CREATE TABLE events (seq INTEGER PRIMARY KEY, payload TEXT)")
        self._sql.execute("CREATE TABLE others (seq INTEGER PRIMARY KEY, payload TEXT)")

    def step(self, number: int) -> None:
        """Commit the rows."""
        self._sql.execute("BEGIN IMMEDIATE")
        self._sql.execute("INSERT INTO events (payload) VALUES (?)", (f"{number}{PAYLOAD}",))
        if self._rows > 1:
            self._sql.execute("INSERT INTO others (payload) VALUES (?)", (f"{number}{PAYLOAD}",))
        self._sql.execute("COMMIT")


def _timed(step: Callable[[int], None], number: int) -> float:
    begin = time.perf_counter()
    step(number)
    return (time.perf_counter() - begin) * 1e6


def main() -> None:
    """Take turns, so that all of them see the same disk, and compare medians."""
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 2000
    where = sys.argv[2] if len(sys.argv) > 2 else None
    with tempfile.TemporaryDirectory(dir=where) as name:
        directory = Path(name)
        steps = {
            "raw, one insert": Raw(directory / "one.db", rows=1).step,
            "raw, two inserts": Raw(directory / "two.db", rows=2).step,
            "append, one event with lease": Ledger(directory / "ledger").step,
        }
        times: dict[str, list[float]] = {title: [] for title in steps}
        order = list(steps)
        for number in range(rounds):
            for title in order:
                times[title].append(_timed(steps[title], number))
            # Whoever comes after another's commit pays for it: nobody always comes first.
            order.append(order.pop(0))
            if number % len(order) == 0:
                order.reverse()
    floor = statistics.median(times["raw, one insert"])
    print(f"{'one commit, FULL':30} {'median us':>10} {'p99 us':>10} {'ratio':>6}")
    for title, taken in times.items():
        median, p99 = statistics.median(taken), statistics.quantiles(taken, n=100)[98]
        print(f"{title:30} {median:10.0f} {p99:10.0f} {median / floor:6.2f}")


if __name__ == "__main__":
    main()

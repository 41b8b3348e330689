"""A process that uses a ledger, for tests that need real ones.

append DIRECTORY RUN COUNT    append COUNT events, printing each sequence number when it is safe
own DIRECTORY RUN SECONDS     take the run and print its epoch; append an event for every line of
                              input, printing its sequence number or the name of the error
"""

import os
import sys
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path

from supervisor_ai.domain.errors import SupervisorError, Unavailable
from supervisor_ai.domain.ids import RunId, run_stream
from supervisor_ai.domain.run.values import Process
from supervisor_ai.engine.ports.workspaces import AnchorPoint
from supervisor_ai.store.ledger import SqliteLedger, open_ledger
from supervisor_ai.testing.ledger_harness import batch, birth, started


class RealWorld:
    """The machine's clock; processes of which nothing is known beyond their locks."""

    def now(self) -> datetime:
        return datetime.now(UTC)

    def boottime(self) -> float:
        return time.clock_gettime(time.CLOCK_BOOTTIME)

    async def sleep(self, seconds: float) -> None:
        raise NotImplementedError(seconds)

    def current(self) -> Process:
        return Process(boot="boot", pid=os.getpid(), started=1)

    def is_alive(self, process: Process) -> bool:
        return process.pid > 0

    def read(self) -> AnchorPoint | None:
        return None

    def write(self, point: AnchorPoint) -> None:
        raise Unavailable(f"There is no repository to keep {point.seq} in.")


def say(word: object) -> None:
    sys.stdout.write(f"{word}\n")
    sys.stdout.flush()


def append(ledger: SqliteLedger, run: RunId, count: int) -> None:
    for version in range(count):
        event = started() if version else birth()
        (envelope,) = ledger.events.append(batch(run_stream(run), version, event))
        say(envelope.seq)


def own(ledger: SqliteLedger, run: RunId, ttl: float) -> None:
    process = RealWorld().current()
    lease = ledger.leases.acquire(
        run, owner=f"process {process.pid}", process=process, ttl=timedelta(seconds=ttl)
    )
    say(lease.epoch)
    for _ in sys.stdin:
        version = sum(1 for _ in ledger.events.read(run_stream(run)))
        try:
            event = started() if version else birth()
            say(ledger.events.append(batch(run_stream(run), version, event, lease=lease))[0].seq)
        except SupervisorError as error:
            say(type(error).__name__)


def main() -> None:
    verb, directory, run, number = sys.argv[1:]
    world = RealWorld()
    ledger = open_ledger(Path(directory), clock=world, processes=world, anchor=world)
    if verb == "append":
        append(ledger, RunId(run), int(number))
    else:
        own(ledger, RunId(run), float(number))
    ledger.close()


if __name__ == "__main__":
    main()

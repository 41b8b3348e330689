"""A ledger in a directory of its own."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing
from pathlib import Path

import pytest

from supervisor_ai.domain.run.values import Process
from supervisor_ai.engine.ports.workspaces import AnchorPoint
from supervisor_ai.store.ledger import SqliteLedger, open_ledger
from supervisor_ai.testing.ledger_harness import StillClock

HERE = Process(boot="boot", pid=1, started=1)


class OnlyProcess:
    def current(self) -> Process:
        return HERE

    def is_alive(self, process: Process) -> bool:
        return process == HERE


class MemoryAnchor:
    def __init__(self) -> None:
        self._point: AnchorPoint | None = None

    def read(self) -> AnchorPoint | None:
        return self._point

    def write(self, point: AnchorPoint) -> None:
        self._point = point


@pytest.fixture
def clock() -> StillClock:
    return StillClock()


@pytest.fixture
def anchor() -> MemoryAnchor:
    return MemoryAnchor()


@pytest.fixture
def directory(tmp_path: Path) -> Path:
    return tmp_path / ".supervisor"


@pytest.fixture
def open_here(clock: StillClock, anchor: MemoryAnchor) -> Iterator[Callable[[Path], SqliteLedger]]:
    with ExitStack() as stack:

        def opened(directory: Path) -> SqliteLedger:
            world = OnlyProcess()
            ledger = open_ledger(directory, clock=clock, processes=world, anchor=anchor)
            return stack.enter_context(closing(ledger))

        yield opened


@pytest.fixture
def ledger(open_here: Callable[[Path], SqliteLedger], directory: Path) -> SqliteLedger:
    return open_here(directory)

"""The memory ledger and the SQLite ledger keep the same promises."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from supervisor_ai.domain.run.values import Process
from supervisor_ai.engine.ports.workspaces import AnchorPoint
from supervisor_ai.store.files.artifacts import FileArtifacts
from supervisor_ai.store.ledger import SqliteLedger, open_ledger
from supervisor_ai.testing.artifacts_suite import ArtifactsSuite
from supervisor_ai.testing.ledger_harness import LedgerView, StillClock
from supervisor_ai.testing.ledger_suite import LedgerSuite
from supervisor_ai.testing.memory_ledger import MemoryArtifacts, MemoryLedger

FIRST = Process(boot="boot", pid=11, started=1)
SECOND = Process(boot="boot", pid=22, started=1)


@dataclass(frozen=True)
class MemoryView:
    events: MemoryLedger
    leases: MemoryLedger
    inbox: MemoryLedger
    cache: MemoryLedger
    wakes: MemoryLedger
    verdicts: MemoryLedger


@dataclass
class MemoryHarness:
    clock: StillClock = field(default_factory=StillClock)
    dead: set[Process] = field(default_factory=set)

    def __post_init__(self) -> None:
        ledger = MemoryLedger(self.clock, is_alive=lambda process: process not in self.dead)
        self.first = MemoryView(ledger, ledger, ledger, ledger, ledger, ledger)
        self.second = MemoryView(ledger, ledger, ledger, ledger, ledger, ledger)

    def process(self, view: LedgerView) -> Process:
        return FIRST if view is self.first else SECOND

    def kill_first(self) -> None:
        self.dead.add(FIRST)


@dataclass(frozen=True)
class OneProcess:
    """A process that believes everybody alive: locks alone tell the dead."""

    process: Process

    def current(self) -> Process:
        return self.process

    def is_alive(self, process: Process) -> bool:
        return process.boot == self.process.boot


class NoAnchor:
    def read(self) -> AnchorPoint | None:
        return None

    def write(self, point: AnchorPoint) -> None:
        """Keep nothing."""


class SqliteHarness:
    def __init__(self, directory: Path) -> None:
        self.clock = StillClock()
        self.first = self._open(directory, FIRST)
        self.second = self._open(directory, SECOND)

    def _open(self, directory: Path, process: Process) -> SqliteLedger:
        processes = OneProcess(process)
        return open_ledger(directory, clock=self.clock, processes=processes, anchor=NoAnchor())

    def process(self, view: LedgerView) -> Process:
        return FIRST if view is self.first else SECOND

    def kill_first(self) -> None:
        """Do what the kernel does: close the dead process's files."""
        self.first.close()

    def close(self) -> None:
        self.first.close()
        self.second.close()


class TestMemoryLedger(LedgerSuite):
    @pytest.fixture(autouse=True)
    def _make(self) -> None:
        self.harness = MemoryHarness()


class TestSqliteLedger(LedgerSuite):
    @pytest.fixture(autouse=True)
    def _make(self, tmp_path: Path) -> Iterator[None]:
        harness = SqliteHarness(tmp_path / ".supervisor")
        self.harness = harness
        yield
        harness.close()


class TestMemoryArtifacts(ArtifactsSuite):
    @pytest.fixture(autouse=True)
    def _make(self) -> None:
        self.artifacts = MemoryArtifacts()


class TestFileArtifacts(ArtifactsSuite):
    @pytest.fixture(autouse=True)
    def _make(self, tmp_path: Path) -> None:
        self.artifacts = FileArtifacts(tmp_path / "artifacts")

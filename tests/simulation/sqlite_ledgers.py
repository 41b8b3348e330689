"""The real ledger for simulated processes: one file, opened by each of them."""

from pathlib import Path

from tests.simulation.machine import LedgerView

from supervisor_ai.store.ledger import SqliteLedger, open_ledger
from supervisor_ai.testing.clock import FakeClock
from supervisor_ai.testing.fake_workspaces import MemoryAnchor
from supervisor_ai.testing.ids import FakeProcesses


class SqliteLedgers:
    """Opens the ledger of one directory for each process that asks."""

    def __init__(self, directory: Path) -> None:
        self._directory = directory
        self._opened: list[SqliteLedger] = []
        self._anchor = MemoryAnchor()

    def __call__(self, clock: FakeClock, processes: FakeProcesses) -> LedgerView:
        """Open the ledger for a process."""
        ledger = open_ledger(self._directory, clock=clock, processes=processes, anchor=self._anchor)
        self._opened.append(ledger)
        return LedgerView(
            log=ledger.events,
            leases=ledger.leases,
            inbox=ledger.inbox,
            cache=ledger.cache,
            wakes=ledger.wakes,
            verdicts=ledger.verdicts,
            close=ledger.close,
        )

    def faults(self) -> list[str]:
        """Return where the chain or the tables are not what the events say."""
        return [fault.message for fault in self._opened[0].care.verify().faults]

    def close(self) -> None:
        """Let every process go of the file."""
        for ledger in self._opened:
            ledger.close()

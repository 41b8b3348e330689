"""What an all-seeing observer of the simulated world writes down."""

from collections import Counter, defaultdict
from dataclasses import dataclass, field
from datetime import timedelta

from tests.simulation.processes import SimProcess

from supervisor_ai.domain.ids import RunId
from supervisor_ai.domain.run.values import Process
from supervisor_ai.engine.ports.ledger import Lease, Leases


@dataclass(slots=True, kw_only=True)
class History:
    """Facts about the world that the ledger does not hold, and rules that were seen broken."""

    violations: list[str] = field(default_factory=list)
    owners: dict[tuple[RunId, int], SimProcess] = field(default_factory=dict)
    epochs: dict[RunId, int] = field(default_factory=dict)
    starts: Counter[str] = field(default_factory=Counter)
    refused: set[str] = field(default_factory=set)
    written: dict[str, dict[str, str]] = field(default_factory=lambda: defaultdict(dict))

    def broken(self, rule: str) -> None:
        """Note that a rule was broken at the very moment."""
        self.violations.append(rule)

    def owner(self, run: RunId) -> SimProcess | None:
        """Return who took the run last."""
        return self.owners.get((run, self.epochs.get(run, 0)))


class WatchedLeases:
    """Leases whose owners the observer knows."""

    def __init__(self, leases: Leases, history: History, process: SimProcess) -> None:
        self._leases = leases
        self._history = history
        self._process = process

    def acquire(self, run: RunId, *, owner: str, process: Process, ttl: timedelta) -> Lease:
        """Take the run and let the observer know."""
        lease = self._leases.acquire(run, owner=owner, process=process, ttl=ttl)
        if lease.epoch <= self._history.epochs.get(run, 0):
            self._history.broken(f"Epoch {lease.epoch} of run {run!r} was given twice.")
        self._history.epochs[run] = lease.epoch
        self._history.owners[run, lease.epoch] = self._process
        return lease

    def renew(self, lease: Lease, *, ttl: timedelta) -> None:
        """Keep the run."""
        self._leases.renew(lease, ttl=ttl)

    def release(self, lease: Lease) -> None:
        """Give the run back."""
        self._leases.release(lease)

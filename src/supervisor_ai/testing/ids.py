"""Names and processes for tests."""

from itertools import count

from supervisor_ai.domain.ids import RunId
from supervisor_ai.domain.run.values import Process


class FakeIds:
    """Counts: r1, then r2, and so on."""

    def __init__(self) -> None:
        self._numbers = count(1)
        self._nonces = count(1)

    def run_id(self) -> RunId:
        """Make the next run's name."""
        return RunId(f"r{next(self._numbers)}")

    def nonce(self) -> str:
        """Make the next nonce; runs are counted apart."""
        return f"nonce-{next(self._nonces)}"


class FakeProcesses:
    """One process of a made-up machine, on which processes die when a test says so."""

    def __init__(self, pid: int = 1, dead: set[int] | None = None) -> None:
        self._pid = pid
        self._dead = set() if dead is None else dead

    def current(self) -> Process:
        """Identify the made-up process."""
        return Process(boot="boot", pid=self._pid, started=self._pid)

    def is_alive(self, process: Process) -> bool:
        """Tell whether nobody has said that it is dead."""
        return process.pid not in self._dead

    def kill(self, pid: int) -> None:
        """Say that a process is dead."""
        self._dead.add(pid)

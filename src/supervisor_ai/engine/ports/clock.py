"""Time, names and chance: the only doors through which they enter."""

from datetime import datetime
from typing import Protocol

from supervisor_ai.domain.ids import RunId
from supervisor_ai.domain.run.values import Process


class Clock(Protocol):
    """The time."""

    def now(self) -> datetime:
        """Return the time of day, aware, in UTC."""
        ...

    def boottime(self) -> float:
        """Return seconds since the machine started, sleep included; never set back."""
        ...

    async def sleep(self, seconds: float) -> None:
        """Wait."""
        ...


class Ids(Protocol):
    """New names."""

    def run_id(self) -> RunId:
        """Make a run's name: short, sortable by time, safe in refs and file names."""
        ...

    def nonce(self) -> str:
        """Make a word that nobody can guess, of a form that redaction leaves alone."""
        ...


class Processes(Protocol):
    """Who this process is, and who still lives."""

    def current(self) -> Process:
        """Identify this process beyond the reuse of its number."""
        ...

    def is_alive(self, process: Process) -> bool:
        """Tell whether exactly this process still exists."""
        ...

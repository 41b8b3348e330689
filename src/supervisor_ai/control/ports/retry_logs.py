"""The place where retry logs of runs are kept for people: files that can always be made again."""

from pathlib import Path
from typing import Protocol

from supervisor_ai.domain.ids import RunId


class RetryLogs(Protocol):
    """Keeps one text for each run."""

    def path(self, run: RunId) -> Path:
        """Return where the log of a run is kept."""
        ...

    def write(self, run: RunId, text: str) -> None:
        """Write the log of a run, whole or not at all; raises Unavailable where that fails."""
        ...

    def remove_all(self) -> None:
        """Remove the logs of all runs; raises Unavailable where that fails."""
        ...

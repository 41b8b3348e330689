"""The place where retry logs of runs are kept for people: files that can always be made again."""

from typing import Protocol

from supervisor_ai.domain.ids import RunId


class RetryLogs(Protocol):
    """Keeps one text for each run."""

    def write(self, run: RunId, text: str) -> None:
        """Write the log of a run, whole or not at all; raises Unavailable where that fails."""
        ...

    def remove_all(self) -> None:
        """Remove the logs of all runs; raises Unavailable where that fails."""
        ...


class NoRetryLogs:
    """Keeps nothing, where nobody would look."""

    def write(self, run: RunId, text: str) -> None:
        """Keep nothing."""

    def remove_all(self) -> None:
        """Remove nothing."""

"""The last lines that runs print which are driven here, and no more of them than can be read."""

from collections import deque
from threading import Lock
from typing import Final

from supervisor_ai.domain.envelope import Envelope
from supervisor_ai.domain.ids import RunId
from supervisor_ai.domain.live_output import LiveOutput

LINES: Final = 500
_LONGEST: Final = 2_000
_RUNS: Final = 16


class OutputTails:
    """Hears what workers and gates print, whichever thread they are driven in."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._lines: dict[RunId, deque[str]] = {}
        self._open: dict[RunId, str] = {}

    def recorded(self, envelope: Envelope) -> None:
        """Leave facts to who follows the ledger."""

    def output(self, output: LiveOutput) -> None:
        """Remember a piece of output."""
        with self._lock:
            lines = self._tail(output.run)
            *whole, rest = (self._open.get(output.run, "") + output.text).split("\n")
            lines.extend(line[:_LONGEST] for line in whole)
            self._open[output.run] = rest[-_LONGEST:]

    def lines(self, run: RunId) -> tuple[str, ...]:
        """Return the last lines of a run, the one that is not ended included."""
        with self._lock:
            rest = self._open.get(run, "")
            return (*self._lines.get(run, ()), *([rest] if rest else []))

    def _tail(self, run: RunId) -> deque[str]:
        if run not in self._lines and len(self._lines) >= _RUNS:
            oldest = next(iter(self._lines))
            del self._lines[oldest]
            self._open.pop(oldest, None)
        return self._lines.setdefault(run, deque(maxlen=LINES))

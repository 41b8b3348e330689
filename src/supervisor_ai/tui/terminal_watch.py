"""A thread that ends the session when its terminal is gone.

Whoever draws on a terminal that is gone may wait for ever, so that nobody but another thread can
leave what is driven here in good order.
"""

import math
from collections.abc import Callable
from threading import Event, Thread
from time import monotonic
from typing import Final

_LOOK_SECONDS: Final = 1.0
_PATIENCE_SECONDS: Final = 10.0


class TerminalWatch:
    """Looks once in a while whether there is still somebody to draw for."""

    def __init__(
        self,
        has_terminal: Callable[[], bool],
        leave: Callable[[], None],
        *,
        pause: float = _LOOK_SECONDS,
        patience: float = _PATIENCE_SECONDS,
    ) -> None:
        self._pause, self._patience = pause, patience
        self._has_terminal = has_terminal
        self._leave = leave
        self._is_over = Event()
        self._last = math.inf
        self._thread = Thread(target=self._watch, name="terminal", daemon=True)

    def start(self) -> None:
        """Begin to look."""
        self._thread.start()

    def hurry(self) -> None:
        """Let the session end by itself only for a moment: who draws may wait for ever."""
        self._last = monotonic() + self._patience

    def stop(self) -> None:
        """Let the session end by itself."""
        self._is_over.set()

    def _watch(self) -> None:
        while not self._is_over.wait(self._pause):
            if not self._has_terminal() or monotonic() >= self._last:
                self._leave()
                return

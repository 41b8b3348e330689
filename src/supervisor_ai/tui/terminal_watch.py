"""A thread that ends the session when its terminal is gone.

Whoever draws on a terminal that is gone may wait for ever, so that nobody but another thread can
leave what is driven here in good order.
"""

from collections.abc import Callable
from threading import Event, Thread
from typing import Final

_LOOK_SECONDS: Final = 1.0


class TerminalWatch:
    """Looks once in a while whether there is still somebody to draw for."""

    def __init__(self, has_terminal: Callable[[], bool], leave: Callable[[], None]) -> None:
        self._has_terminal = has_terminal
        self._leave = leave
        self._is_over = Event()
        self._thread = Thread(target=self._watch, name="terminal", daemon=True)

    def start(self) -> None:
        """Begin to look."""
        self._thread.start()

    def stop(self) -> None:
        """Let the session end by itself."""
        self._is_over.set()

    def _watch(self) -> None:
        while not self._is_over.wait(_LOOK_SECONDS):
            if not self._has_terminal():
                self._leave()
                return

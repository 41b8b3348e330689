"""The terminal that the UI is shown on."""

import select
from typing import Final

_GONE: Final = select.POLLHUP | select.POLLERR | select.POLLNVAL


def terminal_is_gone(file: int) -> bool:
    """Tell whether nobody is at the other end: its window was closed, or its line is cut.

    Not every terminal that goes sends a signal, and reading from one that is gone never waits.
    """
    look = select.poll()
    look.register(file, 0)
    return any(event & _GONE for _, event in look.poll(0))

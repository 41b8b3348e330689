"""Signal handling: work that Ctrl-C or a termination stops in good order."""

import asyncio
import signal
from collections.abc import Coroutine
from typing import Final, TypeVar

T = TypeVar("T")

_SIGNALS: Final = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


class Interrupted(Exception):
    """A signal stopped the work; nothing of it is left running."""


def run_interruptibly(work: Coroutine[object, object, T]) -> T:
    """Do the work; the first signal stops it, later ones do not disturb the stopping."""
    try:
        return asyncio.run(_guarded(work))
    except asyncio.CancelledError:
        raise Interrupted from None


async def _guarded(work: Coroutine[object, object, T]) -> T:
    loop, task = asyncio.get_running_loop(), asyncio.ensure_future(work)
    for number in _SIGNALS:
        # Whoever started us in the background may have told us to ignore a signal.
        if signal.getsignal(number) is not signal.SIG_IGN:
            loop.add_signal_handler(number, _stop_once, task)
    return await task


def _stop_once(task: asyncio.Task[T]) -> None:
    if not task.cancelling():
        task.cancel()

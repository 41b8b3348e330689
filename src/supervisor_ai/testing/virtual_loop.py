"""An asyncio loop with virtual time: waiting takes no time, and always the same way."""

import asyncio
import selectors
from collections.abc import Callable, Coroutine
from typing import TypeVar

T = TypeVar("T")


class _VirtualSelector(selectors.SelectSelector):
    """Advances the time instead of waiting for it."""

    def __init__(self) -> None:
        super().__init__()
        self.time = 0.0

    def select(  # type: ignore[explicit-override] # typing.override comes with 3.12
        self, timeout: float | None = None
    ) -> list[tuple[selectors.SelectorKey, int]]:
        if timeout is None:
            raise RuntimeError("Everything waits, and nothing is due: a deadlock.")
        self.time += max(0.0, timeout)
        return super().select(0)


class VirtualLoop(asyncio.SelectorEventLoop):
    """Runs coroutines on virtual time."""

    def __init__(self) -> None:
        self._virtual = _VirtualSelector()
        super().__init__(self._virtual)

    def time(self) -> float:  # type: ignore[explicit-override] # likewise
        """Return the virtual time in seconds."""
        return self._virtual.time

    def run_in_executor(  # type: ignore[explicit-override,override] # likewise; never a pool of others
        self, executor: None, func: Callable[..., T], *args: object
    ) -> asyncio.Future[T]:
        """Do at once what others do in a thread: no time may pass meanwhile, nor chance decide."""
        del executor
        return done_at_once(self.create_future(), func, *args)


def done_at_once(
    done: "asyncio.Future[T]", func: Callable[..., T], *args: object
) -> "asyncio.Future[T]":
    """Settle a future by what a function does."""
    try:
        done.set_result(func(*args))
    except BaseException as error:  # noqa: BLE001 - as a thread passes on whatever is raised
        done.set_exception(error)
    return done


def run_virtual(main: Coroutine[object, object, T]) -> T:
    """Run a coroutine to its end on virtual time."""
    with asyncio.Runner(loop_factory=VirtualLoop) as runner:
        return runner.run(main)

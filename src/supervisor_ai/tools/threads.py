"""Blocking work in threads that a cancellation does not leave behind."""

import asyncio
from collections.abc import Callable, Collection
from typing import ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")


async def finish_in_thread(function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """Do blocking work beside the loop; who cancels it waits until it is done."""
    work = asyncio.ensure_future(asyncio.to_thread(function, *args, **kwargs))
    try:
        return await asyncio.shield(work)
    except asyncio.CancelledError:
        try:
            await wait_until_done([work])
        finally:
            _ = work.cancelled() or work.exception()
        raise


async def wait_until_done(tasks: "Collection[asyncio.Future[T]]") -> None:
    """Wait until all of them have ended; a cancellation comes through only then."""
    cancelled: asyncio.CancelledError | None = None
    while left := [task for task in tasks if not task.done()]:
        try:
            await asyncio.wait(left)
        except asyncio.CancelledError as error:
            cancelled = error
    if cancelled is not None:
        raise cancelled

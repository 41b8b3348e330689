"""Waiting that a cancellation does not cut short."""

import asyncio
from collections.abc import Collection
from typing import TypeVar

T = TypeVar("T")


async def gone(tasks: "Collection[asyncio.Future[T]]") -> None:
    """Wait until all of them have ended; a cancellation comes through only then."""
    cancelled: asyncio.CancelledError | None = None
    while left := [task for task in tasks if not task.done()]:
        try:
            await asyncio.wait(left)
        except asyncio.CancelledError as error:
            cancelled = error
    if cancelled is not None:
        raise cancelled

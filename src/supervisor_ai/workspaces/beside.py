"""Blocking work beside the loop."""

import asyncio
from collections.abc import Callable
from typing import ParamSpec, TypeVar

from supervisor_ai.workspaces.disk import disk_failure

P = ParamSpec("P")
T = TypeVar("T")


async def perform(function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """Do blocking work beside the loop; who cancels it waits until it is done."""
    work = asyncio.ensure_future(asyncio.to_thread(function, *args, **kwargs))
    try:
        return await asyncio.shield(work)
    except asyncio.CancelledError:
        await asyncio.wait([work])
        _ = work.cancelled() or work.exception()
        raise
    except OSError as error:
        raise disk_failure(error) from error

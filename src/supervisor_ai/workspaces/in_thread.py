"""Runs blocking work in a thread beside the event loop."""

from collections.abc import Callable
from typing import ParamSpec, TypeVar

from supervisor_ai.tools.threads import finish_in_thread
from supervisor_ai.workspaces.files.disk_errors import disk_failure

P = ParamSpec("P")
T = TypeVar("T")


async def perform(function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """Do blocking work beside the loop; who cancels it waits until it is done."""
    try:
        return await finish_in_thread(function, *args, **kwargs)
    except OSError as error:
        raise disk_failure(error) from error

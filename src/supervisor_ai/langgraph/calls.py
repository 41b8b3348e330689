"""Calls to ports: what a node wants called is said by one function, whoever awaits it."""

from collections.abc import Callable, Generator
from inspect import isawaitable, iscoroutinefunction
from typing import Any, TypeVar

from msgspec import Struct

from supervisor_ai.domain.errors import InvalidInput

T = TypeVar("T")


class PortCall(Struct, frozen=True, kw_only=True):
    """A call that a node wants to be made for it."""

    port: Callable[[Any], object]
    argument: object
    is_guarded: bool = False
    """Whether the node goes on where the port raises."""


class Unanswered(Struct, frozen=True, kw_only=True):
    """What a guarded call comes to that raised."""

    reason: str


Calls = Generator[PortCall, object, T]
"""Asks for calls one after the other, and returns what they come to."""


def is_async(port: object) -> bool:
    """Tell whether a port has to be awaited."""
    call = getattr(type(port), "__call__", None)  # noqa: B004 - it may be a coroutine function
    return iscoroutinefunction(port) or iscoroutinefunction(call)


def run_calls(calls: Calls[T], passes: tuple[type[Exception], ...]) -> T:
    """Make the calls where no port has to be awaited; `passes` are exceptions that no guard stops.

    A coroutine that never waits is over at its first step, so that there is one way to make calls.
    """
    coroutine = await_calls(calls, passes)
    try:
        coroutine.send(None)
    except StopIteration as ended:
        found: T = ended.value
        return found
    coroutine.close()
    raise InvalidInput(
        "A port of the graph waits for something, and the graph was not awaited.",
        hint="Call ainvoke() or astream(), or make the port a coroutine function.",
    )


async def await_calls(calls: Calls[T], passes: tuple[type[Exception], ...]) -> T:
    """Make the calls, and await those that have to be."""
    reply: object = None
    while True:
        try:
            call = calls.send(reply)
        except StopIteration as ended:
            found: T = ended.value
            return found
        try:
            reply = call.port(call.argument)
            if isawaitable(reply):
                reply = await reply
        except passes:
            raise
        except Exception as error:  # noqa: BLE001 - whatever a port of somebody else raises
            reply = _unanswered(call, error)


def _unanswered(call: PortCall, error: Exception) -> Unanswered:
    """Name the kind of trouble alone: what an exception says may hold secrets."""
    if not call.is_guarded:
        raise error
    return Unanswered(reason=type(error).__name__)

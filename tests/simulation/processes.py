"""Simulated processes: they can be killed, frozen or interrupted at every call of a port."""

import asyncio
from collections.abc import Awaitable, Callable, Generator
from inspect import iscoroutinefunction
from typing import ParamSpec, Protocol, TypeVar, cast

from tests.simulation.chaos import Chaos
from tests.simulation.timeline import Timeline

T = TypeVar("T")
P = ParamSpec("P")


class Killed(BaseException):
    """The process is dead: nothing that it still tries has any effect."""


class Mortal(Protocol):
    """Whatever can die at a call of a port."""

    def point(self) -> None: ...

    async def linger(self) -> None: ...


class SimProcess:
    """One process of the simulated machine."""

    def __init__(
        self, number: int, timeline: Timeline, chaos: Chaos, on_death: Callable[[], None]
    ) -> None:
        self.number = number
        self.timeline = timeline
        self.loop = timeline.add()
        self.is_alive = True
        self.has_been_frozen = False
        self._chaos = chaos
        self._on_death = on_death

    def check(self) -> None:
        """Refuse to act for a dead process."""
        if not self.is_alive:
            raise Killed

    def point(self) -> None:
        """Pass a place where anything may happen to a process."""
        self.check()
        self._chaos.strike(self)
        self.check()

    async def linger(self) -> None:
        """Take the time that an asynchronous call takes; the process may die meanwhile."""
        seconds = self._chaos.latency()
        if seconds:
            await asyncio.sleep(seconds)
        self.point()

    def kill(self) -> None:
        """End the process as SIGKILL does: at once, with no clean-up."""
        if self.is_alive:
            self.is_alive = False
            self.timeline.remove(self.loop)
            self._on_death()

    def freeze(self, seconds: float) -> None:
        """Stop the process where it is, in the middle of a call, as SIGSTOP does."""
        self.has_been_frozen = True
        self.timeline.freeze(self.loop, seconds)

    def interrupt(self, seconds: float) -> None:
        """Let others run in the middle of a call, as a scheduler or a slow disk does.

        Who froze meanwhile on top of this process held it up as well.
        """
        end = self.timeline.now + seconds
        self.timeline.freeze(self.loop, seconds)
        self.has_been_frozen |= self.timeline.now > end

    def hold(self) -> None:
        """Stop the process while it waits for something."""
        self.has_been_frozen = True
        self.loop.holds += 1

    def release(self) -> None:
        """Let the process go on, as SIGCONT does."""
        self.loop.holds -= 1


class _Guard:
    """A port as one process sees it."""

    def __init__(self, process: Mortal, port: object) -> None:
        self._process = process
        self._port = port

    def __getattr__(self, name: str) -> object:
        attribute = getattr(self._port, name)
        if not callable(attribute):
            return attribute
        guarded = _guarded(self._process, attribute)
        setattr(self, name, guarded)
        return guarded


def guard(process: Mortal, port: T) -> T:
    """Let a process call the port only while it lives, and put it at risk at every call."""
    return cast("T", _Guard(process, port))


def unguarded(port: T) -> T:
    """Return what a process's port stands for."""
    return cast("T", port._port) if isinstance(port, _Guard) else port


def _guarded(process: Mortal, method: Callable[P, T]) -> Callable[P, T]:
    if iscoroutinefunction(method):
        return cast("Callable[P, T]", _guarded_async(process, method))

    def call(*args: P.args, **kwargs: P.kwargs) -> T:
        process.point()
        result = method(*args, **kwargs)
        if isinstance(result, Generator):
            result = cast("T", iter(list(result)))
        process.point()
        return result

    return call


def _guarded_async(process: Mortal, method: Callable[P, Awaitable[T]]) -> Callable[P, Awaitable[T]]:
    async def call(*args: P.args, **kwargs: P.kwargs) -> T:
        process.point()
        await process.linger()
        result = await method(*args, **kwargs)
        await process.linger()
        return result

    return call

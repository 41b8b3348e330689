"""Virtual time, shared by the event loops of several simulated processes."""

import asyncio
import heapq
from asyncio.events import _get_running_loop, _set_running_loop
from collections import deque
from collections.abc import Callable, Coroutine
from contextvars import Context
from itertools import count
from random import Random
from typing import Any, TypeVar, TypeVarTuple, cast

from supervisor_ai.testing.virtual_loop import done_at_once

T = TypeVar("T")
Ts = TypeVarTuple("Ts")


class ProcessLoop:
    """The loop of one process: has what asyncio asks of a loop, and runs one callback at a time."""

    def __init__(self, timeline: "Timeline") -> None:
        self._timeline = timeline
        self._loop = cast("asyncio.AbstractEventLoop", self)
        self._places = count()
        self._ready: deque[asyncio.Handle] = deque()
        self._timers: list[tuple[float, int, asyncio.TimerHandle]] = []
        self.tasks: list[asyncio.Task[Any]] = []
        self.holds = 0

    def time(self) -> float:
        return self._timeline.now

    def call_soon(
        self,
        callback: Callable[[*Ts], object],
        *args: *Ts,
        context: Context | None = None,
    ) -> asyncio.Handle:
        handle = asyncio.Handle(callback, args, self._loop, context)
        self._ready.append(handle)
        return handle

    def call_later(
        self,
        delay: float,
        callback: Callable[[*Ts], object],
        *args: *Ts,
        context: Context | None = None,
    ) -> asyncio.TimerHandle:
        return self.call_at(self._timeline.now + delay, callback, *args, context=context)

    def call_at(
        self,
        when: float,
        callback: Callable[[*Ts], object],
        *args: *Ts,
        context: Context | None = None,
    ) -> asyncio.TimerHandle:
        timer = asyncio.TimerHandle(when, callback, args, self._loop, context)
        heapq.heappush(self._timers, (when, next(self._places), timer))
        return timer

    def create_future(self) -> asyncio.Future[Any]:
        return asyncio.Future(loop=self._loop)

    def create_task(
        self,
        coro: Coroutine[Any, Any, T],
        *,
        name: str | None = None,
        context: Context | None = None,
    ) -> asyncio.Task[T]:
        task = asyncio.Task(coro, loop=self._loop, name=name, context=context)
        self.tasks.append(task)
        return task

    def run_in_executor(
        self, executor: None, func: Callable[..., T], *args: object
    ) -> asyncio.Future[T]:
        """Do at once what others do in a thread: chance alone is seeded, threads are not."""
        del executor
        return done_at_once(self.create_future(), func, *args)

    def get_debug(self) -> bool:
        return False

    def call_exception_handler(self, context: dict[str, Any]) -> None:
        """Say nothing: whoever started a task looks at its end."""

    def _timer_handle_cancelled(self, handle: asyncio.TimerHandle) -> None:
        pass

    def due_at(self) -> float | None:
        """Tell when the loop has something to run; None when nothing is to come."""
        if self._ready:
            return self._timeline.now
        while self._timers and self._timers[0][2].cancelled():
            heapq.heappop(self._timers)
        return max(self._timers[0][0], self._timeline.now) if self._timers else None

    def step(self) -> None:
        """Run one callback whose time has come."""
        while self._timers and self._timers[0][0] <= self._timeline.now:
            self._ready.append(heapq.heappop(self._timers)[2])
        outer = _get_running_loop()
        _set_running_loop(self._loop)
        try:
            handle = self._ready.popleft()
            if not handle.cancelled():
                handle._run()
        finally:
            _set_running_loop(outer)

    def bury(self) -> None:
        """Let what is left of a dead process unwind; its ports refuse everything by now."""
        for task in self.tasks:
            task.cancel()
        while self._ready:
            self.step()


class Timeline:
    """Steps one loop at a time, chosen by chance, and moves time when all of them wait."""

    def __init__(self, chance: Random) -> None:
        self.now = 0.0
        self._chance = chance
        self._loops: list[ProcessLoop] = []

    def add(self) -> ProcessLoop:
        """Begin the loop of another process."""
        loop = ProcessLoop(self)
        self._loops.append(loop)
        return loop

    def remove(self, loop: ProcessLoop) -> None:
        """End a process: its loop is not run any more."""
        self._loops.remove(loop)

    def run(self, is_over: Callable[[], bool]) -> None:
        """Go on until it is over or nothing is to come."""
        while not is_over() and self._advance(horizon=None):
            pass

    def freeze(self, loop: ProcessLoop, seconds: float) -> None:
        """Stop a process in the middle of a call while the world goes on."""
        loop.holds += 1
        thaw = self.now + seconds
        while self._advance(horizon=thaw):
            pass
        self.now = max(self.now, thaw)
        loop.holds -= 1

    def _advance(self, *, horizon: float | None) -> bool:
        """Run one callback that is due by the horizon; False when there is none."""
        earliest = horizon
        runnable: list[ProcessLoop] = []
        for loop in self._loops:
            due = None if loop.holds else loop.due_at()
            if due is None or (earliest is not None and due > earliest):
                continue
            if due != earliest:
                runnable.clear()
            earliest = due
            runnable.append(loop)
        if not runnable or earliest is None:
            return False
        self.now = earliest
        loop = runnable[0] if len(runnable) == 1 else self._chance.choice(runnable)
        loop.step()
        return True

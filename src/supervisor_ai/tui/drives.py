"""Runs that are driven here, beside the screen: one thread with one loop drives all of them."""

import asyncio
from collections.abc import Callable, Coroutine
from concurrent.futures import Future
from threading import Lock, Thread
from typing import Any, TypeVar

from supervisor_ai.control.commands.run_execution import drive_family
from supervisor_ai.control.project import OpenProject
from supervisor_ai.domain.errors import SupervisorError
from supervisor_ai.domain.ids import RunId

T = TypeVar("T")


class Drives:
    """Begins a thread when the first run is driven; leaves all runs in good order at the end."""

    def __init__(self, project: Callable[[], OpenProject], failed: Callable[[str], None]) -> None:
        self._project = project
        self._failed = failed
        self._lock = Lock()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread: Thread | None = None
        self._driven: dict[RunId, Future[None]] = {}
        self._asked: set[Future[Any]] = set()
        self._left: tuple[RunId, ...] | None = None

    def wait_for(self, work: Coroutine[object, object, T]) -> T:
        """Do something in the loop and wait for it."""
        with self._lock:
            asked = asyncio.run_coroutine_threadsafe(work, self._running())
            self._asked.add(asked)
        try:
            return asked.result()
        finally:
            self._asked.discard(asked)

    def begin(self, run: RunId) -> None:
        """Drive a run until it ends or can only wait; nothing new where that goes on already."""
        with self._lock:
            if run in self._driven and not self._driven[run].done():
                return
            loop = self._running()
            self._driven[run] = asyncio.run_coroutine_threadsafe(self._drive(run), loop)

    def finish(self, run: RunId) -> None:
        """Drive a run as far as it goes, and wait for that."""
        self.begin(run)
        self._driven[run].result()

    def interrupt(self) -> tuple[RunId, ...]:
        """Let everything come to its end, and name the runs that were under way."""
        with self._lock:
            if self._left is None:
                driven = self._driven.items()
                self._left = tuple(run for run, drive in driven if not drive.done())
            under_way: tuple[Future[Any], ...] = (*self._driven.values(), *self._asked)
            for work in under_way:
                work.cancel()
            return self._left

    def stop(self) -> tuple[RunId, ...]:
        """Stop driving, and name the runs that were under way."""
        left = self.interrupt()
        if self._loop is not None and self._thread is not None:
            asyncio.run_coroutine_threadsafe(_settled(), self._loop).result()
            self._loop.call_soon_threadsafe(self._loop.stop)
            self._thread.join()
            self._loop.close()
        return left

    async def _drive(self, run: RunId) -> None:
        try:
            await drive_family(self._project(), run)
        except SupervisorError as error:
            self._failed(f"{run}: {error.message}{f' {error.hint}' if error.hint else ''}")

    def _running(self) -> asyncio.AbstractEventLoop:
        if self._loop is None:
            self._loop = asyncio.new_event_loop()
            self._thread = Thread(target=self._loop.run_forever, name="drives", daemon=True)
            self._thread.start()
        return self._loop


async def _settled() -> None:
    """Wait until everything that was cancelled has ended."""
    others = [it for it in asyncio.all_tasks() if it is not asyncio.current_task()]
    await asyncio.gather(*others, return_exceptions=True)

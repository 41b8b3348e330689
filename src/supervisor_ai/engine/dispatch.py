"""Who is driven when: runs that are due, a few at a time."""

import asyncio
from collections.abc import Awaitable, Callable
from datetime import datetime, timedelta
from typing import Final, Protocol

from msgspec import Struct

from supervisor_ai.domain.errors import Busy, InternalError, LeaseLost, SupervisorError
from supervisor_ai.domain.ids import RunId
from supervisor_ai.engine.drive import DriveResult
from supervisor_ai.engine.ports.clock import Clock
from supervisor_ai.engine.ports.ledger import Wake, WakeQueue

_PATIENCE: Final = timedelta(seconds=30)

DriveRun = Callable[[RunId], Awaitable[DriveResult]]


class Shift(Struct, frozen=True, kw_only=True):
    """What a dispatcher serves, for how long, and what it does about errors.

    `is_over` is asked after every look and told whether nothing is due and nothing under way.
    """

    limit: int
    serves: Callable[[RunId], bool]
    is_over: Callable[[bool], bool]
    failed: Callable[[RunId, SupervisorError], None]


class Dispatcher(Protocol):
    """Brings runs to whoever can drive them; a fleet can stand behind it."""

    def submit(self, run: RunId, *, wake: int, not_before: datetime | None = None) -> None:
        """Ask for a run to be driven; asking twice with one number is harmless."""
        ...

    async def serve(self, drive: DriveRun, shift: Shift) -> None:
        """Drive what is due until the shift is over."""
        ...


class LocalDispatcher:
    """Serves the runs of one machine from the ledger's own queue."""

    def __init__(self, wakes: WakeQueue, clock: Clock, *, poll: timedelta) -> None:
        self._wakes = wakes
        self._clock = clock
        self._poll = poll

    def submit(self, run: RunId, *, wake: int, not_before: datetime | None = None) -> None:
        """Ask for a run to be driven; asking twice with one number is harmless."""
        self._wakes.submit(Wake(run=run, number=wake, not_before=not_before))

    async def serve(self, drive: DriveRun, shift: Shift) -> None:
        """Drive what is due until the shift is over."""
        service = _Service(self._wakes, self._clock, drive, shift)
        try:
            while True:
                service.start_due()
                if shift.is_over(service.is_idle):
                    return
                await service.wait(self._poll)
        finally:
            await service.stop()


class _Service:
    """One shift: the drives under way, and the runs that are left alone for a while."""

    def __init__(self, wakes: WakeQueue, clock: Clock, drive: DriveRun, shift: Shift) -> None:
        self._wakes = wakes
        self._clock = clock
        self._drive = drive
        self._shift = shift
        self._driven: dict[RunId, asyncio.Task[DriveResult]] = {}
        self._left_alone: dict[RunId, float] = {}

    @property
    def is_idle(self) -> bool:
        return not self._driven

    def start_due(self) -> None:
        now = self._clock.now()
        due = self._wakes.due(now=now)
        for run in dict.fromkeys([*(wake.run for wake in due), *self._wakes.orphans(now=now)]):
            if len(self._driven) < self._shift.limit and self._may_start(run):
                wakes = tuple(wake for wake in due if wake.run == run)
                self._driven[run] = asyncio.create_task(self._answer(run, wakes), name=run)

    def _may_start(self, run: RunId) -> bool:
        is_left_alone = self._left_alone.get(run, 0.0) > self._clock.boottime()
        return run not in self._driven and not is_left_alone and self._shift.serves(run)

    async def _answer(self, run: RunId, wakes: tuple[Wake, ...]) -> DriveResult:
        result = await self._drive(run)
        for wake in wakes:
            self._wakes.done(wake)
        return result

    async def wait(self, poll: timedelta) -> None:
        if self.is_idle:
            await self._clock.sleep(poll.total_seconds())
            return
        tasks, seconds = self._driven.values(), poll.total_seconds()
        done, _ = await asyncio.wait(tasks, timeout=seconds, return_when=asyncio.FIRST_COMPLETED)
        for run in [run for run, task in self._driven.items() if task in done]:
            self._collect(run, self._driven.pop(run))

    def _collect(self, run: RunId, task: asyncio.Task[DriveResult]) -> None:
        """Look at a drive that came to its end; one that failed is not tried again at once."""
        try:
            task.result()
        except SupervisorError as error:
            self._left_alone[run] = self._clock.boottime() + _PATIENCE.total_seconds()
            if not isinstance(error, Busy) or isinstance(error, LeaseLost):
                self._shift.failed(run, error)
        except Exception as error:  # noqa: BLE001 - a bug that one run meets must not stop others
            self._left_alone[run] = self._clock.boottime() + _PATIENCE.total_seconds()
            bug = InternalError(f"Run {run!r} met a bug: {type(error).__name__}: {error}")
            bug.__cause__ = error
            self._shift.failed(run, bug)

    async def stop(self) -> None:
        for task in self._driven.values():
            task.cancel()
        await asyncio.gather(*self._driven.values(), return_exceptions=True)

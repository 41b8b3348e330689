"""Watching a worker from outside while it runs, for whoever watches over its run."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from functools import partial

from supervisor_ai.domain.errors import SupervisorError
from supervisor_ai.domain.run.effects import Integrate, RunWorker
from supervisor_ai.engine.effects.effect_workspace import Site
from supervisor_ai.engine.ports.oversight import OverseenWorker, WorkerActivity
from supervisor_ai.engine.ports.sandbox import Channel, OutputSink
from supervisor_ai.engine.world import Operation


def overseen_worker(effect: RunWorker, operation: Operation) -> OverseenWorker | None:
    """Name the worker for who watches over it; None: nobody does."""
    if operation.overseer is None:
        return None
    return OverseenWorker(
        overseer=operation.overseer,
        run=operation.run,
        role=effect.role.name,
        slot=effect.slot,
        attempt=effect.attempt,
    )


async def wait_for_leave(effect: RunWorker, operation: Operation) -> None:
    """Wait until whoever watches over the worker lets it start, and say for what."""
    worker = overseen_worker(effect, operation)
    if worker is not None:
        hold = partial(operation.world.oversight.hold, worker)
        await _wait(operation, hold, partial(operation.show, effect.step, effect.attempt))


async def wait_to_land(effect: Integrate, operation: Operation) -> None:
    """Wait until whoever watches over the run lets land what it has made, and say for what."""
    if operation.overseer is not None:
        hold = partial(operation.world.oversight.hold_landing, operation.overseer, operation.run)
        await _wait(operation, hold, partial(operation.show, effect.step, None))


async def _wait(
    operation: Operation, hold: Callable[[], str | None], show: Callable[[str], None]
) -> None:
    told = ""
    while (reason := hold()) is not None:
        if reason != told:
            told = reason
            show(f"[waits: {reason}]\n")
        await asyncio.sleep(operation.world.timing.poll.total_seconds())


class WorkerWatch:
    """Counts what a worker prints, uses and changes, and tells it now and then."""

    def __init__(self, worker: OverseenWorker, site: Site) -> None:
        self._worker = worker
        self._site = site
        self._output = 0

    def hearing(self, sink: OutputSink) -> OutputSink:
        """Count what passes to a sink."""

        def hear(channel: Channel, chunk: bytes) -> asyncio.Future[None] | None:
            self._output += len(chunk)
            return sink(channel, chunk)

        return hear

    async def keep_looking(self) -> None:
        """Look again and again."""
        while True:
            await asyncio.sleep(self._site.operation.world.timing.watch.total_seconds())
            await self.look()

    async def look(self) -> None:
        """Tell what the worker has done so far; a look that fails disturbs nobody."""
        operation = self._site.operation
        world = operation.world
        with suppress(SupervisorError):
            activity = WorkerActivity(
                output=self._output,
                cpu=await world.sandbox.cpu_time(operation.key),
                files=await world.workspaces.touched(self._site.workspace),
            )
            world.oversight.saw(self._worker, activity)


@asynccontextmanager
async def watched(effect: RunWorker, site: Site, sink: OutputSink) -> AsyncIterator[OutputSink]:
    """Watch a worker while the context lasts; its output goes through what is given."""
    worker = overseen_worker(effect, site.operation)
    if worker is None:
        yield sink
        return
    watch = WorkerWatch(worker, site)
    looking = asyncio.create_task(watch.keep_looking())
    try:
        yield watch.hearing(sink)
    finally:
        looking.cancel()
        with suppress(asyncio.CancelledError):
            await looking
    # What a quick worker has done is seen at its end.
    await watch.look()

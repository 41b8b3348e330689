"""Reads the output of a running command until it ends, says too much or takes too long."""

import asyncio
import math
import os
from collections.abc import Mapping
from typing import Final, Self

from msgspec import Struct

from supervisor_ai.engine.ports.sandbox import Channel, OutputSink, SandboxEnd, SandboxSpec
from supervisor_ai.sandboxes.processes.live_process import Hold

_CHUNK: Final = 1 << 16


class ProcessDeadline(Struct, frozen=True, kw_only=True):
    """When a command has to be done, by the loop's clock, and how long it may be silent."""

    deadline: float
    silence: float

    @classmethod
    def of(cls, spec: SandboxSpec) -> Self:
        """Begin to be patient now."""
        idle = spec.limits.idle_timeout
        return cls(
            deadline=asyncio.get_running_loop().time() + spec.timeout.total_seconds(),
            silence=math.inf if idle is None else idle.total_seconds(),
        )


class ProcessIo:
    """Passes on what channels that never block bring, until they bring too much or it is over."""

    def __init__(self, channels: Mapping[int, Channel], sink: OutputSink, most: int) -> None:
        self._channels = channels
        self._sink = sink
        self._left = most
        self._open = set(channels)
        self._is_resting = False
        self._loop = asyncio.get_running_loop()
        self._over: asyncio.Future[SandboxEnd] = self._loop.create_future()
        self._heard_last = self._loop.time()

    async def listen(self, hold: Hold, patience: ProcessDeadline) -> SandboxEnd:
        """Wait for the end of the process, for one byte too many or for the end of its time."""
        self._heard_last = self._loop.time()
        self._loop.add_reader(hold.fileno(), self.settle, SandboxEnd.EXITED)
        for fd in self._open:
            self._loop.add_reader(fd, self._hear, fd)
        try:
            return await self._wait(patience)
        finally:
            self._over.cancel()
            for fd in (hold.fileno(), *self._channels):
                self._loop.remove_reader(fd)

    async def _wait(self, patience: ProcessDeadline) -> SandboxEnd:
        while True:
            if self._is_resting:
                self._heard_last = self._loop.time()
            speech = self._heard_last + patience.silence
            wait = min(patience.deadline, speech) - self._loop.time()
            timeout = None if wait == math.inf else max(0.0, wait)
            done, _ = await asyncio.wait([self._over], timeout=timeout)
            if done:
                return self._over.result()
            now = self._loop.time()
            if now >= patience.deadline:
                return SandboxEnd.TIMED_OUT
            if not self._is_resting and now >= self._heard_last + patience.silence:
                return SandboxEnd.IDLE

    def hear_rest(self, end: SandboxEnd) -> SandboxEnd:
        """Pass on what a dead process left in its channels; it may still prove too much."""
        for fd in self._channels:
            while self._left >= 0 and (heard := self._read(fd)):
                self._pass_on(fd, heard)
        return SandboxEnd.OUTPUT_CAPPED if self._left < 0 else end

    def _hear(self, fd: int) -> None:
        heard = self._read(fd)
        if heard is None:
            return
        if heard:
            self._heard_last = self._loop.time()
        else:
            self._loop.remove_reader(fd)
            self._open.discard(fd)
        try:
            pause = self._pass_on(fd, heard)
        except Exception as error:  # noqa: BLE001 - the sink's failure belongs to our caller
            self.settle(error)
            return
        if self._left < 0:
            self.settle(SandboxEnd.OUTPUT_CAPPED)
        elif pause is not None:
            self._rest(pause)

    def _rest(self, pause: "asyncio.Future[None]") -> None:
        """Read no more until the sink is ready: the command waits, and its silence is ours."""
        self._is_resting = True
        for fd in self._open:
            self._loop.remove_reader(fd)
        pause.add_done_callback(self._go_on)

    def _go_on(self, pause: "asyncio.Future[None]") -> None:
        self._is_resting, self._heard_last = False, self._loop.time()
        error = None if pause.cancelled() else pause.exception()
        if isinstance(error, Exception):
            self.settle(error)
        for fd in self._open if not self._over.done() else ():
            self._loop.add_reader(fd, self._hear, fd)

    def _read(self, fd: int) -> bytes | None:
        try:
            return os.read(fd, _CHUNK)
        except BlockingIOError:
            return None

    def _pass_on(self, fd: int, heard: bytes) -> "asyncio.Future[None] | None":
        kept = heard[: max(self._left, 0)]
        self._left -= len(heard)
        return self._sink(self._channels[fd], kept) if kept else None

    def settle(self, outcome: SandboxEnd | Exception) -> None:
        """End it; whoever comes first decides how."""
        if self._over.done():
            return
        if isinstance(outcome, SandboxEnd):
            self._over.set_result(outcome)
        else:
            self._over.set_exception(outcome)

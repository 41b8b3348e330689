"""Listening to a running command: its two channels, its end, and when to lose patience."""

import asyncio
import os
from collections.abc import Mapping
from typing import Final

from supervisor_ai.engine.ports.sandbox import Channel, OutputSink, SandboxEnd
from supervisor_ai.sandboxes.live_process import Hold

_CHUNK: Final = 1 << 16


class Conversation:
    """Passes on what channels that never block bring, until they bring too much or it is over."""

    def __init__(self, channels: Mapping[int, Channel], sink: OutputSink, most: int) -> None:
        self._channels = channels
        self._sink = sink
        self._left = most
        self._loop = asyncio.get_running_loop()
        self._over: asyncio.Future[SandboxEnd] = self._loop.create_future()

    async def listen(self, hold: Hold, patience: float) -> SandboxEnd:
        """Wait for the end of the process, for one byte too many or for the end of its time."""
        self._loop.add_reader(hold.fileno(), self._settle, SandboxEnd.EXITED)
        for fd in self._channels:
            self._loop.add_reader(fd, self._hear, fd)
        try:
            done, _ = await asyncio.wait([self._over], timeout=patience)
        finally:
            for fd in (hold.fileno(), *self._channels):
                self._loop.remove_reader(fd)
        return self._over.result() if done else SandboxEnd.TIMED_OUT

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
        if not heard:
            self._loop.remove_reader(fd)
        try:
            self._pass_on(fd, heard)
        except Exception as error:  # noqa: BLE001 - the sink's failure belongs to our caller
            self._settle(error)
        if self._left < 0:
            self._settle(SandboxEnd.OUTPUT_CAPPED)

    def _read(self, fd: int) -> bytes | None:
        try:
            return os.read(fd, _CHUNK)
        except BlockingIOError:
            return None

    def _pass_on(self, fd: int, heard: bytes) -> None:
        kept = heard[: max(self._left, 0)]
        self._left -= len(heard)
        if kept:
            self._sink(self._channels[fd], kept)

    def _settle(self, outcome: SandboxEnd | Exception) -> None:
        if self._over.done():
            return
        if isinstance(outcome, SandboxEnd):
            self._over.set_result(outcome)
        else:
            self._over.set_exception(outcome)

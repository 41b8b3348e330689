"""Connections with timeouts and byte limits."""

import asyncio
import ssl
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager, suppress
from datetime import timedelta
from typing import Final

from msgspec import Struct

from supervisor_ai.sandboxes.egress.refusal import Refused


class TrafficLimits(Struct, frozen=True, kw_only=True):
    """The limits of one door; a worker that reaches one loses its connection, not our memory."""

    connections: int = 64
    head_bytes: int = 1 << 15
    head_time: timedelta = timedelta(seconds=10)
    hello_bytes: int = 1 << 15
    hello_time: timedelta = timedelta(seconds=15)
    dial_time: timedelta = timedelta(seconds=15)
    idle_time: timedelta = timedelta(minutes=15)
    """A model may think for long before its first word."""
    upload_bytes: int = 1 << 30
    held_bytes: int = 1 << 26
    """What the bodies of all requests that are not answered yet may hold; one alone half of it."""
    download_bytes: int = 1 << 32


USUAL: Final = TrafficLimits()


Resolve = Callable[[str, int], Awaitable[Sequence[str]]]
"""Finds the addresses of a host; raises OSError if there are none."""

CHUNK: Final = 1 << 16
_ONE_ADDRESS: Final = 5.0
_FAREWELL: Final = 2.0
_LEFTOVERS: Final = 1 << 20


class TrafficCount:
    """Counts what passes in both directions of one door, and stops what is too much."""

    def __init__(self, allowance: TrafficLimits) -> None:
        self._up = allowance.upload_bytes
        self._down = allowance.download_bytes

    def upload(self, size: int) -> None:
        """Count what leaves the sandbox."""
        self._up -= size
        if self._up < 0:
            raise Refused("too-large")

    def download(self, size: int) -> None:
        """Count what enters the sandbox."""
        self._down -= size
        if self._down < 0:
            raise Refused("too-large")


@asynccontextmanager
async def patience(idle: timedelta) -> AsyncIterator[Callable[[], None]]:
    """End a conversation in which nothing moves for some time; it yields how to say that it did."""
    loop = asyncio.get_running_loop()
    async with asyncio.timeout(idle.total_seconds()) as timeout:
        yield lambda: timeout.reschedule(loop.time() + idle.total_seconds())


class Line:
    """One end of a connection; it is gone when its context is left, however that happens."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.reader = reader
        self._writer = writer
        self.has_spoken = False

    async def __aenter__(self) -> "Line":
        return self

    async def __aexit__(self, *_: object) -> None:
        self.drop()
        with suppress(OSError):
            await self._writer.wait_closed()

    def drop(self) -> None:
        """End the connection at once."""
        self._writer.transport.abort()

    async def is_silent(self) -> bool:
        """Tell whether the other side is still there and has nothing to say."""
        try:
            async with asyncio.timeout(0):
                await self.reader.read(1)
        except TimeoutError:
            return True
        except OSError:
            return False
        return False

    async def hear(self) -> bytes:
        """Wait for what comes next; nothing means that the other side has ended."""
        return await self.reader.read(CHUNK)

    async def say(self, words: bytes) -> None:
        """Send words, and wait if the other side is slow to take them."""
        self.has_spoken = True
        self._writer.write(words)
        await self._writer.drain()

    def finish(self) -> None:
        """Tell the other side that nothing more will come."""
        if self._writer.can_write_eof():
            self._writer.write_eof()

    async def take_leave(self) -> None:
        """Let the other side hear the last words: closing with unread bytes would destroy them."""
        with suppress(OSError, TimeoutError):
            async with asyncio.timeout(_FAREWELL):
                await self._writer.drain()
                self.finish()
                left = _LEFTOVERS
                while left > 0 and (heard := await self.hear()):
                    left -= len(heard)


async def dial(
    addresses: Sequence[str], port: int, *, tls: ssl.SSLContext | None = None, name: str = ""
) -> Line:
    """Connect to the first of the addresses that answers; raise OSError if none does."""
    failure: OSError = ConnectionError("no address")
    for address in addresses:
        try:
            async with asyncio.timeout(_ONE_ADDRESS):
                reader, writer = await asyncio.open_connection(
                    address, port, ssl=tls, server_hostname=name if tls else None, limit=CHUNK
                )
        except OSError as error:
            failure = error
        else:
            return Line(reader, writer)
    raise failure

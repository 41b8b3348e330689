"""The protocol on stdin and stdout: one message on a line, and bounds for both."""

import asyncio
import os
import select
from collections.abc import AsyncIterator, Callable
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Final, Literal, cast

import msgspec
from msgspec import Struct

from supervisor_ai.mcp.toolbox import INSTRUCTIONS, NAME

if TYPE_CHECKING:
    from anyio import AsyncFile
    from mcp.server.lowlevel.server import Server

MESSAGE_BYTES: Final = 1 << 20
REQUESTS: Final = 16
"""So many requests may be without an answer; whoever sends more is not read meanwhile."""
_CHUNK: Final = 1 << 16
_LAST_ANSWERS: Final = 10.0
"""How long a client that says nothing more may wait for what it asked."""
_TOO_LARGE: Final = (
    b'{"jsonrpc":"2.0","id":null,"error":{"code":-32600,'
    b'"message":"The message is longer than %d bytes."}}\n' % MESSAGE_BYTES
)
_NO_MESSAGE: Final = (
    b'{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"The line is no message."}}\n'
)

RequestId = int | str | float | None


class _Cancelled(Struct):
    request: RequestId = msgspec.field(name="requestId", default=None)


class _Seen(Struct):
    """What has to be known of a message to count it."""

    id: RequestId = None
    method: str | None = None
    params: msgspec.Raw = msgspec.Raw(b"{}")


class _Client(Struct):
    name: str
    version: str


class _Offer(Struct, rename="camel"):
    protocol_version: str
    capabilities: dict[str, Any]
    client_info: _Client


class _Hello(Struct):
    """The first message of a client, where nothing is odd about it."""

    jsonrpc: Literal["2.0"]
    id: int | str
    method: Literal["initialize"]
    params: _Offer


_SEEN: Final = msgspec.json.Decoder(_Seen)
_CANCELLED: Final = msgspec.json.Decoder(_Cancelled)
_HELLO: Final = msgspec.json.Decoder(_Hello)
HANDSHAKES: Final = ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25")
"""The versions of the protocol that the SDK takes as they are asked for."""


async def serve_stdio(server: "Server[None]", wire: "StdioConnection") -> None:
    """Serve one client until it closes its end."""
    from mcp.server.stdio import stdio_server

    # The transport asks for nothing but lines, and to write and flush.
    reader, writer = cast("AsyncFile[str]", wire.lines()), cast("AsyncFile[str]", wire)
    try:
        async with stdio_server(reader, writer) as (read, write):
            await server.run(read, write, server.create_initialization_options())
    except ExceptionGroup as group:
        # A server that is cancelled while it starts leaves a message that nobody takes.
        task = asyncio.current_task()
        if task is None or not task.cancelling():
            raise
        raise asyncio.CancelledError from group


class StdioConnection:
    """Both directions of one connection, and what is on its way."""

    def __init__(self, source: int, sink: int) -> None:
        self._incoming = _split(source)
        self._first: bytes | None = b""
        self._greeted: RequestId = None
        self._sink = sink
        self._open: set[RequestId] = set()
        self._settled = asyncio.Condition()
        self._turn = asyncio.Lock()

    async def greet(self, version: str) -> None:
        """Answer the first message as the server will, if it is an ordinary `initialize`."""
        self._first = await anext(self._incoming, b"")
        with suppress(msgspec.MsgspecError, RecursionError):
            hello = _HELLO.decode(self._first or b"")
            if hello.params.protocol_version in HANDSHAKES:
                self._greeted = hello.id
                result = {
                    "capabilities": {"tools": {"listChanged": False}},
                    "instructions": INSTRUCTIONS,
                    "protocolVersion": hello.params.protocol_version,
                    "serverInfo": {"name": NAME, "version": version},
                }
                told = {"jsonrpc": "2.0", "id": hello.id, "result": result}
                await self._send(msgspec.json.encode(told) + b"\n")

    async def _messages(self) -> AsyncIterator[bytes | None]:
        yield self._first
        async for line in self._incoming:
            yield line

    async def lines(self) -> AsyncIterator[str]:
        """Yield the messages that can be served; the others are answered at once."""
        async for line in self._messages():
            if line is None:
                await self._send(_TOO_LARGE)
            elif line.strip() and await self._is_message(line):
                yield line.decode()
                await self._until(lambda: len(self._open) < REQUESTS)
        with suppress(TimeoutError):
            async with asyncio.timeout(_LAST_ANSWERS):
                await self._until(lambda: not self._open)

    async def write(self, text: str) -> None:
        """Send what the server says."""
        line, said = text.encode(errors="backslashreplace"), _Seen(method="")
        with suppress(msgspec.MsgspecError):
            said = _SEEN.decode(line)
        is_known = said.method is None and said.id is not None and said.id == self._greeted
        if not is_known:
            await self._send(line)
        self._greeted = None if is_known else self._greeted
        if said.method is None:
            await self._settle(said.id)

    async def flush(self) -> None:
        """Do nothing more: whatever is written is sent."""

    async def _is_message(self, line: bytes) -> bool:
        """Take note of what is asked; what cannot be read is answered here."""
        try:
            line.decode()
            seen = _SEEN.decode(line)
        except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
            await self._send(_NO_MESSAGE)
            return False
        if seen.method == "notifications/cancelled":
            # A request that is taken back is never answered.
            with suppress(msgspec.MsgspecError):
                await self._settle(_CANCELLED.decode(seen.params).request)
        elif seen.method is not None and seen.id is not None:
            self._open.add(seen.id)
        return True

    async def _settle(self, request: RequestId) -> None:
        async with self._settled:
            self._open.discard(request)
            self._settled.notify_all()

    async def _until(self, holds: Callable[[], bool]) -> None:
        async with self._settled:
            await self._settled.wait_for(holds)

    async def _send(self, line: bytes) -> None:
        async with self._turn:
            await _write_all(self._sink, line)


async def _split(source: int) -> AsyncIterator[bytes | None]:
    """Yield lines; None stands for one that is too long, of which nothing is kept."""
    held, is_lost = bytearray(), False
    async for piece in _pieces(source):
        first, *rest = piece.split(b"\n")
        held += first
        for part in rest:
            yield None if is_lost or len(held) > MESSAGE_BYTES else bytes(held)
            held, is_lost = bytearray(part), False
        if len(held) > MESSAGE_BYTES:
            held, is_lost = bytearray(), True
    if held and not is_lost:
        yield bytes(held)


async def _pieces(source: int) -> AsyncIterator[bytes]:
    """Read as it comes; who is told to stop does not wait for the other side."""
    while True:
        await until_readable(source)
        try:
            piece = os.read(source, _CHUNK)
        except BlockingIOError:
            continue
        except OSError:
            return
        if not piece:
            return
        yield piece


async def _write_all(sink: int, line: bytes) -> None:
    """Write all of it as it is taken; to a client that is gone, nothing."""
    left, loop = memoryview(line), asyncio.get_running_loop()
    try:
        while left:
            await _until_ready(loop.add_writer, loop.remove_writer, sink)
            with suppress(BlockingIOError):
                # A pipe that takes anything takes so much without letting us wait.
                left = left[os.write(sink, left[: select.PIPE_BUF]) :]
    except OSError:
        return


async def until_readable(source: int) -> None:
    """Wait until a stream has something to read, or its end."""
    loop = asyncio.get_running_loop()
    await _until_ready(loop.add_reader, loop.remove_reader, source)


async def _until_ready(
    add: Callable[[int, Callable[[], None]], None], remove: Callable[[int], bool], number: int
) -> None:
    """Watch a stream for one moment; a plain file is always ready, and nobody tells."""
    ready = asyncio.Event()
    try:
        add(number, ready.set)
    except PermissionError:
        return
    try:
        await ready.wait()
    finally:
        remove(number)

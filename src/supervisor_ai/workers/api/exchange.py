"""One HTTP request and its answer, on a connection of its own that ends with them."""

import asyncio
import ssl
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from typing import Final
from urllib.parse import SplitResult, urlsplit

import h11
from msgspec import Struct

from supervisor_ai.tools.text import one_line

_PIECE: Final = 1 << 16
_INTERIM: Final = 8
_SHOWN: Final = 200
_LOOPBACK: Final = frozenset({"localhost", "127.0.0.1", "::1"})


class NotHttp(Exception):
    """What came back is no HTTP that could be understood."""


class TooMuch(Exception):
    """The answer is longer than anybody wants to hold."""


class Insecure(Exception):
    """The address asks for what must not be done."""


class NothingCame(Exception):
    """The connection ended before the first byte of an answer."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HttpCall:
    """What is asked; the headers hold the key, so they are never shown."""

    url: str
    body: bytes = field(repr=False)
    headers: Mapping[str, str] = field(repr=False)
    is_plain_allowed: bool = False


class HttpAnswer(Struct, frozen=True, kw_only=True):
    """The head of an answer, and its body as it comes."""

    status: int
    headers: Mapping[str, str]
    body: AsyncIterator[bytes]


@asynccontextmanager
async def exchange(call: HttpCall, tls: ssl.SSLContext) -> AsyncIterator[HttpAnswer]:
    """Ask; however this is left, cancelled or not, the connection is gone at once."""
    parts = _address(call)
    line = h11.Connection(h11.CLIENT, max_incomplete_event_size=_PIECE)
    question = _question(call, parts, line)
    is_tls = parts.scheme == "https"
    host = parts.hostname or ""
    port = parts.port or (443 if is_tls else 80)
    reader, writer = await asyncio.open_connection(
        host, port, ssl=tls if is_tls else None, limit=_PIECE
    )
    try:
        # Who does not want to hear all of the question may have answered already.
        with suppress(ConnectionError):
            writer.write(question)
            await writer.drain()
        yield await _answer(line, reader)
    finally:
        writer.transport.abort()
        with suppress(OSError):
            await writer.wait_closed()


def _address(call: HttpCall) -> SplitResult:
    parts = urlsplit(call.url)
    is_allowed = call.is_plain_allowed or parts.hostname in _LOOPBACK
    if parts.scheme != "https" and not (parts.scheme == "http" and is_allowed):
        raise Insecure(f"{parts.scheme}://{parts.hostname} is no https address.")
    return parts


def _question(call: HttpCall, parts: SplitResult, line: h11.Connection) -> bytes:
    fields = {
        "host": parts.netloc,
        "content-type": "application/json",
        "content-length": str(len(call.body)),
        "accept-encoding": "identity",
        "connection": "close",
        "user-agent": "supervisor-ai",
        **call.headers,
    }
    try:
        head = h11.Request(method="POST", target=_target(parts), headers=list(fields.items()))
    except (h11.LocalProtocolError, UnicodeEncodeError):
        # Its own words could show the key.
        raise Insecure("The address has a character that HTTP does not allow.") from None
    events = (head, h11.Data(data=call.body), h11.EndOfMessage())
    return b"".join(filter(None, map(line.send, events)))


def _target(parts: SplitResult) -> str:
    path = parts.path or "/"
    return f"{path}?{parts.query}" if parts.query else path


async def _answer(line: h11.Connection, reader: asyncio.StreamReader) -> HttpAnswer:
    for _ in range(_INTERIM):
        head = await _event(line, reader)
        if isinstance(head, h11.Response):
            headers = {name.decode(): value.decode("latin-1") for name, value in head.headers}
            return HttpAnswer(
                status=head.status_code, headers=headers, body=_body(line, reader, headers)
            )
    raise NotHttp("It began its answer too often.")


async def _body(
    line: h11.Connection, reader: asyncio.StreamReader, headers: Mapping[str, str]
) -> AsyncIterator[bytes]:
    if headers.get("content-encoding", "identity").lower() != "identity":
        raise NotHttp("The answer is compressed, which nobody asked for.")
    while isinstance(event := await _event(line, reader), h11.Data):
        yield bytes(event.data)


async def _event(line: h11.Connection, reader: asyncio.StreamReader) -> h11.Event:
    """Read until something is complete: a head, a piece of the body, or the end of it."""
    is_head = line.their_state is h11.SEND_RESPONSE
    while True:
        try:
            event = line.next_event()
        except h11.RemoteProtocolError as error:
            has_ended = line.trailing_data[1]
            if has_ended and not is_head:
                raise asyncio.IncompleteReadError(b"", None) from None
            reason = one_line(str(error), _SHOWN)
            raise NotHttp(f"The answer is no HTTP that can be understood: {reason}.") from None
        if isinstance(event, h11.Event):
            return event
        line.receive_data(await _piece(reader, is_first=is_head and not line.trailing_data[0]))


async def _piece(reader: asyncio.StreamReader, *, is_first: bool) -> bytes:
    """Read what has come; nothing is the end, which must not be the first thing to come."""
    try:
        piece = await reader.read(_PIECE)
    except ConnectionError:
        if is_first:
            raise NothingCame from None
        raise
    if is_first and not piece:
        raise NothingCame
    return piece

"""One HTTP request and its answer, on a connection of its own that ends with them."""

import asyncio
import re
import ssl
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import Final
from urllib.parse import SplitResult, urlsplit

_END: Final = b"\r\n\r\n"
_PIECE: Final = 1 << 16
_INTERIM: Final = 8
_STATUS: Final = re.compile(r"HTTP/1\.[01] ([1-5][0-9][0-9])(?: .*)?")
_CHUNK: Final = re.compile(rb"([0-9A-Fa-f]{1,8})(?:[ \t]*;.*)?")
_LENGTH: Final = re.compile(r"[0-9]{1,15}")
_LOOPBACK: Final = frozenset({"localhost", "127.0.0.1", "::1"})


class NotHttp(Exception):
    """What came back is no HTTP that could be understood."""


class TooMuch(Exception):
    """The answer is longer than anybody wants to hold."""


class Insecure(Exception):
    """The address asks for a way that the user did not agree to."""


class NothingCame(Exception):
    """The connection ended before the first byte of an answer."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """What is asked; the headers hold the key, so they are never shown."""

    url: str
    body: bytes = field(repr=False)
    headers: Mapping[str, str] = field(repr=False)
    is_plain_allowed: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """The head of an answer, and its body as it comes."""

    status: int
    headers: Mapping[str, str]
    body: AsyncIterator[bytes]


@asynccontextmanager
async def exchange(call: Call, tls: ssl.SSLContext) -> AsyncIterator[Answer]:
    """Ask; however this is left, cancelled or not, the connection is gone at once."""
    parts = _address(call)
    is_tls = parts.scheme == "https"
    host = parts.hostname or ""
    port = parts.port or (443 if is_tls else 80)
    reader, writer = await asyncio.open_connection(
        host, port, ssl=tls if is_tls else None, limit=_PIECE
    )
    try:
        # Who does not want to hear all of the question may have answered already.
        with suppress(ConnectionError):
            writer.write(_head(call, parts) + call.body)
            await writer.drain()
        yield await _answer(reader)
    finally:
        writer.transport.abort()
        with suppress(OSError):
            await writer.wait_closed()


def _address(call: Call) -> SplitResult:
    parts = urlsplit(call.url)
    is_allowed = call.is_plain_allowed or parts.hostname in _LOOPBACK
    if parts.scheme != "https" and not (parts.scheme == "http" and is_allowed):
        raise Insecure(f"{parts.scheme}://{parts.hostname} is no https address.")
    return parts


def _head(call: Call, parts: SplitResult) -> bytes:
    fields = {
        "host": parts.netloc,
        "content-type": "application/json",
        "content-length": str(len(call.body)),
        "accept-encoding": "identity",
        "connection": "close",
        "user-agent": "supervisor-ai",
        **call.headers,
    }
    lines = [f"POST {parts.path} HTTP/1.1", *(f"{name}: {text}" for name, text in fields.items())]
    return "\r\n".join(lines).encode("latin-1") + _END


async def _answer(reader: asyncio.StreamReader) -> Answer:
    for _ in range(_INTERIM):
        status, headers = _parse(await _read_head(reader))
        if status >= HTTPStatus.OK:
            return Answer(status=status, headers=headers, body=_body(reader, headers))
    raise NotHttp("It began its answer too often.")


async def _read_head(reader: asyncio.StreamReader) -> str:
    try:
        head = await reader.readuntil(_END)
    except asyncio.LimitOverrunError:
        raise NotHttp("The head of the answer has no end.") from None
    except asyncio.IncompleteReadError as error:
        if not error.partial:
            raise NothingCame from None
        raise NotHttp("The head of the answer is cut off.") from None
    except ConnectionError:
        raise NothingCame from None
    return head.removesuffix(_END).decode("latin-1")


def _parse(head: str) -> tuple[int, dict[str, str]]:
    first, *lines = head.split("\r\n")
    found = _STATUS.fullmatch(first)
    if found is None:
        raise NotHttp("The answer does not begin as HTTP does.")
    pairs = (line.partition(":") for line in lines)
    return int(found[1]), {name.lower(): value.strip() for name, _, value in pairs}


async def _body(reader: asyncio.StreamReader, headers: Mapping[str, str]) -> AsyncIterator[bytes]:
    if headers.get("content-encoding", "identity").lower() != "identity":
        raise NotHttp("The answer is compressed, which nobody asked for.")
    if headers.get("transfer-encoding", "").lower() == "chunked":
        while size := await _chunk_size(reader):
            async for piece in _exactly(reader, size):
                yield piece
            await reader.readexactly(2)
    elif "content-length" in headers:
        if not _LENGTH.fullmatch(headers["content-length"]):
            raise NotHttp("The length of the answer is no number.")
        async for piece in _exactly(reader, int(headers["content-length"])):
            yield piece
    else:
        while piece := await reader.read(_PIECE):
            yield piece


async def _chunk_size(reader: asyncio.StreamReader) -> int:
    try:
        line = await reader.readuntil(b"\r\n")
    except asyncio.LimitOverrunError:
        raise NotHttp("A chunk of the answer has no size.") from None
    found = _CHUNK.fullmatch(line.removesuffix(b"\r\n"))
    if found is None:
        raise NotHttp("A chunk of the answer has no size.")
    return int(found[1], 16)


async def _exactly(reader: asyncio.StreamReader, size: int) -> AsyncIterator[bytes]:
    while size:
        piece = await reader.read(min(size, _PIECE))
        if not piece:
            raise asyncio.IncompleteReadError(b"", size)
        size -= len(piece)
        yield piece

"""The body of a request: whole or in chunks, plain or compressed, never larger than a bound."""

import zlib
from email.message import Message
from http import HTTPStatus
from io import BufferedIOBase
from typing import Final

MAX_BODY: Final = 32 * 1024 * 1024
_MAX_LINE: Final = 1024
_MAX_TRAILERS: Final = 100
# zlib's own numbers: 32 more than the largest window takes gzip and zlib alike.
_ANY_HEADER: Final = zlib.MAX_WBITS + 32
_COMPRESSED: Final = frozenset({"gzip", "x-gzip", "deflate"})


class BadBody(Exception):
    """A body that cannot be read; the connection is of no use any more."""

    def __init__(self, reason: str, status: int = HTTPStatus.BAD_REQUEST) -> None:
        super().__init__(reason)
        self.reason = reason
        self.status = int(status)


def read_body(headers: "Message[str, str]", stream: BufferedIOBase) -> bytes:
    """Read what a request carries."""
    if headers.get("Transfer-Encoding", "").strip().lower() == "chunked":
        body = _chunks(stream)
    else:
        body = _exactly(stream, _number(headers.get("Content-Length", "0").strip(), 10))
    encoding = headers.get("Content-Encoding", "identity").strip().lower()
    if encoding in _COMPRESSED:
        return _inflated(body)
    if encoding != "identity":
        problem = f"The encoding {encoding!r} is not supported."
        raise BadBody(problem, HTTPStatus.UNSUPPORTED_MEDIA_TYPE)
    return body


def _chunks(stream: BufferedIOBase) -> bytes:
    body = bytearray()
    while size := _number(_line(stream).partition(b";")[0].strip().decode("latin-1"), 16):
        _bound(len(body) + size)
        body += _exactly(stream, size)
        if _line(stream).strip():
            raise BadBody("A chunk is longer than it says.")
    for _ in range(_MAX_TRAILERS):
        if not _line(stream).strip():
            return bytes(body)
    raise BadBody("There are too many trailers.")


def _line(stream: BufferedIOBase) -> bytes:
    line = stream.readline(_MAX_LINE)
    if not line.endswith(b"\n"):
        raise BadBody("A line of the body is cut off or too long.")
    return line


def _number(text: str, base: int) -> int:
    try:
        size = int(text, base) if text.isalnum() and text.isascii() else -1
    except ValueError:
        size = -1
    if size < 0:
        raise BadBody("The length of the body is not a number.")
    return size


def _exactly(stream: BufferedIOBase, size: int) -> bytes:
    _bound(size)
    body = stream.read(size)
    if len(body) < size:
        raise BadBody("The body is cut off.")
    return body


def _inflated(body: bytes) -> bytes:
    inflater = zlib.decompressobj(_ANY_HEADER)
    try:
        plain = inflater.decompress(body, MAX_BODY + 1)
    except zlib.error:
        raise BadBody("The body cannot be decompressed.") from None
    _bound(len(plain))
    if not inflater.eof:
        raise BadBody("The compressed body is cut off.")
    return plain


def _bound(size: int) -> None:
    if size > MAX_BODY:
        problem = f"The body is larger than {MAX_BODY} bytes."
        raise BadBody(problem, HTTPStatus.REQUEST_ENTITY_TOO_LARGE)

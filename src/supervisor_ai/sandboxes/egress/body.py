"""The body of a request or of an answer, piece by piece as it comes."""

import asyncio
import re
from typing import Final

from supervisor_ai.sandboxes.egress.head import Framing
from supervisor_ai.sandboxes.egress.refusal import Refused
from supervisor_ai.sandboxes.egress.traffic import CHUNK

LAST_CHUNK: Final = b"0\r\n\r\n"

_SIZE: Final = re.compile(rb"([0-9A-Fa-f]{1,8})(?:[ \t]*;[\t\x20-\x7e]*)?\r\n")
_MOST_TRAILERS: Final = 64


def chunk(piece: bytes) -> bytes:
    """Frame a piece for whoever reads chunks."""
    return b"%x\r\n%b\r\n" % (len(piece), piece)


class MessageBody:
    """A body that is read piece by piece; what frames it is checked and taken off."""

    def __init__(
        self, reader: asyncio.StreamReader, framing: Framing, *, is_open_ended: bool = False
    ) -> None:
        self._reader = reader
        self._is_chunked = framing.is_chunked
        self._is_open_ended = is_open_ended and framing == Framing()
        self._left = framing.length or 0
        self._is_over = not (self._is_chunked or self._is_open_ended or self._left)
        self._has_begun = False

    async def read(self) -> bytes:
        """Wait for the next piece; nothing means that the body is over."""
        if self._is_chunked and not self._left and not self._is_over:
            await self._next_chunk()
        if self._is_over:
            return b""
        most = CHUNK if self._is_open_ended else min(self._left, CHUNK)
        piece = await self._reader.read(most)
        if not self._is_open_ended:
            self._count(piece)
        return piece

    def _count(self, piece: bytes) -> None:
        if not piece:
            raise ConnectionError("the body ended too early")
        self._left -= len(piece)
        self._is_over = not (self._left or self._is_chunked)

    async def _next_chunk(self) -> None:
        if self._has_begun and await self._line() != b"\r\n":
            raise Refused("bad-request")
        self._has_begun = True
        found = _SIZE.fullmatch(await self._line())
        if found is None:
            raise Refused("bad-request")
        self._left = int(found[1], 16)
        if not self._left:
            await self._skip_trailers()

    async def _skip_trailers(self) -> None:
        for _ in range(_MOST_TRAILERS):
            if await self._line() == b"\r\n":
                self._is_over = True
                return
        raise Refused("bad-request")

    async def _line(self) -> bytes:
        try:
            return await self._reader.readuntil(b"\r\n")
        except asyncio.LimitOverrunError:
            raise Refused("bad-request") from None
        except asyncio.IncompleteReadError:
            raise ConnectionError("the body ended too early") from None

"""JSON records out of a body: one document, server-sent events, or one record per line."""

from collections.abc import AsyncIterator
from typing import Final

from supervisor_ai.tools.json_value import BadJson, JsonObject, parse_json
from supervisor_ai.workers.api.exchange import TooMuch

WIRE_BYTES: Final = 64 << 20
"""What one answer may weigh on the wire; a streamed word weighs a hundred times itself."""
_LINE_BYTES: Final = 8 << 20
_DONE: Final = "[DONE]"


class Garbage(Exception):
    """A record that is no JSON object."""


def read_object(text: str | bytes) -> JsonObject:
    """Read one record."""
    try:
        value = parse_json(text)
    except BadJson:
        raise Garbage("The service answered with something that is not JSON.") from None
    if not isinstance(value, dict):
        raise Garbage("The service answered with JSON that is no object.")
    return value


async def read_whole(body: AsyncIterator[bytes], limit: int) -> bytes:
    """Read all of a body, up to a limit."""
    read = bytearray()
    async for piece in body:
        read += piece
        if len(read) > limit:
            raise TooMuch(f"The answer is longer than {limit} bytes.")
    return bytes(read)


async def read_start(body: AsyncIterator[bytes], limit: int) -> bytes:
    """Read as much of a body as anybody needs to see."""
    read = bytearray()
    async for piece in body:
        read += piece[: limit - len(read)]
        if len(read) >= limit:
            break
    return bytes(read)


async def read_events(body: AsyncIterator[bytes]) -> AsyncIterator[JsonObject]:
    """Read server-sent events; what they are called is also said inside."""
    parts: list[str] = []
    async for line in _lines(body):
        if line.startswith("data:"):
            parts.append(line.removeprefix("data:").removeprefix(" "))
        elif not line and parts:
            if parts == [_DONE]:
                return
            yield read_object("\n".join(parts))
            parts = []
    if parts and parts != [_DONE]:
        yield read_object("\n".join(parts))


async def read_lines(body: AsyncIterator[bytes]) -> AsyncIterator[JsonObject]:
    """Read one record per line."""
    async for line in _lines(body):
        if line:
            yield read_object(line)


async def _lines(body: AsyncIterator[bytes]) -> AsyncIterator[str]:
    rest, weight = bytearray(), 0
    async for piece in body:
        weight += len(piece)
        *complete, last = piece.split(b"\n")
        for line in complete:
            rest += line
            yield rest.decode(errors="replace").rstrip("\r")
            rest = bytearray()
        rest += last
        if weight > WIRE_BYTES or len(rest) > _LINE_BYTES:
            raise TooMuch("The answer is longer than anybody can read.")
    if rest:
        yield rest.decode(errors="replace").rstrip("\r")

"""The way to the tools of a session: requests for one path go to the attempt's own socket."""

import asyncio
from collections.abc import Iterator
from datetime import timedelta
from http import HTTPStatus
from pathlib import Path
from typing import Final

from msgspec import Struct

from supervisor_ai.engine.ports.sandbox import MEMBERS
from supervisor_ai.sandboxes.egress.body import LAST_CHUNK, MessageBody, chunk
from supervisor_ai.sandboxes.egress.connection import ConnectionShare, alongside
from supervisor_ai.sandboxes.egress.forwarding import Unreachable
from supervisor_ai.sandboxes.egress.head import (
    END,
    Framing,
    RequestHead,
    ResponseHead,
    parse_answer,
)
from supervisor_ai.sandboxes.egress.model_access.headers import client_head, has_body
from supervisor_ai.sandboxes.egress.model_access.secret_mask import Mask
from supervisor_ai.sandboxes.egress.refusal import Refused
from supervisor_ai.sandboxes.egress.traffic import CHUNK, Line

_HOST: Final = "members"
"""How a refusal names the place where the attempt wanted to go."""
_METHODS: Final = frozenset({"POST", "GET", "DELETE"})
_KEPT: Final = frozenset({"accept", "authorization", "content-type"})
_KEPT_PREFIX: Final = "mcp-"
_BODY_BYTES: Final = 1 << 20
_TIME: Final = timedelta(minutes=2)


class MemberForwarder:
    """Carries one request at a time to the socket, over a connection of its own."""

    def __init__(self, socket: Path, passage: ConnectionShare) -> None:
        self._socket = socket
        self._passage = passage

    async def serve(self, request: RequestHead, client: Line) -> None:
        """Carry one request and its answer, or refuse it."""
        try:
            _check(request)
            async with asyncio.timeout(_TIME.total_seconds()), await self._dial() as server:
                exchange = _Exchange(
                    request=request, client=client, server=server, passage=self._passage
                )
                await alongside(exchange.download(), exchange.upload())
        except Refused as refused:
            raise Refused(refused.reason, _HOST) from None
        except TimeoutError:
            raise Unreachable("it took too long") from None

    async def _dial(self) -> Line:
        try:
            reader, writer = await asyncio.open_unix_connection(str(self._socket), limit=CHUNK)
        except OSError:
            raise Refused("not-served") from None
        return Line(reader, writer)


def is_for_members(target: str) -> bool:
    """Tell whether a request is for the tools, whatever else is wrong with it."""
    return target == MEMBERS or target.startswith((f"{MEMBERS}/", f"{MEMBERS}?"))


def _check(request: RequestHead) -> None:
    if request.target != MEMBERS or request.method not in _METHODS:
        raise Refused("path-not-listed")
    if (request.framing.length or 0) > _BODY_BYTES:
        raise Refused("too-large")


class _Exchange(Struct, frozen=True, kw_only=True):
    """One request on its way to the tools."""

    request: RequestHead
    client: Line
    server: Line
    passage: ConnectionShare

    async def upload(self) -> None:
        """Send the request; what is longer than a message may be is cut off."""
        framing, left = self.request.framing, _BODY_BYTES
        await self.server.say(_head(self.request))
        body = MessageBody(self.client.reader, framing)
        while piece := await body.read():
            left -= len(piece)
            if left < 0:
                raise Refused("too-large")
            self.passage.toll.upload(len(piece))
            if not await self._offer(chunk(piece) if framing.is_chunked else piece):
                return
        if framing.is_chunked and not await self._offer(LAST_CHUNK):
            return
        if not await self.client.hear():
            raise ConnectionError("the client left")

    async def _offer(self, words: bytes) -> bool:
        """Send to the tools; who does not want to hear all of it may have answered already."""
        try:
            await self.server.say(words)
        except ConnectionError:
            return False
        return True

    async def download(self) -> None:
        """Send the answer back."""
        answer = await self._hear_answer()
        framing = self._framing(answer)
        await self.client.say(client_head(answer, framing, Mask()))
        if not has_body(self.request, answer):
            return
        body = MessageBody(self.server.reader, answer.framing, is_open_ended=True)
        while piece := await body.read():
            self.passage.toll.download(len(piece))
            await self.client.say(chunk(piece) if framing.is_chunked else piece)
        if framing.is_chunked:
            await self.client.say(LAST_CHUNK)

    async def _hear_answer(self) -> ResponseHead:
        try:
            answer = parse_answer(await self.server.reader.readuntil(END))
        except (Refused, OSError, asyncio.IncompleteReadError, asyncio.LimitOverrunError):
            raise Unreachable("it gave no answer that makes sense") from None
        if answer.status < HTTPStatus.OK:
            raise Unreachable("it gave no answer that makes sense")
        return answer

    def _framing(self, answer: ResponseHead) -> Framing:
        if answer.framing.length is not None:
            return answer.framing
        return Framing(is_chunked=self.request.is_modern and has_body(self.request, answer))


def _head(request: RequestHead) -> bytes:
    """Write the head that goes to the tools: what the protocol needs, and nothing else."""
    lines = [f"{request.method} {MEMBERS} HTTP/1.1", "Host: localhost", "Connection: close"]
    lines += [f"{name}: {value}" for name, value in _kept(request)]
    if request.framing.is_chunked:
        lines.append("Transfer-Encoding: chunked")
    elif request.framing.length is not None:
        lines.append(f"Content-Length: {request.framing.length}")
    return "\r\n".join([*lines, "", ""]).encode("latin-1")


def _kept(request: RequestHead) -> Iterator[tuple[str, str]]:
    for name, value in request.fields:
        if name.lower() in _KEPT or name.lower().startswith(_KEPT_PREFIX):
            yield name, value

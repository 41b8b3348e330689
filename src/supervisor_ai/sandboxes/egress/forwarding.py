"""Forwards one HTTP request upstream and its answer back, both as they come."""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from http import HTTPStatus
from typing import Final

from msgspec import Struct

from supervisor_ai.sandboxes.egress.body import LAST_CHUNK, MessageBody, chunk
from supervisor_ai.sandboxes.egress.connection import ConnectionShare, alongside
from supervisor_ai.sandboxes.egress.head import (
    END,
    Framing,
    RequestHead,
    ResponseHead,
    parse_answer,
)
from supervisor_ai.sandboxes.egress.model_access.headers import client_head, content_type, has_body
from supervisor_ai.sandboxes.egress.model_access.secret_mask import Mask
from supervisor_ai.sandboxes.egress.model_access.spend_budget import ModelExchange, SpendBudget
from supervisor_ai.sandboxes.egress.model_access.token_meter import Meter
from supervisor_ai.sandboxes.egress.refusal import Refused
from supervisor_ai.sandboxes.egress.traffic import CHUNK, Line, patience

_MOST_INTERIM: Final = 8

Renew = Callable[[], None]


class Unreachable(Exception):
    """The upstream gave no answer that could be passed on."""


class Course(Struct, kw_only=True):
    """How far an exchange has come; what is not said here has not happened."""

    is_asked: bool = False
    """Whether the upstream was sent the whole request."""
    is_answered: bool = False
    """Whether the whole answer was heard, and the upstream waits for another request."""

    @property
    def is_whole(self) -> bool:
        """Tell whether nothing of this exchange is left on the connection."""
        return self.is_asked and self.is_answered


class Forwarding(Struct, frozen=True, kw_only=True):
    """One request on its way, and everything that its way takes."""

    request: RequestHead
    head: bytes
    body: bytes
    exchange: ModelExchange
    client: Line
    upstream: Line
    passage: ConnectionShare
    budget: SpendBudget
    mask: Mask
    refused: Callable[[], Awaitable[None]]
    """Called where the upstream does not accept what the request was given."""
    course: Course

    async def run(self) -> None:
        """Carry it through; it ends early when either side leaves or too much is spent."""
        self.exchange.is_sent = True
        self.exchange.request_bytes = len(self.body)
        with suppress(ConnectionError):
            await self.upstream.say(self.head)
        try:
            async with patience(self.passage.allowance.idle_time) as renew:
                await alongside(self._download(renew), self._upload(renew))
        except TimeoutError:
            raise Unreachable("it said nothing for too long") from None

    async def _upload(self, renew: Renew) -> None:
        for start in range(0, len(self.body), CHUNK):
            renew()
            if not await self._offer(self.body[start : start + CHUNK]):
                return
        self.course.is_asked = True
        await self._watch()

    async def _offer(self, words: bytes) -> bool:
        """Send upstream; who does not want to hear all of it may have answered already."""
        try:
            await self.upstream.say(words)
        except ConnectionError:
            return False
        return True

    async def _watch(self) -> None:
        """Notice when the client leaves, so that nobody works for it any longer."""
        if not await self.client.hear():
            raise ConnectionError("the client left")

    async def _download(self, renew: Renew) -> None:
        answer = await self._hear_answer()
        self.passage.limit_note.hear(answer, is_free=self.exchange.is_free)
        is_good = HTTPStatus.OK <= answer.status < HTTPStatus.MULTIPLE_CHOICES
        self.exchange.is_free = self.exchange.is_free or not is_good
        if answer.status == HTTPStatus.UNAUTHORIZED:
            await self.refused()
        meter = self.exchange.meter = Meter(content_type(answer))
        framing = self._framing(answer)
        await self.client.say(client_head(answer, framing, self.mask))
        if has_body(self.request, answer):
            body = MessageBody(self.upstream.reader, answer.framing, is_open_ended=True)
            while piece := await _next(body):
                renew()
                meter.read(piece)
                self.budget.check()
                await self._tell(self.mask.cover(piece), framing)
            await self._tell(self.mask.rest(), framing)
            meter.end()
            self.budget.check()
            if framing.is_chunked:
                await self.client.say(LAST_CHUNK)
        has_end = answer.framing != Framing() or not has_body(self.request, answer)
        self.course.is_answered = answer.is_lasting and has_end

    async def _tell(self, piece: bytes, framing: Framing) -> None:
        if piece:
            self.passage.toll.download(len(piece))
            await self.client.say(chunk(piece) if framing.is_chunked else piece)

    async def _hear_answer(self) -> ResponseHead:
        for _ in range(_MOST_INTERIM):
            try:
                answer = parse_answer(await self.upstream.reader.readuntil(END))
            except (Refused, OSError, asyncio.IncompleteReadError, asyncio.LimitOverrunError):
                raise Unreachable("it gave no answer that makes sense") from None
            if answer.status >= HTTPStatus.OK:
                return answer
            if answer.status == HTTPStatus.SWITCHING_PROTOCOLS:
                break
        raise Unreachable("it gave no answer that makes sense")

    def _framing(self, answer: ResponseHead) -> Framing:
        """Choose how the client learns where the body ends."""
        if answer.framing.length is not None:
            return answer.framing
        return Framing(is_chunked=self.request.is_modern and has_body(self.request, answer))


async def _next(body: MessageBody) -> bytes:
    """Read on; an upstream that loses the thread is gone, which is nobody's refusal."""
    try:
        return await body.read()
    except Refused:
        raise ConnectionError("the answer makes no sense") from None

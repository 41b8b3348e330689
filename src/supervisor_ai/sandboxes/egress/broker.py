"""The credential broker: requests go out with a key that the worker never sees."""

import asyncio
import ssl
from collections.abc import AsyncIterator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from functools import partial
from typing import Final

from supervisor_ai.domain.errors import SupervisorError
from supervisor_ai.sandboxes.egress.address import any_addresses, public_addresses
from supervisor_ai.sandboxes.egress.body import MessageBody
from supervisor_ai.sandboxes.egress.connection import ConnectionShare
from supervisor_ai.sandboxes.egress.forwarding import Course, Forwarding, Unreachable
from supervisor_ai.sandboxes.egress.head import RequestHead, values
from supervisor_ai.sandboxes.egress.model_access.headers import upstream_head
from supervisor_ai.sandboxes.egress.model_access.request_validation import as_json, validate
from supervisor_ai.sandboxes.egress.model_access.route import Route
from supervisor_ai.sandboxes.egress.model_access.secret_mask import Mask
from supervisor_ai.sandboxes.egress.model_access.spend_budget import SpendBudget
from supervisor_ai.sandboxes.egress.refusal import Refused
from supervisor_ai.sandboxes.egress.traffic import Line, dial, patience

_FREE: Final = ("/count_tokens", ":countTokens")
_CONTINUE: Final = b"HTTP/1.1 100 Continue\r\n\r\n"

_KEPT: Final = 30.0
"""For so many seconds a connection waits for the next request; servers do so for longer."""


class CredentialBroker:
    """Sends every listed request upstream once its body was validated, and streams the answer.

    One connection is kept for the next request, where all of both was heard and the upstream wants
    it so; requests at the same time have one each. No other worker ever uses it.
    """

    def __init__(self, route: Route, passage: ConnectionShare, budget: SpendBudget) -> None:
        self._route = route
        self._passage = passage
        self._budget = budget
        self._idle: tuple[Line, float] | None = None
        self._is_closed = False
        self._held = 0
        self._turn = asyncio.Lock()

    def close(self) -> None:
        """Let no connection wait any longer."""
        self._is_closed = True
        if self._idle is not None:
            self._idle[0].drop()

    async def serve(self, request: RequestHead, client: Line) -> None:
        """Carry one request and its answer, or refuse it."""
        target = self._route.target
        try:
            await self._exchange(request, self._route.path(request.method, request.target), client)
        except Refused as refused:
            raise refused.toward(target.host, target.port) from None

    async def _exchange(self, request: RequestHead, path: str, client: Line) -> None:
        with self._budget.exchange() as exchange:
            exchange.is_free = request.method != "POST" or path.partition("?")[0].endswith(_FREE)
            async with self._body(request, client) as body:
                whole = as_json(request, body)
                await validate(whole, path, body, self._route.web_tools, self._turn)
                given = await self._given()
                async with self._upstream() as (upstream, course):
                    await Forwarding(
                        request=whole,
                        head=upstream_head(whole, path, self._route, given),
                        body=body,
                        exchange=exchange,
                        client=client,
                        upstream=upstream,
                        passage=self._passage,
                        budget=self._budget,
                        mask=Mask(*given.values()),
                        refused=partial(self._renew, given),
                        course=course,
                    ).run()

    @asynccontextmanager
    async def _body(self, request: RequestHead, client: Line) -> AsyncIterator[bytes]:
        """Hold the whole body of a request."""
        body = bytearray()
        try:
            await self._read(request, client, body)
            yield bytes(body)
        finally:
            self._held -= len(body)

    async def _read(self, request: RequestHead, client: Line, body: bytearray) -> None:
        """Read as far as all bodies that are held at once leave room for it."""
        if values(request.fields, "expect"):
            await client.say(_CONTINUE)
            client.has_spoken = False  # the answer itself is still to come
        source, allowance = MessageBody(client.reader, request.framing), self._passage.allowance
        try:
            async with patience(allowance.idle_time) as renew:
                while piece := await source.read():
                    renew()
                    self._passage.toll.upload(len(piece))
                    body += piece
                    self._held += len(piece)
                    if max(self._held, 2 * len(body)) > allowance.held_bytes:
                        raise Refused("too-large")
        except TimeoutError:
            raise Refused("too-slow") from None

    @asynccontextmanager
    async def _upstream(self) -> AsyncIterator[tuple[Line, Course]]:
        """Take the connection that waits, or make one; keep it if nothing is left on it."""
        async with AsyncExitStack() as stack:
            line = await stack.enter_async_context(await self._waiting() or await self._dial())
            course = Course()
            yield line, course
            if course.is_whole and self._idle is None and not self._is_closed:
                self._idle = (line, asyncio.get_running_loop().time())
                stack.pop_all()

    async def _waiting(self) -> Line | None:
        """Return the connection that was kept, if the upstream still waits on it."""
        if self._idle is None:
            return None
        (line, since), self._idle = self._idle, None
        is_young = asyncio.get_running_loop().time() - since < _KEPT
        async with AsyncExitStack() as stack:
            await stack.enter_async_context(line)
            if not (is_young and await line.is_silent()):
                return None
            stack.pop_all()
        return line

    async def _given(self) -> Mapping[str, str]:
        try:
            return await self._route.headers()
        except SupervisorError:
            raise Unreachable("there is nothing that its requests could carry") from None

    async def _renew(self, given: Mapping[str, str]) -> None:
        """Renew a login that was refused, before the client hears of it and asks again."""
        if self._route.login is not None:
            await self._route.login.renew(given)

    async def _dial(self) -> Line:
        target, resolve = self._route.target, self._passage.resolve
        find = any_addresses if self._route.is_local else public_addresses
        tls = self._passage.tls if self._route.is_tls else None
        try:
            async with asyncio.timeout(self._passage.allowance.dial_time.total_seconds()):
                addresses = await find(target, resolve)
                return await dial(addresses, target.port, tls=tls, name=target.host)
        except ssl.CertificateError:
            raise Unreachable("its certificate cannot be trusted") from None
        except OSError:
            raise Unreachable("it cannot be reached") from None

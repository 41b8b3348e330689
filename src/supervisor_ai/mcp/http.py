"""The protocol over HTTP: who is asking is proven anew by every request."""

import asyncio
import json
import socket
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from datetime import timedelta
from http import HTTPStatus
from typing import ClassVar, Final

import uvicorn
from mcp.server.lowlevel.server import Server
from mcp.server.transport_security import TransportSecuritySettings
from msgspec import Struct
from starlette.requests import Request
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from uvicorn.protocols.http.h11_impl import H11Protocol

from supervisor_ai.domain.errors import Denied, SupervisorError
from supervisor_ai.mcp.server import Context
from supervisor_ai.mcp.toolbox import Toolbox

PATH: Final = "/mcp"
BODY_BYTES: Final = 1 << 20
CONNECTIONS: Final = 256
REQUESTS: Final = 16
HEAD_BYTES: Final = 1 << 15
_GRACE: Final = 3
_LINGER: Final = 1.0
"""Seconds in which whoever is refused may go on to speak, and so hear the answer."""
_BEARER: Final = "bearer "
_TOOLBOX: Final = "supervisor.toolbox"


class Patience(Struct, frozen=True, kw_only=True):
    """How long a client may take."""

    head: timedelta = timedelta(seconds=5)
    """From the connection to the end of the request's head."""
    request: timedelta = timedelta(minutes=1)
    """For all of a request, and its answer."""


USUAL: Final = Patience()

Identify = Callable[[str], Toolbox]
"""Says whose tools a token opens; raises Denied for one that is nobody's."""


def toolbox_of(context: Context) -> Toolbox:
    """Return the tools of whoever made a request."""
    request = context.request
    found = request.scope.get(_TOOLBOX) if isinstance(request, Request) else None
    if found is None:
        raise Denied("The request proves nobody.")
    toolbox: Toolbox = found
    return toolbox


async def serve_http(
    server: Server[None],
    listener: socket.socket,
    identify: Identify,
    *,
    hosts: Sequence[str],
    patience: Patience = USUAL,
) -> None:
    """Serve all clients until it is cancelled; only requests that name one of the hosts count."""
    app = server.streamable_http_app(
        streamable_http_path=PATH,
        json_response=True,
        stateless_http=True,
        max_request_body_size=BODY_BYTES,
        transport_security=TransportSecuritySettings(allowed_hosts=list(hosts)),
    )
    serving = _QuietServer(
        uvicorn.Config(
            _Entrance(app, identify, patience),
            http=type("_Protocol", (_BoundedProtocol,), {"patience": patience}),
            ws="none",
            log_config=None,
            access_log=False,
            server_header=False,
            proxy_headers=False,
            h11_max_incomplete_event_size=HEAD_BYTES,
            timeout_graceful_shutdown=_GRACE,
        )
    )
    task = asyncio.ensure_future(serving.serve(sockets=[listener]))
    try:
        await asyncio.shield(task)
    finally:
        serving.should_exit = True
        await task


class _Entrance:
    """Lets through what proves whose it is, no more at a time than can be served."""

    def __init__(self, app: ASGIApp, identify: Identify, patience: Patience) -> None:
        self._app = app
        self._time = patience.request.total_seconds()
        self._identify = identify
        self._places = asyncio.Semaphore(REQUESTS)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Attend to one request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        answer = _Answer(send)
        try:
            async with asyncio.timeout(self._time):
                # Only who is known holds a place: strangers would keep members waiting.
                scope[_TOOLBOX] = await self._admit(scope)
                async with self._places:
                    await self._app(scope, receive, answer.send)
        except _Refused as refused:
            await answer.refuse(refused.status, refused.why, receive)
        except TimeoutError:
            why = "The request took too long."
            await answer.refuse(HTTPStatus.REQUEST_TIMEOUT, why, receive)

    async def _admit(self, scope: Scope) -> Toolbox:
        if scope["path"] != PATH or scope["query_string"]:
            raise _Refused(HTTPStatus.NOT_FOUND, f"There is nothing but {PATH}.")
        if scope["method"] != "POST":
            # Nothing is said that was not asked for, and nothing is kept between requests.
            raise _Refused(HTTPStatus.METHOD_NOT_ALLOWED, "Only POST is served.")
        if any(name == b"origin" for name, _ in scope["headers"]):
            raise _Refused(HTTPStatus.FORBIDDEN, "No page of a browser is served.")
        try:
            return await asyncio.to_thread(self._identify, _token(scope))
        except Denied as error:
            raise _Refused(HTTPStatus.UNAUTHORIZED, error.message) from None
        except SupervisorError as error:
            raise _Refused(HTTPStatus.SERVICE_UNAVAILABLE, error.message) from None


class _Refused(Exception):
    """A request that is not served."""

    def __init__(self, status: HTTPStatus, why: str) -> None:
        super().__init__(why)
        self.status = status
        self.why = why


async def _hear_out(receive: Receive) -> None:
    """Take what is left of a request, as long as that is no more than a request may be."""
    left = BODY_BYTES
    while left > 0:
        message = await receive()
        left -= len(message.get("body", b""))
        if not message.get("more_body", False):
            return


def _token(scope: Scope) -> str:
    given = [value for name, value in scope["headers"] if name == b"authorization"]
    text = given[0].decode("latin-1") if len(given) == 1 else ""
    if not text.lower().startswith(_BEARER):
        raise Denied("The request carries no token.")
    return text[len(_BEARER) :].strip()


class _Answer:
    """One answer, after which the connection ends: whoever is idle holds nothing."""

    def __init__(self, send: Send) -> None:
        self._send = send
        self._has_begun = False

    async def send(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self._has_begun = True
            message = {**message, "headers": [*message["headers"], (b"connection", b"close")]}
        await self._send(message)

    async def refuse(self, status: HTTPStatus, why: str, receive: Receive) -> None:
        if self._has_begun:
            return
        body = json.dumps({"error": {"kind": "denied", "message": why, "hint": None}}).encode()
        headers = [
            (b"content-type", b"application/json"),
            (b"content-length", str(len(body)).encode()),
            *_besides(status),
        ]
        await self.send({"type": "http.response.start", "status": status.value, "headers": headers})
        await self.send({"type": "http.response.body", "body": body, "more_body": True})
        with suppress(TimeoutError):
            async with asyncio.timeout(_LINGER):
                await _hear_out(receive)
        await self.send({"type": "http.response.body", "body": b""})


def _besides(status: HTTPStatus) -> Iterator[tuple[bytes, bytes]]:
    if status is HTTPStatus.UNAUTHORIZED:
        yield b"www-authenticate", b"Bearer"
    if status is HTTPStatus.METHOD_NOT_ALLOWED:
        yield b"allow", b"POST"


class _BoundedProtocol(H11Protocol):
    """Gives up on whoever connects and does not ask, sooner where others want to."""

    patience: ClassVar = USUAL

    def connection_made(  # type: ignore[override,explicit-override]
        self, transport: asyncio.Transport
    ) -> None:
        """Begin to wait for a request; the oldest stranger goes where there are too many."""
        super().connection_made(transport)
        self.began = self.loop.time()
        if len(self.connections) > CONNECTIONS:
            known = (it for it in self.connections if isinstance(it, _BoundedProtocol))
            strangers = (it for it in known if not it.is_admitted)
            oldest = min(strangers, key=lambda it: it.began)
            self.connections.discard(oldest)
            oldest.transport.abort()
        self._hurry = self.loop.call_later(self.patience.head.total_seconds(), self._give_up)

    @property
    def is_admitted(self) -> bool:
        """Tell whether a request of this connection has proven whose it is."""
        return bool(self.scope) and _TOOLBOX in self.scope

    def connection_lost(  # type: ignore[explicit-override]
        self, exc: Exception | None
    ) -> None:
        """Wait no longer."""
        if hasattr(self, "_hurry"):
            self._hurry.cancel()
        super().connection_lost(exc)

    def _give_up(self) -> None:
        if not self.headers:
            self.transport.abort()


class _QuietServer(uvicorn.Server):
    """Leaves signals to whoever started it."""

    @contextmanager
    def capture_signals(self) -> Iterator[None]:  # type: ignore[explicit-override]
        """Capture none."""
        yield

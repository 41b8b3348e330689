"""A broker before an upstream on the loopback interface, and what that may answer."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import TYPE_CHECKING

from supervisor_ai.engine.ports.sandbox import BrokerRoute, LiveHeaders
from supervisor_ai.sandboxes.egress.gateway import Gateway
from supervisor_ai.sandboxes.egress.traffic import USUAL, TrafficLimits

if TYPE_CHECKING:
    from tests.integration.sandboxes.egress.conftest import Serve, World

HOST = "api.example.com"
SECRET = "sk-real-0123456789"
POST = "POST /v1/messages HTTP/1.1"
PATHS = ("POST /v1/messages", "POST /v1/messages/count_tokens", "GET /v1/models", "HEAD /v1/models")


def answer(body: bytes, *lines: str, status: str = "200 OK") -> bytes:
    head = [f"HTTP/1.1 {status}", *lines, f"Content-Length: {len(body)}", "", ""]
    return "\r\n".join(head).encode() + body


def chunk(piece: bytes) -> bytes:
    return b"%x\r\n%b\r\n" % (len(piece), piece)


def local(port: int, scheme: str = "http", host: str = "127.0.0.1") -> BrokerRoute:
    return BrokerRoute(
        upstream=f"{scheme}://{host}:{port}",
        paths=PATHS,
        header="x-api-key",
        secret=SECRET,
        is_local=True,
    )


@asynccontextmanager
async def brokered(
    world: "World",
    serve: "Serve",
    *,
    allowance: TrafficLimits = USUAL,
    tokens: int | None = None,
    login: LiveHeaders | None = None,
) -> AsyncIterator[Gateway]:
    """Put a door before an upstream on the loopback interface."""
    world.names = {"127.0.0.1": ["127.0.0.1"]}
    world.names = {"127.0.0.1": ["127.0.0.1"]}
    async with (
        world.upstream(serve, address="127.0.0.1", port=0, is_tls=False) as port,
        world.door(
            broker=replace(local(port), login=login),
            allow=(f"{HOST}:443",),
            allowance=allowance,
            tokens=tokens,
        ) as door,
    ):
        yield door

"""Requests through a real broker to a scripted model: what passes arrives as it was judged."""

import dataclasses
import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import AsyncExitStack
from typing import TYPE_CHECKING, Final

import pytest
from tests.integration.sandboxes.egress.brokered_world import local
from tests.integration.sandboxes.egress.model_requests import MODEL_REQUESTS, ModelRequest

from supervisor_ai.lab.server import LabServer
from supervisor_ai.sandboxes.egress.traffic import TrafficLimits

if TYPE_CHECKING:
    from tests.integration.sandboxes.egress.conftest import Story, World

Tell = Callable[["Story"], None]
DECLARED: Final = ("application/json", "application/json; charset=utf-8")
ERRORS: Final[Mapping[str, tuple[int, Callable[[dict[str, dict[str, str]]], object]]]] = {
    "anthropic": (403, lambda said: said["type"] and said["error"]["message"]),
    "responses": (400, lambda said: said["error"]["type"] and said["error"]["message"]),
    "gemini": (400, lambda said: said["error"]["status"] and said["error"]["message"]),
}
"""How each dialect tells an error that clients do not repeat."""


@pytest.fixture(scope="module")
def lab() -> Iterator[LabServer]:
    with LabServer({"scenarios": [{"turns": [{"text": "fine"}] * 500}]}) as lab:
        yield lab


def ask(request: ModelRequest) -> tuple[str, ...]:
    return (
        f"POST {request.path} HTTP/1.1",
        *(f"{name}: {value}" for name, value in request.headers.items()),
        f"Content-Length: {len(request.body)}",
    )


@pytest.mark.parametrize("request_", MODEL_REQUESTS, ids=lambda it: it.name)
def test_a_request_reaches_the_model_only_with_what_is_listed(
    tell: Tell, lab: LabServer, request_: ModelRequest
) -> None:
    before = len(lab.requests)

    async def story(world: "World") -> None:
        world.names = {"127.0.0.1": ["127.0.0.1"]}
        path = request_.path.partition("?")[0]
        route = dataclasses.replace(
            local(lab.port), paths=(f"POST {path}",), web_tools=request_.allowed
        )
        async with world.door(broker=route):
            heard = await world.ask(*ask(request_), body=request_.body)
        words = [reason.partition(":")[0] for reason in world.reasons]
        assert words == ([request_.refused] if request_.refused else []), heard
        if request_.refused:
            check_refusal(heard, world)
        else:
            assert heard.startswith(b"HTTP/1.1 200 "), heard

    def check_refusal(heard: bytes, world: "World") -> None:
        head, _, body = heard.partition(b"\r\n\r\n")
        said = json.loads(body)
        status, tells = ERRORS.get(request_.dialect, (int(head.split()[1]), bool))
        assert head.startswith(b"HTTP/1.1 %d " % status)
        assert 400 <= status < 404
        assert tells(said)
        [refusal] = world.refusals
        assert (refusal.host, refusal.port) == ("127.0.0.1", lab.port)
        part = refusal.reason.partition(": ")[2]
        assert bool(part) is (request_.refused != "unknown-api")
        assert part in body.decode()

    tell(story)
    arrived = lab.requests[before:]
    if request_.refused:
        assert arrived == ()
    else:
        [seen] = arrived
        assert seen.size == len(request_.body)
        if seen.dialect is not None:  # of what is only counted the lab keeps nothing else
            assert seen.body == json.loads(request_.body)
            assert seen.headers["content-type"].lower() in DECLARED


def test_the_table_has_requests_of_all_kinds() -> None:
    for dialect in ("anthropic", "responses", "chat", "gemini"):
        mine = [it for it in MODEL_REQUESTS if it.dialect == dialect]
        refused = [it for it in mine if it.refused]
        assert len(refused) >= 15, dialect
        assert len(mine) - len(refused) >= 6, dialect


def test_bodies_that_are_held_at_once_have_a_bound(tell: Tell, lab: LabServer) -> None:
    least = b'{"model":"m","max_tokens":1,"messages":[{"role":"user","content":"a"}]}'
    line = "POST /v1/messages HTTP/1.1"

    async def story(world: "World") -> None:
        async def ask(size: int) -> bytes:
            return await world.ask(line, f"Content-Length: {size}", body=least.ljust(size))

        world.names = {"127.0.0.1": ["127.0.0.1"]}
        async with (
            AsyncExitStack() as stack,
            world.door(broker=local(lab.port), allowance=TrafficLimits(held_bytes=10_000)),
        ):
            slow = [await world.connect() for _ in range(2)]
            for reader, writer in slow:
                stack.callback(writer.close)
                writer.write(f"{line}\r\nExpect: x\r\nContent-Length: 4001\r\n\r\n".encode())
                await reader.readuntil(b"Continue\r\n\r\n")
                writer.write(least.ljust(4000))
            for _ in range(3):
                assert b"too-large" in await ask(3000)
                assert (await ask(1000)).startswith(b"HTTP/1.1 200 ")
            for reader, writer in slow:
                writer.write(b" ")
                assert (await reader.read()).startswith(b"HTTP/1.1 200 ")
            assert (await ask(3000)).startswith(b"HTTP/1.1 200 ")
            assert b"too-large" in await ask(5001)
        assert world.reasons == ["too-large"]

    tell(story)

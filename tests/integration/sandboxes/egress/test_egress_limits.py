"""Money and limits at the broker: what it stops in mid-answer, and what it remembers."""

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import TYPE_CHECKING

import pytest

from supervisor_ai.domain.run.spending.prices import CostCap, Price
from supervisor_ai.engine.ports.sandbox import BrokerRoute, SandboxEnd
from supervisor_ai.sandboxes.egress.gateway import Gateway

if TYPE_CHECKING:
    from tests.integration.sandboxes.egress.conftest import Serve, Story, World

POST = "POST /v1/messages HTTP/1.1"
NOTHING = "Content-Length: 0"
STREAM = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n"
PRICE = Price(
    input=Decimal(1), output=Decimal(10), cache_read=Decimal("0.1"), cache_write=Decimal("1.25")
)
WORDS = 100
"""How many tokens each event says, as far as anybody can guess."""
OF_WORDS = WORDS * PRICE.output / 1_000_000

Tell = Callable[["Story"], None]


def event(content: object) -> bytes:
    return b"data: " + json.dumps(content).encode() + b"\n\n"


class Endless:
    """Streams for ever, also when several listen, and never says what it costs."""

    def __init__(self) -> None:
        self.listeners = 0
        self.together = asyncio.Event()
        self.expected = 1

    async def __call__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(STREAM)
        self.listeners += 1
        if self.listeners == self.expected:
            self.together.set()
        await self.together.wait()
        while True:
            writer.write(event({"choices": [{"delta": {"content": "word" * WORDS}}]}))
            await writer.drain()
            await asyncio.sleep(0)


def replying(*answers: tuple[int, tuple[str, ...]]) -> "Serve":
    """Give one answer after the other, each with its status and headers."""
    left = list(answers)

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        status, lines = left.pop(0)
        head = [f"HTTP/1.1 {status} X", *lines, "Content-Length: 2", "", ""]
        writer.write("\r\n".join(head).encode() + b"{}")
        await writer.drain()

    return serve


@asynccontextmanager
async def brokered(
    world: "World", serve: "Serve", limit: Decimal | None = None
) -> AsyncIterator[Gateway]:
    cap = None if limit is None else CostCap(limit=limit, price=PRICE)
    world.names = {"127.0.0.1": ["127.0.0.1"]}
    async with world.upstream(serve, address="127.0.0.1", port=0, is_tls=False) as port:
        route = BrokerRoute(
            upstream=f"http://127.0.0.1:{port}",
            paths=("POST /v1/messages", "POST /v1/messages/count_tokens"),
            header="x-api-key",
            secret="sk-real-0123456789",
            is_local=True,
        )
        async with world.door(broker=route, cost_cap=cap) as door:
            yield door


async def listen(world: "World") -> bytes:
    try:
        return await world.ask(POST, NOTHING)
    except ConnectionError:
        return b""


@pytest.mark.parametrize("many", [1, 3])
def test_answers_that_never_say_what_they_cost_are_cut_off_by_money(tell: Tell, many: int) -> None:
    limit = Decimal("0.05")

    async def story(world: "World") -> None:
        endless = Endless()
        endless.expected = many
        async with brokered(world, endless, limit) as door:
            await asyncio.gather(*(listen(world) for _ in range(many)))
            assert world.settled == [SandboxEnd.CUT_OFF]
            spent = PRICE.of(door.usage)
            # What one reading of a socket brings is the most that can be too much.
            most = (1 << 16) // (4 * WORDS) + 2
            assert limit <= spent <= limit + most * OF_WORDS
            assert door.usage.estimated
            assert b"budget-spent" in await world.ask(POST, NOTHING)
        assert world.settled == [SandboxEnd.CUT_OFF]

    tell(story)


def test_what_came_from_a_cache_is_paid_as_such(tell: Tell) -> None:
    usage = {"input_tokens": 0, "cache_read_input_tokens": 1_000_000, "output_tokens": 0}

    async def cached(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(STREAM + event({"usage": usage}))
        await writer.drain()

    async def story(world: "World") -> None:
        async with brokered(world, cached, Decimal("0.25")) as door:
            for spent in ("0.1", "0.2"):
                assert b"usage" in await world.ask(POST, NOTHING)
                assert PRICE.of(door.usage) == Decimal(spent)
            assert world.settled == []
            await listen(world)
            assert world.settled == [SandboxEnd.CUT_OFF]

    tell(story)


REFUSED = (429, ("Retry-After: 7200", "x-ratelimit-reset-requests: 20ms"))


@pytest.mark.parametrize(
    ("answers", "wait"),
    [
        ([REFUSED], timedelta(hours=2)),
        ([REFUSED, (429, ()), (500, ("Retry-After: 9",))], timedelta(hours=2)),
        ([(429, ("x-ratelimit-reset-tokens: 6m0s",))], timedelta(minutes=6)),
        ([(503, ("Retry-After: 60",))], timedelta(minutes=1)),
        ([REFUSED, (200, ())], None),
        ([(200, ("Retry-After: 60",))], None),
        ([(429, ("Retry-After: 99999999999999999999",))], None),
    ],
)
def test_the_door_remembers_when_a_limit_ends(
    tell: Tell, answers: list[tuple[int, tuple[str, ...]]], wait: timedelta | None
) -> None:
    async def story(world: "World") -> None:
        async with brokered(world, replying(*answers)) as door:
            began = datetime.now(UTC)
            for _ in answers:
                await world.ask(POST, NOTHING)
            ended = datetime.now(UTC)
            if wait is None:
                assert door.reset_at is None
            else:
                assert door.reset_at is not None
                assert began + wait <= door.reset_at <= ended + wait

    tell(story)


def test_counting_tokens_does_not_end_a_limit(tell: Tell) -> None:
    async def story(world: "World") -> None:
        async with brokered(world, replying(REFUSED, (200, ()))) as door:
            await world.ask(POST, NOTHING)
            heard = await world.ask("POST /v1/messages/count_tokens HTTP/1.1", NOTHING)
            assert heard.startswith(b"HTTP/1.1 200 ")
            assert door.reset_at is not None

    tell(story)

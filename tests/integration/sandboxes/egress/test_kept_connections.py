"""A connection to the upstream is kept for the next request, and never one with a rest on it."""

import asyncio
from collections.abc import Callable
from typing import TYPE_CHECKING

import pytest
from tests.integration.sandboxes.egress.brokered_world import POST, answer, brokered, chunk
from typing_extensions import override

if TYPE_CHECKING:
    from tests.integration.sandboxes.egress.conftest import Story, World

Tell = Callable[["Story"], None]
STREAM = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" + chunk(b"abc") + b"0\r\n\r\n"


class Lasting:
    """Answers request after request on each connection."""

    def __init__(self, given: bytes, *, more: bytes = b"", most: int = 9) -> None:
        self.connections = 0
        self.requests = 0
        self.gone = asyncio.Event()
        self._given = given
        self._more = more
        self._most = most

    async def __call__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
        try:
            for _ in range(self._most):
                head = await reader.readuntil(b"\r\n\r\n")
                length = head.partition(b"Content-Length: ")[2].partition(b"\r\n")[0]
                await reader.readexactly(int(length or 0))
                self.requests += 1
                writer.write(self._given)
                await writer.drain()
                if self._more:
                    writer.write(self._more)
                    await writer.drain()
        finally:
            self.gone.set()


async def ask(world: "World", body: bytes = b"{}") -> bytes:
    return await world.ask(POST, f"Content-Length: {len(body)}", body=body)


@pytest.mark.parametrize(
    "given", [answer(b"late"), STREAM, b"HTTP/1.1 204 No Content\r\n\r\n", answer(b"")]
)
def test_requests_that_follow_each_other_share_a_connection(tell: Tell, given: bytes) -> None:
    async def story(world: "World") -> None:
        upstream = Lasting(given)
        async with brokered(world, upstream):
            answers = [await ask(world) for _ in range(3)]
            assert len(set(answers)) == 1
            assert (upstream.connections, upstream.requests) == (1, 3)
            assert not upstream.gone.is_set()
        await upstream.gone.wait()

    tell(story)


def test_requests_at_the_same_time_have_one_each_and_one_is_kept(tell: Tell) -> None:
    async def story(world: "World") -> None:
        upstream = Lasting(answer(b"late"))
        async with brokered(world, upstream):
            await asyncio.gather(*(ask(world) for _ in range(4)))
            at_once = upstream.connections
            assert at_once > 1
            await ask(world)
            assert upstream.connections == at_once

    tell(story)


@pytest.mark.parametrize(
    "given",
    [
        answer(b"late", "Connection: close"),
        answer(b"late", "Connection: keep-alive, Close"),
        answer(b"late").replace(b"HTTP/1.1", b"HTTP/1.0"),
    ],
)
def test_an_upstream_that_wants_to_end_is_asked_anew(tell: Tell, given: bytes) -> None:
    async def story(world: "World") -> None:
        upstream = Lasting(given)
        async with brokered(world, upstream):
            for _ in range(2):
                assert (await ask(world)).endswith(b"late")
        assert (upstream.connections, upstream.requests) == (2, 2)

    tell(story)


def test_an_upstream_that_has_left_meanwhile_is_asked_anew(tell: Tell) -> None:
    async def story(world: "World") -> None:
        upstream = Lasting(answer(b"late"), most=1)
        async with brokered(world, upstream):
            for _ in range(3):
                assert (await ask(world)).endswith(b"late")
                await upstream.gone.wait()
                upstream.gone.clear()
        assert (upstream.connections, upstream.requests) == (3, 3)

    tell(story)


def test_words_that_nobody_asked_for_are_no_answer_to_the_next_request(tell: Tell) -> None:
    async def story(world: "World") -> None:
        upstream = Lasting(answer(b"right"), more=answer(b"forged"))
        async with brokered(world, upstream):
            for _ in range(3):
                assert (await ask(world)).endswith(b"right")
        assert upstream.connections == 3

    tell(story)


def test_a_request_that_was_not_sent_to_its_end_leaves_no_connection(tell: Tell) -> None:
    class Hasty(Lasting):
        @override
        async def __call__(
            self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
        ) -> None:
            self.connections += 1
            await reader.readuntil(b"\r\n\r\n")
            writer.write(answer(b"enough"))
            await writer.drain()
            self.gone.set()
            await asyncio.Event().wait()

    async def story(world: "World") -> None:
        upstream = Hasty(b"")
        async with brokered(world, upstream):
            for number in (1, 2):
                heard = await ask(world, b"{}" + b" " * 20_000_000)
                assert heard.endswith(b"enough")
                await upstream.gone.wait()
                assert upstream.connections == number

    tell(story)

"""The protocol on two pipes: bounds, broken clients and the end."""

import asyncio
import json
import os
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Final

import pytest
from tests.integration.mcp.echo_tools import EchoTools
from tests.support.processes import PATIENCE

from supervisor_ai.mcp.server import make_server
from supervisor_ai.mcp.stdio import (
    HANDSHAKES,
    MESSAGE_BYTES,
    REQUESTS,
    StdioConnection,
    serve_stdio,
)

HELLO: Final = {
    "jsonrpc": "2.0",
    "id": "hello",
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": "t", "version": "1"},
    },
}
READY: Final = {"jsonrpc": "2.0", "method": "notifications/initialized"}
Json = dict[str, object]


def echo(number: int, words: str = "hi") -> Json:
    params = {"name": "echo", "arguments": {"words": words}}
    return {"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": params}


def line(message: object) -> bytes:
    return json.dumps(message).encode() + b"\n"


class Talk:
    """A client at the other ends of both pipes."""

    def __init__(self, *, is_greeted: bool = True) -> None:
        self._source, self.to = os.pipe()
        self.back, self._sink = os.pipe()
        self.serving = asyncio.ensure_future(self._serve(is_greeted=is_greeted))
        self._held = b""

    async def _serve(self, *, is_greeted: bool) -> None:
        wire, tools = StdioConnection(self._source, self._sink), EchoTools("ann")
        if is_greeted:
            await wire.greet("1.0")
        await serve_stdio(make_server("1.0", lambda _: tools, str), wire)

    async def say(self, *pieces: bytes) -> None:
        await asyncio.to_thread(os.write, self.to, b"".join(pieces))

    async def hear(self) -> Json:
        while b"\n" not in self._held:
            piece = await asyncio.to_thread(os.read, self.back, 1 << 16)
            assert piece, "the server ended"
            self._held += piece
        first, _, self._held = self._held.partition(b"\n")
        found: Json = json.loads(first)
        return found

    async def end(self) -> None:
        os.close(self.to)
        await self.serving

    def close(self) -> None:
        for number in (self._source, self.back, self._sink):
            os.close(number)


def tell(story: Callable[[Talk], Coroutine[None, None, None]]) -> None:
    async def told() -> None:
        talk = Talk()
        async with asyncio.timeout(PATIENCE):
            await story(talk)
        talk.close()

    asyncio.run(told())


def test_a_closed_stdin_ends_it_after_the_last_answer() -> None:
    async def story(talk: Talk) -> None:
        await talk.say(line(HELLO), line(READY), line(echo(1)))
        await talk.end()
        assert (await talk.hear())["id"] == "hello"
        said = await talk.hear()
        assert said["result"]["structuredContent"] == {"who": "ann", "words": "hi"}  # type: ignore[index]

    tell(story)


@pytest.mark.parametrize("version", [*HANDSHAKES, "1999-01-01", "", None, 5])
def test_a_client_is_greeted_with_the_words_of_the_sdk(version: object) -> None:
    async def heard(*, is_greeted: bool) -> list[Json]:
        talk = Talk(is_greeted=is_greeted)
        params = {**HELLO["params"], "protocolVersion": version}  # type: ignore[dict-item]
        await talk.say(line({**HELLO, "params": params}), line(READY), line(echo(1)))
        said = [await talk.hear(), await talk.hear()]
        await talk.end()
        talk.close()
        return said

    async def story() -> None:
        async with asyncio.timeout(PATIENCE):
            assert await heard(is_greeted=True) == await heard(is_greeted=False)

    asyncio.run(story())


def test_a_call_that_waits_holds_nobody_back() -> None:
    async def story(talk: Talk) -> None:
        await talk.say(line(HELLO), line(READY), line(echo(1, "wait")))
        assert (await talk.hear())["id"] == "hello"
        await talk.say(line(echo(2)))
        assert [(await talk.hear())["id"] for _ in range(2)] == [2, 1]
        await talk.end()

    tell(story)


def test_nobody_who_never_asks_is_waited_for() -> None:
    async def story(talk: Talk) -> None:
        await talk.end()

    tell(story)


def test_a_cancelled_server_ends_at_once_though_the_client_stays() -> None:
    async def story(talk: Talk) -> None:
        await talk.say(line(HELLO))
        await talk.hear()
        talk.serving.cancel()
        with pytest.raises(asyncio.CancelledError):
            await talk.serving
        os.close(talk.to)

    tell(story)


@pytest.mark.parametrize(
    ("nonsense", "code"),
    [
        (b"garbage\n", -32700),
        (b"\xff\xfe\n", -32700),
        (b"[]\n", -32700),
        (b'{"id": {}, "method": 3}\n', -32700),
        (b"[" * 100_000 + b"\n", -32700),
        (b'"' + b"x" * MESSAGE_BYTES + b'"\n', -32600),
    ],
)
def test_what_is_no_message_is_answered_and_the_next_one_is_served(
    nonsense: bytes, code: int
) -> None:
    async def story(talk: Talk) -> None:
        await talk.say(line(HELLO), line(READY), b"\n  \n")
        await talk.hear()
        sending = asyncio.ensure_future(talk.say(nonsense, line(echo(7))))
        refused = await talk.hear()
        assert refused["error"]["code"] == code  # type: ignore[index]
        assert refused["id"] is None
        assert (await talk.hear())["id"] == 7
        await sending
        await talk.end()

    tell(story)


def test_a_line_without_an_end_takes_no_memory() -> None:
    async def story(talk: Talk) -> None:
        await talk.say(line(HELLO), line(READY))
        await talk.hear()
        for _ in range(40):
            await talk.say(b"x" * (1 << 16))
        await talk.say(b"\n", line(echo(8)))
        assert (await talk.hear())["error"]["code"] == -32600  # type: ignore[index]
        assert (await talk.hear())["id"] == 8
        await talk.end()

    tell(story)


def test_a_client_that_asks_and_does_not_listen_is_not_read_any_more() -> None:
    async def story(talk: Talk) -> None:
        await talk.say(line(HELLO), line(READY))
        await talk.hear()
        asked = b"".join(line(echo(number, "w" * 2000)) for number in range(400))
        sending = asyncio.ensure_future(talk.say(asked))
        heard = [await talk.hear() for _ in range(400)]
        await sending
        assert {said["id"] for said in heard} == set(range(400))
        await talk.end()

    tell(story)


def test_requests_that_are_taken_back_do_not_count_for_ever() -> None:
    async def story(talk: Talk) -> None:
        await talk.say(line(HELLO), line(READY))
        await talk.hear()
        for number in range(3 * REQUESTS):
            taken_back = {
                "jsonrpc": "2.0",
                "method": "notifications/cancelled",
                "params": {"requestId": number},
            }
            await talk.say(line(echo(number)), line(taken_back))
        await talk.say(line(echo(999)))
        while (await talk.hear())["id"] != 999:
            pass
        await talk.end()

    tell(story)


def test_streams_may_be_files(tmp_path: Path) -> None:
    asked, said = tmp_path / "asked", tmp_path / "said"
    asked.write_bytes(line(HELLO) + line(READY) + line(echo(1)).rstrip())

    async def story() -> None:
        server = make_server("1.0", lambda _: EchoTools("ann"), str)
        with asked.open("rb") as source, said.open("wb") as sink:
            async with asyncio.timeout(PATIENCE):
                await serve_stdio(server, StdioConnection(source.fileno(), sink.fileno()))

    asyncio.run(story())
    ids = [json.loads(it)["id"] for it in said.read_bytes().splitlines()]
    assert ids == ["hello", 1]

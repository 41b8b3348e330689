"""The way of a worker to the tools of its session: one path, one socket, nothing else."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Final

from supervisor_ai.domain.run.values import EgressRefusal

if TYPE_CHECKING:
    from tests.integration.sandboxes.egress.conftest import Story, World

Tell = Callable[["Story"], None]
POST: Final = "POST /mcp HTTP/1.1"
ANSWER: Final = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}"
STREAMED: Final = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n"
MIB: Final = 1 << 20


class Tools:
    """Hears requests on a socket and gives every one the same answer."""

    def __init__(self, answer: bytes = ANSWER) -> None:
        self.answer = answer
        self.heard = b""

    @asynccontextmanager
    async def served(self, place: Path) -> AsyncIterator[Path]:
        server = await asyncio.start_unix_server(self._attend, str(place), limit=4 * MIB)
        try:
            yield place
        finally:
            server.close()

    async def _attend(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(asyncio.IncompleteReadError):
            self.heard = await _hear(reader)
        writer.write(self.answer)
        writer.close()


async def _hear(reader: asyncio.StreamReader) -> bytes:
    head = await reader.readuntil(b"\r\n\r\n")
    length = head.lower().partition(b"content-length: ")[2].partition(b"\r\n")[0]
    body = await reader.readexactly(int(length)) if length else b""
    if b"chunked" in head:
        body = await reader.readuntil(b"0\r\n\r\n")
    return head + body


def test_a_request_reaches_the_socket_with_what_the_protocol_needs(
    tell: Tell, tmp_path: Path
) -> None:
    tools = Tools()

    async def story(world: "World") -> None:
        async with tools.served(tmp_path / "s") as place, world.door(members=place):
            said = await world.ask(
                POST,
                *("Host: 127.0.0.1:3128", "Authorization: Bearer own", "Mcp-Session-Id: 7"),
                *("Cookie: a=b", "X-Forwarded-For: 1.2.3.4", "Origin: http://evil"),
                *("Accept: application/json", "Content-Type: application/json"),
                "Content-Length: 4",
                body=b"null",
            )
        assert said.startswith(b"HTTP/1.1 200 OK\r\n")
        assert said.endswith(b"\r\n\r\n{}")
        assert world.refusals == []

    tell(story)
    head, _, body = tools.heard.decode().partition("\r\n\r\n")
    assert body == "null"
    assert head.split("\r\n") == [
        POST,
        "Host: localhost",
        "Connection: close",
        "Authorization: Bearer own",
        "Mcp-Session-Id: 7",
        "Accept: application/json",
        "Content-Type: application/json",
        "Content-Length: 4",
    ]


def test_an_answer_in_chunks_comes_back_in_chunks(tell: Tell, tmp_path: Path) -> None:
    tools = Tools(STREAMED)

    async def story(world: "World") -> None:
        async with tools.served(tmp_path / "s") as place, world.door(members=place):
            lines = ("Host: x", "Transfer-Encoding: chunked")
            said = await world.ask(POST, *lines, body=b"2\r\n{}\r\n0\r\n\r\n")
        assert said.endswith(b"2\r\n{}\r\n0\r\n\r\n")

    tell(story)
    assert tools.heard.endswith(b"2\r\n{}\r\n0\r\n\r\n")


def test_other_paths_and_methods_do_not_reach_the_socket(tell: Tell, tmp_path: Path) -> None:
    tools = Tools()
    attempts = ("POST /mcp/x", "POST /mcp?x=1", "PUT /mcp", "POST /mcp/../v1/messages")

    async def story(world: "World") -> None:
        async with tools.served(tmp_path / "s") as place, world.door(members=place):
            for attempt in attempts:
                said = await world.ask(f"{attempt} HTTP/1.1", "Host: x", "Content-Length: 0")
                assert said.startswith(b"HTTP/1.1 403 ")
            said = await world.ask("POST /mcpx HTTP/1.1", "Host: x", "Content-Length: 0")
            assert b"no-broker" in said
        assert world.refusals[0] == EgressRefusal(
            host="members", port=None, reason="path-not-listed"
        )
        assert world.reasons == ["path-not-listed", "no-broker"]

    tell(story)
    assert tools.heard == b""


def test_a_sandbox_without_a_session_has_no_tools(tell: Tell) -> None:
    async def story(world: "World") -> None:
        async with world.door():
            assert b"no-broker" in await world.ask(POST, "Host: x", "Content-Length: 0")

    tell(story)


def test_a_huge_body_is_refused_whether_its_length_is_told_or_not(
    tell: Tell, tmp_path: Path
) -> None:
    async def story(world: "World") -> None:
        async with Tools().served(tmp_path / "s") as place, world.door(members=place):
            told = await world.ask(POST, "Host: x", f"Content-Length: {MIB + 1}")
            assert b"too-large" in told
            piece = b"%x\r\n%b\r\n" % (MIB // 2 + 1, b"x" * (MIB // 2 + 1))
            lines = ("Host: x", "Transfer-Encoding: chunked")
            assert b"too-large" in await world.ask(POST, *lines, body=piece * 2)
        assert world.reasons == ["too-large"]

    tell(story)


def test_tools_that_are_not_served_are_told_as_a_refusal(tell: Tell, tmp_path: Path) -> None:
    async def story(world: "World") -> None:
        async with world.door(members=tmp_path / "nobody"):
            said = await world.ask(POST, "Host: x", "Content-Length: 0")
        assert said.startswith(b"HTTP/1.1 502 ")
        assert world.reasons == ["not-served"]

    tell(story)


def test_an_answer_that_makes_no_sense_is_not_passed_on(tell: Tell, tmp_path: Path) -> None:
    async def story(world: "World") -> None:
        for nonsense in (b"hello\r\n\r\n", b"HTTP/1.1 101 Switching\r\n\r\n", b""):
            place = tmp_path / f"s{len(nonsense)}"
            async with Tools(nonsense).served(place), world.door(members=place):
                said = await world.ask(POST, "Host: x", "Content-Length: 0")
            assert said.startswith(b"HTTP/1.1 502 ")

    tell(story)

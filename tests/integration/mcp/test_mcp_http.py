"""The protocol over HTTP with real sockets: who gets in, and what a broken client can do."""

import asyncio
import json
import socket
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager, suppress
from datetime import timedelta
from typing import Final

import httpx2
import pytest
from mcp.client.client import Client
from mcp.client.session import ClientSession
from mcp.client.streamable_http import streamable_http_client
from tests.integration.mcp.echo_tools import TOKEN, identify
from tests.support.processes import PATIENCE

from supervisor_ai.mcp.http import (
    BODY_BYTES,
    CONNECTIONS,
    HEAD_BYTES,
    USUAL,
    Patience,
    serve_http,
    toolbox_of,
)
from supervisor_ai.mcp.server import make_server

OWN: Final = {"Authorization": f"Bearer {TOKEN}"}
LISTING: Final = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
ACCEPT: Final = "Accept: application/json, text/event-stream"
Story = Callable[[int], Coroutine[None, None, None]]


@asynccontextmanager
async def serving(patience: Patience = USUAL) -> AsyncIterator[int]:
    listener = socket.create_server(("127.0.0.1", 0))
    port: int = listener.getsockname()[1]
    server = make_server("1.0", toolbox_of, str)
    task = asyncio.create_task(
        serve_http(server, listener, identify, hosts=[f"127.0.0.1:{port}"], patience=patience)
    )
    try:
        yield port
    finally:
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task


def tell(story: Story, patience: Patience = USUAL) -> None:
    async def told() -> None:
        async with asyncio.timeout(PATIENCE), serving(patience) as port:
            await story(port)

    asyncio.run(told())


async def ask(port: int, *lines: str, body: bytes = b"") -> str:
    """Send one request as it is and hear everything that comes back."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write("\r\n".join([*lines, "", ""]).encode() + body)
    with suppress(ConnectionError):
        await writer.drain()
    try:
        return (await reader.read()).decode()
    except ConnectionError:
        return ""
    finally:
        writer.close()


async def post(port: int, *lines: str, host: str = "", body: object = LISTING) -> str:
    content = json.dumps(body).encode()
    return await ask(
        port,
        *("POST /mcp HTTP/1.1", f"Host: {host or f'127.0.0.1:{port}'}", ACCEPT),
        *("Content-Type: application/json", f"Content-Length: {len(content)}", *lines),
        body=content,
    )


def test_a_client_of_the_handshake_and_a_modern_one_call_a_tool() -> None:
    async def story(port: int) -> None:
        url = f"http://127.0.0.1:{port}/mcp"
        async with (
            httpx2.AsyncClient(headers=OWN) as http,
            streamable_http_client(url, http_client=http) as (read, write, *_),
            ClientSession(read, write) as client,
        ):
            hello = await client.initialize()
            assert hello.protocol_version == "2025-11-25"
            assert hello.server_info.name == "supervisor"
            assert [tool.name for tool in (await client.list_tools()).tools] == ["echo"]
            said = await client.call_tool("echo", {"words": "hi"})
            assert said.structured_content == {"who": "ann", "words": "hi"}
            refused = await client.call_tool("approve", {})
            assert refused.is_error
        async with (
            httpx2.AsyncClient(headers=OWN) as http,
            Client(streamable_http_client(url, http_client=http)) as client,
        ):
            said = await client.call_tool("echo", {"words": "again"})
            assert said.structured_content == {"who": "ann", "words": "again"}

    tell(story)


@pytest.mark.parametrize("version", ["2025-06-18", "2025-11-25"])
def test_the_version_of_the_client_is_spoken(version: str) -> None:
    async def story(port: int) -> None:
        hello = {
            "jsonrpc": "2.0",
            "id": 1,
            "method": "initialize",
            "params": {
                "protocolVersion": version,
                "capabilities": {},
                "clientInfo": {"name": "t", "version": "1"},
            },
        }
        said = await post(port, f"Authorization: Bearer {TOKEN}", body=hello)
        assert f'"protocolVersion":"{version}"' in said

    tell(story)


def test_a_probe_for_a_later_protocol_is_answered() -> None:
    async def story(port: int) -> None:
        probe = {"jsonrpc": "2.0", "id": 1, "method": "server/discover", "params": {}}
        assert "-32601" in await post(port, f"Authorization: Bearer {TOKEN}", body=probe)

    tell(story)


@pytest.mark.parametrize(
    "lines",
    [
        (),
        ("Authorization: Bearer tok-other",),
        ("Authorization: Bearer",),
        (f"Authorization: Basic {TOKEN}",),
        (f"Authorization: Bearer {TOKEN}x",),
        (f"Authorization: Bearer {TOKEN}", "Authorization: Bearer other"),
        (f"X-Token: {TOKEN}",),
    ],
)
def test_who_proves_nothing_is_not_let_in(
    lines: tuple[str, ...], caplog: pytest.LogCaptureFixture
) -> None:
    async def story(port: int) -> None:
        said = await post(port, *lines)
        assert said.startswith("HTTP/1.1 401 ")
        assert "www-authenticate: Bearer" in said
        assert "echo" not in said

    tell(story)
    assert TOKEN not in caplog.text


def test_a_page_of_another_host_cannot_ask_through_a_browser() -> None:
    own = f"Authorization: Bearer {TOKEN}"

    async def story(port: int) -> None:
        assert (await post(port, own)).startswith("HTTP/1.1 200 ")
        assert (await post(port, own, host=f"evil.example:{port}")).startswith("HTTP/1.1 421 ")
        assert (await post(port, own, host="127.0.0.1:1")).startswith("HTTP/1.1 421 ")
        for origin in ("http://evil.example", f"http://127.0.0.1:{port}", "null", ""):
            assert (await post(port, own, f"Origin: {origin}")).startswith("HTTP/1.1 403 ")

    tell(story)


def test_there_is_one_path_and_one_method() -> None:
    own, length = f"Authorization: Bearer {TOKEN}", "Content-Length: 0"

    async def story(port: int) -> None:
        host = f"Host: 127.0.0.1:{port}"
        for line in ("GET /mcp", "DELETE /mcp", "PUT /mcp"):
            said = await ask(port, f"{line} HTTP/1.1", host, own, length)
            assert said.startswith("HTTP/1.1 405 ")
        for path in ("/", "/mcp/x", "/mcp?x=1", "/mcp/../mcp/x", "/.well-known/x"):
            said = await ask(port, f"POST {path} HTTP/1.1", host, own, length)
            assert said.startswith("HTTP/1.1 404 ")

    tell(story)


def test_a_message_that_is_too_large_is_refused() -> None:
    own = f"Authorization: Bearer {TOKEN}"

    async def story(port: int) -> None:
        host = f"Host: 127.0.0.1:{port}"
        lines = ("POST /mcp HTTP/1.1", host, own, ACCEPT, "Content-Type: application/json")
        told = await ask(port, *lines, f"Content-Length: {BODY_BYTES + 1}")
        assert told.startswith("HTTP/1.1 413 ")
        piece = b"%x\r\n%b\r\n" % (BODY_BYTES, b"x" * BODY_BYTES)
        untold = await ask(port, *lines, "Transfer-Encoding: chunked", body=piece * 2)
        assert "200 OK" not in untold
        head = await ask(port, "POST /mcp HTTP/1.1", host, f"X: {'x' * 2 * HEAD_BYTES}")
        assert "200 OK" not in head
        assert (await post(port, own)).startswith("HTTP/1.1 200 ")

    tell(story)


@pytest.mark.parametrize(
    "nonsense",
    [b"\x16\x03\x01\x00\xff", b"POST /mcp\r\n\r\n", b"\r\n" * 50, b"GET / HTTP/9.9\r\n\r\n"],
)
def test_nonsense_ends_a_connection_and_nothing_else(nonsense: bytes) -> None:
    async def story(port: int) -> None:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(nonsense)
        writer.write_eof()
        await reader.read()
        writer.close()
        assert (await post(port, f"Authorization: Bearer {TOKEN}")).startswith("HTTP/1.1 200 ")

    tell(story)


def test_a_client_that_leaves_in_the_middle_disturbs_nobody() -> None:
    async def story(port: int) -> None:
        for _ in range(20):
            _, writer = await asyncio.open_connection("127.0.0.1", port)
            writer.write(
                f"POST /mcp HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {TOKEN}\r\n"
                "Content-Length: 500\r\n\r\n{".encode()
            )
            await writer.drain()
            writer.transport.abort()
        assert (await post(port, f"Authorization: Bearer {TOKEN}")).startswith("HTTP/1.1 200 ")

    tell(story)


def test_who_connects_and_does_not_ask_is_not_waited_for() -> None:
    async def story(port: int) -> None:
        for beginning in (b"", b"POST /mcp HTTP/1.1\r\nHost: x"):
            reader, writer = await asyncio.open_connection("127.0.0.1", port)
            writer.write(beginning)
            with suppress(ConnectionError):
                assert await reader.read() == b""
            writer.close()

    tell(story, Patience(head=timedelta(milliseconds=50)))


def test_who_begins_to_ask_and_does_not_end_is_told_so() -> None:
    async def story(port: int) -> None:
        said = await ask(
            port,
            *("POST /mcp HTTP/1.1", f"Host: 127.0.0.1:{port}", ACCEPT),
            *(f"Authorization: Bearer {TOKEN}", "Content-Type: application/json"),
            "Content-Length: 500",
            body=b"{",
        )
        assert said.startswith("HTTP/1.1 408 ")

    tell(story, Patience(request=timedelta(milliseconds=300)))


def test_connections_are_counted_and_those_too_many_are_ended() -> None:
    async def story(port: int) -> None:
        opened = [await asyncio.open_connection("127.0.0.1", port) for _ in range(CONNECTIONS + 5)]
        over = [asyncio.ensure_future(reader.read()) for reader, _ in opened]
        done, _ = await asyncio.wait(over, return_when=asyncio.FIRST_COMPLETED)
        assert done
        for _, writer in opened:
            writer.transport.abort()
        await asyncio.gather(*over, return_exceptions=True)

    tell(story)


STRANGERS: Final[dict[str, bytes]] = {
    "silent": b"",
    "part of a head": b"POST /mcp HTTP/1.1\r\nHost: x\r\nX-A: 1",
    "head without a token": b"POST /mcp HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\n",
    "head with a bad token": b"POST /mcp HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer x\r\n"
    b"Content-Length: 1000\r\n\r\n",
    "head for another path": b"GET /other HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\n",
}


@pytest.mark.parametrize("count", [16, 100, CONNECTIONS + 50])
@pytest.mark.parametrize("beginning", STRANGERS.values(), ids=STRANGERS.keys())
def test_strangers_do_not_keep_a_member_waiting(beginning: bytes, count: int) -> None:
    async def story(port: int) -> None:
        opened = [await asyncio.open_connection("127.0.0.1", port) for _ in range(count)]
        for _, writer in opened:
            writer.write(beginning)
        async with asyncio.timeout(4):
            said = await post(port, f"Authorization: Bearer {TOKEN}")
        assert said.startswith("HTTP/1.1 200 ")
        for _, writer in opened:
            writer.transport.abort()
        closed = [writer.wait_closed() for _, writer in opened]
        await asyncio.gather(*closed, return_exceptions=True)

    tell(story, Patience(head=timedelta(seconds=50)))


def test_a_stranger_hears_the_refusal_and_the_end_without_sending_its_body() -> None:
    async def story(port: int) -> None:
        async with asyncio.timeout(3):
            said = await ask(
                port, "POST /mcp HTTP/1.1", f"Host: 127.0.0.1:{port}", "Content-Length: 1000"
            )
        assert said.startswith("HTTP/1.1 401 ")

    tell(story)


def test_many_at_a_time_are_all_answered() -> None:
    async def story(port: int) -> None:
        asked = [post(port, f"Authorization: Bearer {TOKEN}") for _ in range(30)]
        assert all(said.startswith("HTTP/1.1 200 ") for said in await asyncio.gather(*asked))

    tell(story)

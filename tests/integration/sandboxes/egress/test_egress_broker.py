"""The credential broker with real sockets: what the worker sends, what the upstream gets."""

import asyncio
import json
from collections.abc import Callable, Mapping
from datetime import timedelta
from typing import TYPE_CHECKING

import pytest
from tests.integration.sandboxes.egress.brokered_world import (
    HOST,
    PATHS,
    POST,
    SECRET,
    answer,
    brokered,
    chunk,
    local,
)

from supervisor_ai.domain.errors import Unavailable
from supervisor_ai.domain.run.values import NO_USAGE, EgressRefusal, Usage
from supervisor_ai.engine.ports.sandbox import BrokerRoute, SandboxEnd
from supervisor_ai.sandboxes.egress.traffic import TrafficLimits

if TYPE_CHECKING:
    from tests.integration.sandboxes.egress.conftest import Story, World

BODY = b'{"messages": [{"role": "user", "content": "hello"}]}'
USAGE = {"usage": {"input_tokens": 30, "output_tokens": 12}}

Tell = Callable[["Story"], None]


class Upstream:
    """Hears requests and gives every one the same answer."""

    def __init__(self, answer: bytes) -> None:
        self.heard: list[bytes] = []
        self._answer = answer

    async def __call__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = await reader.readuntil(b"\r\n\r\n")
        self.heard.append(head)
        if b"Transfer-Encoding: chunked" in head:
            self.heard.append(await reader.readuntil(b"0\r\n\r\n"))
        elif (length := head.partition(b"Content-Length: ")[2].partition(b"\r\n")[0]) != b"":
            self.heard.append(await reader.readexactly(int(length)))
        writer.write(self._answer)
        await writer.drain()


def said(content: object, *lines: str) -> bytes:
    return answer(json.dumps(content).encode(), "Content-Type: application/json", *lines)


def event(content: object) -> bytes:
    return b"event: x\ndata: " + json.dumps(content).encode() + b"\n\n"


STREAM = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"


class Rotating:
    """A login that is another one whenever it was refused."""

    def __init__(self) -> None:
        self.number = 1
        self.refused: list[Mapping[str, str]] = []

    async def now(self) -> Mapping[str, str]:
        return {"authorization": f"Bearer login-number-{self.number}", "x-account": "account-77"}

    async def renew(self, refused: Mapping[str, str]) -> None:
        self.refused.append(refused)
        self.number += 1


class Locked:
    """A login that nobody can read."""

    async def now(self) -> Mapping[str, str]:
        raise Unavailable("The login of 'x' cannot be read.")

    async def renew(self, refused: Mapping[str, str]) -> None:
        raise AssertionError(refused)


async def to_the_end(reader: asyncio.StreamReader) -> bytes:
    """Hear everything; the end may come with violence."""
    heard = b""
    try:
        while more := await reader.read(1 << 16):
            heard += more
    except ConnectionError:
        return heard
    return heard


def test_a_login_that_is_refused_is_renewed_before_the_client_hears_of_it(tell: Tell) -> None:
    upstream, login = Upstream(answer(b"login-number-1", status="401 Unauthorized")), Rotating()

    async def story(world: "World") -> None:
        async with brokered(world, upstream, login=login):
            asked = (POST, "authorization: worker", "X-Account: worker", "Content-Length: 2")
            for number in (1, 2):
                heard = await world.ask(*asked, body=b"{}")
                assert heard.startswith(b"HTTP/1.1 401 ")
                assert login.number == number + 1
                head = upstream.heard[-2]
                assert b"authorization: Bearer login-number-%d\r\n" % number in head
                assert b"x-account: account-77\r\n" in head
                assert b"worker" not in head
                assert b"x-api-key" not in head
                assert b"login-number-1" not in heard or number > 1

    tell(story)
    assert [it["authorization"] for it in login.refused] == [
        "Bearer login-number-1",
        "Bearer login-number-2",
    ]


def test_a_login_that_cannot_be_read_sends_nothing(tell: Tell) -> None:
    upstream = Upstream(said(USAGE))

    async def story(world: "World") -> None:
        async with brokered(world, upstream, login=Locked()):
            heard = await world.ask(POST, "Content-Length: 2", body=b"{}")
            assert heard.startswith(b"HTTP/1.1 502 ")

    tell(story)
    assert upstream.heard == []


def test_a_request_goes_out_with_the_key_and_its_answer_comes_back(tell: Tell) -> None:
    upstream = Upstream(said({"text": "hello", **USAGE}, "Set-Cookie: a=b", "request-id: 7"))

    async def story(world: "World") -> None:
        async with brokered(world, upstream) as door:
            heard = await world.ask(
                "POST /v1/messages?beta=true&key=worker HTTP/1.1",
                "Host: 127.0.0.1:3128",
                "x-api-key: worker-key",
                "Authorization: Bearer worker-key",
                "anthropic-version: 2",
                f"Content-Length: {len(BODY)}",
                body=BODY,
            )
            assert door.usage == Usage(tokens_in=30, tokens_out=12)
        head, _, body = heard.partition(b"\r\n\r\n")
        assert head.startswith(b"HTTP/1.1 200 OK\r\n")
        assert b"request-id: 7" in head
        assert b"Cookie" not in head
        assert json.loads(body) == {"text": "hello", **USAGE}
        assert upstream.heard[0].startswith(b"POST /v1/messages?beta=true HTTP/1.1\r\n")
        assert f"x-api-key: {SECRET}\r\n".encode() in upstream.heard[0]
        assert b"worker" not in upstream.heard[0]
        assert upstream.heard[1] == BODY
        assert world.refusals == []

    tell(story)


def test_a_public_upstream_is_reached_over_tls_that_is_checked(tell_apart: Tell) -> None:
    upstream = Upstream(said(USAGE))

    async def story(world: "World") -> None:
        route = BrokerRoute(
            upstream=f"https://{HOST}/base", paths=PATHS, header="Authorization", secret=SECRET
        )
        async with world.upstream(upstream), world.door(broker=route):
            heard = await world.ask(POST, "Content-Length: 0")
        assert heard.startswith(b"HTTP/1.1 200 ")
        assert upstream.heard[0].startswith(
            b"POST /base/v1/messages HTTP/1.1\r\nHost: api.example.com"
        )

    tell_apart(story)


def test_large_bodies_pass_whole_in_both_directions(tell_apart: Tell) -> None:
    sent = json.dumps({"metadata": "\u00e9x" * 400_000}, ensure_ascii=False).encode()

    async def mirror(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(answer(await reader.readexactly(len(sent))))
        await writer.drain()
        await reader.read()

    async def story(world: "World") -> None:
        route = BrokerRoute(upstream=f"https://{HOST}", paths=PATHS, header="h", secret=SECRET)
        async with world.upstream(mirror), world.door(broker=route):
            heard = await world.ask(POST, f"Content-Length: {len(sent)}", body=sent)
        assert heard.partition(b"\r\n\r\n")[2] == sent

    tell_apart(story)


def test_a_certificate_that_is_not_the_upstreams_is_no_answer(tell_apart: Tell) -> None:
    upstream = Upstream(said(USAGE))

    async def story(world: "World") -> None:
        world.names["wrong.example"] = world.names[HOST]
        route = BrokerRoute(
            upstream="https://wrong.example", paths=PATHS, header="h", secret=SECRET
        )
        async with world.upstream(upstream), world.door(broker=route) as door:
            heard = await world.ask(POST, "Content-Length: 0")
            assert door.usage == NO_USAGE
        assert heard.startswith(b"HTTP/1.1 502 ")
        assert b"certificate" in heard
        assert upstream.heard == []

    tell_apart(story)


@pytest.mark.parametrize(
    ("addresses", "status", "reason"),
    [(["127.0.0.1"], 403, "private-address"), ([], 502, "unresolvable")],
)
def test_an_upstream_that_is_not_public_is_refused(
    tell: Tell, addresses: list[str], status: int, reason: str
) -> None:
    async def story(world: "World") -> None:
        world.names = {HOST: addresses}
        route = BrokerRoute(upstream=f"https://{HOST}", paths=PATHS, header="h", secret=SECRET)
        async with world.door(broker=route):
            heard = await world.ask(POST, "Content-Length: 0")
        assert heard.startswith(f"HTTP/1.1 {status} ".encode())
        assert world.refusals == [EgressRefusal(host=HOST, port=443, reason=reason)]

    tell(story)


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("POST /v1/files", "path-not-listed"),
        ("GET /v1/messages", "path-not-listed"),
        ("POST /v1/messages/../files", "bad-request"),
        ("POST /v1/messages%2f", "bad-request"),
        ("POST //v1/messages", "bad-request"),
    ],
)
def test_a_path_that_is_not_listed_reaches_nobody(tell: Tell, line: str, reason: str) -> None:
    upstream = Upstream(said(USAGE))

    async def story(world: "World") -> None:
        async with brokered(world, upstream):
            heard = await world.ask(
                f"{line} HTTP/1.1", "Content-Length: 300000", body=b"x" * 300_000
            )
            assert [(told.host, told.reason) for told in world.refusals] == [("127.0.0.1", reason)]
        assert reason.encode() in heard
        assert upstream.heard == []

    tell(story)


@pytest.mark.parametrize(
    "lines",
    [
        ("Content-Length: 5", "Transfer-Encoding: chunked"),
        ("Content-Length: 5", "Content-Length: 5"),
        ("Content-Length: 5", "Content-Length: 6"),
        ("Transfer-Encoding: chunked, identity",),
        ("Transfer-Encoding : chunked",),
        ("A: b\r\n Content-Length: 5",),
        ("A: b\nContent-Length: 5",),
        ("Content-Length: 5\r", "A: b"),
    ],
)
def test_no_request_can_be_smuggled(tell: Tell, lines: tuple[str, ...]) -> None:
    upstream = Upstream(said(USAGE))

    async def story(world: "World") -> None:
        async with brokered(world, upstream):
            heard = await world.ask(POST, *lines, body=b"0\r\n\r\nGET /v1/files HTTP/1.1\r\n\r\n")
        assert heard.startswith(b"HTTP/1.1 400 ")
        assert upstream.heard == []
        assert world.reasons == ["bad-request"]

    tell(story)


def test_a_second_request_behind_the_first_goes_nowhere(tell: Tell) -> None:
    upstream = Upstream(said(USAGE))

    async def story(world: "World") -> None:
        async with brokered(world, upstream):
            second = b"GET /v1/files HTTP/1.1\r\n\r\n"
            heard = await world.ask(POST, "Content-Length: 2", body=b"{}" + second)
        assert heard.count(b"HTTP/1.1 ") == 1
        assert upstream.heard[1:] == [b"{}"]

    tell(story)


def test_the_secret_is_never_seen_inside(tell: Tell) -> None:
    async def echo(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = await reader.readuntil(b"\r\n\r\n")
        assert SECRET.encode() in head
        writer.write(STREAM.replace(b"\r\n\r\n", f"\r\nX-Echo: {SECRET}\r\n\r\n".encode()))
        for piece in (
            head[:40],
            head[40:100],
            head[100:],
            SECRET[:5].encode(),
            SECRET[5:].encode(),
        ):
            writer.write(chunk(piece))
            await writer.drain()
        writer.write(b"0\r\n\r\n")
        await writer.drain()

    async def story(world: "World") -> None:
        async with brokered(world, echo):
            heard = await world.ask(POST, "Content-Length: 0")
        assert heard.endswith(b"0\r\n\r\n")
        assert heard.count(b"*" * len(SECRET)) == 2
        assert SECRET[:5].encode() not in heard
        assert SECRET[-5:].encode() not in heard
        assert b"X-Echo" not in heard

    tell(story)


def test_a_stream_is_passed_on_as_it_comes(tell: Tell) -> None:
    async def story(world: "World") -> None:
        arrived = asyncio.Event()

        async def stream(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            await reader.readuntil(b"\r\n\r\n")
            writer.write(STREAM + chunk(b"data: first\n\n"))
            # Nothing more is said before the client has heard this much.
            await arrived.wait()
            writer.write(chunk(b"data: second\n\n") + b"0\r\n\r\n")
            await writer.drain()

        async with brokered(world, stream):
            reader, writer = await world.connect()
            writer.write(f"{POST}\r\nContent-Length: 0\r\n\r\n".encode())
            await reader.readuntil(b"data: first\n\n")
            arrived.set()
            assert (await reader.read()).endswith(b"data: second\n\n\r\n0\r\n\r\n")
            writer.close()
            await writer.wait_closed()

    tell(story)


def test_a_worker_is_cut_off_in_the_middle_of_an_answer(tell: Tell) -> None:
    async def endless(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(STREAM)
        start = {"type": "message_start", "message": {"usage": {"input_tokens": 100}}}
        writer.write(chunk(event(start)))
        words = {"type": "content_block_delta", "delta": {"text": "x" * 400}}
        while True:
            writer.write(chunk(event(words)))
            await writer.drain()
            await asyncio.sleep(0)

    async def story(world: "World") -> None:
        async with brokered(world, endless, tokens=1000) as door:
            bystander = await world.connect()
            reader, writer = await world.connect()
            writer.write(f"{POST}\r\nContent-Length: 0\r\n\r\n".encode())
            heard = await to_the_end(reader)
            assert 1 <= heard.count(b"content_block_delta") < 20
            assert not heard.endswith(b"0\r\n\r\n")
            assert await bystander[0].read() == b""
            assert world.settled == [SandboxEnd.CUT_OFF]
            assert door.usage.tokens_in == 100
            assert 900 <= door.usage.tokens_out < 2000
            assert door.usage.estimated
            assert b"budget-spent" in await world.ask(POST, "Content-Length: 0")
            assert b"budget-spent" in await world.ask(f"CONNECT {HOST}:443 HTTP/1.1")
            for left in (bystander[1], writer):
                left.close()
                await left.wait_closed()
        assert world.settled == [SandboxEnd.CUT_OFF]
        assert world.reasons == ["budget-spent"] * 3

    tell(story)


def test_the_budget_holds_over_several_requests(tell: Tell) -> None:
    upstream = Upstream(said(USAGE))

    async def story(world: "World") -> None:
        async with brokered(world, upstream, tokens=100) as door:
            for _ in range(2):
                assert (await world.ask(POST, "Content-Length: 0")).startswith(b"HTTP/1.1 200 ")
            assert world.settled == []
            await world.ask(POST, "Content-Length: 0")
            assert world.settled == [SandboxEnd.CUT_OFF]
            assert door.usage == Usage(tokens_in=90, tokens_out=36)
            assert (await world.ask(POST, "Content-Length: 0")).startswith(b"HTTP/1.1 403 ")
        assert len(upstream.heard) == 6

    tell(story)


@pytest.mark.parametrize(
    ("line", "given"),
    [
        ("POST /v1/messages/count_tokens HTTP/1.1", said({"input_tokens": 999})),
        ("GET /v1/models HTTP/1.1", said({"data": "x" * 400})),
        (POST, answer(b"x" * 400, status="529 Overloaded")),
        (POST, answer(b"", "Location: https://evil.example/", status="302 Found")),
    ],
)
def test_what_costs_nothing_is_not_counted(tell: Tell, line: str, given: bytes) -> None:
    async def story(world: "World") -> None:
        async with brokered(world, Upstream(given)) as door:
            body = b"{}" if line.startswith("POST") else b""
            heard = await world.ask(line, f"Content-Length: {len(body)}", body=body)
            assert door.usage == NO_USAGE
        assert heard.startswith(given[:12])
        assert (b"Location: https://evil.example/" in heard) == (b"Location" in given)

    tell(story)


@pytest.mark.parametrize(
    ("line", "given", "expected"),
    [
        (POST, b"HTTP/1.1 200 OK\r\n\r\nto the end", b"a\r\nto the end\r\n0\r\n\r\n"),
        ("POST /v1/messages HTTP/1.0", STREAM + chunk(b"abc") + b"0\r\n\r\n", b"\r\n\r\nabc"),
        (POST, b"HTTP/1.1 103 Early\r\n\r\n" + answer(b"late"), b"\r\n\r\nlate"),
        (POST, b"HTTP/1.1 204 No Content\r\n\r\n", b"Connection: close\r\n\r\n"),
        ("HEAD /v1/models HTTP/1.1", b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n", b"\r\n\r\n"),
    ],
)
def test_an_answer_may_end_in_many_ways(
    tell: Tell, line: str, given: bytes, expected: bytes
) -> None:
    async def story(world: "World") -> None:
        async with brokered(world, Upstream(given)):
            assert (await world.ask(line, "Host: x")).endswith(expected)

    tell(story)


@pytest.mark.parametrize(
    "given",
    [b"", b"nonsense\r\n\r\n", b"HTTP/1.1 101 Switch\r\n\r\n", b"HTTP/1.1 100 C\r\n\r\n" * 20,
     b"HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nx",
     b"HTTP/1.1 200 OK\r\nA: " + b"x" * 200_000],
)  # fmt: skip
def test_an_upstream_without_a_sensible_answer_is_a_bad_gateway(tell: Tell, given: bytes) -> None:
    async def story(world: "World") -> None:
        async with brokered(world, Upstream(given)):
            heard = await world.ask(POST, "Content-Length: 0")
        assert heard.startswith(b"HTTP/1.1 502 ")
        assert json.loads(heard.partition(b"\r\n\r\n")[2])["error"]["message"]
        assert world.refusals == []

    tell(story)


def test_an_upstream_that_cannot_be_reached_is_a_bad_gateway(tell: Tell) -> None:
    async def story(world: "World") -> None:
        world.names = {"localhost": ["127.0.0.1"]}
        async with world.upstream(Upstream(b""), address="127.0.0.1", port=0, is_tls=False) as port:
            pass
        async with world.door(broker=local(port, host="localhost")) as door:
            heard = await world.ask(POST, "Content-Length: 0")
            assert door.usage == NO_USAGE
        assert heard.startswith(b"HTTP/1.1 502 ")

    tell(story)


@pytest.mark.parametrize(
    "given",
    [
        STREAM + chunk(b"data: x\n\n"),
        STREAM + chunk(b"data: x\n\n") + b"nonsense\r\n",
        b"HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\ndata: x\n\n",
    ],
)
def test_an_answer_that_breaks_off_does_not_look_whole(tell: Tell, given: bytes) -> None:
    async def story(world: "World") -> None:
        async with brokered(world, Upstream(given)):
            heard = await world.ask(POST, "Content-Length: 0")
        assert b"data: x\n\n" in heard
        assert not heard.endswith(b"0\r\n\r\n")
        assert world.settled == []

    tell(story)


def test_a_request_in_chunks_arrives_whole_with_its_length(tell: Tell) -> None:
    upstream = Upstream(said(USAGE))

    async def story(world: "World") -> None:
        async with brokered(world, upstream):
            body = b"1;a=b\r\n{\r\n1\r\n}\r\n0\r\nX-Api-Key: worker\r\n\r\n"
            heard = await world.ask(POST, "Transfer-Encoding: chunked", body=body)
        assert heard.startswith(b"HTTP/1.1 200 ")
        assert b"Content-Length: 2\r\n" in upstream.heard[0]
        assert b"chunked" not in upstream.heard[0]
        assert upstream.heard[1] == b"{}"

    tell(story)


def test_a_client_that_waits_to_be_asked_is_asked(tell: Tell) -> None:
    upstream = Upstream(said(USAGE))

    async def story(world: "World") -> None:
        async with brokered(world, upstream):
            reader, writer = await world.connect()
            writer.write(f"{POST}\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n".encode())
            assert await reader.readuntil(b"\r\n\r\n") == b"HTTP/1.1 100 Continue\r\n\r\n"
            writer.write(b"{}")
            assert (await reader.read()).startswith(b"HTTP/1.1 200 OK")
            writer.close()
            await writer.wait_closed()
        assert upstream.heard[1] == b"{}"
        assert b"Expect" not in upstream.heard[0]

    tell(story)


def test_a_client_that_leaves_takes_its_request_along(tell: Tell) -> None:
    async def story(world: "World") -> None:
        began, ended = asyncio.Event(), asyncio.Event()

        async def ponder(reader: asyncio.StreamReader, _: asyncio.StreamWriter) -> None:
            await reader.readuntil(b"\r\n\r\n")
            await reader.readexactly(400)
            began.set()
            await reader.read()
            ended.set()

        async with brokered(world, ponder) as door:
            _, writer = await world.connect()
            body = b"{}" + b" " * 398
            writer.write(f"{POST}\r\nContent-Length: 400\r\n\r\n".encode() + body)
            await began.wait()
            writer.close()
            await writer.wait_closed()
            await ended.wait()
            await door.close()
            assert door.usage == Usage(tokens_in=100, estimated=True)

    tell(story)


def test_an_answer_may_come_before_the_upstream_has_heard_the_whole_request(tell: Tell) -> None:
    body = b"{}" + b" " * 9_000_000

    async def hasty(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(answer(b"no", status="413 Content Too Large"))
        await writer.drain()

    async def story(world: "World") -> None:
        async with brokered(world, hasty):
            heard = await world.ask(POST, f"Content-Length: {len(body)}", body=body)
        assert heard.startswith(b"HTTP/1.1 413 ")
        assert heard.endswith(b"\r\n\r\nno")

    tell(story)


def test_a_request_that_is_too_large_is_refused(tell: Tell) -> None:
    upstream = Upstream(said(USAGE))

    async def story(world: "World") -> None:
        async with brokered(world, upstream, allowance=TrafficLimits(upload_bytes=1000)):
            heard = await world.ask(POST, "Content-Length: 2000", body=b"x" * 2000)
        assert b"too-large" in heard
        assert world.reasons == ["too-large"]

    tell(story)


def test_an_answer_that_is_too_large_is_cut(tell: Tell) -> None:
    async def story(world: "World") -> None:
        large = Upstream(answer(b"x" * 400_000))
        async with brokered(world, large, allowance=TrafficLimits(download_bytes=100_000)):
            try:
                assert len(await world.ask(POST, "Content-Length: 0")) < 101_000
            except ConnectionError:
                assert world.reasons
        assert world.reasons == ["too-large"]

    tell(story)


def test_an_upstream_that_says_nothing_is_not_waited_for(tell: Tell) -> None:
    async def silent(reader: asyncio.StreamReader, _: asyncio.StreamWriter) -> None:
        await reader.read()

    async def story(world: "World") -> None:
        idle = TrafficLimits(idle_time=timedelta(milliseconds=200))
        async with brokered(world, silent, allowance=idle):
            assert (await world.ask(POST, "Content-Length: 0")).startswith(b"HTTP/1.1 502 ")

    tell(story)

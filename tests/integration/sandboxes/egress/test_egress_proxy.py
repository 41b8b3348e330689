"""The CONNECT proxy with real sockets and real TLS; the public host is on a loopback of ours."""

import asyncio
import os
import random
import resource
import shutil
import socket
import ssl
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from typing import TYPE_CHECKING

import pytest

from supervisor_ai.domain.errors import Unavailable
from supervisor_ai.domain.run.values import EgressRefusal
from supervisor_ai.engine.ports.sandbox import Egress
from supervisor_ai.sandboxes.egress.address import look_up
from supervisor_ai.sandboxes.egress.gateway import Gateway, gateway_environment
from supervisor_ai.sandboxes.egress.traffic import TrafficLimits

if TYPE_CHECKING:
    from tests.integration.sandboxes.egress.conftest import Story, Streams, World

HOST = "api.example.com"
ALLOW = (f"{HOST}:443",)
SHORT = timedelta(milliseconds=200)

Tell = Callable[["Story"], None]


async def echo(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    while heard := await reader.read(1 << 16):
        writer.write(heard)
        await writer.drain()


async def connect(world: "World", target: str = f"{HOST}:443") -> "tuple[Streams, bytes]":
    reader, writer = await world.connect()
    writer.write(f"CONNECT {target} HTTP/1.1\r\nHost: {target}\r\n\r\n".encode())
    return (reader, writer), await reader.readuntil(b"\r\n\r\n")


async def leave(streams: "Streams") -> None:
    streams[1].close()
    try:
        await streams[1].wait_closed()
    except OSError:
        return


def hello(world: "World", name: str | None) -> bytes:
    context = ssl.create_default_context(cafile=world.certificate)
    context.check_hostname = False
    outgoing = ssl.MemoryBIO()
    client = context.wrap_bio(ssl.MemoryBIO(), outgoing, server_hostname=name)
    with pytest.raises(ssl.SSLWantReadError):
        client.do_handshake()
    return outgoing.read()


async def heard_to_the_end(reader: asyncio.StreamReader) -> bytes:
    try:
        return await reader.read()
    except ConnectionError:
        return b""


@pytest.mark.parametrize("target", ["api.example.com:443", "API.example.COM.:443"])
def test_a_listed_host_is_reached_through_a_tunnel(tell_apart: Tell, target: str) -> None:
    async def story(world: "World") -> None:
        trust = ssl.create_default_context(cafile=world.certificate)
        async with world.upstream(echo), world.door(allow=ALLOW):
            (reader, writer), answer = await connect(world, target)
            assert answer.startswith(b"HTTP/1.1 200 ")
            await writer.start_tls(trust, server_hostname=HOST)
            writer.write(b"x" * 300_000)
            assert await reader.readexactly(300_000) == b"x" * 300_000
            await leave((reader, writer))
        assert world.lookups == [f"{HOST}:443"]
        assert world.refusals == []
        assert world.settled == []

    tell_apart(story)


@pytest.mark.parametrize(
    ("line", "status", "refusal"),
    [
        ("CONNECT other.example:443", 403, ("other.example", 443, "not-listed")),
        ("CONNECT api.example.com:80", 403, (HOST, 80, "not-listed")),
        (
            "CONNECT api.example.com.evil.example:443",
            403,
            (f"{HOST}.evil.example", 443, "not-listed"),
        ),
        ("CONNECT 93.184.216.34:443", 403, ("93.184.216.34", 443, "ip-literal")),
        ("CONNECT 2130706433:443", 403, ("2130706433", 443, "ip-literal")),
        ("CONNECT 0x7f.1:443", 403, ("0x7f.1", 443, "ip-literal")),
        ("CONNECT [::1]:443", 403, ("[::1]", 443, "ip-literal")),
        ("CONNECT a:443@evil.example:443", 403, ("a:443@evil.example", None, "bad-target")),
        ("CONNECT api.example.com", 403, (HOST, None, "bad-target")),
        ("GET http://evil.example/x", 403, ("evil.example", None, "plain-http")),
        ("GET https://u@evil.example:1/", 403, ("evil.example", 1, "plain-http")),
        ("OPTIONS *", 403, ("*", None, "plain-http")),
        ("POST /v1/messages", 403, ("-", None, "no-broker")),
        ("CONNECT api.example.com:443 evil:443", 400, ("-", None, "bad-request")),
        ("CONNECT\tapi.example.com:443", 400, ("-", None, "bad-request")),
    ],
)
def test_every_other_attempt_is_refused_and_told(
    tell: Tell, line: str, status: int, refusal: tuple[str, int | None, str]
) -> None:
    async def story(world: "World") -> None:
        async with world.door(allow=ALLOW):
            for _ in range(2):
                answer = await world.ask(f"{line} HTTP/1.1", "Host: x")
                assert answer.startswith(f"HTTP/1.1 {status} ".encode())
                assert refusal[2].encode() in answer
        host, port, reason = refusal
        assert world.refusals == [EgressRefusal(host=host, port=port, reason=reason)]
        assert world.lookups == []

    tell(story)


@pytest.mark.parametrize(
    ("addresses", "status", "reason"),
    [
        (["127.0.0.1"], 403, "private-address"),
        (["10.0.0.1", "::ffff:127.0.0.1", "169.254.169.254"], 403, "private-address"),
        ([], 502, "unresolvable"),
        (None, 502, "unresolvable"),
    ],
)
def test_a_listed_name_that_leads_nowhere_public_is_refused(
    tell_apart: Tell, addresses: list[str] | None, status: int, reason: str
) -> None:
    async def story(world: "World") -> None:
        world.names = {} if addresses is None else {HOST: addresses}
        async with world.door(allow=ALLOW):
            answer = await world.ask(f"CONNECT {HOST}:443 HTTP/1.1")
        assert answer.startswith(f"HTTP/1.1 {status} ".encode())
        assert world.refusals == [EgressRefusal(host=HOST, port=443, reason=reason)]
        assert len(world.lookups) == 1

    tell_apart(story)


def test_of_mixed_addresses_only_the_public_ones_are_dialled(tell_apart: Tell) -> None:
    async def story(world: "World") -> None:
        world.names = {HOST: ["127.0.0.1", *world.names[HOST]]}
        asked: list[str] = []

        async def private(_: asyncio.StreamReader, __: asyncio.StreamWriter) -> None:
            asked.append("private")

        async with (
            world.upstream(private, address="127.0.0.1", is_tls=False),
            world.upstream(echo),
            world.door(allow=ALLOW),
        ):
            (reader, writer), _ = await connect(world)
            trust = ssl.create_default_context(cafile=world.certificate)
            await writer.start_tls(trust, server_hostname=HOST)
            await leave((reader, writer))
        assert asked == []

    tell_apart(story)


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        ("other.example", "sni-mismatch"),
        (None, "no-sni"),
        (b"SSH-2.0-x\r\n", "not-tls"),
        (b"GET / HTTP/1.1\r\nHost: evil\r\n\r\n", "not-tls"),
        (b"\x16\x03\x01\x00\x00", "not-tls"),
        (b"\x16\x03\x01\x40\x00\x01\x00\xff\xff" + bytes(16380) + b"\x16\x03\x01", ""),
    ],
)
def test_after_the_tunnel_is_promised_a_refusal_only_closes(
    tell_apart: Tell, words: str | bytes | None, reason: str
) -> None:
    async def story(world: "World") -> None:
        reached: list[str] = []

        async def note(_: asyncio.StreamReader, __: asyncio.StreamWriter) -> None:
            reached.append("reached")

        allowance = TrafficLimits(hello_bytes=1 << 14)
        async with world.upstream(note, is_tls=False), world.door(allow=ALLOW, allowance=allowance):
            streams, answer = await connect(world)
            assert answer.startswith(b"HTTP/1.1 200 ")
            streams[1].write(words if isinstance(words, bytes) else hello(world, words))
            assert await heard_to_the_end(streams[0]) == b""
            await leave(streams)
        assert reached == []
        assert world.refusals == [EgressRefusal(host=HOST, port=443, reason=reason or "too-large")]

    tell_apart(story)


def test_a_hello_in_many_records_and_reads_arrives_as_it_was(tell_apart: Tell) -> None:
    async def story(world: "World") -> None:
        message = hello(world, HOST)[5:]
        cut = b"".join(
            b"\x16\x03\x01" + len(piece).to_bytes(2, "big") + piece
            for piece in (message[:1], message[1:9], message[9:60], message[60:])
        )
        arrived: asyncio.Future[bytes] = asyncio.get_running_loop().create_future()

        async def note(reader: asyncio.StreamReader, _: asyncio.StreamWriter) -> None:
            arrived.set_result(await reader.readexactly(len(cut)))

        async with world.upstream(note, is_tls=False), world.door(allow=ALLOW):
            streams, _ = await connect(world)
            for place in range(len(cut)):
                streams[1].write(cut[place : place + 1])
                await asyncio.sleep(0)
            assert await arrived == cut
            await leave(streams)

    tell_apart(story)


def test_who_speaks_too_slowly_is_not_waited_for(tell_apart: Tell) -> None:
    async def story(world: "World") -> None:
        async with world.door(
            allow=ALLOW, allowance=TrafficLimits(head_time=SHORT, hello_time=SHORT)
        ):
            silent = await world.connect()
            assert await silent[0].read() == b""
            dribble = await world.connect()
            dribble[1].write(b"CONNECT api.exam")
            assert (await dribble[0].read()).startswith(b"HTTP/1.1 408 ")
            streams, _ = await connect(world)
            streams[1].write(b"\x16\x03")
            assert await heard_to_the_end(streams[0]) == b""
            for left in (silent, dribble, streams):
                await leave(left)
        assert world.refusals == [
            EgressRefusal(host="-", port=None, reason="too-slow"),
            EgressRefusal(host=HOST, port=443, reason="too-slow"),
        ]

    tell_apart(story)


def test_a_head_without_end_is_refused(tell: Tell) -> None:
    async def story(world: "World") -> None:
        async with world.door(allowance=TrafficLimits(head_bytes=1 << 13)):
            answer = await world.ask("GET / HTTP/1.1", "A: " + "x" * (1 << 14))
        assert b"too-large" in answer

    tell(story)


@pytest.mark.parametrize(
    "allowance", [TrafficLimits(upload_bytes=50_000), TrafficLimits(download_bytes=50_000)]
)
def test_a_tunnel_that_carries_too_much_is_closed(
    tell_apart: Tell, allowance: TrafficLimits
) -> None:
    async def story(world: "World") -> None:
        trust = ssl.create_default_context(cafile=world.certificate)
        async with world.upstream(echo), world.door(allow=ALLOW, allowance=allowance):
            (reader, writer), _ = await connect(world)
            await writer.start_tls(trust, server_hostname=HOST)
            writer.write(b"x" * 40_000)
            assert await reader.readexactly(40_000)
            writer.write(b"x" * 40_000)
            assert len(await heard_to_the_end(reader)) < 40_000
            await leave((reader, writer))
        assert world.refusals == [EgressRefusal(host=HOST, port=443, reason="too-large")]

    tell_apart(story)


def test_an_idle_tunnel_is_closed(tell_apart: Tell) -> None:
    async def story(world: "World") -> None:
        async with (
            world.upstream(echo),
            world.door(allow=ALLOW, allowance=TrafficLimits(idle_time=5 * SHORT)),
        ):
            streams, _ = await connect(world)
            streams[1].write(hello(world, HOST))
            assert await streams[0].readexactly(5)
            await heard_to_the_end(streams[0])
            await leave(streams)
        assert world.refusals == []

    tell_apart(story)


def test_a_host_that_does_not_answer_only_closes_the_tunnel(tell_apart: Tell) -> None:
    async def story(world: "World") -> None:
        async with world.door(allow=ALLOW):
            streams, _ = await connect(world)
            streams[1].write(hello(world, HOST))
            assert await heard_to_the_end(streams[0]) == b""
            await leave(streams)
        assert world.settled == []

    tell_apart(story)


def test_one_connection_too_many_is_closed_and_told(tell: Tell) -> None:
    async def story(world: "World") -> None:
        async with world.door(allowance=TrafficLimits(connections=2)):
            kept = [await world.connect() for _ in range(2)]
            surplus = await world.connect()
            assert await heard_to_the_end(surplus[0]) == b""
            assert world.reasons == ["too-many-connections"]
            for streams in (*kept, surplus):
                await leave(streams)

    tell(story)


def test_when_the_door_is_closed_nothing_is_left(tell_apart: Tell) -> None:
    async def story(world: "World") -> None:
        before = asyncio.all_tasks()
        async with world.upstream(echo), world.door(allow=ALLOW) as door:
            streams, _ = await connect(world)
            streams[1].write(hello(world, HOST))
            assert await streams[0].readexactly(5)
            waiting = await world.connect()
            await door.close()
            await door.close()
            for left in (streams, waiting):
                await heard_to_the_end(left[0])
                await leave(left)
            with pytest.raises(ConnectionRefusedError):
                await world.connect()
        assert asyncio.all_tasks() == before

    tell_apart(story)


def test_a_door_that_is_cancelled_while_it_closes_is_closed(tell: Tell) -> None:
    async def story(world: "World") -> None:
        before = asyncio.all_tasks()
        async with world.door() as door:
            streams = await world.connect()
            closing = asyncio.create_task(door.close())
            await asyncio.sleep(0)
            closing.cancel()
            with pytest.raises(asyncio.CancelledError):
                await closing
            assert await heard_to_the_end(streams[0]) == b""
            await leave(streams)
            assert asyncio.all_tasks() == before

    tell(story)


def test_the_failure_of_the_sink_is_settled(tell: Tell) -> None:
    async def story(world: "World") -> None:
        world.failure = OSError("the ledger is full")
        async with world.door():
            assert b"not-listed" in await world.ask("CONNECT evil.example:443 HTTP/1.1")
        assert world.settled == [world.failure]

    tell(story)


@pytest.mark.skipif(shutil.which("curl") is None, reason="curl is not installed")
def test_a_program_that_knows_proxies_needs_nothing_but_the_variables(tell_apart: Tell) -> None:
    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello")
        await writer.drain()
        await reader.read()

    async def story(world: "World") -> None:
        async with world.upstream(serve), world.door(allow=ALLOW):
            variables = gateway_environment(
                Egress(on_refusal=world.refused, allow=ALLOW), world.port
            )
            urls = [f"https://{HOST}/", "https://evil.example/", "http://evil.example/"]
            curl = ["curl", "-s", "-w", "%{http_connect} %{http_code}\n", "--cacert"]
            done = await asyncio.create_subprocess_exec(
                *(*curl, str(world.certificate), *urls),
                env={"PATH": "/usr/bin:/bin", **variables},
                stdout=asyncio.subprocess.PIPE,
            )
            printed, _ = await done.communicate()
        assert printed.startswith(b"hello200 200\n403 000\n")
        assert world.reasons == ["not-listed", "plain-http"]

    tell_apart(story)


def test_a_door_opens_once(tell: Tell) -> None:
    async def story(world: "World") -> None:
        async with world.door() as door:
            surplus = socket.create_server(("127.0.0.1", 0))
            with pytest.raises(Unavailable):
                await door.open(surplus)
            assert surplus.fileno() == -1

    tell(story)


def test_a_resolver_that_never_answers_is_not_waited_for(tell: Tell) -> None:
    async def story(world: "World") -> None:
        async def never(_: str, __: int) -> list[str]:
            await asyncio.Event().wait()
            return []

        told: list[EgressRefusal] = []
        door = Gateway(
            Egress(on_refusal=told.append, allow=ALLOW),
            settle=world.settled.append,
            resolve=never,
            allowance=TrafficLimits(dial_time=SHORT),
        )
        listener = socket.create_server(("127.0.0.1", 0))
        world.port = listener.getsockname()[1]
        await door.open(listener)
        assert (await world.ask(f"CONNECT {HOST}:443 HTTP/1.1")).startswith(b"HTTP/1.1 502 ")
        await door.close()
        assert [refusal.reason for refusal in told] == ["unresolvable"]

    tell(story)


def test_noise_from_all_sides_leaves_the_door_as_it_was(tell: Tell) -> None:
    async def story(world: "World") -> None:
        noise = random.Random(7)  # noqa: S311 - the same noise every time

        async def shout() -> None:
            reader, writer = await world.connect()
            start = noise.choice([b"", b"CONNECT ", b"POST / HTTP/1.1\r\n", b"GET http://"])
            writer.write(start + noise.randbytes(noise.randrange(3000)) + b"\r\n\r\n")
            if noise.random() < 0.5:
                writer.write_eof()
            await heard_to_the_end(reader)
            await leave((reader, writer))

        async with world.door(allow=ALLOW, allowance=TrafficLimits(head_bytes=1 << 13)):
            for _ in range(5):
                await asyncio.gather(*(shout() for _ in range(40)))
            assert b"not-listed" in await world.ask("CONNECT evil.example:443 HTTP/1.1")
        assert world.settled == []
        assert "bad-request" in world.reasons

    tell(story)


@contextmanager
def no_file_free() -> Iterator[None]:
    limits = resource.getrlimit(resource.RLIMIT_NOFILE)
    taken = [os.open(os.devnull, os.O_RDONLY)]
    resource.setrlimit(resource.RLIMIT_NOFILE, (taken[0] + 8, limits[1]))
    try:
        while True:
            try:
                taken.append(os.dup(taken[0]))
            except OSError:
                break
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, limits)
        for number in taken:
            os.close(number)


def test_when_no_file_is_free_the_door_waits_for_one(tell: Tell) -> None:
    async def story(world: "World") -> None:
        loop = asyncio.get_running_loop()
        with socket.socket() as client:
            client.settimeout(0)
            async with world.door():
                with no_file_free():
                    await loop.sock_connect(client, ("127.0.0.1", world.port))
                    await loop.sock_sendall(client, b"nonsense\r\n\r\n")
                    with pytest.raises(TimeoutError):
                        await asyncio.wait_for(loop.sock_recv(client, 9), 0.2)
                assert await loop.sock_recv(client, 13) == b"HTTP/1.1 400 "
        assert world.settled == []

    tell(story)


def test_the_system_knows_this_machine() -> None:
    assert "127.0.0.1" in asyncio.run(look_up("localhost", 80))


@pytest.mark.parametrize("address", ["127.0.0.1", "::1", "2001:db8::2"])
def test_an_address_is_found_without_a_resolver(address: str) -> None:
    async def found() -> object:
        await asyncio.get_running_loop().shutdown_default_executor()
        return await look_up(address, 80)

    assert asyncio.run(found()) == [address]

"""A world of its own for every test: names, a public address and a door, all on one loopback."""

import asyncio
import ctypes
import os
import socket
import ssl
import subprocess
import threading
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from tests.support.processes import PATIENCE

from supervisor_ai.domain.run.spending.prices import CostCap
from supervisor_ai.domain.run.values import EgressRefusal
from supervisor_ai.engine.ports.sandbox import BrokerRoute, Egress, SandboxEnd
from supervisor_ai.sandboxes.egress.gateway import Gateway
from supervisor_ai.sandboxes.egress.traffic import USUAL, TrafficLimits

PUBLIC = "93.184.216.34"
HOST = "api.example.com"
SECRET = "sk-real-0123456789"
CLONE_NEWNET = 0x40000000

Streams = tuple[asyncio.StreamReader, asyncio.StreamWriter]
Serve = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]


class World:
    """What a test sees of one door."""

    def __init__(self, certificate: Path, names: dict[str, Sequence[str]]) -> None:
        self.certificate = certificate
        self.names = names
        self.lookups: list[str] = []
        self.refusals: list[EgressRefusal] = []
        self.settled: list[SandboxEnd | Exception] = []
        self.port = 0
        self.failure: Exception | None = None

    def refused(self, refusal: EgressRefusal) -> None:
        self.refusals.append(refusal)
        if self.failure:
            raise self.failure

    @property
    def reasons(self) -> list[str]:
        return [refusal.reason for refusal in self.refusals]

    async def resolve(self, host: str, port: int) -> Sequence[str]:
        self.lookups.append(f"{host}:{port}")
        if host not in self.names:
            raise socket.gaierror(socket.EAI_NONAME, "unknown")
        return self.names[host]

    @asynccontextmanager
    async def door(
        self,
        *,
        allow: tuple[str, ...] = (),
        broker: BrokerRoute | None = None,
        tokens: int | None = None,
        cost_cap: CostCap | None = None,
        members: Path | None = None,
        allowance: TrafficLimits = USUAL,
    ) -> AsyncIterator[Gateway]:
        egress = Egress(
            on_refusal=self.refused,
            allow=allow,
            broker=broker,
            tokens=tokens,
            cost_cap=cost_cap,
            members=members,
        )
        trust = ssl.create_default_context(cafile=self.certificate)
        door = Gateway(
            egress,
            settle=self.settled.append,
            resolve=self.resolve,
            trust=trust,
            allowance=allowance,
        )
        listener = socket.create_server(("127.0.0.1", 0))
        self.port = listener.getsockname()[1]
        await door.open(listener)
        try:
            yield door
        finally:
            await door.close()

    @asynccontextmanager
    async def upstream(
        self, serve: Serve, *, address: str = PUBLIC, port: int = 443, is_tls: bool = True
    ) -> AsyncIterator[int]:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER) if is_tls else None
        if context:
            context.load_cert_chain(self.certificate, self.certificate.with_name("key.pem"))
        running: set[asyncio.Task[None]] = set()

        async def attend(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            task = asyncio.current_task()
            assert task is not None
            running.add(task)
            try:
                await serve(reader, writer)
            except (OSError, asyncio.IncompleteReadError, asyncio.CancelledError):
                pass
            finally:
                running.discard(task)
                writer.transport.abort()

        server = await asyncio.start_server(attend, address, port, ssl=context)
        try:
            yield server.sockets[0].getsockname()[1]
        finally:
            server.close()
            for task in list(running):
                task.cancel()
            await asyncio.gather(*running, return_exceptions=True)

    async def connect(self) -> Streams:
        return await asyncio.open_connection("127.0.0.1", self.port)

    async def ask(self, *lines: str, body: bytes = b"") -> bytes:
        """Send one request and hear everything that comes back, to the end."""
        reader, writer = await self.connect()
        writer.write("\r\n".join([*lines, "", ""]).encode() + body)
        try:
            return await reader.read()
        finally:
            writer.close()
            await writer.wait_closed()


Story = Callable[[World], Coroutine[None, None, None]]


@pytest.fixture(scope="session")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("certificate")
    subprocess.run(
        [
            *("openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256"),
            *("-nodes", "-days", "2", "-subj", "/CN=test", "-keyout", str(place / "key.pem")),
            *("-addext", f"subjectAltName=DNS:{HOST},DNS:other.example,DNS:localhost"),
            *("-out", str(place / "certificate.pem")),
        ],
        check=True,
        capture_output=True,
    )
    return place / "certificate.pem"


@pytest.fixture
def tell(certificate: Path) -> Callable[[Story], None]:
    """Tell a story on the loopback interface of this machine."""

    def tell_it(story: Story) -> None:
        asyncio.run(asyncio.wait_for(story(World(certificate, {})), PATIENCE))

    return tell_it


@pytest.fixture
def tell_apart(certificate: Path) -> Callable[[Story], None]:
    """Tell a story in a network of its own, in which a public address is on the loopback."""
    if os.geteuid() != 0:
        pytest.skip("a network of its own needs root")
    failures: list[BaseException] = []

    def enter(story: Story) -> None:
        # Only this thread moves, with all that it opens; what follows fails without the move.
        if ctypes.CDLL(None, use_errno=True).unshare(CLONE_NEWNET) != 0:
            raise OSError(ctypes.get_errno(), "unshare")
        assert not _routes()
        subprocess.run(["ip", "link", "set", "lo", "up"], check=True)
        subprocess.run(["ip", "address", "add", f"{PUBLIC}/32", "dev", "lo"], check=True)
        asyncio.run(asyncio.wait_for(story(World(certificate, {HOST: [PUBLIC]})), PATIENCE))

    def guarded(story: Story) -> None:
        try:
            enter(story)
        except BaseException as error:  # noqa: BLE001 - raised again where the test can see it
            failures.append(error)

    def tell_it(story: Story) -> None:
        thread = threading.Thread(target=guarded, args=(story,))
        thread.start()
        thread.join()
        if failures:
            raise failures[0]

    return tell_it


def _routes() -> list[str]:
    return Path("/proc/thread-self/net/route").read_text(encoding="ascii").splitlines()[1:]

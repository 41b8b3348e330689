"""A door that lets everything through, in place of the product's: to prove that it is needed."""

import asyncio
import os
import socket
import sys
from contextlib import suppress
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

from tests.attacks.attempt import Heard
from tests.attacks.guards import Guards, sandbox
from tests.attacks.scene import Scene

from supervisor_ai.domain.structs import replace
from supervisor_ai.engine.ports.sandbox import BrokerRoute, Channel, Mount, SandboxSpec
from supervisor_ai.sandboxes.egress.listener_handoff import ListenerHandoff, shim_command

_PYTHON: Final = os.path.realpath(sys.executable)


class NaiveDoor:
    """Looks at the list as a text, then dials whatever the client named."""

    def __init__(self, allow: tuple[str, ...], broker: BrokerRoute | None) -> None:
        self._allow = allow
        self._broker = broker

    async def open(self, listener: socket.socket) -> asyncio.Server:
        """Begin to accept."""
        return await asyncio.start_server(self._serve, sock=listener)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(OSError, asyncio.IncompleteReadError):
            head = await reader.readuntil(b"\r\n\r\n")
            method, target, _ = head.decode("latin-1").split("\r\n")[0].split(" ")
            if method == "CONNECT":
                await self._tunnel(target, reader, writer)
            else:
                await self._forward(head, target, reader, writer)
        writer.close()

    async def _tunnel(
        self, target: str, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        if not any(target.startswith(entry) for entry in self._allow):
            writer.write(b"HTTP/1.1 403 Forbidden\r\n\r\n")
            return
        host, _, port = target.rpartition("@")[2].rpartition(":")
        there = await asyncio.open_connection(host.strip("[]"), int(port))
        writer.write(b"HTTP/1.1 200 OK\r\n\r\n")
        await _pump(there, (reader, writer))

    async def _forward(
        self, head: bytes, target: str, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        """Send a request for a whole URL there, and any other to the broker's upstream."""
        url = urlsplit(target if "://" in target else self._broker.upstream if self._broker else "")
        there = await asyncio.open_connection(url.hostname, url.port or 80)
        there[1].write(head)
        await _pump(there, (reader, writer))


_Way = tuple[asyncio.StreamReader, asyncio.StreamWriter]


async def _pump(there: _Way, here: _Way) -> None:
    async def one(source: asyncio.StreamReader, sink: asyncio.StreamWriter) -> None:
        with suppress(OSError):
            while piece := await source.read(1 << 16):
                sink.write(piece)
                await sink.drain()

    out = asyncio.create_task(one(here[0], there[1]))
    await one(there[0], here[1])
    out.cancel()
    there[1].close()


async def run_with_naive_door(scene: Scene, guards: Guards, spec: SandboxSpec) -> Heard:
    """Run in the product's sandbox with the product's shim; only the door is another."""
    if spec.egress is None:
        raise ValueError("There is no door to replace.")
    path = scene.outside / "door"
    doorway = ListenerHandoff.at(path)
    door = NaiveDoor(spec.egress.allow, spec.egress.broker)

    async def serve() -> None:
        server = await door.open(await doorway.receive())
        async with server:
            await server.serve_forever()

    serving = asyncio.create_task(serve())
    inside = Path("/run/door")
    heard = {Channel.STDOUT: bytearray(), Channel.STDERR: bytearray()}
    changed = replace(
        spec,
        egress=None,
        argv=shim_command(_PYTHON, os.fspath(inside), spec.argv),
        mounts=(*spec.mounts, Mount(source=path, target=inside)),
    )
    try:
        result = await sandbox(guards, scene).run(
            changed, lambda channel, piece: heard[channel].extend(piece)
        )
    finally:
        serving.cancel()
        doorway.close()
    output, errors = bytes(heard[Channel.STDOUT]), bytes(heard[Channel.STDERR])
    return Heard(result=result, output=output, errors=errors)

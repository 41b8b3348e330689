"""What is served to whom: one member on stdio, all over HTTP, one worker through its door."""

import asyncio
import logging
import os
import socket
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Final

from msgspec import Struct

from supervisor_ai.control.project import OpenProject
from supervisor_ai.control.sessions.calls import Room
from supervisor_ai.control.sessions.desk import Caller, SessionDesk, find_session, open_desk
from supervisor_ai.control.sessions.members import Members, caller_of
from supervisor_ai.domain.errors import Denied, Unavailable
from supervisor_ai.domain.ids import SessionId
from supervisor_ai.mcp.member_tools import MemberTools
from supervisor_ai.mcp.stdio import StdioConnection, serve_stdio, until_readable
from supervisor_ai.mcp.toolbox import Report

VIA: Final = "mcp"
_HERE: Final = "127.0.0.1"
_LOUD: Final = ("mcp", "uvicorn")
_DOOR_HOST: Final = "localhost"
"""What the gateway of a sandbox calls the server behind it."""
_CHUNK: Final = 1 << 12


class ServedSession(Struct, frozen=True, kw_only=True):
    """A session whose tools are served."""

    project: OpenProject
    desk: SessionDesk
    session: SessionId
    version: str
    report: Report

    def tools_of(self, caller: Caller) -> MemberTools:
        """Return the tools of one member."""
        room = Room(project=self.project, desk=self.desk, session=self.session, caller=caller)
        return MemberTools(room=room)

    @property
    def members(self) -> Members:
        """Return who takes part."""
        return Members(self.desk, self.session, self.project.actor)


def open_service(
    project: OpenProject, session: str | None, version: str, report: Report
) -> ServedSession:
    """Open a session, or the only open one; one that was never opened is refused."""
    _silence()
    desk = open_desk(project)
    return ServedSession(
        project=project,
        desk=desk,
        session=find_session(desk, session),
        version=version,
        report=report,
    )


async def serve_member(service: ServedSession, caller: Caller) -> None:
    """Serve one member on stdin and stdout, until it closes its end."""
    tools, wire = service.tools_of(caller), StdioConnection(*_claim_streams())
    # The SDK takes longer to import than some clients wait for their first answer.
    await wire.greet(service.version)
    from supervisor_ai.mcp.server import make_server

    server = make_server(service.version, lambda _: tools, service.report)
    await serve_stdio(server, wire)


async def serve_members(service: ServedSession, listener: socket.socket) -> None:
    """Serve every member that has a token, on a socket of the loopback interface."""
    port = listener.getsockname()[1]
    await _serve(service, listener, service.members.find, [f"{_HERE}:{port}", f"localhost:{port}"])


async def serve_worker(service: ServedSession, listener: socket.socket, member: str) -> None:
    """Serve one worker behind the gateway of its sandbox, until stdin ends."""
    only = _Only(service, member)
    # The listener has been there all the time; now somebody accepts.
    os.write(1, b"\n")
    serving = asyncio.ensure_future(_serve(service, listener, only.find, [_DOOR_HOST]))
    ended = asyncio.ensure_future(_end_of_input())
    try:
        await asyncio.wait((serving, ended), return_when=asyncio.FIRST_COMPLETED)
    finally:
        ended.cancel()
        serving.cancel()
        with suppress(asyncio.CancelledError):
            await serving


async def _serve(
    service: ServedSession,
    listener: socket.socket,
    find: Callable[..., Caller],
    hosts: Sequence[str],
) -> None:
    from supervisor_ai.mcp.http import serve_http, toolbox_of
    from supervisor_ai.mcp.server import make_server

    def identify(token: str) -> MemberTools:
        return service.tools_of(find(token, via=VIA))

    server = make_server(service.version, toolbox_of, service.report)
    await serve_http(server, listener, identify, hosts=hosts)


class _Only:
    """Knows one member; whoever else comes through its door is refused, which is recorded once."""

    def __init__(self, service: ServedSession, member: str) -> None:
        self._service = service
        self._member = member
        self._told: set[str] = set()

    def find(self, token: str, *, via: str) -> Caller:
        try:
            return self._service.members.find(token, via=via, endpoint=self._member)
        except Denied as error:
            raise self._refused("token", error.message) from None

    def _refused(self, call: str, reason: str) -> Denied:
        if call not in self._told:
            self._told.add(call)
            own = [it for it in self._service.members.list() if it.name == self._member]
            for member in own:
                caller = caller_of(member, via=VIA)
                self._service.members.refuse(caller, call, reason)
        return Denied(reason)


def open_listener(port: int) -> socket.socket:
    """Listen on the loopback interface alone."""
    try:
        return socket.create_server((_HERE, port))
    except OSError as error:
        raise Unavailable(
            f"Port {port} cannot be listened on: {error.strerror}.",
            hint="Choose another one with --port, or leave it out.",
        ) from error


def address(listener: socket.socket) -> str:
    """Return where clients find the tools."""
    return f"http://{_HERE}:{listener.getsockname()[1]}/mcp"


def _claim_streams() -> tuple[int, int]:
    """Take stdin and stdout for the protocol: what else reads or prints misses it."""
    source, sink = os.dup(0), os.dup(1)
    nowhere = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nowhere, 0)
    os.close(nowhere)
    os.dup2(2, 1)
    return source, sink


def _silence() -> None:
    """Let libraries print nothing: what they tell is what clients said."""
    for name in _LOUD:
        logger = logging.getLogger(name)
        logger.addHandler(logging.NullHandler())
        logger.propagate = False


async def _end_of_input() -> None:
    while True:
        await until_readable(0)
        if not os.read(0, _CHUNK):
            return

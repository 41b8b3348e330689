"""Doors through which workers take part in sessions: a process of ours for each of them."""

import asyncio
import os
import re
import shutil
import socket
import subprocess
import sys
import tempfile
from collections.abc import AsyncIterator, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager, suppress
from hashlib import sha256
from pathlib import Path
from typing import Final

from supervisor_ai.control.sessions.desk import SessionDesk
from supervisor_ai.control.sessions.members import Members
from supervisor_ai.domain.envelope import Actor
from supervisor_ai.domain.errors import InvalidInput, NotFound, SupervisorError
from supervisor_ai.domain.ids import RunId
from supervisor_ai.domain.session.members import MemberRole
from supervisor_ai.engine.ports.members import Newcomer
from supervisor_ai.engine.ports.workers import MemberDoor
from supervisor_ai.tools.threads import wait_until_done

_ROLE: Final = 40
_STRANGE: Final = re.compile(r"[^A-Za-z0-9_-]")
_GRACE: Final = 5.0
_START: Final = 60.0
"""How long a server may take until it serves, on a machine that is busy."""
_QUEUE: Final = 16


class ProcessDoors:
    """Starts a server for each worker, which serves that member alone and ends with its attempt.

    What a worker sends is read there and not here: whatever it is, it does no harm to the run.
    """

    def __init__(
        self,
        desk: SessionDesk,
        actor: Actor,
        project: Path,
        environment: Mapping[str, str],
    ) -> None:
        self._desk = desk
        self._actor = actor
        self._project = project
        self._environment = environment
        self._inside: set[str] = set()
        """Who takes part from here."""

    def open(self, newcomer: Newcomer) -> AbstractAsyncContextManager[MemberDoor]:
        """Let a worker take part until the context is left."""
        return self._opened(newcomer, member_name(newcomer))

    @asynccontextmanager
    async def _opened(self, newcomer: Newcomer, name: str) -> AsyncIterator[MemberDoor]:
        members = Members(self._desk, newcomer.session, self._actor)
        token = self._admit(members, newcomer, name)
        try:
            with tempfile.TemporaryDirectory(prefix=_prefix(newcomer.run)) as room:
                place = Path(room, "s")
                server = self._start(place, newcomer, name)
                try:
                    await _wait_until_open(server, newcomer)
                    yield MemberDoor(member=name, socket=place, token=token)
                finally:
                    await wait_until_done([asyncio.ensure_future(_end(server))])
        finally:
            self._inside.discard(name)
            with suppress(NotFound):
                members.remove(name)

    def remove_left(self, run: RunId) -> None:
        """Remove members and directories of a run whose owner died."""
        for session in self._desk.queries.sessions():
            if session.closed_at is None:
                self._remove(Members(self._desk, session.id, self._actor), run)
        for room in Path(tempfile.gettempdir()).glob(f"{_prefix(run)}*"):
            if room.lstat().st_uid == os.geteuid():
                shutil.rmtree(room, ignore_errors=True)

    def _remove(self, members: Members, run: RunId) -> None:
        for member in members.list():
            if is_of_run(member.name, run) and member.name not in self._inside:
                members.remove(member.name)

    def _admit(self, members: Members, newcomer: Newcomer, name: str) -> str:
        """Add the worker; whoever of this run is still there lost its owner long ago."""
        try:
            self._remove(members, newcomer.run)
            token = members.add(name, MemberRole.WORKER, endpoint=name)
        except SupervisorError as error:
            raise InvalidInput(
                f"The worker cannot take part in session {newcomer.session!r}: {error.message}",
                hint=error.hint,
            ) from error
        self._inside.add(name)
        return token

    def _start(self, place: Path, newcomer: Newcomer, name: str) -> subprocess.Popen[bytes]:
        listener = _listen(place)
        try:
            door = str(listener.fileno())
            return subprocess.Popen(
                (
                    *(sys.executable, "-I", "-m", "supervisor_ai", "-C", str(self._project)),
                    *("mcp", "--session", newcomer.session, "--member", name, "--door", door),
                ),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                cwd="/",
                env=dict(self._environment),
                pass_fds=(listener.fileno(),),
                start_new_session=True,
            )
        finally:
            # From now on it listens there, or nobody does: whoever connects then is told at once.
            listener.close()


def member_name(newcomer: Newcomer) -> str:
    """Name a worker so that no other one of any run has the same name at the same time."""
    role = _STRANGE.sub("-", newcomer.role)[:_ROLE]
    role = role if role[:1].isalpha() else f"worker-{role}"
    slot = f"-{newcomer.slot}" if newcomer.slot > 1 else ""
    return f"{role}-{newcomer.attempt}{slot}.{newcomer.run}"


def is_of_run(member: str, run: RunId) -> bool:
    """Tell whether a member is a worker of a run."""
    return member.endswith(f".{run}")


def _prefix(run: RunId) -> str:
    """Name the directories of a run, shortly: the path of a socket has few letters."""
    return f"supervisor-door-{sha256(run.encode()).hexdigest()[:12]}-"


def _listen(place: Path) -> socket.socket:
    listener = socket.socket(socket.AF_UNIX)
    try:
        listener.bind(str(place))
        place.chmod(0o600)
        listener.listen(_QUEUE)
    except BaseException:
        listener.close()
        raise
    return listener


async def _wait_until_open(server: subprocess.Popen[bytes], newcomer: Newcomer) -> None:
    """Wait until the tools are served: an agent that asks before goes on without them."""
    if server.stdout is None or not await _said_something(server.stdout.fileno()):
        raise InvalidInput(
            f"The tools of session {newcomer.session!r} could not be served to the worker.",
            hint=f"See why: supervisor mcp --session {newcomer.session} --role worker",
        )


async def _said_something(source: int) -> bool:
    loop, ready = asyncio.get_running_loop(), asyncio.Event()
    loop.add_reader(source, ready.set)
    try:
        async with asyncio.timeout(_START):
            await ready.wait()
        return bool(os.read(source, 1))
    except TimeoutError:
        return False
    finally:
        loop.remove_reader(source)


async def _end(server: subprocess.Popen[bytes]) -> None:
    """Let the server end by itself, or end it."""
    for stream in (server.stdin, server.stdout):
        if stream is not None:
            stream.close()
    try:
        await asyncio.to_thread(server.wait, _GRACE)
    except subprocess.TimeoutExpired:
        server.kill()
        await asyncio.to_thread(server.wait)

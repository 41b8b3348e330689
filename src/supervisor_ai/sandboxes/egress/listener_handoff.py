"""How a listener gets out of the sandbox: the outside half of the hand-off.

Inside, `shim_command` makes the shim run before the command: it listens, hands the listener over
and becomes the command. With an inherited socket:

    ours, theirs = socket.socketpair()
    argv = shim_command(python, str(theirs.fileno()), command)   # theirs is inherited
    doorway = ListenerHandoff(ours)                              # theirs.close() after the start
    listener = await doorway.receive()                           # raises Unavailable
    why = await doorway.exec_failure()                           # None: the command runs
    doorway.close()

With a path, for containers: `doorway = ListenerHandoff.at(path, owner=uid)`, mount `path` inside
and pass its place there to `shim_command`.
"""

import array
import asyncio
import os
import socket
import stat
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Final, Self, TypeVar

from supervisor_ai.domain.errors import Unavailable

_MOST_WORDS: Final = 1 << 12
_MOST_FILES: Final = 16
_T = TypeVar("_T")


def shim_command(python: str, way: str, command: Sequence[str]) -> tuple[str, ...]:
    """Return what to run inside: the shim, which becomes the command."""
    return (python, "-I", "-S", "-c", _shim(), way, *command)


@cache
def _shim() -> str:
    return Path(__file__).with_name("shim.py").read_text(encoding="utf-8")


class ListenerHandoff:
    """Takes exactly one listener over from a sandbox, then tells whether its command began."""

    def __init__(self, way: socket.socket) -> None:
        way.settimeout(0)
        self._way = way
        self._entrance: socket.socket | None = None
        self._path: Path | None = None
        self._is_used = False

    @classmethod
    def at(cls, path: Path, *, owner: int | None = None) -> Self:
        """Wait at a path that only its owner, by default we ourselves, can connect to."""
        entrance = socket.socket(socket.AF_UNIX)
        try:
            _bind(entrance, path)
            _open_to(owner, path)
            entrance.listen(1)
        except BaseException:
            entrance.close()
            raise
        doorway = cls(socket.socket(socket.AF_UNIX))
        entrance.settimeout(0)
        doorway._entrance, doorway._path = entrance, path
        return doorway

    async def receive(self) -> socket.socket:
        """Wait for the listener; raise Unavailable if something else, or nothing, comes.

        Cancel it when the sandbox has ended: at a path, nobody may ever come.
        """
        if self._is_used:
            raise Unavailable("The sandbox has handed its listener over already.")
        self._is_used = True
        if self._entrance is not None:
            self._way.close()
            self._way, _ = await asyncio.get_running_loop().sock_accept(self._entrance)
            self._leave_entrance()
        words, files = await _when_readable(self._way, lambda: _receive(self._way))
        try:
            return _one_listener(words, files)
        finally:
            for surplus in files:
                os.close(surplus)

    async def exec_failure(self) -> str | None:
        """Wait until the command has begun, then return None, or the system's reason why not."""
        told = b""
        while len(told) < _MOST_WORDS:
            more = await _when_readable(self._way, lambda: _read(self._way))
            if not more:
                break
            told += more
        return _reason(told) if told else None

    def close(self) -> None:
        """Close what is still open and remove the path; harmless when repeated."""
        self._way.close()
        self._leave_entrance()

    def _leave_entrance(self) -> None:
        if self._entrance is not None:
            self._entrance.close()
            self._entrance = None
        if self._path is not None:
            self._path.unlink(missing_ok=True)
            self._path = None


def _bind(entrance: socket.socket, path: Path) -> None:
    # A path may be longer than an address: name it by its directory. The mode counts from the
    # first moment, whatever the umask allows others.
    os.fchmod(entrance.fileno(), 0o600)
    directory = os.open(path.parent, os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        entrance.bind(f"/proc/self/fd/{directory}/{path.name}")
    finally:
        os.close(directory)


def _open_to(owner: int | None, path: Path) -> None:
    try:
        if owner is not None:
            os.chown(path, owner, -1, follow_symlinks=False)
    except BaseException:
        path.unlink()
        raise


async def _when_readable(way: socket.socket, read: Callable[[], _T]) -> _T:
    loop = asyncio.get_running_loop()
    while True:
        with suppress(BlockingIOError):
            return read()
        ready = asyncio.Event()
        loop.add_reader(way, ready.set)
        try:
            await ready.wait()
        finally:
            loop.remove_reader(way)


def _receive(way: socket.socket) -> tuple[bytes, list[int]]:
    """Receive one message; every file that came with it is in our hands, also a surplus one."""
    numbers = array.array("i")
    room = socket.CMSG_SPACE(_MOST_FILES * numbers.itemsize)
    try:
        words, extras, _, _ = way.recvmsg(_MOST_WORDS, room, socket.MSG_CMSG_CLOEXEC)
    except ConnectionError:
        return b"", []
    for level, kind, content in extras:
        if (level, kind) == (socket.SOL_SOCKET, socket.SCM_RIGHTS):
            numbers.frombytes(content[: len(content) - len(content) % numbers.itemsize])
    return words, list(numbers)


def _read(way: socket.socket) -> bytes:
    try:
        return way.recv(_MOST_WORDS)
    except ConnectionError:
        return b""


def _one_listener(words: bytes, files: list[int]) -> socket.socket:
    """Take the only file over if it is what it has to be; what stays in the list is not."""
    if not files:
        raise Unavailable(
            f"The sandbox could not listen: {_reason(words)}."
            if words
            else "The sandbox ended before it handed its listener over."
        )
    if len(files) != 1 or words[:1] != b"L" or not stat.S_ISSOCK(os.fstat(files[0]).st_mode):
        raise Unavailable("The sandbox handed over something else than one listener.")
    listener = socket.socket(fileno=files.pop())
    if not _listens_on_loopback(listener):
        listener.close()
        raise Unavailable("The sandbox handed over something else than one listener.")
    listener.settimeout(0)
    return listener


def _listens_on_loopback(found: socket.socket) -> bool:
    options = (socket.SO_DOMAIN, socket.SO_TYPE, socket.SO_PROTOCOL, socket.SO_ACCEPTCONN)
    expected = [socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP, 1]
    if [found.getsockopt(socket.SOL_SOCKET, option) for option in options] != expected:
        return False
    return str(found.getsockname()[0]) == "127.0.0.1"


def _reason(told: bytes) -> str:
    """Return the words behind the number, fit to be shown."""
    text = told.decode(errors="replace").partition(" ")[2] or "unknown reason"
    return "".join(letter if letter.isprintable() else "?" for letter in text)[:200]

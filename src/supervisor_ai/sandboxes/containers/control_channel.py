"""The socket to a container's first process: orders and files go in, reports come out."""

import json
import os
import socket
import struct
from collections.abc import Sequence
from pathlib import Path
from typing import Final, Self

from msgspec import Struct

from supervisor_ai.domain.run.values import Process
from supervisor_ai.sandboxes.containers.init_process import CONTROL
from supervisor_ai.sandboxes.processes.live_process import identify

_MOST: Final = 1 << 16
_CREDENTIALS: Final = struct.Struct("3i")
_SOCKET: Final = Path(CONTROL).name


class InitReport(Struct, frozen=True, kw_only=True):
    """What the first process told until it ended."""

    exit_code: int | None = None
    missing: str | None = None
    failed: str | None = None
    exceeded: tuple[str, ...] = ()
    """The limits at which the kernel had to kill or to refuse something."""


class ControlChannel:
    """Lets exactly one process in, at a place that only one container is shown."""

    def __init__(self, directory: Path, owner: int) -> None:
        self._directory = directory
        self._listener = socket.socket(socket.AF_UNIX)
        self._peer: socket.socket | None = None
        try:
            self._listen(owner)
        except BaseException:
            self._listener.close()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.refuse()
        if self._peer is not None:
            self._peer.close()

    def fileno(self) -> int:
        """Return the file that becomes readable when somebody wants to come in."""
        return self._listener.fileno()

    def admit(self) -> Process | None:
        """Let in who waits; return which process it is on this machine."""
        try:
            self._peer, _ = self._listener.accept()
        except BlockingIOError:
            return None
        self._peer.settimeout(0)
        self.refuse()
        sent = self._peer.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, _CREDENTIALS.size)
        return identify(_CREDENTIALS.unpack(sent)[0])

    def order(self, files: Sequence[int]) -> None:
        """Hand the files over; the first holds the orders."""
        if self._peer is not None:
            socket.send_fds(self._peer, [b"\n"], files)

    def refuse(self) -> None:
        """Let nobody in from now on; who comes too late ends without having begun."""
        self._listener.close()
        (self._directory / _SOCKET).unlink(missing_ok=True)

    def read(self) -> InitReport:
        """Read what was told so far."""
        heard = b""
        while self._peer is not None and len(heard) < _MOST:
            try:
                more = self._peer.recv(_MOST)
            except OSError:
                break
            if not more:
                break
            heard += more
        return parse(heard)

    def _listen(self, owner: int) -> None:
        # The path may be longer than an address of a socket: name it by its directory.
        os.fchmod(self._listener.fileno(), 0o600)
        place = os.open(self._directory, os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            self._listener.bind(f"/proc/self/fd/{place}/{_SOCKET}")
        finally:
            os.close(place)
        if owner != os.geteuid():
            os.chown(self._directory / _SOCKET, owner, owner, follow_symlinks=False)
        self._listener.listen(1)
        self._listener.settimeout(0)


def parse(heard: bytes) -> InitReport:
    """Understand the report; what a hijacked first process may say changes no more than an end."""
    told: dict[str, object] = {}
    for line in heard.splitlines():
        try:
            words = json.loads(line)
        except ValueError:
            continue
        if isinstance(words, dict):
            told.update(words)
    code, events = told.get("exit"), told.get("events")
    return InitReport(
        exit_code=code if isinstance(code, int) else None,
        missing=_words(told.get("missing")),
        failed=_words(told.get("failed")),
        exceeded=tuple(str(name) for name, count in _pairs(events) if count),
    )


def _words(told: object) -> str | None:
    return told if isinstance(told, str) else None


def _pairs(told: object) -> list[tuple[object, object]]:
    return list(told.items()) if isinstance(told, dict) else []

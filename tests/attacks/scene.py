"""The place of one attempt: what a thief wants, where a vandal would leave marks, who listens."""

import os
import pty
import secrets
import socket
import subprocess
import threading
from collections.abc import Callable, Sequence
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import Final

METADATA: Final = "169.254.169.254"
PUBLIC: Final = "93.184.216.34"
RESOLVER: Final = "8.8.8.8"
PRIVATE: Final = "10.9.8.7"
ADDRESSES: Final = (METADATA, PUBLIC, RESOLVER, PRIVATE)
"""Addresses of the network namespace that the test made; no packet for them leaves it."""
NAMES: Final = {
    "listed.test": PUBLIC,
    "other.test": PUBLIC,
    "listed.test.other.test": PUBLIC,
    "private.test": PRIVATE,
    "metadata.test": METADATA,
    "loop.test": "127.0.0.1",
}
"""What the host's resolver answers in the mount namespace that the test made."""


class Scene(ExitStack):
    """Directories of one attempt and everything that is planted around them."""

    def __init__(self, root: Path, first_user: int) -> None:
        super().__init__()
        self.root = root
        self.first_user = first_user
        self.secret = f"secret-{secrets.token_hex(12)}"
        """What nobody inside is ever told."""
        self.home = root / "home"
        self.workspace = root / "workspace"
        self.tool = root / "tool"
        self.outside = root / "outside"
        self.state = root / "state"
        self.facts: dict[str, str] = {"patience": "8"}
        """What the attacker knows beforehand."""
        self.requests: list[bytes] = []
        """What an API was asked."""
        self._furnish()

    def _furnish(self) -> None:
        for place in (self.home, self.workspace, self.tool, self.outside, self.state):
            place.mkdir()
            self.facts[place.name] = os.fspath(place)
        self.facts["root"] = os.fspath(self.root)
        key = self.home / ".ssh/id_ed25519"
        key.parent.mkdir(mode=0o700)
        key.write_text(self.secret, encoding="utf-8")
        key.chmod(0o600)
        (self.tool / "run").write_text("#!/bin/sh\necho honest\n", encoding="utf-8")
        (self.tool / "run").chmod(0o755)
        (self.outside / "file").write_text("untouched", encoding="utf-8")

    def fill(self, words: Sequence[str]) -> list[str]:
        """Put the places of this scene into words such as `{home}`."""
        return [word.format_map(self.facts) for word in words]

    def outside_changed(self) -> bool:
        """Tell whether somebody wrote where nobody inside may."""
        names = sorted(path.name for path in self.outside.iterdir())
        return names != ["file"] or (self.outside / "file").read_text() != "untouched"

    def tool_changed(self) -> bool:
        """Tell whether somebody changed a tool that others will use."""
        return "honest" not in (self.tool / "run").read_text(encoding="utf-8")

    def serve(self, family: int, address: tuple[str, int] | str) -> socket.socket:
        """Tell the secret to everybody who connects."""
        server = self.enter_context(socket.socket(family))
        if family in {socket.AF_INET, socket.AF_INET6}:
            server.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        server.bind(address)
        server.listen()
        self.watch(lambda: _greet(server, self.secret.encode()))
        self.callback(_close, server)
        return server

    def serve_tcp(self, host: str, family: int = socket.AF_INET) -> None:
        """Listen at a free port of an address, and let the attacker know."""
        server = self.serve(family, (host, 0))
        self.facts |= {"host": host, "port": str(server.getsockname()[1])}

    def serve_udp(self, host: str, port: int = 0) -> None:
        """Answer every datagram with the secret."""
        server = self.enter_context(socket.socket(socket.AF_INET, socket.SOCK_DGRAM))
        server.bind((host, port))
        self.facts |= {"host": host, "port": str(server.getsockname()[1])}
        self.watch(lambda: _answer(server, self.secret.encode()))
        self.callback(_close, server)

    def watch(self, work: Callable[[], None]) -> None:
        """Do something beside the attempt until it is over."""
        threading.Thread(target=work, daemon=True).start()

    def bystander(self) -> subprocess.Popen[bytes]:
        """Start a process of the host that has nothing to do with the sandbox."""
        process = subprocess.Popen(["sleep", "60"])
        self.callback(process.wait)
        self.callback(process.kill)
        self.facts["pid"] = str(process.pid)
        return process

    def terminal(self) -> int:
        """Make a terminal and return what its shell would read from."""
        master, slave = pty.openpty()
        self.callback(os.close, master)
        self.callback(os.close, slave)
        os.set_blocking(slave, False)
        self.facts["terminal"] = os.ttyname(slave)
        return slave


def _greet(server: socket.socket, words: bytes) -> None:
    with suppress(OSError):
        while True:
            guest, _ = server.accept()
            with guest:
                guest.sendall(words)


def _answer(server: socket.socket, words: bytes) -> None:
    with suppress(OSError):
        while True:
            _, guest = server.recvfrom(4096)
            if guest is None:
                return
            server.sendto(words, guest)


def _close(server: socket.socket) -> None:
    # Closing alone does not wake a thread that waits for a guest.
    with suppress(OSError):
        server.shutdown(socket.SHUT_RDWR)
    server.close()

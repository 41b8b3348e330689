"""A terminal in which the command runs, as a person has one."""

import os
import pty
import select
import subprocess
import time

from tests.e2e.command import SUPERVISOR, User
from tests.support.processes import PATIENCE


class Terminal:
    """A terminal with the command in it."""

    def __init__(self, user: User, *arguments: str, **environment: str) -> None:
        self.seen = ""
        self._master, slave = pty.openpty()
        self._process = subprocess.Popen(
            [SUPERVISOR, *arguments],
            cwd=user.repository,
            env={**user.environment, "TERM": "xterm", "COLUMNS": "100", **environment},
            stdin=slave,
            stdout=slave,
            stderr=slave,
            start_new_session=True,
        )
        os.close(slave)

    def type(self, text: str) -> None:
        os.write(self._master, text.encode())

    def wait_for(self, words: str) -> None:
        """Read until the words are on the screen."""
        deadline = time.monotonic() + PATIENCE
        while words not in self.seen:
            if time.monotonic() > deadline or not self._read():
                raise AssertionError(f"{words!r} never came: {self.seen}")

    def wait(self) -> int:
        """Read until the command ends; return its exit code."""
        while self._read():
            pass
        os.close(self._master)
        return self._process.wait(timeout=PATIENCE)

    def _read(self) -> bool:
        ready, _, _ = select.select([self._master], [], [], PATIENCE)
        try:
            piece = os.read(self._master, 65536) if ready else b""
        except OSError:
            piece = b""
        self.seen += piece.decode(errors="replace")
        return bool(piece)

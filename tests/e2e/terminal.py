"""A terminal in which the command or a shell runs, as a person has one."""

import fcntl
import os
import pty
import re
import select
import struct
import subprocess
import termios
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

from tests.e2e.command import SUPERVISOR, User
from tests.support.processes import PATIENCE

_PROMPT: Final = "ada$ "
_UPWARDS: Final = re.compile(r"\x1b\[[0-9]*[AFH]")
_ESCAPES: Final = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")


class Screen:
    """A terminal with a program in it."""

    def __init__(
        self,
        command: Sequence[str | Path],
        directory: Path,
        environment: Mapping[str, str],
        *,
        columns: int = 100,
        term: str = "xterm",
    ) -> None:
        self.seen = ""
        self._master, slave = pty.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 40, columns, 0, 0))
        self.process = subprocess.Popen(
            command,
            cwd=directory,
            env={**environment, "TERM": term},
            stdin=slave,
            stdout=slave,
            stderr=slave,
            start_new_session=True,
        )
        os.close(slave)

    def type(self, text: str) -> None:
        os.write(self._master, text.encode())

    def wait_for(self, words: str, *, after: int = 0) -> None:
        """Read until the words are on the screen."""
        deadline = time.monotonic() + PATIENCE
        while words not in self.seen[after:]:
            if time.monotonic() > deadline or not self._read():
                raise AssertionError(f"{words!r} never came: {self.seen}")

    def wait(self) -> int:
        """Read until the program ends; return its exit code."""
        while self._read():
            pass
        os.close(self._master)
        return self.process.wait(timeout=PATIENCE)

    def hang_up(self) -> int:
        """Take the terminal away; return the exit code of the program that is left without one."""
        os.close(self._master)
        return self.process.wait(timeout=PATIENCE)

    def _read(self) -> bool:
        ready, _, _ = select.select([self._master], [], [], PATIENCE)
        try:
            piece = os.read(self._master, 65536) if ready else b""
        except OSError:
            piece = b""
        self.seen += piece.decode(errors="replace")
        return bool(piece)


class Terminal(Screen):
    """A terminal with the command in it."""

    def __init__(
        self, user: User, *arguments: str, term: str = "xterm", **environment: str
    ) -> None:
        own = {**user.environment, "COLUMNS": "100", **environment}
        super().__init__([SUPERVISOR, *arguments], user.repository, own, term=term)


class Shell(Screen):
    """A terminal of 80 columns with a shell in it, to which lines are typed."""

    def __init__(self, directory: Path, environment: Mapping[str, str]) -> None:
        bash = ["/bin/bash", "--norc", "--noprofile", "--noediting", "-i"]
        own = {**environment, "PS1": _PROMPT}
        super().__init__(bash, directory, own, columns=80)
        self.wait_for(_PROMPT)

    def enter(self, line: str, answers: Mapping[str, str] | None = None) -> str:
        """Type a line, answer its questions in their order; return what was shown until its end."""
        begin = len(self.seen)
        self.type(f"{line}\n")
        for question, answer in (answers or {}).items():
            self.wait_for(question, after=begin)
            self.type(f"{answer}\n")
        self.wait_for(f"\n{_PROMPT}", after=begin)
        shown = _UPWARDS.sub("\n", self.seen[begin:])
        return _ESCAPES.sub("", shown).replace("\r", "").removesuffix(_PROMPT)

    def leave(self) -> int:
        """End the shell; return the exit code of the last line."""
        self.type("exit\n")
        return self.wait()

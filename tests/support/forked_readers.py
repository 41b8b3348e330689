"""Readers of hostile code that are forks of a process that has everything imported.

They are confined as those are that the product starts; how it starts them, other tests look at.
"""

import os
import signal
import sys
from typing import NoReturn

from supervisor_ai.tools import confined_child
from supervisor_ai.tools.confinement import ProcessLimits

_MOST_FILES = 4096


class ForkedReader:
    """What of a started process its owner uses."""

    def __init__(self, pid: int, to_reader: int, from_reader: int) -> None:
        self.pid = pid
        self.stdin = os.fdopen(to_reader, "wb")
        self.stdout = os.fdopen(from_reader, "rb")
        self.returncode: int | None = None

    def poll(self) -> int | None:
        """Return how it ended, if it did."""
        return self._waited(os.WNOHANG)

    def wait(self) -> int | None:
        """Wait for its end."""
        return self._waited(0)

    def kill(self) -> None:
        """End it."""
        if self.poll() is None:
            os.kill(self.pid, signal.SIGKILL)

    def _waited(self, option: int) -> int | None:
        if self.returncode is None:
            pid, status = os.waitpid(self.pid, option)
            self.returncode = os.waitstatus_to_exitcode(status) if pid else None
        return self.returncode


def fork_readers() -> None:
    """Let every reader that this process and its forks start be a fork."""
    confined_child._start = _start  # type: ignore[assignment]


def _start(module: str, limits: ProcessLimits) -> ForkedReader:
    heard, to_reader = os.pipe()
    from_reader, said = os.pipe()
    pid = os.fork()
    if pid == 0:
        _become(module, limits, heard, said)
    os.close(heard)
    os.close(said)
    return ForkedReader(pid, to_reader, from_reader)


def _become(module: str, limits: ProcessLimits, heard: int, said: int) -> NoReturn:
    try:
        os.setsid()
        os.chdir("/")
        os.environ.clear()
        for number, file in enumerate((heard, said, os.open(os.devnull, os.O_WRONLY))):
            os.dup2(file, number)
        os.closerange(3, _MOST_FILES)
        sys.stdin, sys.stdout = os.fdopen(0, closefd=False), os.fdopen(1, "w", closefd=False)
        confined_child.main(module, str(limits.memory), str(limits.cpu))
    finally:
        os._exit(0)

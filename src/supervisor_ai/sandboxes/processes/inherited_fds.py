"""The open files that a process is started with."""

import fcntl
import os
import socket
from contextlib import ExitStack
from typing import Final

from msgspec import Struct

_SEALS: Final = fcntl.F_SEAL_WRITE | fcntl.F_SEAL_GROW | fcntl.F_SEAL_SHRINK | fcntl.F_SEAL_SEAL


class Pipe(Struct, frozen=True, kw_only=True):
    """A way from the child to us; reading our end never blocks."""

    ours: int
    theirs: int


class InheritedFds(ExitStack):
    """Files for one child.

    It gets those in `numbered` under their numbers, and others as its standard channels. Ours
    close with the context, the child's as soon as they are handed over.
    """

    def __init__(self) -> None:
        super().__init__()
        self.numbered: list[int] = []
        self._theirs: list[int] = []
        self.callback(self.hand_over)

    def file(self, content: bytes) -> int:
        """Make a file in memory that nobody can change."""
        draft = os.memfd_create("sandbox", os.MFD_CLOEXEC | os.MFD_ALLOW_SEALING)
        try:
            write_all(draft, content)
            fcntl.fcntl(draft, fcntl.F_ADD_SEALS, _SEALS)
            return self._give(os.open(f"/proc/self/fd/{draft}", os.O_RDONLY | os.O_CLOEXEC))
        finally:
            os.close(draft)

    def pipe(self) -> Pipe:
        """Make a pipe that the child writes into."""
        ours, theirs = os.pipe()
        os.set_blocking(ours, False)
        self.callback(os.close, ours)
        return Pipe(ours=ours, theirs=self._give(theirs))

    def notebook(self) -> int:
        """Make a file for the child to write and us to read; unlike a pipe it never breaks."""
        fd = os.memfd_create("sandbox", os.MFD_CLOEXEC)
        self.callback(os.close, fd)
        return fd

    def socket(self) -> tuple[socket.socket, int]:
        """Make a pair of sockets; return ours and the child's."""
        ours, theirs = socket.socketpair()
        ours.settimeout(0)
        return self.enter_context(ours), self._give(theirs.detach())

    def number(self, fd: int) -> str:
        """Let the child know a file by its number, for its command line."""
        self.numbered.append(fd)
        return str(fd)

    def hand_over(self) -> None:
        """Close what is the child's, now that it has it."""
        while self._theirs:
            os.close(self._theirs.pop())

    def _give(self, fd: int) -> int:
        self._theirs.append(fd)
        return fd


def write_all(fd: int, content: bytes) -> None:
    """Write everything, however little is taken at a time."""
    rest = memoryview(content)
    while rest:
        rest = rest[os.write(fd, rest) :]

"""Holds bubblewrap back just before it starts the command, until everything is ready."""

import os
import socket
from contextlib import suppress

from supervisor_ai.sandboxes.processes.inherited_fds import InheritedFds


class StartBarrier:
    """Holds bubblewrap back just before it starts the command.

    There it reads two files. The first is at its end; that bubblewrap closes it tells us that it
    has arrived. The second is the filter for system calls, without which it cannot go on, and
    which we send when everything is ready. A letter that we have not read lies in that socket, so
    that the kernel breaks it if we die: then bubblewrap gives up instead of waiting for ever.
    """

    def __init__(self, files: InheritedFds, rules: bytes) -> None:
        self._rules = rules
        self._arrival, arrival = files.socket()
        self._arrival.shutdown(socket.SHUT_WR)
        self._way, way = files.socket()
        os.write(way, b"\n")
        self.options = ("--block-fd", files.number(arrival), "--seccomp", files.number(way))

    def fileno(self) -> int:
        """Return the file that becomes readable when bubblewrap has arrived, or is dead."""
        return self._arrival.fileno()

    def open(self) -> None:
        """Let the command start."""
        with suppress(OSError):
            self._way.recv(1)
            self._way.sendall(self._rules)
            self._way.shutdown(socket.SHUT_WR)

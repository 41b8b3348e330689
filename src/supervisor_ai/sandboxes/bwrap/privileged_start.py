"""Has a launcher, the script `drop_privileges`, do what this process cannot do itself."""

import errno
import marshal
import os
import signal
import socket
import subprocess
import sys
import threading
import weakref
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Final, Protocol, TypeVar

from supervisor_ai.sandboxes.bwrap import drop_privileges
from supervisor_ai.sandboxes.processes.inherited_fds import write_all
from supervisor_ai.sandboxes.standard_files import SETTINGS, TOP_LEVEL

if TYPE_CHECKING:
    from supervisor_ai.sandboxes.bwrap.drop_privileges import ListenOrders, StartOrders

_TRIES: Final = 2
_DEVICES: Final = ("null", "zero", "full", "random", "urandom", "tty")
_NEEDED: Final = (
    *("/usr", *(f"/{name}" for name in TOP_LEVEL), *SETTINGS, "/proc"),
    *(f"/dev/{name}" for name in _DEVICES),
)
"""What bubblewrap looks up by itself, of all that there is."""
_T = TypeVar("_T")


class Child(Protocol):
    """A process of ours, which keeps its number until it is buried."""

    @property
    def pid(self) -> int:
        """Return its number."""
        ...

    def kill(self) -> None:
        """End it, ready or not."""
        ...

    def wait(self) -> int:
        """Bury it."""
        ...


class LaunchedChild:
    """A process that the launcher has split off for us."""

    def __init__(self, pid: int) -> None:
        self.pid: Final = pid
        self._status: int | None = None

    def kill(self) -> None:
        """End it, ready or not."""
        if self._status is None:
            os.kill(self.pid, signal.SIGKILL)

    def wait(self) -> int:
        """Bury it."""
        if self._status is None:
            self._status = os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])
        return self._status


class PrivilegedStarter:
    """Keeps one launcher ready, since starting it takes longer than what it does.

    What it starts sees of the host what every sandbox shows, and the programs that are named.
    """

    def __init__(self, *programs: Path) -> None:
        self._programs = programs
        self._lock = threading.Lock()
        self._launcher: _Launcher | None = None

    def launch(self, orders: "StartOrders", files: list[int]) -> Child:
        """Have a process split off that carries the orders out with these files."""
        return LaunchedChild(self._ask(lambda launcher: launcher.launch(orders, files)))

    def listen(self, orders: "ListenOrders", held: int, reply: int) -> None:
        """Have somebody listen in the network of a process that is held, and reply with it."""
        self._ask(lambda launcher: launcher.listen(orders, held, reply))

    def _ask(self, order: "Callable[[_Launcher], _T]") -> _T:
        with self._lock:
            for _ in range(_TRIES):
                # It may have been killed since the last time. Only who has answered is asked again:
                # an answer that nobody heard would be taken for the next one.
                ready, self._launcher = self._ready(), None
                with suppress(BrokenPipeError, ConnectionResetError):
                    done = order(ready)
                    self._launcher = ready
                    return done
        raise ChildProcessError(errno.ECHILD, "the launcher ends before it does anything")

    def _ready(self) -> "_Launcher":
        if self._launcher is None or not self._launcher.is_ours:
            self._launcher = _Launcher(self._programs)
        return self._launcher


class _Launcher:
    def __init__(self, programs: Sequence[Path]) -> None:
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with theirs:
            given, parent = str(theirs.fileno()), str(os.getpid())
            process = subprocess.Popen(
                [
                    os.path.realpath(sys.executable),
                    "-I",
                    "-S",
                    drop_privileges.__file__,
                    given,
                    parent,
                    *_NEEDED,
                    *map(os.fspath, programs),
                ],
                stdin=subprocess.DEVNULL,
                pass_fds=[theirs.fileno()],
                env={},
                cwd="/",
                start_new_session=True,
            )
        self._way = ours
        # What dies with its parent dies with the thread that started it.
        self._owner = (os.getpid(), threading.get_ident())
        weakref.finalize(self, _dismiss, ours, process, os.getpid())

    @property
    def is_ours(self) -> bool:
        """Tell whether its children would be children of this thread."""
        return self._owner == (os.getpid(), threading.get_ident())

    def launch(self, orders: "StartOrders", files: list[int]) -> int:
        """Return the number of the process that carries the orders out."""
        draft = os.memfd_create("orders", os.MFD_CLOEXEC)
        try:
            write_all(draft, marshal.dumps(dict(orders)))
            socket.send_fds(self._way, [drop_privileges.START], [draft, *files])
        finally:
            os.close(draft)
        answer = self._way.recv(drop_privileges.PID_BYTES)
        if not answer:
            # It took the order, so whoever it split off may be at work: nobody asks again.
            raise ChildProcessError(errno.ECHILD, "the launcher ended while it split off a process")
        pid = int.from_bytes(answer, "little", signed=True)
        if pid < 0:
            raise ChildProcessError(-pid, os.strerror(-pid))
        return pid

    def listen(self, orders: "ListenOrders", held: int, reply: int) -> None:
        """Leave it to the launcher to reply."""
        words = drop_privileges.LISTEN + marshal.dumps(dict(orders))
        socket.send_fds(self._way, [words], [held, reply])


def _dismiss(way: socket.socket, process: "subprocess.Popen[bytes]", owner: int) -> None:
    way.close()
    if os.getpid() == owner:
        process.wait()

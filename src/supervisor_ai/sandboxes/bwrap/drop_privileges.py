"""Drops root and becomes bubblewrap; run as `python3 -I -S drop_privileges.py FD PARENT`.

Bubblewrap looks its sources up as the unprivileged user, who cannot enter a private home. So each
source is first mounted where that user can reach it, in a mount namespace of one process alone.
An interpreter takes longer to start than bubblewrap does. So one launcher waits for all orders of
a supervisor, and splits off a process for each: a child of the supervisor, not of its own.
For the same reason it imports little: `typing` and `platform` would take as long as all the rest.
"""

from __future__ import annotations

import ctypes
import fcntl
import marshal
import os
import resource
import signal
import socket
import stat
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final, NoReturn, TypedDict

    class StartOrders(TypedDict):
        """What the supervisor asks for; `numbers` are those under which files are inherited."""

        parent: int
        uid: int
        sources: list[str]
        limits: list[tuple[int, int]]
        argv: list[str]
        numbers: list[int]
        groups: list[str]


STAGE: Final = "/tmp"  # noqa: S108 - every user can reach it, and the mount over it is private
"""Source number N is found at `STAGE/N`."""
MOST_FILES: Final = 128
PID_BYTES: Final = 8

_CLONE: Final = {"x86_64": 56, "aarch64": 220}
_CLONE_PARENT: Final = 0x8000
_CLONE_NEWNS: Final = 0x00020000
_MS_NOSUID, _MS_NODEV, _MS_BIND, _MS_REC, _MS_PRIVATE = 0x2, 0x4, 0x1000, 0x4000, 0x40000
_PR_SET_PDEATHSIG, _PR_CAPBSET_DROP, _PR_SET_NO_NEW_PRIVS = 1, 24, 38
_LAST_CAPABILITY: Final = "/proc/sys/kernel/cap_last_cap"

_libc = ctypes.CDLL(None, use_errno=True)


def serve(way: socket.socket) -> None:
    """Split a process off for each order, and say its number, until nobody asks any more."""
    while True:
        heard, files, _, _ = socket.recv_fds(way, 1, MOST_FILES)
        if not heard:
            return
        child = _split_off()
        if child == 0:
            _become(files)
        for file in files:
            os.close(file)
        way.send(child.to_bytes(PID_BYTES, "little", signed=True))


def _split_off() -> int:
    flags = ctypes.c_ulong(_CLONE_PARENT | signal.SIGCHLD)
    child: int = _libc.syscall(_CLONE[os.uname().machine], flags, 0, 0, 0, 0)
    return child if child >= 0 else -ctypes.get_errno()


def _become(files: list[int]) -> NoReturn:
    orders_file, *inherited = files
    try:
        with os.fdopen(orders_file, "rb") as file:
            orders: StartOrders = marshal.load(file)  # noqa: S302 - the supervisor wrote it, in memory
        _take(inherited, orders["numbers"])
        _launch(orders)
    except OSError as error:
        place = f": {error.filename}" if error.filename else ""
        os.write(2, f"launcher: {error.strerror}{place}\n".encode())
    os._exit(1)


def _take(files: list[int], numbers: list[int]) -> None:
    """Put the files where the command expects them; first out of each other's way."""
    above = max(*numbers, *files) + 1
    lifted = [fcntl.fcntl(file, fcntl.F_DUPFD_CLOEXEC, above) for file in files]
    for file in files:
        os.close(file)
    for file, number in zip(lifted, numbers, strict=True):
        os.dup2(file, number)


def _launch(orders: StartOrders) -> NoReturn:
    """Carry the orders out; only a failure comes back, as an OSError."""
    _die_with(orders["parent"])
    os.setsid()
    _join(orders["groups"])
    _stage(orders["sources"])
    for number, value in orders["limits"]:
        resource.setrlimit(number, (value, value))
    _drop_root(orders["uid"])
    for ignored in (signal.SIGPIPE, signal.SIGXFSZ):
        # Python ignores these, and whoever is started would go on to.
        signal.signal(ignored, signal.SIG_DFL)
    # The kernel forgets the wish to die with the parent when the user changes.
    _die_with(orders["parent"])
    os.execve(orders["argv"][0], orders["argv"], {})  # noqa: S606 - a shell is what we avoid


def _join(groups: list[str]) -> None:
    """Enter control groups ourselves: to be put there by another, the kernel takes its time."""
    for group in groups:
        # Where threads can be apart, one that moves itself waits for nobody.
        alone = f"{group}/tasks"
        file = alone if os.path.exists(alone) else f"{group}/cgroup.procs"  # noqa: PTH110
        members = os.open(file, os.O_WRONLY | os.O_CLOEXEC)
        os.write(members, b"0")
        os.close(members)


def _die_with(parent: int) -> None:
    _prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:
        os._exit(1)


def _stage(sources: list[str]) -> None:
    _check("a mount namespace", _libc.unshare(_CLONE_NEWNS))
    _mount("none", "/", "", _MS_REC | _MS_PRIVATE)
    # All are opened before the stage hides those that lie below it.
    opened = [os.open(source, os.O_PATH | os.O_CLOEXEC) for source in sources]
    _mount("tmpfs", STAGE, "tmpfs", _MS_NOSUID | _MS_NODEV, "mode=0755,size=1m")
    for number, fd in enumerate(opened):
        place = f"{STAGE}/{number}"
        if stat.S_ISDIR(os.fstat(fd).st_mode):
            os.mkdir(place, 0o755)  # noqa: PTH102 - paths are plain text here
        else:
            os.close(os.open(place, os.O_CREAT | os.O_WRONLY | os.O_CLOEXEC, 0o644))
        _mount(f"/proc/self/fd/{fd}", place, "", _MS_BIND | _MS_REC)


def _drop_root(uid: int) -> None:
    with open(_LAST_CAPABILITY, encoding="ascii") as file:  # noqa: PTH123 - likewise
        last = int(file.read())
    for capability in range(last + 1):
        _prctl(_PR_CAPBSET_DROP, capability)
    os.setgroups([])
    os.setresgid(uid, uid, uid)
    os.setresuid(uid, uid, uid)
    _prctl(_PR_SET_NO_NEW_PRIVS, 1)


def _mount(source: str, target: str, kind: str, flags: int, options: str = "") -> None:
    texts = (os.fsencode(source), os.fsencode(target), kind.encode())
    _check(target, _libc.mount(*texts, ctypes.c_ulong(flags), options.encode()))


def _prctl(option: int, value: int) -> None:
    _check(f"prctl {option}", _libc.prctl(option, ctypes.c_ulong(value), 0, 0, 0))


def _check(what: str, result: int) -> None:
    if result != 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number), what)


if __name__ == "__main__":
    _die_with(int(sys.argv[2]))
    orders_come = socket.socket(fileno=int(sys.argv[1]))
    # We have it by inheritance; nobody after us may.
    orders_come.set_inheritable(False)
    serve(orders_come)
    # Nothing here is worth the time that an interpreter takes to tidy up.
    os._exit(0)

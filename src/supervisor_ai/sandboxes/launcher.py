"""Leaves root behind and becomes bubblewrap; run by root as `python3 -I -S launcher.py FD MARK`.

Bubblewrap looks its sources up as the unprivileged user, who cannot enter a private home. So each
source is first mounted where that user can reach it, in a mount namespace of this process alone.
It starts with every command, hence the few imports: json, signal and typing would double its time.
"""

from __future__ import annotations

import ctypes
import marshal
import os
import resource
import stat
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import NoReturn, TypedDict

    class Orders(TypedDict):
        """What the supervisor asks for."""

        parent: int
        uid: int
        sources: list[str]
        limits: list[tuple[int, int]]
        argv: list[str]


STAGE = "/tmp"  # noqa: S108 - every user can reach it, and the mount over it is private
"""Source number N is found at `STAGE/N`."""

_CLONE_NEWNS = 0x00020000
_MS_NOSUID, _MS_NODEV, _MS_BIND, _MS_REC, _MS_PRIVATE = 0x2, 0x4, 0x1000, 0x4000, 0x40000
_PR_SET_PDEATHSIG, _PR_CAPBSET_DROP, _PR_SET_NO_NEW_PRIVS = 1, 24, 38
_SIGKILL = 9
_LAST_CAPABILITY = "/proc/sys/kernel/cap_last_cap"

_libc = ctypes.CDLL(None, use_errno=True)


def launch(orders: Orders) -> NoReturn:
    """Carry the orders out; only a failure comes back, as an OSError."""
    _die_with(orders["parent"])
    _stage(orders["sources"])
    for number, value in orders["limits"]:
        resource.setrlimit(number, (value, value))
    _drop_root(orders["uid"])
    # The kernel forgets the wish to die with the parent when the user changes.
    _die_with(orders["parent"])
    os.execve(orders["argv"][0], orders["argv"], {})  # noqa: S606 - a shell is what we avoid


def _die_with(parent: int) -> None:
    _prctl(_PR_SET_PDEATHSIG, _SIGKILL)
    if os.getppid() != parent:
        sys.exit(1)


def _stage(sources: list[str]) -> None:
    _check("a mount namespace", _libc.unshare(_CLONE_NEWNS))
    _mount("none", "/", "", _MS_REC | _MS_PRIVATE)
    # All are opened before the stage hides those that lie below it.
    opened = [os.open(source, os.O_PATH | os.O_CLOEXEC) for source in sources]
    _mount("tmpfs", STAGE, "tmpfs", _MS_NOSUID | _MS_NODEV, "mode=0755,size=1m")
    for number, fd in enumerate(opened):
        place = f"{STAGE}/{number}"
        if stat.S_ISDIR(os.fstat(fd).st_mode):
            os.mkdir(place, 0o755)  # noqa: PTH102 - pathlib is one of the imports not wanted here
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


def main() -> NoReturn:
    """Read the orders from the inherited file and carry them out."""
    with os.fdopen(int(sys.argv[1]), "rb") as file:
        orders: Orders = marshal.load(file)  # noqa: S302 - the supervisor wrote it, in memory
    try:
        launch(orders)
    except OSError as error:
        sys.exit(f"launcher: {error.strerror}: {error.filename}")


if __name__ == "__main__":
    main()

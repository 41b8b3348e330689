"""Looks around from inside a sandbox; run there as a script, with its errand on stdin.

Prints one finding per line as JSON. It speaks to nobody but the loopback interface.
"""

import ctypes
import fcntl
import json
import os
import signal
import socket
import sys
from collections.abc import Callable
from pathlib import Path

Errand = dict[str, str]
Answer = tuple[bool, str]

_CLONE_NEWUSER = 0x10000000
_AF_VSOCK = 40
_OWN_PROCESSES = 4
_ENVIRONMENT = {"PATH", "HOME", "TMPDIR", "LANG", "TERM", "PWD", "LC_CTYPE"}


def _refused(attempt: Callable[[], object]) -> Answer:
    try:
        attempt()
    except OSError as error:
        return True, error.strerror or str(error)
    return False, "it worked"


def _canary(errand: Errand) -> Answer:
    return _refused(Path(errand["canary"]).read_bytes)


def _loopback(errand: Errand) -> Answer:
    with socket.socket() as client:
        return _refused(lambda: client.connect(("127.0.0.1", int(errand["port"]))))


def _abstract(errand: Errand) -> Answer:
    with socket.socket(socket.AF_UNIX) as client:
        return _refused(lambda: client.connect("\0" + errand["abstract"]))


def _writes(errand: Errand) -> Answer:
    # It may work in a directory of our own with the same name: the host looks at the real one.
    _refused(lambda: Path(errand["canary"]).write_text("broken", encoding="utf-8"))
    places = [Path(name, "supervisor-probe") for name in ("/", "/dev", "/etc", "/usr")]
    taken = [str(place) for place in places if not _refused(place.touch)[0]]
    for place in taken:
        Path(place).unlink()
    return not taken, ", ".join(taken) or "refused everywhere"


def _status(_: Errand) -> Answer:
    lines = Path("/proc/self/status").read_text(encoding="utf-8").splitlines()
    fields = dict(line.split(":\t", 1) for line in lines if ":\t" in line)
    expected = {"NoNewPrivs": 1, "Seccomp": 2, "CapPrm": 0, "CapEff": 0, "CapBnd": 0}
    wrong = [name for name, value in expected.items() if int(fields[name], 16) != value]
    return not wrong, ", ".join(f"{name} {fields[name]}" for name in wrong or expected)


def _vsock(_: Errand) -> Answer:
    return _refused(lambda: socket.socket(_AF_VSOCK).close())


def _namespaces(_: Errand) -> Answer:
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.unshare(_CLONE_NEWUSER) == 0:
        return False, "it worked"
    return True, os.strerror(ctypes.get_errno())


def _environment(errand: Errand) -> Answer:
    inherited = Path("/proc/1/environ").read_bytes()
    unknown = sorted(set(os.environ) - _ENVIRONMENT - set(errand["told"].split()))
    return not inherited and not unknown, ", ".join(unknown) or f"{len(inherited)} bytes inherited"


def _files(_: Errand) -> Answer:
    # The listing itself is open while it is read, and is gone when it is checked.
    numbers = [int(path.name) for path in Path("/proc/self/fd").iterdir()]
    still_open = sorted(number for number in numbers if Path(f"/proc/self/fd/{number}").exists())
    return still_open == [0, 1, 2], ", ".join(map(str, still_open))


def _kernel_settings(_: Errand) -> Answer:
    is_read_only = bool(os.statvfs("/proc/sys").f_flag & os.ST_RDONLY)
    refused, why = _refused(lambda: Path("/proc/sys/kernel/core_pattern").open("a").close())
    return is_read_only and refused, why


def _processes(_: Errand) -> Answer:
    seen = sum(path.name.isdigit() for path in Path("/proc").iterdir())
    return seen <= _OWN_PROCESSES, f"{seen} processes in sight"


CHECKS: dict[str, Callable[[Errand], Answer]] = {
    "files of the host are hidden": _canary,
    "the loopback interface of the host is out of reach": _loopback,
    "abstract sockets of the host are out of reach": _abstract,
    "the system cannot be written": _writes,
    "no capabilities, no new privileges, a filter for system calls": _status,
    "sockets to the hypervisor are refused": _vsock,
    "new namespaces are refused": _namespaces,
    "the environment of the host is hidden": _environment,
    "no open files are inherited": _files,
    "kernel settings are read-only": _kernel_settings,
    "processes of the host are hidden": _processes,
}


def _leave_daemon(ground: Path) -> None:
    """Leave a process behind that holds a lock for as long as it lives."""
    reading, writing = os.pipe()
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            signal.signal(signal.SIGTERM, signal.SIG_IGN)
            lock = os.open(ground / "daemon", os.O_RDWR | os.O_CREAT, 0o644)
            fcntl.flock(lock, fcntl.LOCK_EX)
            os.write(writing, b"\n")
            for fd in (0, 1, 2, reading, writing):
                os.close(fd)
            signal.pause()
        os._exit(0)
    os.read(reading, 1)


def main() -> None:
    """Run every check, and leave a daemon behind for the host to look for."""
    errand: Errand = json.load(sys.stdin)
    for name, check in CHECKS.items():
        try:
            holds, detail = check(errand)
        except OSError as error:
            holds, detail = False, str(error)
        sys.stdout.write(json.dumps({"name": name, "holds": holds, "detail": detail}) + "\n")
    sys.stdout.flush()
    _leave_daemon(Path(errand["ground"]))


if __name__ == "__main__":
    main()

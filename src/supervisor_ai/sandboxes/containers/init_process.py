"""The first process of a container: starts the command, waits for it, and dies with the supervisor.

It is part of the image and runs as `env -i python3 -I -S /run/keeper.py` with an empty
environment, alone with the standard library. Everything that it is told comes through one socket,
so that no word of it stands in an argument, in the engine's records or in a file. When it ends,
the kernel kills whatever else the command has started.
"""

import _thread
import errno
import json
import os
import signal
import socket
from pathlib import Path
from typing import TypedDict

CONTROL = "/run/supervisor/control"
"""Where the supervisor listens, as seen from inside."""

_GROUPS = Path("/sys/fs/cgroup")
_MOST_FILES = 8
_MOST_KILLABLE = "1000"
_SIGNALLED = 128
_EVENTS = {
    "memory": ("memory.events", "memory/memory.oom_control", "oom_kill"),
    "processes": ("pids.events", "pids/pids.events", "max"),
}


class InitOrders(TypedDict):
    """What the supervisor asks for; the files come beside it."""

    argv: list[str]
    environment: dict[str, str]
    cwd: str


def main(place: str = CONTROL) -> None:
    """Take the orders from who listens at the place, carry them out and report."""
    # The first process of a namespace does not hear a signal that it has no answer for.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    with socket.socket(socket.AF_UNIX) as control:
        control.connect(place)
        _, files, _, _ = socket.recv_fds(control, 1, _MOST_FILES)
        for fd in files:
            os.set_inheritable(fd, False)  # noqa: FBT003 - the system's own signature
        if len(files) < len(("orders", "stdin", "stdout", "stderr")):
            return
        with os.fdopen(files[0], encoding="ascii") as file:
            orders: InitOrders = json.load(file)
        _leave_the_engine_alone()
        _thread.start_new_thread(_die_with, (control,))
        _report(control, **_run(orders, files[1:]))


def _leave_the_engine_alone() -> None:
    """Let go of the engine's channels, which the command could find here."""
    null = os.open(os.devnull, os.O_RDWR | os.O_CLOEXEC)
    for channel in range(3):
        os.dup2(null, channel)


def _die_with(control: socket.socket) -> None:
    control.recv(1)
    os._exit(1)


def _run(orders: InitOrders, channels: list[int]) -> dict[str, object]:
    try:
        os.chdir(orders["cwd"])
    except OSError as error:
        return {"failed": f"{error.strerror}: {orders['cwd']!r}"}
    try:
        child = _start(orders["argv"], orders["environment"], channels)
    except OSError as error:
        return {"missing": error.strerror}
    for fd in channels:
        os.close(fd)
    _offer_to_the_memory_killer(child)
    code = _wait(child)
    return {"exit": code, "events": {name: _count(*found) for name, found in _EVENTS.items()}}


def _start(argv: list[str], environment: dict[str, str], channels: list[int]) -> int:
    os.environ["PATH"] = environment.get("PATH", os.defpath)
    try:
        return _spawn(argv, environment, channels)
    except OSError as error:
        if error.errno != errno.ENOEXEC:
            raise
        # What is executable and has no first line is for the shell, as execvp has it.
        return _spawn(["/bin/sh", *argv], environment, channels)


def _spawn(argv: list[str], environment: dict[str, str], channels: list[int]) -> int:
    return os.posix_spawnp(
        argv[0],
        argv,
        environment,
        file_actions=[(os.POSIX_SPAWN_DUP2, fd, number) for number, fd in enumerate(channels)],
        setsid=True,
        # Python ignores these; nobody else expects them to be.
        setsigdef=[signal.SIGPIPE, signal.SIGXFSZ],
    )


def _offer_to_the_memory_killer(child: int) -> None:
    """Let the command be killed first when memory runs out, so that somebody can tell of it."""
    try:
        Path(f"/proc/{child}/oom_score_adj").write_text(_MOST_KILLABLE, encoding="ascii")
    except OSError:
        return


def _wait(child: int) -> int:
    while True:
        pid, status = os.wait()
        if pid == child:
            code = os.waitstatus_to_exitcode(status)
            return code if code >= 0 else _SIGNALLED - code


def _count(new: str, old: str, name: str) -> int:
    words = _read(new, old).split()
    pairs = dict(zip(words[::2], words[1::2], strict=False))
    return int(pairs.get(name, 0))


def _read(new: str, old: str) -> str:
    for place in (new, old):
        try:
            return (_GROUPS / place).read_text(encoding="ascii")
        except OSError:
            continue
    return ""


def _report(control: socket.socket, **words: object) -> None:
    control.sendall(json.dumps(words).encode() + b"\n")


if __name__ == "__main__":
    main()

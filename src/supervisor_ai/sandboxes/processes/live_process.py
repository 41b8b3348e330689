"""Processes that are ours to end: found, told apart from later ones of the same number, killed."""

import asyncio
import errno
import os
import select
import signal
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Self

from supervisor_ai.domain.errors import InternalError
from supervisor_ai.domain.run.values import Process


class Hold:
    """A hold on one process, which the next owner of its number cannot inherit."""

    def __init__(self, process: Process, fd: int) -> None:
        self.process = process
        self._fd = fd

    @classmethod
    def on(cls, process: Process) -> Self | None:
        """Take hold of a process, or of nothing if it has ended or is not ours to end."""
        try:
            hold = cls(process, os.pidfd_open(process.pid))
        except ProcessLookupError:
            return None
        # Only now that the number cannot change hands does looking tell anything.
        if identify(process.pid) == process and hold.is_alive and hold.is_ours:
            return hold
        hold.close()
        return None

    @classmethod
    def on_child_of(cls, parent: int, pid: int) -> Self | None:
        """Take hold of a process if it lives and has this parent, or of nothing."""
        try:
            fd = os.pidfd_open(pid)
        except ProcessLookupError:
            return None
        # Only now that the number cannot change hands does looking tell anything.
        if (fields := _status_of(pid)) and int(fields[1]) == parent:
            hold = cls(Process(boot=_boot(), pid=pid, started=int(fields[19])), fd)
            if hold.is_alive:
                return hold
        os.close(fd)
        return None

    @classmethod
    def on_child(cls, pid: int) -> Self:
        """Take hold of a child of ours, which keeps its number until we have buried it."""
        if (process := identify(pid)) is None:
            raise InternalError(f"The process {pid} was started here and cannot be found.")
        return cls(process, os.pidfd_open(pid))

    def fileno(self) -> int:
        """Return the file that becomes readable when the process ends."""
        return self._fd

    @property
    def is_alive(self) -> bool:
        """Tell whether the process has not ended; one that waits to be buried has."""
        poll = select.poll()
        poll.register(self._fd, select.POLLIN)
        return not poll.poll(0)

    @property
    def is_ours(self) -> bool:
        """Tell whether we may end the process."""
        try:
            signal.pidfd_send_signal(self._fd, 0)
        except OSError as error:
            return error.errno != errno.EPERM
        return True

    def kill(self) -> None:
        """End the process, ready or not."""
        with suppress(ProcessLookupError):
            signal.pidfd_send_signal(self._fd, signal.SIGKILL)

    def close(self) -> None:
        """Let go."""
        os.close(self._fd)


def holds_on(processes: Iterable[Process]) -> list[Hold]:
    """Take hold of those that live."""
    return [hold for process in processes if (hold := Hold.on(process))]


async def end_all(holds: Sequence[Hold]) -> None:
    """Kill, wait until the last one is gone and let go; a cancellation comes through only then."""
    interruption: asyncio.CancelledError | None = None
    for hold in holds:
        hold.kill()
    for hold in holds:
        while hold.is_alive:
            try:
                await readable(hold.fileno())
            except asyncio.CancelledError as error:
                interruption = error
        hold.close()
    if interruption is not None:
        raise interruption


async def end_every(find: Callable[[], Sequence[Hold]]) -> None:
    """End what is found until nothing is found any more; then let a cancellation through."""
    interruption: asyncio.CancelledError | None = None
    while holds := find():
        try:
            await end_all(holds)
        except asyncio.CancelledError as error:
            interruption = error
    if interruption is not None:
        raise interruption


async def readable(*files: int) -> None:
    """Wait until at least one of the files can be read."""
    loop = asyncio.get_running_loop()
    event = asyncio.Event()
    for file in files:
        loop.add_reader(file, event.set)
    try:
        await event.wait()
    finally:
        for file in files:
            loop.remove_reader(file)


def identify(pid: int) -> Process | None:
    """Name the process that has this number now."""
    fields = _status_of(pid)
    return Process(boot=_boot(), pid=pid, started=int(fields[19])) if fields else None


def parent_of(pid: int) -> int | None:
    """Return the number of a process's parent."""
    fields = _status_of(pid)
    return int(fields[1]) if fields else None


def find_marked(marks: Iterable[str]) -> dict[str, list[Process]]:
    """Find the processes that carry a mark: a whole argument, or the value of a variable."""
    found: dict[str, list[Process]] = {mark: [] for mark in marks}
    for pid in _all_processes():
        arguments = b"\0" + _read(f"/proc/{pid}/cmdline")
        variables = _read(f"/proc/{pid}/environ")
        for mark, processes in found.items():
            end = mark.encode() + b"\0"
            is_marked = b"\0" + end in arguments or b"=" + end in variables
            if is_marked and (process := identify(pid)):
                processes.append(process)
    return found


def find_session(leader: int) -> list[Process]:
    """Find the processes of a session, which exists as long as its leader is not buried."""
    return [
        process
        for pid in _all_processes()
        if (fields := _status_of(pid)) and int(fields[3]) == leader and (process := identify(pid))
    ]


def _all_processes() -> list[int]:
    return [int(name) for name in os.listdir("/proc") if name.isdigit()]  # noqa: PTH208 - likewise


@cache
def _boot() -> str:
    return Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii").strip()


def _status_of(pid: int) -> list[bytes]:
    """Return the fields of the process's status that follow its name, from the state on."""
    return _read(f"/proc/{pid}/stat").rpartition(b")")[2].split()


def _read(path: str) -> bytes:
    try:
        with open(path, "rb", buffering=0) as file:  # noqa: PTH123 - for every process there is
            return file.readall()
    except OSError:
        return b""

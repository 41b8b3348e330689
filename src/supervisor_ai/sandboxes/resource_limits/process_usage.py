"""Memory and processes of a sandbox, measured from /proc where there is no control group."""

import os
from collections.abc import Collection, Iterator
from datetime import timedelta
from pathlib import Path
from typing import Final

from msgspec import Struct

from supervisor_ai.domain.run.definition import ResourceLimits
from supervisor_ai.sandboxes.resource_limits.unlinked_files import nameless_memory, tasks_of

PERIOD: Final = 0.1
"""Seconds between two looks; at twice the time, a fast bomb gets twice as far."""

_PAGE: Final = os.sysconf("SC_PAGE_SIZE")
_TICKS: Final = os.sysconf("SC_CLK_TCK")
_KIB: Final = 1024
_INODE: Final = 1024
"""About what the kernel needs for a file in memory that is empty, and for its name."""
_UNKNOWN: Final = 1 << 62
_COUNTED: Final = ("Pss_Anon:", "Pss_Shmem:", "SwapPss:")


def is_visible() -> bool:
    """Tell whether the kernel names the children of a process, so that a tree can be seen."""
    return Path(f"/proc/self/task/{os.getpid()}/children").exists()


class ProcessUsage(Struct, frozen=True, kw_only=True):
    """The memory in bytes and the processes, threads included, of all that runs in a sandbox."""

    memory: int
    processes: int


class ProcessTree:
    """The processes below the first one of a sandbox; `spaces` are its file systems in memory."""

    def __init__(self, root: int, spaces: tuple[str, ...] = ()) -> None:
        self._root = root
        self._spaces = spaces

    def exceeded(self, limits: ResourceLimits) -> str | None:
        """Name the limit that the tree is over, if any."""
        pids = list(self.pids())
        seen = self._look(pids)
        if seen.processes > limits.processes:
            return "processes"
        return "memory" if self._is_over(limits.memory, seen.memory, pids) else None

    def measure(self) -> ProcessUsage:
        """Add up what is seen at first sight."""
        return self._look(list(self.pids()))

    def pids(self) -> Iterator[int]:
        """Name the first process and all below it."""
        # Orphans become children of the first process inside, so that nobody leaves the tree.
        waiting = [self._root]
        while waiting:
            pid = waiting.pop()
            yield pid
            for task in tasks_of(pid):
                waiting += map(int, _read(f"/proc/{pid}/task/{task}/children").split())

    def _is_over(self, limit: int, seen: int, pids: list[int]) -> bool:
        # Files without a name are memory of nobody. To look for them takes time, and is needless
        # where all of them on this machine, whoever has them, would not make a difference.
        if seen + _all_nameless() <= limit:
            return False
        hidden = nameless_memory(pids)
        # What processes share is counted for each of them at first; only a suspicion is worth the
        # time that it takes the kernel to tell it apart.
        return seen + hidden > limit and self._own_share(pids) + hidden > limit

    def _look(self, pids: list[int]) -> ProcessUsage:
        resident = sum(_resident(pid) for pid in pids)
        threads = sum(len(tasks_of(pid)) for pid in pids)
        return ProcessUsage(memory=resident + self._files(), processes=threads)

    def _own_share(self, pids: list[int]) -> int:
        return sum(_share(pid) for pid in pids) + self._files()

    def _files(self) -> int:
        return sum(_used(f"/proc/{self._root}/root{place}") for place in self._spaces)


def cpu_time(roots: Collection[int]) -> timedelta:
    """Add up what processes, all below them and those that they have buried have used."""
    pids = {pid for root in roots for pid in ProcessTree(root).pids()}
    ticks = sum(_ticks(pid) for pid in pids)
    return timedelta(seconds=ticks / _TICKS)


def _ticks(pid: int) -> int:
    """Return its own time and that of the children that it has buried."""
    fields = _read(f"/proc/{pid}/stat").rpartition(")")[2].split()
    return sum(map(int, fields[11:15]))


def _all_nameless() -> int:
    """Return how much there can be at most: what is in no file system of the disk, or swapped."""
    lines = (line.split() for line in _read("/proc/meminfo").splitlines())
    sizes = {words[0]: int(words[1]) * _KIB for words in lines}
    return sizes["Shmem:"] + sizes["SwapTotal:"] - sizes["SwapFree:"] if sizes else _UNKNOWN


def _resident(pid: int) -> int:
    fields = _read(f"/proc/{pid}/statm").split()
    return int(fields[1]) * _PAGE if fields else 0


def _share(pid: int) -> int:
    lines = [line.split() for line in _read(f"/proc/{pid}/smaps_rollup").splitlines()]
    counted = [int(words[1]) for words in lines if words and words[0] in _COUNTED]
    return sum(counted) * _KIB if counted else _resident(pid)


def _used(place: str) -> int:
    try:
        state = os.statvfs(place)
    except OSError:
        return 0
    blocks, inodes = state.f_blocks - state.f_bfree, state.f_files - state.f_ffree
    return blocks * state.f_frsize + inodes * _INODE


def _read(path: str) -> str:
    try:
        return Path(path).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        return ""

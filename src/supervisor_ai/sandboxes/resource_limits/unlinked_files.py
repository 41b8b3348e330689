"""Unlinked files, which take room for as long as a process keeps them open."""

import os
import platform
import random
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from itertools import islice
from typing import Final

MOST: Final = 20_000
"""How many descriptors are looked at in one go: a look must not take longer than it is worth."""

_BLOCK: Final = 512
_KCMP: Final = {"x86_64": 312, "aarch64": 272}
_OPEN_FILES: Final = 2


def nameless(pids: Iterable[int], *, most: int = MOST) -> Iterator[os.stat_result]:
    """Describe every file that has no name and is held open by one of these processes, once."""
    seen: set[tuple[int, int]] = set()
    # Where there are too many, nobody can know behind which others to hide one.
    order = list(pids)
    random.shuffle(order)
    for status in islice(_open_files(order), most):
        if status is None or status.st_nlink or (status.st_dev, status.st_ino) in seen:
            continue
        seen.add((status.st_dev, status.st_ino))
        yield status


def nameless_memory(pids: Iterable[int]) -> int:
    """Add up the bytes of the files that exist in memory only, on no file system of anybody's."""
    device = _memory_device()
    return sum(room(status) for status in nameless(pids) if status.st_dev == device)


def room(status: os.stat_result) -> int:
    """Return how many bytes a file takes, whatever its length."""
    return status.st_blocks * _BLOCK


def tasks_of(pid: int) -> list[str]:
    """Name the threads of a process; none if it is gone."""
    return _names(f"/proc/{pid}/task")


@cache
def _memory_device() -> int:
    handle = os.memfd_create("device")
    try:
        return os.fstat(handle).st_dev
    finally:
        os.close(handle)


def _open_files(pids: Iterable[int]) -> Iterator[os.stat_result | None]:
    for pid in pids:
        for task in _tables(pid):
            yield from _table(f"/proc/{pid}/task/{task}/fd")


def _table(place: str) -> Iterator[os.stat_result | None]:
    try:
        table = os.open(place, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    except OSError:
        return
    try:
        yield from (_status(table, name) for name in _names(table))
    finally:
        os.close(table)


def _tables(pid: int) -> Iterator[str]:
    """Name one thread for each table of open files: a thread need not share that of the others."""
    last: str | None = None
    for task in tasks_of(pid):
        if last is None or not _is_same_table(int(last), int(task)):
            yield task
            last = task


def _is_same_table(one: int, other: int) -> bool:
    number = _KCMP.get(platform.machine())
    # Where nobody can tell, the same table is looked at again, and counts once all the same.
    return number is not None and _system_call()(number, one, other, _OPEN_FILES, 0, 0) == 0


@cache
def _system_call() -> Callable[..., int]:
    import ctypes

    prototype = ctypes.CFUNCTYPE(ctypes.c_long, *[ctypes.c_long] * 6)
    return prototype(("syscall", ctypes.CDLL(None)))


def _status(table: int, name: str) -> os.stat_result | None:
    try:
        return os.stat(name, dir_fd=table)
    except OSError:
        return None


def _names(place: str | int) -> list[str]:
    try:
        return os.listdir(place)  # noqa: PTH208 - ten times a second
    except OSError:
        return []

"""File locks between processes (flock), which the kernel releases when their owner dies.

A lock belongs to an open file: whoever opens the same file again, in the same process or another,
is somebody else. It goes when the last descriptor of that opening is closed.
"""

import fcntl
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

PAUSE: Final = 0.01
"""Seconds between two attempts of one who waits only for so long."""


def open_lock_file(path: Path, mode: int = 0o600) -> int:
    """Open a file that is there to be locked; it is made where there is none."""
    return os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, mode)


def lock(descriptor: int, *, is_shared: bool = False, patience: float | None = None) -> bool:
    """Lock an open file; False where it was not to be had in so many seconds, None: for ever."""
    how = fcntl.LOCK_SH if is_shared else fcntl.LOCK_EX
    if patience is None:
        fcntl.flock(descriptor, how)
        return True
    deadline = time.monotonic() + patience
    while not _is_taken(descriptor, how):
        if time.monotonic() >= deadline:
            return False
        time.sleep(PAUSE)
    return True


@contextmanager
def held(
    descriptor: int, *, is_shared: bool = False, patience: float | None = None
) -> Iterator[bool]:
    """Lock an open file for as long as the context lasts, and close it then.

    What it yields says whether the lock was to be had; without patience it always is.
    """
    try:
        yield lock(descriptor, is_shared=is_shared, patience=patience)
    finally:
        os.close(descriptor)


def _is_taken(descriptor: int, how: int) -> bool:
    try:
        fcntl.flock(descriptor, how | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True

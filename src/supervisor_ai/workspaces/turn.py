"""Waiting for one's turn at something that several processes use."""

import fcntl
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from supervisor_ai.workspaces.disk import disk_failure

_TURN_SECONDS: Final = 2.0
PAUSE_SECONDS: Final = 0.01


@contextmanager
def turn(lock: Path) -> Iterator[None]:
    """Wait for one's turn, though not for ever: a frozen holder must not stop the others.

    What is done in a turn must be whole without it; the lock only spares us losing races.
    """
    try:
        handle = os.open(lock, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
    except OSError as error:
        raise disk_failure(error) from error
    try:
        _wait_for(handle, time.monotonic() + _TURN_SECONDS)
        yield
    finally:
        os.close(handle)


def _wait_for(handle: int, deadline: float) -> None:
    while True:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if time.monotonic() > deadline:
                return
            time.sleep(PAUSE_SECONDS)
        else:
            return

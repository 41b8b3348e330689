"""Waiting for one's turn at something that several processes use."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from supervisor_ai.tools.file_lock import held, open_lock_file
from supervisor_ai.workspaces.files.disk_errors import disk_failure

_TURN_SECONDS: Final = 2.0


@contextmanager
def turn(lock: Path) -> Iterator[None]:
    """Wait for one's turn, though not for ever: a frozen holder must not stop the others.

    What is done in a turn must be whole without it; the lock only spares us losing races.
    """
    try:
        handle = open_lock_file(lock, 0o644)
    except OSError as error:
        raise disk_failure(error) from error
    with held(handle, patience=_TURN_SECONDS):
        yield

"""Waiting for one's turn at something that several processes use."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from supervisor_ai.domain.errors import Busy
from supervisor_ai.tools.file_lock import held, open_lock_file
from supervisor_ai.workspaces.files.disk_errors import disk_failure

_TURN_SECONDS: Final = 2.0
_EXCLUSIVE_SECONDS: Final = 30.0


@contextmanager
def turn(lock: Path) -> Iterator[None]:
    """Wait for one's turn, though not for ever: a frozen holder must not stop the others.

    What is done in a turn must be whole without it; the lock only spares us losing races.
    """
    with held(_open(lock), patience=_TURN_SECONDS):
        yield


@contextmanager
def exclusive(lock: Path, *, what: str) -> Iterator[None]:
    """Be the only one of all processes; raise Busy where another one does not come to its end."""
    with held(_open(lock), patience=_EXCLUSIVE_SECONDS) as is_mine:
        if not is_mine:
            raise Busy(
                f"Another process has been at {what} for {_EXCLUSIVE_SECONDS:.0f} seconds."
                " Nothing was touched.",
                hint="Try again when it has ended.",
            )
        yield


def _open(lock: Path) -> int:
    try:
        return open_lock_file(lock, 0o644)
    except OSError as error:
        raise disk_failure(error) from error

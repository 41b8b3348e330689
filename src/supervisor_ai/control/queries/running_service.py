"""A running `serve` of a project: a file beside the ledger that it keeps locked while it lives."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from supervisor_ai.domain.errors import Unavailable
from supervisor_ai.tools.file_lock import held

_FILE: Final = "locks/serve"


@contextmanager
def announced(ledger: Path) -> Iterator[None]:
    """Show other processes that a `serve` lives; several of them share the lock."""
    path = ledger.parent / _FILE
    try:
        path.parent.mkdir(mode=0o700, exist_ok=True)
        # A link that came with the repository may lead anywhere.
        place = os.open(path.parent, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
        try:
            flags = os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC
            descriptor = os.open(path.name, flags, 0o600, dir_fd=place)
        finally:
            os.close(place)
    except OSError as error:
        raise Unavailable(
            f"The file {str(path)!r} cannot be locked: {error.strerror}.",
            hint="Make the directory writable for you and try again.",
        ) from error
    with held(descriptor, is_shared=True):
        yield


def is_service_running(ledger: Path) -> bool:
    """Tell whether a `serve` lives that drives whatever is due in this project."""
    try:
        descriptor = os.open(ledger.parent / _FILE, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC)
    except OSError:
        return False
    with held(descriptor, patience=0) as is_free:
        return not is_free

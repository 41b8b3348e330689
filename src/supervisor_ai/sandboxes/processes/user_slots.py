"""One unprivileged user for each sandbox that root runs at a time."""

import os
import pwd
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from supervisor_ai.domain.errors import Busy
from supervisor_ai.tools.file_lock import lock, open_lock_file

SLOTS: Final = 64


class Slots:
    """Users that nobody else on this machine has, claimed by a lock that ends with its owner."""

    def __init__(self, directory: Path, first: int) -> None:
        self._directory = directory
        self.users = range(first, first + SLOTS)

    @contextmanager
    def claim(self) -> Iterator[int]:
        """Hold a user for as long as the context lasts."""
        self._directory.mkdir(parents=True, exist_ok=True, mode=0o700)
        fd, user = self._first_free()
        try:
            yield user
        finally:
            os.close(fd)

    def _first_free(self) -> tuple[int, int]:
        for user in self.users:
            if _has_account(user):
                continue
            fd = open_lock_file(self._directory / str(user))
            if lock(fd, patience=0):
                return fd, user
            os.close(fd)
        raise Busy(
            f"All {SLOTS} sandbox users from {self.users.start} on are at work.",
            hint="Wait until a run ends, or run fewer at a time.",
        )


def _has_account(user: int) -> bool:
    try:
        pwd.getpwuid(user)
    except KeyError:
        return False
    return True

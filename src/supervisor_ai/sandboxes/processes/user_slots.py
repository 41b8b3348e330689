"""One unprivileged user for each sandbox that root runs at a time."""

import os
import pwd
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from supervisor_ai.domain.errors import Busy
from supervisor_ai.tools.file_lock import lock, open_lock_file

SLOTS: Final = 64
_ACCOUNTS: Final = "/etc/passwd"
_WHILE: Final = 60.0
"""Seconds; accounts may come from elsewhere, and to ask for one takes longer than all the rest."""


def _has_account(user: int) -> bool:
    try:
        pwd.getpwuid(user)
    except KeyError:
        return False
    return True


def _changed(path: str) -> int:
    try:
        return os.stat(path).st_ctime_ns  # noqa: PTH116 - at every start
    except OSError:
        return 0


class Slots:
    """Users that nobody else on this machine has, claimed by a lock that ends with its owner."""

    def __init__(
        self,
        directory: Path,
        first: int,
        *,
        has_account: Callable[[int], bool] = _has_account,
        now: Callable[[], float] = time.monotonic,
    ) -> None:
        self._directory = directory
        self._has_account = has_account
        self._now = now
        self._without_account: dict[int, tuple[float, int | None]] = {}
        self.users = range(first, first + SLOTS)

    @contextmanager
    def claim(self) -> Iterator[int]:
        """Hold a user for as long as the context lasts."""
        fd, user = self._first_free()
        try:
            yield user
        finally:
            os.close(fd)

    def _first_free(self) -> tuple[int, int]:
        for user in self.users:
            if self._is_somebody(user):
                continue
            fd = self._opened(self._directory / str(user))
            if lock(fd, patience=0):
                return fd, user
            os.close(fd)
        raise Busy(
            f"All {SLOTS} sandbox users from {self.users.start} on are at work.",
            hint="Wait until a run ends, or run fewer at a time.",
        )

    def _opened(self, path: Path) -> int:
        try:
            return open_lock_file(path)
        except FileNotFoundError:
            self._directory.mkdir(parents=True, exist_ok=True, mode=0o700)
            return open_lock_file(path)

    def _is_somebody(self, user: int) -> bool:
        """Ask again when the file of all accounts has changed, and after a while in any case."""
        now, changed = self._now(), _changed(_ACCOUNTS)
        asked, known = self._without_account.get(user, (0.0, None))
        if known == changed and now - asked < _WHILE:
            return False
        if self._has_account(user):
            return True
        self._without_account[user] = now, changed
        return False

"""A directory that one user leaves to the next, because to make it anew costs time.

There is one in a place, and it belongs to whoever has renamed it. It is kept only by root, on
whose machine no worker can write it, and until the machine is restarted: what was not written to
the disk by then may be gone.
"""

import errno
import os
from contextlib import suppress
from pathlib import Path
from secrets import token_hex
from typing import Final

from msgspec import Struct

from supervisor_ai.workspaces.files.removal import remove

_BOOT: Final = Path("/proc/sys/kernel/random/boot_id")
_TAKEN: Final = {errno.ENOTEMPTY, errno.EEXIST, errno.ENOTDIR}
_MADE: Final = "made"


class KeptDirectory(Struct, frozen=True, kw_only=True):
    """A place for one directory that nobody uses."""

    place: Path
    boot: Path = _BOOT
    """What the kernel says anew after each start."""

    def give(self, path: Path, note: str) -> None:
        """Keep a directory, unless there is one; whoever gave it removes what is still there."""
        boot = self._booted()
        if boot is None or os.geteuid() != 0:
            return
        (path / _MADE).write_text(f"{boot} {note}\n")
        try:
            path.rename(self.place)
        except OSError as error:
            if error.errno not in _TAKEN:
                raise

    def take(self, path: Path) -> str | None:
        """Move what is kept to a path; return what was noted, None where nothing is there then."""
        if os.geteuid() != 0:
            return None
        try:
            self.place.rename(path)
        except FileNotFoundError:
            return None
        boot, note = self._made(path)
        if boot is not None and boot == self._booted():
            (path / _MADE).unlink()
            return note
        remove(path)
        return None

    def drop(self) -> None:
        """Keep nothing; renamed first, so that nobody takes what is being removed."""
        with suppress(FileNotFoundError):
            self.place.rename(self.place.with_name(f"{self.place.name}-{token_hex(8)}"))
        for waste in self.place.parent.glob(f"{self.place.name}-*"):
            remove(waste)

    def _made(self, path: Path) -> tuple[str | None, str]:
        try:
            boot, note = (path / _MADE).read_text().split()
        except (OSError, ValueError):
            return None, ""
        return boot, note

    def _booted(self) -> str | None:
        try:
            return self.boot.read_text().strip()
        except OSError:
            return None

"""Changes the owner of a directory to the unprivileged user who works in it."""

import os
import stat
from collections import deque
from collections.abc import Iterator
from pathlib import Path

from msgspec import Struct

from supervisor_ai.engine.ports.sandbox import Mount


class Handover(Struct, frozen=True, kw_only=True):
    """Gives files to one user of a sandbox; `users` are all that sandboxes have."""

    owner: int
    users: range

    def give_mount(self, mount: Mount) -> None:
        """Give what is mounted, in its own way if it has one."""
        deque(self.steps(mount), maxlen=0)

    def steps(self, mount: Mount) -> Iterator[None]:
        """Give what is mounted file by file; what has its own way goes it in one step."""
        if mount.give is None:
            yield from self._give(mount.source)
        else:
            mount.give(self.owner, self.give)

    def give(self, root: Path) -> None:
        """Give everything from the root down; links themselves, never what they point at."""
        deque(self._give(root), maxlen=0)

    def _give(self, root: Path) -> Iterator[None]:
        status = root.lstat()
        self._give_one(os.fspath(root), status)
        if stat.S_ISDIR(status.st_mode):
            yield from self._give_below(root)

    def _give_below(self, root: Path) -> Iterator[None]:
        # One open directory at a time: a tree may be deeper than any limit on open files.
        here = os.open(root, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
        try:
            levels: list[list[str]] = [[]]
            yield from self._give_entries(here, levels[-1])
            while levels:
                if levels[-1]:
                    here = _move(here, levels[-1].pop())
                    levels.append([])
                    yield from self._give_entries(here, levels[-1])
                else:
                    levels.pop()
                    here = _move(here, "..")
        finally:
            os.close(here)

    def _give_entries(self, directory: int, below: list[str]) -> Iterator[None]:
        with os.scandir(directory) as entries:
            for entry in entries:
                yield
                status = entry.stat(follow_symlinks=False)
                self._give_one(entry.name, status, directory)
                if stat.S_ISDIR(status.st_mode):
                    below.append(entry.name)

    def _give_one(self, name: str, status: os.stat_result, directory: int | None = None) -> None:
        has_other_name = not stat.S_ISDIR(status.st_mode) and status.st_nlink > 1
        if has_other_name and status.st_uid not in self.users:
            # The other name may lie outside, and whoever owns a file may change it there too.
            return
        if status.st_uid != self.owner:
            os.chown(name, self.owner, self.owner, dir_fd=directory, follow_symlinks=False)


def _move(here: int, name: str) -> int:
    there = os.open(name, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=here)
    os.close(here)
    return there

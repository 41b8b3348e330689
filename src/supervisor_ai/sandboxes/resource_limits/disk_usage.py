"""Disk usage of a workspace, counted while a hostile command may be moving files."""

import os
import stat
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Final, Self

from msgspec import Struct

from supervisor_ai.domain.run.definition import MIB, ResourceLimits
from supervisor_ai.domain.structs import replace
from supervisor_ai.engine.ports.sandbox import Mount
from supervisor_ai.sandboxes.resource_limits.unlinked_files import nameless, room

PERIOD: Final = 2.0
"""Seconds between two counts, and more where one takes long."""

FREE_SPACE: Final = "free space"
"""What is used up when the limit is not yet reached, but the disk is nearly full."""

_FLOOR: Final = 512 * MIB
_RESERVE: Final = 20
_FULL: Final = MIB // 8
_COUNTS: Final = 5


@dataclass(slots=True, kw_only=True)
class Tally:
    """A count that ends as soon as it is over the limits, or is told to stop."""

    limits: ResourceLimits
    is_stopped: Callable[[], bool] = lambda: False
    size: int = 0
    files: int = 0
    is_torn: bool = False
    """Whether a directory was moved while it was counted, so that some may be missing."""
    _seen: set[tuple[int, int]] = field(default_factory=set)

    @property
    def exceeded(self) -> str | None:
        """Name the limit that the files are over, if any."""
        if self.size > self.limits.disk:
            return "disk"
        return "disk_files" if self.files > self.limits.disk_files else None

    def count(self, root: Path) -> Self:
        """Count everything from the root down on its file system, and never what links point at."""
        # What cannot be opened is counted without what is in it: its owner cannot use that either.
        with suppress(OSError):
            status = root.lstat()
            self._add(status)
            if stat.S_ISDIR(status.st_mode):
                self._walk(os.open(root, _DIRECTORY), status.st_dev)
        return self

    def count_nameless(self, pids: Iterable[int], devices: Collection[int]) -> Self:
        """Count what these processes keep on the devices although nothing there names it."""
        for status in nameless(pids):
            if status.st_dev in devices:
                self._add(status)
        return self

    def _walk(self, here: int, device: int) -> None:
        """Go down and up with one open directory: a tree may be deeper than any other limit."""
        way: list[_Level] = []
        try:
            way.append(_Level(_identity(here), self._add_all(here, device)))
            while way and not self.exceeded and not self.is_stopped():
                if way[-1].below:
                    here = self._go_down(here, way, device)
                else:
                    way.pop()
                    here = _move(here, "..") if way else here
                    # Whoever was moved meanwhile finds another directory above: the count ends,
                    # for that way leads out of the tree in the end.
                    if way and _identity(here) != way[-1].identity:
                        self.is_torn = True
                        return
        finally:
            os.close(here)

    def _go_down(self, here: int, way: "list[_Level]", device: int) -> int:
        try:
            there = os.open(way[-1].below.pop(), _DIRECTORY, dir_fd=here)
        except OSError:
            return here
        os.close(here)
        way.append(_Level(_identity(there), self._add_all(there, device)))
        return there

    def _add_all(self, directory: int, device: int) -> list[str]:
        below = []
        for name, status in _entries(directory):
            self._add(status)
            if self.exceeded:
                break
            if stat.S_ISDIR(status.st_mode) and status.st_dev == device:
                below.append(name)
        return below

    def _add(self, status: os.stat_result) -> None:
        if status.st_nlink > 1 and not stat.S_ISDIR(status.st_mode):
            identity = (status.st_dev, status.st_ino)
            if identity in self._seen:
                return
            self._seen.add(identity)
        self.size += room(status)
        self.files += 1


_DIRECTORY: Final = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC


class _Level(Struct, frozen=True):
    identity: tuple[int, int]
    below: list[str]


def _identity(directory: int) -> tuple[int, int]:
    status = os.fstat(directory)
    return status.st_dev, status.st_ino


def _move(here: int, name: str) -> int:
    there = os.open(name, _DIRECTORY, dir_fd=here)
    os.close(here)
    return there


def _entries(directory: int) -> Iterator[tuple[str, os.stat_result]]:
    try:
        with os.scandir(directory) as entries:
            for entry in entries:
                try:
                    yield entry.name, entry.stat(follow_symlinks=False)
                except OSError:
                    continue
    except OSError:
        return


class Disk:
    """The places in which one command may leave files, and how much there is for it."""

    def __init__(
        self,
        roots: Sequence[Path],
        limits: ResourceLimits,
        written: Mapping[Path, Path] = MappingProxyType({}),
    ) -> None:
        self._limits = limits
        # What others share takes no more room for being shown here.
        places = [_Place.at(root, written.get(root, root)) for root in _outermost(roots)]
        self._bounded = [place for place in places if place.total <= limits.disk]
        self._open = [place for place in places if place.total > limits.disk]

    @property
    def is_watched(self) -> bool:
        """Tell whether there is a place that the kernel does not bound by itself."""
        return bool(self._open)

    def exceeded(
        self, is_stopped: Callable[[], bool] = lambda: False, pids: Iterable[int] = ()
    ) -> str | None:
        """Name the limit that the files are over, with those that only the processes know."""
        if any(place.is_nearly_full for place in self._open):
            return FREE_SPACE
        return self.overrun(is_stopped, pids)

    def overrun(
        self, is_stopped: Callable[[], bool] = lambda: False, pids: Iterable[int] = ()
    ) -> str | None:
        """Name the limit that the files are over, however much room there is beside them."""
        pids = tuple(pids)
        for _ in range(_COUNTS):
            tally = Tally(limits=self._limits, is_stopped=is_stopped)
            tally.count_nameless(pids, {place.device for place in self._open})
            for place in self._open:
                tally.count(place.counted)
            if tally.exceeded or not tally.is_torn:
                return tally.exceeded
        # It is counted again soon, and once more when nothing moves any longer.
        return None

    def is_within(self, files: int) -> bool:
        """Tell at a glance that no limit is exceeded; of more files, that takes a count."""
        few = replace(self._limits, disk_files=min(files, self._limits.disk_files))
        tally = Tally(limits=few)
        for place in self._open:
            tally.count(place.counted)
        return not tally.exceeded and not tally.is_torn

    def is_full(self) -> str | None:
        """Name what is used up on a file system that is itself the limit, if anything."""
        for place in self._bounded:
            state = _state(place.root)
            if state is not None and state.f_bavail * state.f_frsize < _FULL:
                return "disk"
            if state is not None and state.f_files and not state.f_favail:
                return "disk_files"
        return None


def writable_disk(mounts: Iterable[Mount], limits: ResourceLimits) -> Disk:
    """Watch all mounts that can be written."""
    writable = [mount for mount in mounts if mount.is_writable]
    written = {mount.source: mount.written for mount in writable if mount.written}
    return Disk([mount.source for mount in writable], limits, written)


class _Place(Struct, frozen=True, kw_only=True):
    root: Path
    counted: Path
    device: int
    total: int
    floor: int

    @classmethod
    def at(cls, root: Path, counted: Path) -> Self:
        state = _state(root)
        if state is None:
            return cls(root=root, counted=counted, device=0, total=0, floor=0)
        total, free = state.f_blocks * state.f_frsize, state.f_bavail * state.f_frsize
        # A disk that was nearly full before is no reason to end a command that adds little.
        floor = min(_FLOOR, total // _RESERVE, free // 2)
        device = _device(root)
        return cls(root=root, counted=counted, device=device, total=total, floor=floor)

    @property
    def is_nearly_full(self) -> bool:
        state = _state(self.root)
        return state is not None and state.f_bavail * state.f_frsize < self.floor


def _outermost(roots: Sequence[Path]) -> list[Path]:
    unique = list(dict.fromkeys(roots))
    if len(unique) == 1:
        return unique
    return [root for root in unique if not any(other in root.parents for other in unique)]


def _device(root: Path) -> int:
    try:
        return root.stat().st_dev
    except OSError:
        return 0


def _state(root: Path) -> os.statvfs_result | None:
    try:
        return os.statvfs(root)
    except OSError:
        return None

"""A fingerprint of the installed tools, for caches: it changes when what commands can run does."""

import asyncio
import json
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from hashlib import sha256
from itertools import chain
from operator import attrgetter
from pathlib import Path
from threading import Lock
from time import monotonic, time_ns
from typing import ClassVar, Final

from msgspec import Struct, msgpack

from supervisor_ai.sandboxes.host_view.package_caches import Caches, find_caches
from supervisor_ai.sandboxes.standard_files import SETTINGS
from supervisor_ai.sandboxes.toolchains.roots import SYSTEM
from supervisor_ai.sandboxes.toolchains.toolchain import Toolchain, find_toolchain

MOST_ENTRIES: Final = 400_000
"""So many files are looked at; it takes some seconds."""
_DERIVED: Final = frozenset({b"__pycache__", b".git"})
"""What programs write beside their files, and what says nothing that the files do not."""
_DOCUMENTS: Final = frozenset({b"doc", b"gtk-doc", b"help", b"icons", b"info", b"man"})
"""What lies below `share` and is read by people."""


_SHARED_FOR: Final = 2.0
"""A look that began at most so many seconds ago is one at this moment, however long it takes."""
_TICK_NS: Final = 20_000_000
"""Times of files are behind the clock by up to so much."""


_GONE: Final = (b"gone",)


class _TooMany(Exception):
    """There is more to look at than anybody waits for."""


class ToolStamp(Struct, frozen=True, kw_only=True):
    """What stands on a machine, and when the last of it came."""

    name: str
    newest: int
    """In nanoseconds, as the times of files are."""


class ToolStamps:
    """Stamps of one machine; gates that begin together share a look at it."""

    worth: ClassVar = 1.0
    """Seconds of two looks, one to keep and one to find: what is quicker gets no stamp."""

    def __init__(
        self,
        environment: Mapping[str, str],
        home: Path,
        *,
        besides: Sequence[Path] = (),
        clock: Callable[[], float] = monotonic,
        calendar: Callable[[], int] = time_ns,
    ) -> None:
        self._environment = environment
        self._home = home
        self._besides = besides
        self._clock = clock
        self._calendar = calendar
        self._lock = Lock()
        self._last: dict[tuple[str, ...], tuple[float, ToolStamp | None]] = {}

    async def now(self, caches: tuple[str, ...], ended: asyncio.Event | None = None) -> str | None:
        """Return the stamp of the moment of this call, however long the look takes.

        None where there is too much to look at, and where something changed since then, also
        before the look began; and where what the stamp is for ended sooner than a look would.
        """
        asked = self._calendar()
        if ended is not None and await _ends_within(self.worth, ended):
            return None
        stamp = await asyncio.to_thread(self._look, caches)
        return stamp.name if stamp and stamp.newest < asked - _TICK_NS else None

    def _look(self, caches: tuple[str, ...]) -> ToolStamp | None:
        """Share a look that began after this call, or not long before it."""
        asked = self._clock()
        with self._lock:
            at, stamp = self._last.get(caches, (asked - 2 * _SHARED_FOR, None))
            if asked - at > _SHARED_FOR:
                begun = self._clock()
                stamp = self._stamp(caches)
                self._last[caches] = (begun, stamp)
            return stamp

    def _stamp(self, caches: tuple[str, ...]) -> ToolStamp | None:
        tools = find_toolchain(self._environment, self._home)
        cached = find_caches(caches, self._environment, self._home)
        system = system_places(SYSTEM)
        besides = (*system.whole, *map(Path, SETTINGS), *self._besides)
        return stamp_tools(tools, cached, besides=besides, flat=system.flat)


async def _ends_within(seconds: float, ended: asyncio.Event) -> bool:
    try:
        async with asyncio.timeout(seconds):
            return await ended.wait()
    except TimeoutError:
        return False


def stamp_tools(
    tools: Toolchain,
    caches: Caches,
    *,
    besides: Iterable[Path] = (),
    flat: Iterable[Path] = (),
    most: int = MOST_ENTRIES,
) -> ToolStamp | None:
    """Name what a sandbox shows of the machine; None where that is too much to look at.

    A file that was written again is another one by its size, its times or its inode, also where
    the directory above it is as it was. Of `flat` directories only the first level counts.
    """
    shown = (*tools.roots, *(mount.source for mount in caches.mounts))
    told = (tools.search_path(shown), dict(tools.environment), dict(caches.environment))
    machine = os.uname()
    digest = sha256(json.dumps((told, machine.release, machine.machine)).encode())
    look = _Look()
    try:
        rows = (look.flat((*tools.stores, *flat)), look.whole((*shown, *besides), most))
        for row in chain.from_iterable(rows):
            digest.update(_encode(row))
    except _TooMany:
        return None
    return ToolStamp(name=digest.hexdigest(), newest=look.newest)


_Row = list[bytes | int]
"""What stands in one place, one after the other: most of a look is spent on making these."""
_told: Final = attrgetter("st_ctime_ns", "st_mtime_ns", "st_mode", "st_size", "st_dev", "st_ino")
_by_name: Final = attrgetter("name")
_encode: Final = msgpack.Encoder().encode


class _Look:
    """One walk through files; it keeps when the newest of them changed."""

    newest = 0

    def whole(self, places: Iterable[Path], most: int) -> Iterator[_Row]:
        seen: set[bytes] = set()
        for place in map(os.fsencode, places):
            real = os.path.realpath(place)
            if real not in seen:
                seen.add(real)
                yield [place, real, *self._stamp(Path(os.fsdecode(real)))]
                for row, count in self._below(real):
                    most -= count
                    if most < 0:
                        raise _TooMany
                    yield row

    def flat(self, places: Iterable[Path]) -> Iterator[_Row]:
        for place in places:
            row: _Row = [os.fsencode(place), *self._stamp(place)]
            for entry in _entries(os.fsencode(place)):
                row += (entry.name, *self._stamp(entry))
            yield row

    def _below(self, root: bytes) -> Iterator[tuple[_Row, int]]:
        """Tell of each directory what is in it, and how much that is."""
        waiting = [root]
        while waiting:
            place = waiting.pop()
            passed = _DERIVED | _DOCUMENTS if place.endswith(b"/share") else _DERIVED
            row: _Row = [place]
            entries = [entry for entry in _entries(place) if entry.name not in passed]
            for entry in entries:
                row.append(entry.name)
                if entry.is_dir(follow_symlinks=False):
                    self._stamp(entry)  # For the newest: what went away is told by nothing else.
                    waiting.append(entry.path)
                    row.append(b"/")
                    continue
                if entry.is_symlink():
                    row.append(_target(entry))
                row += self._stamp(entry)
            yield row, len(entries)

    def _stamp(self, file: os.DirEntry[bytes] | Path) -> tuple[bytes | int, ...]:
        """Tell a file from what stands there after any change; a link by what it leads to."""
        try:
            found = _told(file.stat())
        except OSError:
            return _GONE
        self.newest = max(self.newest, found[0])
        return found


def _entries(place: bytes) -> list[os.DirEntry[bytes]]:
    try:
        with os.scandir(place) as found:
            return sorted(found, key=_by_name)
    except OSError:
        return []


def _target(link: os.DirEntry[bytes]) -> bytes:
    try:
        return os.fsencode(Path(os.fsdecode(link.path)).readlink())
    except OSError:
        return b""


_RECORDS: Final = (
    *("var/lib/dpkg/status", "lib/apk/db/installed", "var/lib/pacman/local"),
    *("var/lib/rpm", "usr/lib/sysimage/rpm", "nix/var/nix/profiles"),
)
"""What package managers write anew with every package that comes, goes or changes."""
_RUN: Final = (
    *("bin", "sbin", "libexec", "local", "lib/git-core", "lib/gcc", "lib/jvm", "lib/ruby"),
    *("lib/python3*", "lib/node_modules", "lib/go*/bin", "lib/llvm*/bin", "lib/cargo"),
    *("share/nodejs", "share/perl5", "share/java", "share/maven"),
)
"""Programs, and packages of interpreters."""
_LIBRARIES: Final = ("lib", "lib64", "lib/*-linux-*")


class SystemPlaces(Struct, frozen=True, kw_only=True):
    """Directories and files of the system."""

    whole: tuple[Path, ...]
    flat: tuple[Path, ...] = ()
    """Directories of which only the first level is looked at."""


def system_places(system: Iterable[Path], root: Path = Path("/")) -> SystemPlaces:
    """Find what a command can run; the rest only where no package manager keeps a record of it.

    To look at each of some hundred thousand files before every gate takes longer than most gates.
    """
    records = tuple(root / record for record in _RECORDS if (root / record).exists())
    if not records:
        return SystemPlaces(whole=tuple(system))
    tops = [root / "usr", root]
    return SystemPlaces(whole=_found(tops, _RUN), flat=(*records, *_found(tops, _LIBRARIES)))


def _found(tops: Iterable[Path], patterns: Iterable[str]) -> tuple[Path, ...]:
    """Return what exists, each real place once."""
    every = (path for top in tops for pattern in patterns for path in sorted(top.glob(pattern)))
    return tuple({path.resolve(): path for path in every}.values())

"""A fingerprint of the installed tools, for caches: it changes when what commands can run does."""

import asyncio
import json
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from hashlib import sha256
from operator import attrgetter
from pathlib import Path
from threading import Lock
from time import monotonic
from typing import Final

from msgspec import Struct

from supervisor_ai.sandboxes.host_view.package_caches import Caches, find_caches
from supervisor_ai.sandboxes.standard_files import SETTINGS
from supervisor_ai.sandboxes.toolchains.roots import SYSTEM
from supervisor_ai.sandboxes.toolchains.toolchain import Toolchain, find_toolchain

MOST_ENTRIES: Final = 400_000
"""So many files are looked at; it takes some seconds."""
_DERIVED: Final = frozenset({"__pycache__", ".git"})
"""What programs write beside their files, and what says nothing that the files do not."""
_DOCUMENTS: Final = frozenset({"doc", "gtk-doc", "help", "icons", "info", "man"})
"""What lies below `share` and is read by people."""


_SHARED_FOR: Final = 2.0
"""For so many seconds from its beginning, a look is one at this moment."""


class _TooMany(Exception):
    """There is more to look at than anybody waits for."""


class ToolStamps:
    """Stamps of one machine; gates that begin together share a look at it."""

    def __init__(
        self,
        environment: Mapping[str, str],
        home: Path,
        *,
        besides: Sequence[Path] = (),
        clock: Callable[[], float] = monotonic,
    ) -> None:
        self._environment = environment
        self._home = home
        self._besides = besides
        self._clock = clock
        self._lock = Lock()
        self._last: dict[tuple[str, ...], tuple[float, str | None]] = {}

    async def now(self, caches: tuple[str, ...]) -> str | None:
        """Return the stamp of this moment, or None where there is too much to look at."""
        return await asyncio.to_thread(self._look, caches)

    def _look(self, caches: tuple[str, ...]) -> str | None:
        with self._lock:
            begun = self._clock()
            at, stamp = self._last.get(caches, (begun - 2 * _SHARED_FOR, None))
            if begun - at > _SHARED_FOR:
                stamp = self._stamp(caches)
                self._last[caches] = (begun, stamp)
            return stamp

    def _stamp(self, caches: tuple[str, ...]) -> str | None:
        tools = find_toolchain(self._environment, self._home)
        cached = find_caches(caches, self._environment, self._home)
        system = system_places(SYSTEM)
        besides = (*system.whole, *map(Path, SETTINGS), *self._besides)
        return stamp_tools(tools, cached, besides=besides, flat=system.flat)


def stamp_tools(
    tools: Toolchain,
    caches: Caches,
    *,
    besides: Iterable[Path] = (),
    flat: Iterable[Path] = (),
    most: int = MOST_ENTRIES,
) -> str | None:
    """Name what a sandbox shows of the machine; None where that is too much to look at.

    A file that was written again is another one by its size, its times or its inode, also where
    the directory above it is as it was. Of `flat` directories only the first level counts.
    """
    shown = (*tools.roots, *(mount.source for mount in caches.mounts))
    told = (tools.search_path(shown), dict(tools.environment), dict(caches.environment))
    machine = os.uname()
    digest = sha256(json.dumps((told, machine.release, machine.machine)).encode())
    try:
        for line in (*_flat_lines((*tools.stores, *flat)), *_lines((*shown, *besides), most)):
            digest.update(line.encode(errors="surrogateescape"))
    except _TooMany:
        return None
    return digest.hexdigest()


def _lines(places: Iterable[Path], most: int) -> Iterator[str]:
    seen: set[str] = set()
    for place in places:
        real = os.path.realpath(place)
        if real not in seen:
            seen.add(real)
            yield f"{place} {real} {_stamp(Path(real))}\n"
            for line in _below(real):
                most -= 1
                if most < 0:
                    raise _TooMany
                yield line


def _flat_lines(places: Iterable[Path]) -> Iterator[str]:
    for place in places:
        yield f"{place} {_stamp(place)}\n"
        for entry in _entries(os.fspath(place)):
            yield f"{entry.path} {_stamp(entry)}\n"


def _below(root: str) -> Iterator[str]:
    waiting = [root]
    while waiting:
        place = waiting.pop()
        passed = _DERIVED | _DOCUMENTS if place.endswith("/share") else _DERIVED
        for entry in _entries(place):
            if entry.name in passed:
                continue
            if entry.is_dir(follow_symlinks=False):
                waiting.append(entry.path)
                yield f"{entry.path}/\n"
            else:
                target = _target(entry) if entry.is_symlink() else ""
                yield f"{entry.path} {target} {_stamp(entry)}\n"


def _entries(place: str) -> list[os.DirEntry[str]]:
    try:
        with os.scandir(place) as found:
            return sorted(found, key=attrgetter("name"))
    except OSError:
        return []


def _target(link: os.DirEntry[str]) -> str:
    try:
        return os.fspath(Path(link).readlink())
    except OSError:
        return ""


def _stamp(file: os.DirEntry[str] | Path) -> str:
    """Tell a file from what stands there after any change; a link by what it leads to."""
    try:
        found = file.stat()
    except OSError:
        return "gone"
    times = f"{found.st_mtime_ns} {found.st_ctime_ns}"
    return f"{found.st_mode} {found.st_size} {times} {found.st_dev}:{found.st_ino}"


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

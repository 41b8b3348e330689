"""Control groups: the kernel itself keeps a command and all that it starts within its limits."""

import errno
import os
import signal
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final, Protocol

from msgspec import Struct

from supervisor_ai.domain.run.definition import EXECUTOR_LIMITS, ResourceLimits

ROOT: Final = Path("/sys/fs/cgroup")
MEMBERSHIP: Final = Path("/proc/self/cgroup")

_PERIOD: Final = 100_000
_LEAST: Final = 1000
_SWAP_TOO: Final = "memory.memsw.limit_in_bytes"
_SWAP: Final = "memory.swap.max"
_OPTIONAL: Final = frozenset({_SWAP_TOO, _SWAP})
"""What a kernel that does not count swap does not offer."""
_CONTROLLERS: Final = frozenset({"memory", "pids", "cpu"})
_NEEDED: Final = frozenset({"memory", "pids"})
_TRIAL: Final = "supervisor-trial-"
_TRIALS: Final = 3
_TRIES: Final = 200
_PAUSE: Final = 0.002


class Cgroups(Protocol):
    """Where groups of ours can be made."""

    @property
    def name(self) -> str:
        """Name the kind of groups, for people."""
        ...

    @property
    def parents(self) -> tuple[Path, ...]:
        """Return the directories in which the groups of a command get their own."""
        ...

    @property
    def controllers(self) -> frozenset[str]:
        """Return what can be bounded."""
        ...

    def settings(self, limits: ResourceLimits) -> Mapping[str, str]:
        """Return what is written into the files of a group, in this order."""
        ...


class VersionOne(Struct, frozen=True, kw_only=True):
    """One hierarchy for each controller, and a group in each."""

    parents: tuple[Path, ...]
    controllers: frozenset[str] = _CONTROLLERS
    name: str = "cgroup v1"

    def settings(self, limits: ResourceLimits) -> Mapping[str, str]:
        """Bound memory before memory and swap together: the sum cannot be lower than a part."""
        shares = {"cpu.cfs_period_us": str(_PERIOD), "cpu.cfs_quota_us": str(_quota(limits))}
        return {
            "memory.limit_in_bytes": str(limits.memory),
            _SWAP_TOO: str(limits.memory),
            "pids.max": str(limits.processes),
            **(shares if "cpu" in self.controllers else {}),
        }


class VersionTwo(Struct, frozen=True, kw_only=True):
    """One hierarchy for all controllers."""

    parents: tuple[Path, ...]
    controllers: frozenset[str] = _CONTROLLERS
    name: str = "cgroup v2"

    def settings(self, limits: ResourceLimits) -> Mapping[str, str]:
        """Bound memory, and leave no swap to flee to."""
        shares = {"cpu.max": f"{_quota(limits)} {_PERIOD}"}
        return {
            "memory.max": str(limits.memory),
            _SWAP: "0",
            "pids.max": str(limits.processes),
            **(shares if "cpu" in self.controllers else {}),
        }


class Group:
    """The groups of one command, one in each hierarchy."""

    def __init__(self, places: tuple[Path, ...]) -> None:
        self.places = places

    @property
    def doors(self) -> tuple[str, ...]:
        """Return the files through which a process with one thread puts itself in."""
        # Where threads can be apart, one that moves itself waits for nobody.
        can_be_apart = os.path.exists(f"{self.places[0]}/tasks")  # noqa: PTH110 - at every start
        name = "tasks" if can_be_apart else "cgroup.procs"
        return tuple(f"{place}/{name}" for place in self.places)

    def join(self, pid: int) -> None:
        """Put a process in, unless it is; whatever it starts from now on is in as well."""
        # One look tells enough: nobody else has groups of this name.
        groups = _text(f"/proc/{pid}/cgroup")
        names = [f"/{place.name}\n" for place in self.places]
        if names and groups.count(names[0]) >= len(names):
            return
        for place in self.places:
            if pid not in _members(place):
                _write(f"{place}/cgroup.procs", str(pid))

    def exceeded(self) -> tuple[str, ...]:
        """Name the limits at which the kernel has killed or refused something."""
        found = {
            "memory": self._count("memory.events", "oom_kill")
            + self._count("memory.oom_control", "oom_kill"),
            "processes": self._count("pids.events", "max"),
        }
        return tuple(name for name, count in found.items() if count)

    def _count(self, file: str, event: str) -> int:
        for place in self.places:
            for line in _words(f"{place}/{file}"):
                if line[0] == event:
                    return int(line[1])
        return 0


@contextmanager
def grouped(cgroups: Cgroups, name: str, limits: ResourceLimits) -> Iterator[Group]:
    """Make the groups of one command; they go with the context, and so does who is left in them."""
    places = tuple(parent / name for parent in cgroups.parents)
    try:
        for place in places:
            os.mkdir(place)  # noqa: PTH102 - at every start
        for file, value in cgroups.settings(limits).items():
            _set(places, file, value)
        yield Group(places)
    finally:
        for place in places:
            dissolve(place)


def dissolve(place: Path) -> None:
    """Remove a group; who is left in it dies first."""
    for _ in range(_TRIES):
        try:
            os.rmdir(place)  # noqa: PTH106 - at every end
        except FileNotFoundError:
            return
        except OSError:
            _kill_all(place)
            # What was killed leaves its group only when the kernel has buried it.
            time.sleep(_PAUSE)


def find_cgroups(root: Path = ROOT, membership: Path = MEMBERSHIP) -> Cgroups | None:
    """Find where we can make groups that bound at least memory and processes, and try it."""
    found = locate(root, membership)
    return found if found and works(found) else None


def locate(root: Path, membership: Path) -> Cgroups | None:
    """Find the place by what the files of the hierarchies say."""
    own = _membership(membership)
    if (root / "cgroup.controllers").exists():
        return _version_two(root, own)
    return _version_one(root, own)


def _version_one(root: Path, own: Mapping[str, str]) -> Cgroups | None:
    found: dict[str, Path] = {}
    for controller in sorted(_CONTROLLERS):
        hierarchy = root / controller
        # In a container, the name may be that outside, while only what is inside can be seen.
        places = (hierarchy / own.get(controller, "/").lstrip("/"), hierarchy)
        parent = next((place for place in places if place.is_dir()), None)
        if parent is not None and os.access(parent, os.W_OK):
            found[controller] = parent.resolve()
    if not set(found) >= _NEEDED:
        return None
    parents = tuple(dict.fromkeys(found.values()))
    return VersionOne(parents=parents, controllers=frozenset(found))


def _version_two(root: Path, own: Mapping[str, str]) -> Cgroups | None:
    """Find the nearest group above us that may have others beside the one that we are in.

    A group with processes of its own cannot hand its controllers on, so it is never ours, except
    for the root of all, which can.
    """
    ours = root / own.get("", "/").lstrip("/")
    for place in (ours, *ours.parents):
        if not place.is_relative_to(root):
            break
        controllers = _handed_on(place)
        if controllers >= _NEEDED:
            return VersionTwo(parents=(place,), controllers=controllers)
    return None


def _handed_on(place: Path) -> frozenset[str]:
    # To move a process needs the right to write in the group above both, not only in the new one.
    if not all(os.access(file, os.W_OK) for file in (place, place / "cgroup.procs")):
        return frozenset()
    control = f"{place}/cgroup.subtree_control"
    offered = set(_text(f"{place}/cgroup.controllers").split()) & _CONTROLLERS
    missing = offered - set(_text(control).split())
    if offered >= _NEEDED and missing:
        # All in one word: a group with processes of its own would take some of them alone.
        with suppress(OSError):
            _write(control, " ".join(f"+{controller}" for controller in sorted(missing)))
    return frozenset(_text(control).split()) & offered


def works(cgroups: Cgroups) -> bool:
    """Try it; who has other numbers for processes may take a trial of ours for an old one."""
    _remove_old_trials(cgroups)
    return any(_is_made(cgroups) for _ in range(_TRIALS))


def _is_made(cgroups: Cgroups) -> bool:
    name = f"{_TRIAL}{os.getpid()}-{time.monotonic_ns()}"
    try:
        with grouped(cgroups, name, EXECUTOR_LIMITS):
            return True
    except OSError:
        return False


def _remove_old_trials(cgroups: Cgroups) -> None:
    """Remove what those left who were killed while they tried."""
    for parent in cgroups.parents:
        for place in parent.glob(f"{_TRIAL}*"):
            pid = place.name.removeprefix(_TRIAL).partition("-")[0]
            if not Path("/proc", pid).exists():
                dissolve(place)


def _membership(path: Path) -> dict[str, str]:
    lines = [line.split(":", 2) for line in _text(path).splitlines()]
    return {name: place for _, names, place in lines for name in names.split(",")}


def _quota(limits: ResourceLimits) -> int:
    return max(_LEAST, int(limits.cpus * _PERIOD))


def _kill_all(place: Path) -> None:
    with suppress(OSError):
        _write(f"{place}/cgroup.kill", "1")
        return
    for pid in _members(place):
        with suppress(OSError):
            _kill_member(pid, place)


def _kill_member(pid: int, place: Path) -> None:
    fd = os.pidfd_open(pid)
    try:
        # Only now that the number cannot change hands does looking tell anything.
        if pid in _members(place):
            signal.pidfd_send_signal(fd, signal.SIGKILL)
    finally:
        os.close(fd)


def _members(place: Path) -> list[int]:
    return [int(pid) for pid in _text(f"{place}/cgroup.procs").split() if pid != "0"]


def _words(path: str) -> Iterator[list[str]]:
    return (line.split() for line in _text(path).splitlines() if " " in line)


def _text(path: str | Path) -> str:
    try:
        with open(path, "rb", buffering=0) as file:  # noqa: PTH123 - at every start
            return file.readall().decode()
    except OSError:
        return ""


def _set(places: tuple[Path, ...], file: str, value: str) -> None:
    """Write a value where there is such a file: in one of the hierarchies."""
    for place in places:
        with suppress(FileNotFoundError):
            _write(f"{place}/{file}", value)
            return
    if file not in _OPTIONAL:
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), file)


def _write(path: str, value: str) -> None:
    fd = os.open(path, os.O_WRONLY | os.O_CLOEXEC)
    try:
        os.write(fd, value.encode())
    finally:
        os.close(fd)

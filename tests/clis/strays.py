"""Who is still there after a worker, found by what no process can hide: its namespaces.

A tool may take a session of its own, leave its group and forget its variables. It stays in the
process namespace of its sandbox, and whoever is in one sees the mounts of that sandbox, the
workspace among them. So those of other tests, which run at the same time, are told apart.
"""

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

_PROCESSES: Final = Path("/proc")
_DEAD: Final = (b"Z", b"X")


@dataclass(frozen=True, slots=True, kw_only=True)
class Stray:
    """A process that lives, the process namespace that it is in, and what it was started as."""

    pid: int
    namespace: str
    command: str

    @property
    def is_inside(self) -> bool:
        """Tell whether it is in a sandbox."""
        return self.namespace != _namespace(_PROCESSES / "self")


def strays(ground: Path) -> list[Stray]:
    """Find the processes that work on something below a directory, except the one that asks."""
    return [stray for place in _PROCESSES.glob("[0-9]*") if (stray := _stray(place, ground))]


def registered(ground: Path) -> list[Path]:
    """Find commands that a register below a directory still takes for alive."""
    return list(ground.rglob("processes/supervisor-*.json"))


def _stray(place: Path, ground: Path) -> Stray | None:
    pid = int(place.name)
    try:
        namespace = _namespace(place)
        is_there = pid != os.getpid() and not _is_dead(place)
        if not is_there or not any(os.fsencode(ground) in trace for trace in _traces(place)):
            return None
        command = (place / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
    except OSError:
        return None  # It ended while we looked.
    return Stray(pid=pid, namespace=namespace, command=command.strip())


def _namespace(place: Path) -> str:
    return os.fspath((place / "ns" / "pid").readlink())


def _traces(place: Path) -> Iterator[bytes]:
    """Read where a process could be seen to work: what it sees, what it was told, where it is."""
    yield (place / "mountinfo").read_bytes()
    yield (place / "cmdline").read_bytes()
    yield (place / "environ").read_bytes()
    yield os.fsencode((place / "cwd").readlink())


def _is_dead(place: Path) -> bool:
    return (place / "stat").read_bytes().rpartition(b")")[2].split()[0] in _DEAD

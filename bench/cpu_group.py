"""What all processes of a measurement use of the processors, by a control group of their own."""

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

HIERARCHY = Path("/sys/fs/cgroup/cpuacct")
"""A hierarchy in which no sandbox has groups of its own, so that none of them leaves ours."""


@contextmanager
def cpu_group() -> Iterator[Path | None]:
    """Be in a group of our own meanwhile; yield where its use is told, or None: there is none."""
    place, before = HIERARCHY / f"supervisor-bench-{os.getpid()}", _membership()
    try:
        place.mkdir()
    except OSError:
        yield None
        return
    try:
        _enter(place)
        yield place / "cpuacct.usage"
    finally:
        _enter(before)
        # Who is still in it at the end of its life leaves an empty group behind.
        with suppress(OSError):
            place.rmdir()


def used(usage: Path | None) -> float:
    """Return the seconds that everybody in the group has used so far."""
    return int(usage.read_text()) / 1e9 if usage else 0.0


def _membership() -> Path:
    lines = [line.split(":", 2) for line in Path("/proc/self/cgroup").read_text().splitlines()]
    own = next((place for _, names, place in lines if "cpuacct" in names.split(",")), "/")
    return HIERARCHY / own.lstrip("/")


def _enter(place: Path) -> None:
    (place / "cgroup.procs").write_text(str(os.getpid()))

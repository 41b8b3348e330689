"""Resource limits (rlimits) of each process of a sandboxed command."""

import os
import resource
from collections.abc import Iterable, Mapping
from contextlib import suppress
from functools import cache
from typing import Final

from msgspec import Struct

from supervisor_ai.domain.run.definition import GIB, MIB, ResourceLimits
from supervisor_ai.engine.ports.sandbox import Profile

OPEN_FILES: Final = 4096

_COUNTS_APART: Final = (5, 14)
_MARGIN: Final = 2
_SPARE: Final = 512


class Spaces(Struct, frozen=True, kw_only=True):
    """The sizes in bytes of the file systems in memory that a command has to itself."""

    temporary: int
    home: int
    shared_memory: int


SPACES: Final[Mapping[Profile, Spaces]] = {
    Profile.WORKER: Spaces(temporary=GIB, home=512 * MIB, shared_memory=256 * MIB),
    Profile.EXECUTOR: Spaces(temporary=256 * MIB, home=64 * MIB, shared_memory=64 * MIB),
}


def kernel_limits(limits: ResourceLimits, *, is_own_user: bool) -> list[tuple[int, int]]:
    """Translate into limits of the kernel, none above what this process may give."""
    wanted = {
        # A core of one byte is none at all, and unlike zero it also stops a handler behind a pipe.
        resource.RLIMIT_CORE: 1,
        resource.RLIMIT_NOFILE: OPEN_FILES,
        resource.RLIMIT_FSIZE: limits.file_size,
        # The address space is no measure: a garbage collector reserves far more than it uses.
        # Nor does one process stand for all; a group or a watch over all of them comes first.
        resource.RLIMIT_DATA: _MARGIN * limits.memory,
    }
    if is_own_user:
        # The kernel counts every process of the user, so a shared user has no sensible number.
        wanted[resource.RLIMIT_NPROC] = process_backstop(limits)
    return [(number, within_ours(number, value)) for number, value in wanted.items()]


def impose(pid: int, given: Iterable[tuple[int, int]]) -> None:
    """Set limits of a process that has not begun; one that is gone needs none."""
    with suppress(ProcessLookupError):
        for number, value in given:
            resource.prlimit(pid, number, (value, value))


@cache
def counts_by_namespace() -> bool:
    """Tell whether the kernel counts a user's processes apart in each user namespace."""
    release = os.uname().release.split(".")
    return tuple(int(part) for part in release[:2]) >= _COUNTS_APART


def process_backstop(limits: ResourceLimits) -> int:
    """Return a number of processes that nobody gets past, even between two looks of a watch.

    It lies well behind the limit, which has to be seen first, and leaves room for other sandboxes
    whose user happens to be the same.
    """
    return limits.processes + _SPARE


def within_ours(number: int, value: int) -> int:
    """Lower a value to what this process may give to another."""
    _, most = resource.getrlimit(number)
    return value if most == resource.RLIM_INFINITY else min(value, most)

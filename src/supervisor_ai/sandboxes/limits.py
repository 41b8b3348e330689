"""How much a sandboxed command may use."""

import resource
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from supervisor_ai.engine.ports.sandbox import Profile

MIB: Final = 1 << 20
GIB: Final = 1 << 30


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """Sizes in bytes, and counts."""

    temporary: int
    home: int
    shared_memory: int
    file: int
    memory: int
    open_files: int
    processes: int


LIMITS: Final[Mapping[Profile, Limits]] = {
    Profile.WORKER: Limits(
        temporary=GIB,
        home=512 * MIB,
        shared_memory=256 * MIB,
        file=2 * GIB,
        memory=4 * GIB,
        open_files=4096,
        processes=1024,
    ),
    Profile.EXECUTOR: Limits(
        temporary=256 * MIB,
        home=64 * MIB,
        shared_memory=64 * MIB,
        file=512 * MIB,
        memory=2 * GIB,
        open_files=4096,
        processes=512,
    ),
}


def kernel_limits(limits: Limits, *, is_own_user: bool) -> list[tuple[int, int]]:
    """Translate into limits of the kernel, none above what this process may give."""
    wanted = {
        # A core of one byte is none at all, and unlike zero it also stops a handler behind a pipe.
        resource.RLIMIT_CORE: 1,
        resource.RLIMIT_NOFILE: limits.open_files,
        resource.RLIMIT_FSIZE: limits.file,
        # The address space is no measure: a garbage collector reserves far more than it uses.
        resource.RLIMIT_DATA: limits.memory,
    }
    if is_own_user:
        # The kernel counts every process of the user, so a shared user has no sensible number.
        wanted[resource.RLIMIT_NPROC] = limits.processes
    return [(number, _within_ours(number, value)) for number, value in wanted.items()]


def _within_ours(number: int, value: int) -> int:
    _, most = resource.getrlimit(number)
    return value if most == resource.RLIM_INFINITY else min(value, most)

"""Gives up what a process does not need, before it looks at what may be made to break it."""

import os
import signal
import sys
from typing import Final

from msgspec import Struct

_PR_SET_PDEATHSIG: Final = 1
_PR_SET_NO_NEW_PRIVS: Final = 38
_OPEN_FILES: Final = 64


class ProcessLimits(Struct, frozen=True, kw_only=True):
    """How much a process may use."""

    memory: int
    """Bytes of address space."""
    cpu: int
    """Seconds of work."""
    wall: float
    """Seconds from start to end, however busy the machine is."""
    speech: int
    """Bytes of one message to whoever started it."""


def confine(*, memory: int, cpu: int, parent: int) -> None:
    """Limit this process for good: no files, no processes, no more than so much work.

    It ends with its parent; a parent that ended before this was asked for is noticed too.
    """
    import resource

    _limit(resource.RLIMIT_AS, memory)
    _limit(resource.RLIMIT_CPU, cpu)
    _limit(resource.RLIMIT_CORE, 0)
    _limit(resource.RLIMIT_FSIZE, 0)
    _limit(resource.RLIMIT_NOFILE, _OPEN_FILES)
    _limit(resource.RLIMIT_NPROC, 0)
    if sys.platform == "linux":
        _ask_the_kernel(_PR_SET_PDEATHSIG, signal.SIGKILL)
        _ask_the_kernel(_PR_SET_NO_NEW_PRIVS, 1)
    if os.getppid() != parent:
        raise SystemExit(1)


def _limit(kind: int, most: int) -> None:
    import resource

    _, ceiling = resource.getrlimit(kind)
    value = most if ceiling == resource.RLIM_INFINITY else min(most, ceiling)
    try:
        resource.setrlimit(kind, (value, value))
    except (OSError, ValueError):
        # Only systems that do not know a limit refuse to lower it; the others still hold.
        if sys.platform == "linux":
            raise


def _ask_the_kernel(option: int, value: int) -> None:
    import ctypes

    library = ctypes.CDLL(None, use_errno=True)
    if library.prctl(option, value, 0, 0, 0):
        code = ctypes.get_errno()
        raise OSError(code, os.strerror(code))

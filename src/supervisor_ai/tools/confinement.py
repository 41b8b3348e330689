"""Gives up what a process does not need, before it looks at what may be made to break it."""

import os
import signal
import struct
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import cache
from importlib import import_module
from importlib.machinery import BuiltinImporter, FrozenImporter
from mmap import mmap
from typing import TYPE_CHECKING, Final, NoReturn

from msgspec import Struct

from supervisor_ai.tools.system_calls import system_call_filter

if TYPE_CHECKING:
    from ctypes import CDLL

_PR_SET_PDEATHSIG, _PR_SET_SECCOMP, _PR_SET_NO_NEW_PRIVS = 1, 22, 38
_FILTER_MODE: Final = 2
_NEWUTS_NEWIPC_NEWNET, _NEWUSER = 0x04000000 | 0x08000000 | 0x40000000, 0x10000000
_CREATE_RULESET, _RESTRICT_SELF, _ASK_VERSION = 444, 446, 1
_CAPABILITY_VERSION: Final = struct.pack("Ii", 0x20080522, 0)
_FIRST_USER: Final = 0x70000000
_OPEN_FILES: Final = 64
_LONGEST_NAME: Final = 256
_LACKS: Final = 99
"""The exit code of a fork that lacks a module."""
_MOST_FORKS: Final = 64
_DOING: Final = frozenset({"antigravity", "idlelib", "test", "this", "turtledemo"})
"""Modules of the standard library that do something when they are imported."""


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


def leave_namespaces() -> None:
    """Leave the network and the memory that processes share, where the kernel lets us."""
    import resource  # noqa: F401 - what forks need is loaded once

    if sys.platform == "linux":
        _libc().unshare(_NEWUTS_NEWIPC_NEWNET | (_NEWUSER if os.geteuid() else 0))


def confine(*, memory: int, cpu: int, parent: int) -> None:
    """Limit this process for good to its memory and its open files; OSError where none can.

    The filter of system calls has to hold; another user and Landlock are added where they can be.
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
        _drop_privileges()
        _ask_the_kernel(_PR_SET_PDEATHSIG, signal.SIGKILL)
        _ask_the_kernel(_PR_SET_NO_NEW_PRIVS, 1)
        _deny_files()
    if os.getppid() != parent:
        raise SystemExit(1)
    if sys.platform == "linux":
        import ctypes

        program = system_call_filter(os.uname().machine)
        code = ctypes.create_string_buffer(program, len(program))
        filters = struct.pack("HP", len(program) // 8, ctypes.addressof(code))
        _ask_the_kernel(_PR_SET_SECCOMP, _FILTER_MODE, filters)


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


def _drop_privileges() -> None:
    """Become a user that nobody else is, and keep no capability."""
    if os.geteuid() == 0:
        user = _FIRST_USER + os.getpid()
        # A container may have no other user to become.
        with suppress(OSError):
            os.setgroups([])
            os.setresgid(user, user, user)
            os.setresuid(user, user, user)
    _libc().capset(_CAPABILITY_VERSION, bytes(24))


def _deny_files() -> None:
    """Deny every access to files, ports, signals and abstract sockets that this kernel knows."""
    version = _libc().syscall(_CREATE_RULESET, None, 0, _ASK_VERSION)
    if version < 1:
        return
    files = (1 << {1: 13, 2: 14, 3: 15, 4: 15}.get(version, 16)) - 1
    size = 8 if version < 4 else 16 if version < 6 else 24  # noqa: PLR2004 - versions of Landlock
    ruleset = _libc().syscall(_CREATE_RULESET, struct.pack("QQQ", files, 3, 3)[:size], size, 0)
    _check(min(ruleset, 0))
    _check(_libc().syscall(_RESTRICT_SELF, ruleset, 0))
    os.close(ruleset)


def _ask_the_kernel(option: int, value: int, text: bytes | None = None) -> None:
    _check(_libc().prctl(option, value, text, None, None))


@cache
def _libc() -> "CDLL":
    import ctypes

    return ctypes.CDLL(None, use_errno=True)


def _check(result: int) -> None:
    if result < 0:
        import ctypes

        code = ctypes.get_errno()
        raise OSError(code, os.strerror(code))


class LateModules:
    """Imports modules for confined forks: one that lacks a module names it, and ends."""

    def __init__(self, roots: Sequence[str]) -> None:
        self._roots = (sys.stdlib_module_names - _DOING) | frozenset(roots)
        self._asked = mmap(-1, _LONGEST_NAME)
        self._tried: set[str] = set()

    def fork(self, work: Callable[[], NoReturn]) -> int:
        """Let a fork work, again with each module that one lacked; return how the last ended."""
        code = _LACKS
        for _ in range(_MOST_FORKS):
            if (child := os.fork()) == 0:
                sys.meta_path[:] = [BuiltinImporter, FrozenImporter, self]
                work()
            code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
            if code != _LACKS or not self._load():
                break
        return code

    def find_spec(self, name: str, _path: object = None, _target: object = None) -> None:
        """Ask for a module that nobody looked for."""
        wanted = name.encode()
        if self._may_load(name) and len(wanted) <= _LONGEST_NAME:
            self._asked[:] = wanted.ljust(_LONGEST_NAME, b"\0")
            os._exit(_LACKS)

    def _load(self) -> bool:
        """Import what a fork asked for; False where that was not its to ask."""
        name = self._asked[:].rstrip(b"\0").decode("ascii", "replace")
        may_load = self._may_load(name)
        if may_load:
            self._tried.add(name)
            with suppress(ImportError):
                import_module(name)
        return may_load

    def _may_load(self, name: str) -> bool:
        first, _, rest = name.partition(".")
        return first in self._roots and "__main__" not in rest and name not in self._tried

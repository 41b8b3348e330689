"""The few system calls of a process that works on its memory and the files that it holds open."""

import errno
import struct
from typing import Final

_MACHINES: Final = {"x86_64": (0, 0xC000003E), "aarch64": (1, 0xC00000B7)}
"""A column of the tables below, and how the kernel names the architecture."""
_ALLOWED: Final = {
    "read": (0, 63),
    "write": (1, 64),
    "munmap": (11, 215),
    "brk": (12, 214),
    "rt_sigprocmask": (14, 135),
    "rt_sigreturn": (15, 139),
    "mremap": (25, 216),
    "madvise": (28, 233),
    "gettimeofday": (96, 169),
    "futex": (202, 98),
    "clock_gettime": (228, 113),
    "exit_group": (231, 94),
    "getrandom": (318, 278),
}
_ALLOWED_WITHOUT_EXEC: Final = {"mmap": (9, 222), "mprotect": (10, 226)}
_PROT_EXEC: Final = 4
_X32_BIT: Final = 0x40000000

_LOAD, _IF_EQUAL, _IF_AT_LEAST, _IF_ANY_BIT, _RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
_NUMBER, _ARCHITECTURE, _THIRD_ARGUMENT = 0, 4, 32
_ALLOW, _REFUSE, _KILL = 0x7FFF0000, 0x00050000 | errno.EPERM, 0x80000000


def system_call_filter(machine: str) -> bytes:
    """Assemble the filter that allows these alone, as a BPF program for the kernel."""
    if machine not in _MACHINES:
        raise OSError(errno.ENOSYS, f"no filter of system calls for {machine!r}")
    column, architecture = _MACHINES[machine]
    program = [
        (_LOAD, 0, 0, _ARCHITECTURE),
        (_IF_EQUAL, 1, 0, architecture),
        (_RETURN, 0, 0, _KILL),
        (_LOAD, 0, 0, _NUMBER),
        (_IF_AT_LEAST, 0, 1, _X32_BIT),
        (_RETURN, 0, 0, _KILL),
    ]
    for numbers in _ALLOWED.values():
        program += (_IF_EQUAL, 0, 1, numbers[column]), (_RETURN, 0, 0, _ALLOW)
    for numbers in _ALLOWED_WITHOUT_EXEC.values():
        program += (
            (_IF_EQUAL, 0, 4, numbers[column]),
            (_LOAD, 0, 0, _THIRD_ARGUMENT),
            (_IF_ANY_BIT, 1, 0, _PROT_EXEC),
            (_RETURN, 0, 0, _ALLOW),
            (_RETURN, 0, 0, _REFUSE),
        )
    program.append((_RETURN, 0, 0, _REFUSE))
    return b"".join(struct.pack("<HBBI", *instruction) for instruction in program)

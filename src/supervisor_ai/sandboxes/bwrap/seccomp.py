"""The system calls that a sandboxed process may not make, as a BPF program for the kernel."""

import errno
import struct
from dataclasses import dataclass, field
from typing import Final

from msgspec import Struct

from supervisor_ai.domain.errors import Unavailable


class Architecture(Struct, frozen=True, kw_only=True):
    """What differs between processor architectures."""

    audit_arch: int
    column: int
    clone: int
    ioctl: int
    socket: int
    shmget: int
    has_x32: bool = False


MACHINES: Final = {
    "x86_64": Architecture(
        audit_arch=0xC000003E, column=0, clone=56, ioctl=16, socket=41, shmget=29, has_x32=True
    ),
    "aarch64": Architecture(
        audit_arch=0xC00000B7, column=1, clone=220, ioctl=29, socket=198, shmget=194
    ),
}

DENIED: Final[dict[str, tuple[int | None, int | None]]] = {
    "_sysctl": (156, None),
    "acct": (163, 89),
    "add_key": (248, 217),
    "adjtimex": (159, 171),
    "bpf": (321, 280),
    "chroot": (161, 51),
    "clock_adjtime": (305, 266),
    "clock_settime": (227, 112),
    "delete_module": (176, 106),
    "fanotify_init": (300, 262),
    "finit_module": (313, 273),
    "fsconfig": (431, 431),
    "fsmount": (432, 432),
    "fsopen": (430, 430),
    "fspick": (433, 433),
    "init_module": (175, 105),
    "io_uring_enter": (426, 426),
    "io_uring_register": (427, 427),
    "io_uring_setup": (425, 425),
    "ioperm": (173, None),
    "iopl": (172, None),
    "kcmp": (312, 272),
    "kexec_file_load": (320, 294),
    "kexec_load": (246, 104),
    "keyctl": (250, 219),
    "lookup_dcookie": (212, 18),
    "mbind": (237, 235),
    "migrate_pages": (256, 238),
    "modify_ldt": (154, None),
    "mount": (165, 40),
    "mount_setattr": (442, 442),
    "move_mount": (429, 429),
    "move_pages": (279, 239),
    "name_to_handle_at": (303, 264),
    "nfsservctl": (180, 42),
    "open_by_handle_at": (304, 265),
    "open_tree": (428, 428),
    "open_tree_attr": (467, 467),
    "perf_event_open": (298, 241),
    "pidfd_getfd": (438, 438),
    "pivot_root": (155, 41),
    "process_vm_readv": (310, 270),
    "process_vm_writev": (311, 271),
    "ptrace": (101, 117),
    "quotactl": (179, 60),
    "quotactl_fd": (443, 443),
    "reboot": (169, 142),
    "request_key": (249, 218),
    "set_mempolicy": (238, 237),
    "set_mempolicy_home_node": (450, 450),
    "setdomainname": (171, 162),
    "sethostname": (170, 161),
    "setns": (308, 268),
    "settimeofday": (164, 170),
    "swapoff": (168, 225),
    "swapon": (167, 224),
    "sysfs": (139, None),
    "syslog": (103, 116),
    "umount2": (166, 39),
    "unshare": (272, 97),
    "uselib": (134, None),
    "userfaultfd": (323, 282),
    "ustat": (136, None),
    "vhangup": (153, 58),
}
"""Numbers on x86_64 and aarch64."""

CLONE3: Final = 435
NAMESPACE_FLAGS: Final = 0x7E020000
TERMINAL_INPUT: Final = (0x5412, 0x541C)
"""TIOCSTI and TIOCLINUX, which put words into somebody else's terminal."""
FAMILIES: Final = (1, 2, 10, 16)
"""AF_UNIX, AF_INET, AF_INET6 and AF_NETLINK; all others, AF_VSOCK above all, are refused."""
SEGMENT: Final = 16 << 10
"""The largest piece of System V memory in bytes. A detached one is on nobody's account, and there
may be 4096 of them; databases ask for a few bytes of it, to see whether another one is running."""

_LOAD, _JUMP, _IF_EQUAL, _IF_AT_LEAST, _IF_ANY_BIT, _RETURN = 0x20, 0x05, 0x15, 0x35, 0x45, 0x06
_NUMBER, _ARCH, _FIRST_ARGUMENT, _SECOND_ARGUMENT, _ITS_HIGH_HALF = 0, 4, 16, 24, 28
_ALLOW, _KILL_PROCESS, _ERROR = 0x7FFF0000, 0x80000000, 0x00050000
_X32_BIT = 0x40000000
_CHUNK = 60
"""A jump reaches 255 instructions, so every chunk of comparisons has a return of its own."""


def build_filter(machine: str) -> bytes:
    """Assemble the program for a machine as `platform.machine()` names it."""
    if machine not in MACHINES:
        raise Unavailable(
            f"There is no system call filter for the machine {machine!r}.",
            hint=f"The sandbox works on {' and '.join(MACHINES)}.",
        )
    return _assemble(MACHINES[machine]).encode()


@dataclass(slots=True)
class _Program:
    code: list[list[int]] = field(default_factory=list)
    labels: dict[str, int] = field(default_factory=dict)
    jumps: list[tuple[int, int, str]] = field(default_factory=list)

    def emit(self, code: int, operand: int, then: str = "", otherwise: str = "") -> None:
        at = len(self.code)
        self.code.append([code, 0, 0, operand])
        self.jumps += [(at, slot, to) for slot, to in ((1, then), (2, otherwise)) if to]

    def label(self, name: str) -> None:
        self.labels[name] = len(self.code)

    def refuse(self, name: str, error: int) -> None:
        self.label(name)
        self.emit(_RETURN, _ERROR | error)

    def encode(self) -> bytes:
        for at, slot, to in self.jumps:
            self.code[at][slot] = self.labels[to] - at - 1
        return b"".join(struct.pack("<HBBI", *instruction) for instruction in self.code)


def _assemble(machine: Architecture) -> _Program:
    program = _Program()
    program.emit(_LOAD, _ARCH)
    program.emit(_IF_EQUAL, machine.audit_arch, otherwise="kill")
    program.emit(_LOAD, _NUMBER)
    if machine.has_x32:
        program.emit(_IF_AT_LEAST, _X32_BIT, then="kill")
    _refuse_denied(program, machine)
    program.emit(_IF_EQUAL, CLONE3, then="no such call")
    program.emit(_IF_EQUAL, machine.clone, then="clone")
    program.emit(_IF_EQUAL, machine.ioctl, then="ioctl")
    program.emit(_IF_EQUAL, machine.socket, then="socket")
    program.emit(_IF_EQUAL, machine.shmget, then="shmget")
    program.emit(_RETURN, _ALLOW)
    _look_at_arguments(program)
    return program


def _refuse_denied(program: _Program, machine: Architecture) -> None:
    numbers = sorted(
        number for numbers in DENIED.values() if (number := numbers[machine.column]) is not None
    )
    for start in range(0, len(numbers), _CHUNK):
        for number in numbers[start : start + _CHUNK]:
            program.emit(_IF_EQUAL, number, then=f"denied {start}")
        program.emit(_JUMP, 1)
        program.refuse(f"denied {start}", errno.EPERM)


def _look_at_arguments(program: _Program) -> None:
    program.label("clone")
    program.emit(_LOAD, _FIRST_ARGUMENT)
    program.emit(_IF_ANY_BIT, NAMESPACE_FLAGS, then="denied", otherwise="allow")
    program.label("ioctl")
    program.emit(_LOAD, _SECOND_ARGUMENT)
    for request in TERMINAL_INPUT:
        program.emit(_IF_EQUAL, request, then="denied")
    program.emit(_RETURN, _ALLOW)
    program.label("socket")
    program.emit(_LOAD, _FIRST_ARGUMENT)
    for family in FAMILIES:
        program.emit(_IF_EQUAL, family, then="allow")
    program.emit(_RETURN, _ERROR | errno.EAFNOSUPPORT)
    program.label("shmget")
    program.emit(_LOAD, _ITS_HIGH_HALF)
    program.emit(_IF_AT_LEAST, 1, then="too large")
    program.emit(_LOAD, _SECOND_ARGUMENT)
    program.emit(_IF_AT_LEAST, SEGMENT + 1, then="too large")
    program.label("allow")
    program.emit(_RETURN, _ALLOW)
    program.refuse("denied", errno.EPERM)
    program.refuse("too large", errno.ENOMEM)
    # With this answer libc falls back to clone, whose flags a filter can read.
    program.refuse("no such call", errno.ENOSYS)
    program.label("kill")
    program.emit(_RETURN, _KILL_PROCESS)

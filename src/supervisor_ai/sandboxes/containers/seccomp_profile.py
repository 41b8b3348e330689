"""The same forbidden system calls as bubblewrap loads, in the words of container engines."""

import errno
import json
from collections.abc import Iterator
from typing import Final, TypedDict

from supervisor_ai.domain.errors import Unavailable
from supervisor_ai.sandboxes.bwrap.seccomp import (
    DENIED,
    FAMILIES,
    MACHINES,
    NAMESPACE_FLAGS,
    SEGMENT,
    TERMINAL_INPUT,
)

_ARCHITECTURES: Final = {"x86_64": "SCMP_ARCH_X86_64", "aarch64": "SCMP_ARCH_AARCH64"}
_LOW_HALF: Final = 0xFFFFFFFF
"""The kernel looks at no more of these arguments, whatever the other half holds."""
_KNOWN_FAMILIES: Final = 64
"""More families than Linux has; whatever is not below is refused as a whole."""


class Condition(TypedDict):
    """What an argument of a call must be for a rule to apply."""

    index: int
    op: str
    value: int
    valueTwo: int


class SeccompRule(TypedDict):
    """Calls that fail with an error number, if every condition holds."""

    names: list[str]
    action: str
    errnoRet: int
    args: list[Condition]


def build_profile(machine: str) -> bytes:
    """Write the profile for a machine as `platform.machine()` names it.

    Calls of any other architecture kill the process: that is what the engines' library does with
    an architecture that is not listed.
    """
    if machine not in MACHINES:
        raise Unavailable(
            f"There is no system call filter for the machine {machine!r}.",
            hint=f"The sandbox works on {' and '.join(MACHINES)}.",
        )
    profile = {
        "defaultAction": "SCMP_ACT_ALLOW",
        "architectures": [_ARCHITECTURES[machine]],
        "syscalls": list(_rules(machine)),
    }
    return json.dumps(profile, indent=1).encode()


def _rules(machine: str) -> Iterator[SeccompRule]:
    column = MACHINES[machine].column
    denied = sorted(name for name, numbers in DENIED.items() if numbers[column] is not None)
    yield _refuse(denied, errno.EPERM)
    # With this answer libc falls back to clone, whose flags a filter can read.
    yield _refuse(["clone3"], errno.ENOSYS)
    for flag in _bits(NAMESPACE_FLAGS):
        yield _refuse(["clone"], errno.EPERM, _masked(0, flag, flag))
    for request in TERMINAL_INPUT:
        yield _refuse(["ioctl"], errno.EPERM, _masked(1, _LOW_HALF, request))
    # Conditions on one argument cannot be combined, so every family that is refused is named.
    for family in sorted(set(range(_KNOWN_FAMILIES)) - set(FAMILIES)):
        yield _refuse(["socket"], errno.EAFNOSUPPORT, _compare(0, "SCMP_CMP_EQ", family))
    yield _refuse(["socket"], errno.EAFNOSUPPORT, _compare(0, "SCMP_CMP_GE", _KNOWN_FAMILIES))
    yield _refuse(["shmget"], errno.ENOMEM, _compare(1, "SCMP_CMP_GT", SEGMENT))


def _refuse(names: list[str], error: int, *conditions: Condition) -> SeccompRule:
    return {
        "names": names,
        "action": "SCMP_ACT_ERRNO",
        "errnoRet": error,
        "args": list(conditions),
    }


def _masked(index: int, mask: int, value: int) -> Condition:
    return {"index": index, "op": "SCMP_CMP_MASKED_EQ", "value": mask, "valueTwo": value}


def _compare(index: int, how: str, value: int) -> Condition:
    return {"index": index, "op": how, "value": value, "valueTwo": 0}


def _bits(mask: int) -> Iterator[int]:
    return (1 << position for position in range(mask.bit_length()) if mask >> position & 1)

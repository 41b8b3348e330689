"""Single rules of the system call filter, taken out of the program that the product assembles."""

import errno
import platform
import struct
from collections.abc import Iterator
from typing import Final

from supervisor_ai.sandboxes.bwrap.seccomp import (
    CLONE3,
    DENIED,
    MACHINES,
    NAMESPACE_FLAGS,
    SEGMENT,
    build_filter,
)

_INSTRUCTION: Final = struct.Struct("<HBBI")
_IF_EQUAL, _IF_AT_LEAST, _IF_ANY_BIT, _RETURN = 0x15, 0x35, 0x45, 0x06
_ALLOW, _ERROR, _KILL = 0x7FFF0000, 0x00050000, 0x80000000
_X32: Final = 0x40000000
_NO_CALL: Final = 0x3FFFFFFF
"""The number of no system call."""
_NO_LIMIT: Final = 0xFFFFFFFF

FAMILIES: Final = "families of sockets"
NAMESPACES: Final = "namespaces by clone"
CLONE_3: Final = "clone3"
X32: Final = "the x32 interface"
TERMINAL: Final = "words for a terminal"
CONSOLE: Final = "words for a console"
SEGMENTS: Final = "large pieces of System V memory"


def rules_without(*names: str) -> bytes:
    """Assemble the product's filter, then turn the named rules into ones that never match."""
    edits = dict(_edit(name) for name in names)
    code = list(_INSTRUCTION.iter_unpack(build_filter(platform.machine())))
    if missing := edits.keys() - {(what, operand) for what, _, _, operand in code}:
        raise LookupError(f"The filter has no rules {missing}.")
    return b"".join(_INSTRUCTION.pack(*word) for word in _changed(code, edits))


_Key = tuple[int, int]


def _changed(code: list[tuple[int, ...]], edits: dict[_Key, int]) -> Iterator[tuple[int, ...]]:
    for what, then, otherwise, operand in code:
        yield what, then, otherwise, edits.get((what, operand), operand)


def _edit(name: str) -> tuple[_Key, int]:
    special: dict[str, tuple[_Key, int]] = {
        FAMILIES: ((_RETURN, _ERROR | errno.EAFNOSUPPORT), _ALLOW),
        NAMESPACES: ((_IF_ANY_BIT, NAMESPACE_FLAGS), 0),
        CLONE_3: ((_IF_EQUAL, CLONE3), _NO_CALL),
        X32: ((_RETURN, _KILL), _ALLOW),
        TERMINAL: ((_IF_EQUAL, 0x5412), _NO_CALL),
        CONSOLE: ((_IF_EQUAL, 0x541C), _NO_CALL),
        SEGMENTS: ((_IF_AT_LEAST, SEGMENT + 1), _NO_LIMIT),
    }
    if name in special:
        return special[name]
    number = DENIED[name][MACHINES[platform.machine()].column]
    if number is None:
        raise LookupError(f"This machine has no system call {name!r}.")
    return (_IF_EQUAL, number), _NO_CALL

import errno
import struct

import pytest

from supervisor_ai.domain.errors import Unavailable
from supervisor_ai.sandboxes.bwrap.seccomp import DENIED, MACHINES, build_filter

ALLOW = 0x7FFF0000
KILL_PROCESS = 0x80000000
ARCHITECTURES = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
I386 = 0x40000003
NEW_USER, THREAD = 0x10000000, 0x00010000
CLONE = {"x86_64": 56, "aarch64": 220}
IOCTL = {"x86_64": 16, "aarch64": 29}
SHMGET = {"x86_64": 29, "aarch64": 194}
SOCKET = {"x86_64": 41, "aarch64": 198}
HARMLESS = {"x86_64": (0, 1, 9, 59, 231), "aarch64": (63, 64, 222, 221, 94)}

machines = pytest.mark.parametrize("machine", MACHINES)


def refused(error: int) -> int:
    return 0x00050000 | error


def kernel_says(machine: str, number: int, *arguments: int, arch: int | None = None) -> int:
    """Interpret the program as the kernel does for one system call."""
    audit_arch = ARCHITECTURES[machine] if arch is None else arch
    padded = (*arguments, *[0] * (6 - len(arguments)))
    call = struct.pack("<IIQ6Q", number, audit_arch, 0, *padded)
    program = list(struct.iter_unpack("<HBBI", build_filter(machine)))
    at = accumulator = 0
    while True:
        code, then, otherwise, operand = program[at]
        at += 1
        match code:
            case 0x20:
                (accumulator,) = struct.unpack_from("<I", call, operand)
            case 0x05:
                at += operand
            case 0x15:
                at += then if accumulator == operand else otherwise
            case 0x35:
                at += then if accumulator >= operand else otherwise
            case 0x45:
                at += then if accumulator & operand else otherwise
            case 0x06:
                return int(operand)
            case _:
                raise AssertionError(f"no such instruction: {code:#x}")


@machines
def test_every_denied_call_is_refused(machine: str) -> None:
    column = list(MACHINES).index(machine)
    numbers = {name: pair[column] for name, pair in DENIED.items()}
    answers = {
        name: kernel_says(machine, number) for name, number in numbers.items() if number is not None
    }
    assert len(answers) > 50
    assert set(answers.values()) == {refused(errno.EPERM)}


@machines
def test_harmless_calls_pass(machine: str) -> None:
    assert {kernel_says(machine, number) for number in HARMLESS[machine]} == {ALLOW}


@machines
def test_threads_are_allowed_and_namespaces_are_not(machine: str) -> None:
    assert kernel_says(machine, CLONE[machine], THREAD) == ALLOW
    assert kernel_says(machine, CLONE[machine], THREAD | NEW_USER) == refused(errno.EPERM)
    assert kernel_says(machine, 435) == refused(errno.ENOSYS)


@machines
def test_words_cannot_be_put_into_a_terminal(machine: str) -> None:
    for request in (0x5412, 0x541C, 0xFFFFFFFF_00005412):
        assert kernel_says(machine, IOCTL[machine], 0, request) == refused(errno.EPERM)
    assert kernel_says(machine, IOCTL[machine], 0, 0x5401) == ALLOW


@machines
def test_only_ordinary_sockets_can_be_made(machine: str) -> None:
    answers = {family: kernel_says(machine, SOCKET[machine], family) for family in range(46)}
    allowed = {family for family, answer in answers.items() if answer == ALLOW}
    assert allowed == {1, 2, 10, 16}
    assert set(answers.values()) == {ALLOW, refused(errno.EAFNOSUPPORT)}


@machines
def test_only_small_pieces_of_system_v_memory_can_be_made(machine: str) -> None:
    for size in (0, 56, 10_000, 16 << 10):
        assert kernel_says(machine, SHMGET[machine], 7, size, 0o1600) == ALLOW
    for size in ((16 << 10) + 1, 1 << 20, 1 << 32, 1 << 63, (1 << 64) - 1):
        assert kernel_says(machine, SHMGET[machine], 7, size, 0o1600) == refused(errno.ENOMEM)


@machines
def test_calls_of_another_architecture_kill(machine: str) -> None:
    assert kernel_says(machine, 0, arch=I386) == KILL_PROCESS


def test_calls_with_the_x32_bit_kill() -> None:
    assert kernel_says("x86_64", 0x40000000) == KILL_PROCESS
    assert kernel_says("x86_64", 0x40000000 | 520) == KILL_PROCESS


def test_an_unknown_machine_has_no_filter() -> None:
    with pytest.raises(Unavailable, match="'riscv64'"):
        build_filter("riscv64")

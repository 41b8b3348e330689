import errno
import json

import pytest

from supervisor_ai.domain.errors import Unavailable
from supervisor_ai.sandboxes.bwrap.seccomp import DENIED, MACHINES
from supervisor_ai.sandboxes.containers.seccomp_profile import Condition, build_profile

NEW_USER, NEW_NET, THREAD = 0x10000000, 0x40000000, 0x00010000
TIOCSTI, TIOCLINUX, TCGETS = 0x5412, 0x541C, 0x5401
UNIX, INET, INET6, NETLINK, PACKET, ALG, VSOCK = 1, 2, 10, 16, 17, 38, 40
HIGH_HALF = 1 << 32

machines = pytest.mark.parametrize("machine", MACHINES)


def answer(machine: str, name: str, *arguments: int) -> int | None:
    """Apply the profile as the engines' library does; None allows the call."""
    profile = json.loads(build_profile(machine))
    assert profile["defaultAction"] == "SCMP_ACT_ALLOW"
    for rule in profile["syscalls"]:
        if name in rule["names"] and all(holds(each, arguments) for each in rule["args"]):
            assert rule["action"] == "SCMP_ACT_ERRNO"
            return int(rule["errnoRet"])
    return None


def holds(condition: Condition, arguments: tuple[int, ...]) -> bool:
    given = arguments[condition["index"]]
    match condition["op"]:
        case "SCMP_CMP_EQ":
            return given == condition["value"]
        case "SCMP_CMP_GT":
            return given > condition["value"]
        case "SCMP_CMP_GE":
            return given >= condition["value"]
        case "SCMP_CMP_MASKED_EQ":
            return given & condition["value"] == condition["valueTwo"]
        case other:
            raise AssertionError(f"no such comparison: {other}")


@machines
def test_what_bubblewrap_refuses_is_refused(machine: str) -> None:
    for name, numbers in DENIED.items():
        exists = numbers[MACHINES[machine].column] is not None
        assert answer(machine, name) == (errno.EPERM if exists else None)
    for name in ("read", "write", "execve", "openat", "mmap", "exit_group"):
        assert answer(machine, name) is None


@machines
def test_a_thread_may_begin_and_a_namespace_may_not(machine: str) -> None:
    assert answer(machine, "clone", THREAD) is None
    for flags in (NEW_USER, NEW_NET, NEW_USER | NEW_NET | THREAD, HIGH_HALF | NEW_USER):
        assert answer(machine, "clone", flags) == errno.EPERM
    assert answer(machine, "clone3", 0) == errno.ENOSYS


@machines
def test_nobody_types_into_a_terminal_whatever_the_other_half_of_the_number(machine: str) -> None:
    assert answer(machine, "ioctl", 0, TCGETS) is None
    for request in (TIOCSTI, TIOCLINUX, HIGH_HALF | TIOCSTI):
        assert answer(machine, "ioctl", 0, request) == errno.EPERM


@machines
def test_only_families_of_the_machine_itself_have_sockets(machine: str) -> None:
    for family in (UNIX, INET, INET6, NETLINK):
        assert answer(machine, "socket", family) is None
    for family in (0, PACKET, ALG, VSOCK, 63, 64, 1000, HIGH_HALF | VSOCK, HIGH_HALF | UNIX):
        assert answer(machine, "socket", family) == errno.EAFNOSUPPORT


@machines
def test_only_small_pieces_of_system_v_memory_can_be_made(machine: str) -> None:
    for size in (0, 56, 16 << 10):
        assert answer(machine, "shmget", 0, size, 0o1600) is None
    for size in ((16 << 10) + 1, 1 << 20, HIGH_HALF):
        assert answer(machine, "shmget", 0, size, 0o1600) == errno.ENOMEM


@pytest.mark.parametrize(
    ("machine", "listed"), [("x86_64", "SCMP_ARCH_X86_64"), ("aarch64", "SCMP_ARCH_AARCH64")]
)
def test_only_one_architecture_is_known(machine: str, listed: str) -> None:
    assert json.loads(build_profile(machine))["architectures"] == [listed]


def test_an_unknown_machine_has_no_profile() -> None:
    with pytest.raises(Unavailable, match="'riscv64'"):
        build_profile("riscv64")

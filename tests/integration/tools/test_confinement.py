"""What a process can still do after it was confined, as root and as an ordinary user."""

import ctypes
import importlib
import json
import mmap
import os
import platform
import signal
import socket
import sys
import warnings
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from resource import RLIMIT_NOFILE
from typing import Final, NoReturn

import pytest

from supervisor_ai.tools.confined_child import ConfinedReaders
from supervisor_ai.tools.confinement import LateModules, ProcessLimits, confine, leave_namespaces
from supervisor_ai.tools.system_calls import system_call_filter

MEMORY, CPU = 1 << 30, 20
ORDINARY: Final = 64_321
READER: Final = "supervisor_ai.context.code.import_reader"
COLUMN: Final = {"x86_64": 0, "aarch64": 1}[platform.machine()]
NUMBERS: Final = {
    "bpf": (321, 280),
    "clone": (56, 220),
    "clone3": (435, 435),
    "execveat": (322, 281),
    "io_uring_setup": (425, 425),
    "keyctl": (250, 219),
    "landlock_create_ruleset": (444, 444),
    "mount": (165, 40),
    "open_by_handle_at": (304, 265),
    "openat2": (437, 437),
    "perf_event_open": (298, 241),
    "pidfd_open": (434, 434),
    "process_vm_readv": (310, 270),
    "setns": (308, 268),
    "statx": (332, 291),
    "tgkill": (234, 131),
    "unshare": (272, 97),
    "userfaultfd": (323, 282),
}
libc: Final = ctypes.CDLL(None, use_errno=True)


def call(name: str, *words: object) -> None:
    """Make a system call; raise where the kernel refuses it."""
    checked(libc.syscall(NUMBERS[name][COLUMN], *words))


def checked(result: int) -> None:
    """Raise what the C library says by a negative result."""
    if result == -1:
        raise OSError(ctypes.get_errno(), "refused")


def forked(start: Callable[[], int]) -> None:
    """Split off a process that ends at once."""
    if (child := start()) == 0:
        os._exit(0)
    checked(child)


class Surroundings:
    """Files, sockets and a process, all made before a process is confined."""

    def __init__(self, folder: Path) -> None:
        self.file, self.other, self.folder = folder / "file", folder / "other", folder
        self.file.write_text("kept", "utf-8")
        self.file.chmod(0o666)
        folder.chmod(0o777)
        self.listeners = [socket.socket(socket.AF_UNIX), socket.socket(socket.AF_INET)]
        self.abstract = f"\0supervisor-test-{os.getpid()}"
        self.listeners[0].bind(self.abstract)
        self.listeners[1].bind(("127.0.0.1", 0))
        for it in self.listeners:
            it.listen()
        self.port = self.listeners[1].getsockname()[1]
        self.unconnected = [socket.socket(socket.AF_UNIX), socket.socket(socket.AF_INET)]
        self.directory = os.open(folder, os.O_RDONLY)
        self.page = mmap.mmap(-1, mmap.PAGESIZE)
        self.address = ctypes.addressof(ctypes.c_char.from_buffer(self.page))
        self.parent = os.getpid()

    def attempts(self) -> dict[str, Callable[[], object]]:
        """Return what is tried, by name; each raises an OSError where it is refused."""
        file, other = str(self.file), str(self.other)
        text = ctypes.create_string_buffer(64)
        return {
            "fork": lambda: forked(os.fork),
            "clone": lambda: forked(lambda: libc.syscall(NUMBERS["clone"][COLUMN], 17, 0, 0, 0, 0)),
            "clone3": lambda: call("clone3", bytes([0] * 32 + [17] + [0] * 31), 64),
            "exec": lambda: checked(libc.execv(b"/bin/true", None)),
            "exec of memory": lambda: call("execveat", os.memfd_create("x"), b"", None, None, 4096),
            "memfd": lambda: os.memfd_create("x"),
            "inet socket": lambda: socket.socket(socket.AF_INET),
            "unix socket": lambda: socket.socket(socket.AF_UNIX),
            "netlink socket": lambda: socket.socket(socket.AF_NETLINK, socket.SOCK_RAW),
            "socket pair": socket.socketpair,
            "connect": lambda: self.unconnected[1].connect(("127.0.0.1", self.port)),
            "connect to an abstract name": lambda: self.unconnected[0].connect(self.abstract),
            "accept": self.listeners[0].accept,
            "read of a password file": lambda: os.open("/etc/shadow", os.O_RDONLY),
            "read of a public file": lambda: os.open("/etc/passwd", os.O_RDONLY),
            "read of ours": lambda: os.open(file, os.O_RDONLY),
            "read below an open directory": lambda: os.open("file", 0, dir_fd=self.directory),
            "openat2": lambda: call("openat2", -100, file.encode(), bytes(24), 24),
            "list": lambda: os.scandir(self.directory),
            "stat": self.file.stat,
            "statx": lambda: call("statx", -100, file.encode(), 0, 0xFFF, bytes(256)),
            "write": lambda: os.open(file, os.O_WRONLY),
            "create": lambda: os.open(other, os.O_CREAT | os.O_WRONLY),
            "truncate": lambda: os.truncate(file, 0),
            "rename": lambda: self.file.rename(other),
            "symlink": lambda: self.other.symlink_to(file),
            "hard link": lambda: self.other.hardlink_to(file),
            "mkdir": (self.folder / "made").mkdir,
            "chmod": lambda: self.file.chmod(0o600),
            "chdir": lambda: os.chdir("/"),
            "unlink": self.file.unlink,
            "kill of the parent": lambda: os.kill(self.parent, 0),
            "kill of all": lambda: os.kill(-1, 0),
            "pidfd": lambda: call("pidfd_open", self.parent, 0),
            "ptrace": lambda: checked(libc.ptrace(16, self.parent, None, None)),
            "memory of others": lambda: call("process_vm_readv", self.parent, text, 0, text, 0, 0),
            "limits of others": lambda: checked(
                libc.prlimit(self.parent, RLIMIT_NOFILE, None, text)
            ),
            "own limits": lambda: checked(libc.getrlimit(RLIMIT_NOFILE, text)),
            "io_uring": lambda: call("io_uring_setup", 1, bytes(120)),
            "mount": lambda: call("mount", b"none", b"/mnt", b"tmpfs", 0, None),
            "unshare": lambda: call("unshare", 0),
            "setuid": lambda: checked(libc.setuid(os.getuid())),
            "prctl": lambda: checked(libc.prctl(3, 0, 0, 0, 0)),
            "executable memory": lambda: mmap.mmap(-1, 4096, prot=mmap.PROT_READ | mmap.PROT_EXEC),
            "code in memory": lambda: checked(
                libc.mprotect(ctypes.c_void_p(self.address), mmap.PAGESIZE, 5)
            ),
            "keyctl": lambda: call("keyctl", 0, -3, 0),
            "landlock": lambda: call("landlock_create_ruleset", None, 0, 1),
            "poll of terminals": lambda: os.ttyname(0),
            "pipe": os.pipe,
            "own signals": lambda: call("tgkill", os.getpid(), os.getpid(), 0),
        }


def outcomes(around: Surroundings, names: Iterable[str] = ()) -> dict[str, str]:
    """Try everything; say of each attempt that it got through, or with which error it did not."""
    found, attempts = {}, around.attempts()
    for name in names or attempts:
        attempt = attempts[name]
        try:
            attempt()
        except OSError as error:
            found[name] = f"refused {error.errno}"
        else:
            found[name] = "got through"
    return found


def inside(user: int, prepare: Callable[[int], None], work: Callable[[], object]) -> object:
    """Let a fork of a fork work as a user after it was prepared, and return what it says."""
    heard, said = os.pipe()
    if (child := os.fork()) == 0:
        try:
            if user:
                os.setgroups([])
                os.setresgid(user, user, user)
                os.setresuid(user, user, user)
            leave_namespaces()
            parent = os.getpid()
            if (grandchild := os.fork()) == 0:
                prepare(parent)
                os.write(said, json.dumps(work()).encode())
                os._exit(0)
            os._exit(abs(os.waitstatus_to_exitcode(os.waitpid(grandchild, 0)[1])))
        except BaseException as error:  # noqa: BLE001 - whoever forked is told
            os.write(said, json.dumps(f"broke: {error!r}").encode())
        finally:
            os._exit(99)
    os.close(said)
    with os.fdopen(heard, "rb") as stream:
        text = stream.read()
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    return json.loads(text) if text else code


def confined(parent: int) -> None:
    """Confine a process as readers are."""
    confine(memory=MEMORY, cpu=CPU, parent=parent)


@pytest.fixture
def around(tmp_path: Path) -> Iterator[Surroundings]:
    """Make what a process may try to reach."""
    made = Surroundings(tmp_path)
    yield made
    for it in (*made.listeners, *made.unconnected):
        it.close()
    os.close(made.directory)


@pytest.mark.parametrize("user", [0, ORDINARY], ids=["root", "ordinary"])
def test_a_confined_process_can_do_nothing_but_work(around: Surroundings, user: int) -> None:
    if os.geteuid() != 0:
        pytest.skip("only root can become another user")
    found = inside(user, confined, lambda: outcomes(around))
    assert isinstance(found, dict)
    assert {name: how for name, how in found.items() if how != "refused 1"} == {}
    assert len(found) == len(around.attempts())
    assert (around.file.read_text("utf-8"), around.other.exists()) == ("kept", False)


def test_what_is_tried_is_possible_for_a_process_that_is_not_confined(
    around: Surroundings,
) -> None:
    names = {
        "fork",
        "clone",
        "memfd",
        "unix socket",
        "socket pair",
        "read of ours",
        "write",
        "create",
    }
    names |= {"stat", "statx", "kill of the parent", "code in memory", "executable memory", "pipe"}
    names |= {"connect", "connect to an abstract name", "own limits", "unshare", "mkdir"}

    def tried() -> dict[str, str]:
        return outcomes(around, names)

    found = inside(0, lambda _: None, tried)
    assert isinstance(found, dict)
    assert {name: how for name, how in found.items() if how != "got through"} == {}


def status_of(pid: int) -> dict[str, str]:
    """Return what the kernel says of a process."""
    lines = Path(f"/proc/{pid}/status").read_text("utf-8").splitlines()
    return {name: words.strip() for name, _, words in (line.partition(":") for line in lines)}


def test_a_reader_is_confined_while_it_looks_at_hostile_code() -> None:
    readers = ConfinedReaders(READER, ProcessLimits(memory=MEMORY, cpu=CPU, wall=60.0, speech=1000))
    seen: list[dict[str, str]] = []
    spaces: set[bool] = set()
    started: list[int] = []

    def answer(_: bytes) -> bytes:
        child = int(Path(f"/proc/{started[0]}/task/{started[0]}/children").read_text("ascii"))
        seen.append(status_of(child))
        mine, its = (Path(f"/proc/{it}/ns/net").stat().st_ino for it in ("self", child))
        spaces.add(mine == its)
        return b"import os"

    def need(pid: int) -> bytes:
        started.append(pid)
        return b""

    readers.converse(json.dumps({"paths": ["a.py"], "wanted": ["a.py"]}).encode(), answer, need)
    assert spaces == {False}
    for status in seen:
        assert (status["Seccomp"], status["NoNewPrivs"], int(status["CapEff"], 16)) == ("2", "1", 0)
        assert "0" not in status["Uid"].split()
        assert status["Groups"] == ""


@pytest.mark.skipif(platform.machine() != "x86_64", reason="an interface of x86_64")
def test_the_second_set_of_system_calls_ends_a_confined_process() -> None:
    code = inside(0, confined, lambda: libc.syscall(0x40000000 | 39))
    assert code == signal.SIGSYS


def test_a_machine_that_the_filter_does_not_know_is_refused() -> None:
    with pytest.raises(OSError, match="riscv64"):
        system_call_filter("riscv64")


@pytest.mark.parametrize(("name", "code"), [("sndhdr_none", 3), ("this", 3), ("chunk", 0)])
def test_a_fork_gets_a_module_of_the_list_that_it_lacked(name: str, code: int) -> None:
    parent = os.getpid()

    def work() -> NoReturn:
        try:
            confined(parent)
            importlib.import_module(name)
            os._exit(0)
        except ModuleNotFoundError:
            os._exit(3)

    sys.modules.pop(name, None)
    with warnings.catch_warnings(action="ignore"):
        assert LateModules(()).fork(work) == code

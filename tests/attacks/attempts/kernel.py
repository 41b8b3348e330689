"""Attempts on the kernel: privileges, namespaces, and calls that nobody needs."""

import os
from typing import Final

from tests.attacks.attempt import Attempt, Inside
from tests.attacks.filter_rules import CLONE_3, FAMILIES, NAMESPACES, X32
from tests.attacks.guards import Layer, Slip, option, rule, slip

_NO_NAMESPACES: Final = option("--disable-userns", ("--disable-userns",))
_NOT_ROOT: Final = slip("bubblewrap never runs as root", Slip.ROOT)
_ARM: Final = os.uname().machine == "aarch64"


def _number(x86: int, arm: int) -> int:
    return arm if _ARM else x86


def _call(what: str, program: str, *layers: Layer, fact: str = "43") -> Attempt:
    return Attempt(what=what, fact=fact, layers=layers, perform=Inside(program=program))


_CHILD: Final = """
child = os.fork()
if child == 0:
    time.sleep(10); os._exit(0)
"""

ATTEMPTS: Final = (
    _call(
        "becomes root of a new user namespace (unshare)",
        f"if call({_number(272, 97)}, 0x10000000)[0] == 0: got()",
        rule("unshare"),
        _NO_NAMESPACES,
        fact="15",
    ),
    _call(
        "becomes root of a new user namespace (clone)",
        f"""
pid, _ = call({_number(56, 220)}, 0x10000000 | signal.SIGCHLD, 0, 0, 0, 0)
if pid == 0: os._exit(0)
if pid > 0: got()
""",
        rule(NAMESPACES),
        _NO_NAMESPACES,
        fact="15",
    ),
    _call(
        "becomes root of a new user namespace (clone3)",
        """
given = (ctypes.c_uint64 * 11)(0x10000000, 0, 0, 0, signal.SIGCHLD)
pid, _ = call(435, ctypes.byref(given), 88)
if pid == 0: os._exit(0)
if pid > 0: got()
""",
        rule(CLONE_3),
        _NO_NAMESPACES,
        fact="15",
    ),
    _call(
        "mounts over what is read-only",
        f"""
if call({_number(272, 97)}, 0x10020000)[0] != 0: raise OSError('unshare')
path = S['tool'].encode()
if call({_number(165, 40)}, b'none', path, b'tmpfs', 0, b'')[0] != 0: raise OSError('mount')
got()
""",
        rule("unshare", "mount"),
        _NO_NAMESPACES,
        fact="14",
    ),
    Attempt(
        what="opens a kernel setting for writing (core_pattern)",
        fact="16",
        layers=(
            _NOT_ROOT,
            option("/proc/sys is read-only", ("--ro-bind", "/proc/sys", "/proc/sys")),
        ),
        needs_root=True,
        perform=Inside(program="open('/proc/sys/kernel/core_pattern', 'a').close(); got()"),
    ),
    Attempt(
        what="is root of the host for files of root",
        fact="2, 16",
        layers=(_NOT_ROOT,),
        needs_root=True,
        perform=Inside(
            program="open('made', 'w').close()",
            evidence=lambda scene, _: (
                (scene.workspace / "made").stat().st_uid == 0 and os.geteuid() == 0
            ),
        ),
    ),
    _call(
        "traces itself (PTRACE_TRACEME)",
        f"reached({_number(101, 117)}, 0, 0, 0, 0)",
        rule("ptrace"),
        fact="8",
    ),
    _call(
        "traces another process (PTRACE_ATTACH)",
        f"{_CHILD}reached({_number(101, 117)}, 16, child, 0, 0)",
        rule("ptrace"),
        fact="7",
    ),
    _call(
        "reads the memory of another process",
        f"""
words = ctypes.create_string_buffer(b'memory')
{_CHILD}
here = ctypes.create_string_buffer(8)
local = (ctypes.c_void_p * 2)(ctypes.addressof(here), 6)
remote = (ctypes.c_void_p * 2)(ctypes.addressof(words), 6)
call({_number(310, 270)}, child, ctypes.byref(local), 1, ctypes.byref(remote), 1, 0)
if here.value == b'memory': got()
""",
        rule("process_vm_readv"),
        fact="7",
    ),
    _call(
        "writes the memory of another process",
        f"""
words = ctypes.create_string_buffer(b'memory')
{_CHILD}
local = (ctypes.c_void_p * 2)(ctypes.addressof(words), 6)
if call({_number(311, 271)}, child, ctypes.byref(local), 1, ctypes.byref(local), 1, 0)[0] > 0: got()
""",
        rule("process_vm_writev"),
        fact="7",
    ),
    _call(
        "takes an open file from another process",
        f"""
{_CHILD}
fd, error = call(434, child, 0)
reached(438, fd, 1, 0)
""",
        rule("pidfd_getfd"),
        fact="7",
    ),
    _call(
        "puts a key into the kernel's keyring",
        f"""
reached({_number(248, 217)}, b'user', b'canary', b'x', 1, -3)
""",
        rule("add_key"),
    ),
    _call(
        "asks for a key of the kernel's keyring",
        f"""
reached({_number(249, 218)}, b'user', b'canary', 0, 0)
""",
        rule("request_key"),
    ),
    _call(
        "joins a session keyring", f"reached({_number(250, 219)}, 1, 0, 0, 0, 0)", rule("keyctl")
    ),
    _call(
        "watches the processor (perf)",
        f"reached({_number(298, 241)}, 0, 0, -1, -1, 0)",
        rule("perf_event_open"),
    ),
    _call(
        "makes an io_uring",
        """
given = ctypes.create_string_buffer(120)
reached(425, 4, ctypes.byref(given))
""",
        rule("io_uring_setup"),
    ),
    _call("handles page faults itself", f"reached({_number(323, 282)}, 1)", rule("userfaultfd")),
    _call(
        "loads a program into the kernel (bpf)",
        f"reached({_number(321, 280)}, 5, 0xdead0, 100000)",
        rule("bpf"),
    ),
    _call(
        "names a file by its handle",
        f"""
handle = ctypes.create_string_buffer(struct.pack('Ii', 128, 0) + bytes(128))
mount = ctypes.c_int()
reached({_number(303, 264)}, -100, b'/usr', ctypes.byref(handle), ctypes.byref(mount), 0)
""",
        rule("name_to_handle_at"),
    ),
    _call(
        "compares what processes have open (kcmp)",
        f"""
me = os.getpid()
reached({_number(312, 272)}, me, me, 0, 1, 1)
""",
        rule("kcmp"),
    ),
    _call(
        "watches a whole file system (fanotify)",
        f"reached({_number(300, 262)}, 0x200, 0)",
        rule("fanotify_init"),
    ),
    _call(
        "moves pages of memory",
        f"reached({_number(279, 239)}, 0, 0, 0, 0, 0, 0)",
        rule("move_pages"),
    ),
    _call(
        "opens a socket to the hypervisor (vsock)",
        "socket.socket(40, 1).close(); got()",
        rule(FAMILIES),
        fact="24",
    ),
    _call(
        "asks for raw packets",
        """
if libc.socket(17, 3, 0) >= 0 or ctypes.get_errno() != errno.EAFNOSUPPORT: got()
""",
        rule(FAMILIES),
        fact="24",
    ),
    Attempt(
        what="makes calls by the x32 interface",
        fact="43",
        layers=(rule(X32),),
        machine="x86_64",
        perform=Inside(program="call(0x40000000 + 39); got()"),
    ),
    Attempt(
        what="changes its segment table",
        fact="43",
        layers=(rule("modify_ldt"),),
        machine="x86_64",
        perform=Inside(program="reached(154, 0, 0, 0)"),
    ),
)

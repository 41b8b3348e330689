"""The launcher: does for the supervisor what a process must do that shares nothing with it.

    python3 -I -S drop_privileges.py FD PARENT NEEDED...

Where the supervisor is root, it drops root and becomes bubblewrap. Bubblewrap looks its sources up
as the unprivileged user, who cannot enter a private home. So each source is first mounted where
that user can reach it, in a mount namespace of one process alone; it is made from one that shows
only what bubblewrap needs besides: it reads the list of all mounts each time that it makes one.
For any user, it listens in the network of a sandbox that waits for its command: only a process with
one thread can go there.
An interpreter takes longer to start than bubblewrap does. So one launcher waits for all orders of
a supervisor, and splits off a process for each; one that becomes bubblewrap is a child of the
supervisor, not of its own. For the same reason it imports little: `typing` and `socket` would take
as long as all the rest, and what is not there is not copied when a process splits off.
"""

from __future__ import annotations

import _signal  # type: ignore[import-not-found]
import _socket
import ctypes
import errno
import fcntl
import gc
import marshal
import os
import resource
import select
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final, NoReturn, TypedDict

    class StartOrders(TypedDict):
        """What the supervisor asks for: each source at its place on the stage.

        `numbers` are those under which files are inherited.
        """

        parent: int
        uid: int
        sources: list[tuple[str, str]]
        limits: list[tuple[int, int]]
        argv: list[str]
        numbers: list[int]
        groups: list[str]

    class ListenOrders(TypedDict):
        """In whose network to listen; `uid` is who started it, 0 for whoever we are."""

        pid: int
        uid: int


STAGE: Final = "/tmp"  # noqa: S108 - every user can reach it, and the mount over it is private
"""Where sources are put: a directory at `STAGE/dN`, anything else at `STAGE/fN`."""
MOST_FILES: Final = 128
PID_BYTES: Final = 8
START, LISTEN = b"!", b"L"
PORT: Final = 3128
"""Where the way out of a sandbox is, on its loopback interface."""

_MOST_WORDS: Final = 4096
_BACKLOG: Final = 128

_CLONE: Final = {"x86_64": 56, "aarch64": 220}
_CLONE_PARENT: Final = 0x8000
_CLONE_NEWNS, _CLONE_NEWUSER, _CLONE_NEWNET = 0x00020000, 0x10000000, 0x40000000
_NS_GET_USERNS: Final = 0xB701
_MS_NOSUID, _MS_NODEV, _MS_REC, _MS_PRIVATE = 0x2, 0x4, 0x4000, 0x40000
_MNT_DETACH: Final = 2
_OPEN_TREE, _MOVE_MOUNT = 428, 429
"""Newer system calls have the same numbers everywhere."""
_AT_FDCWD, _AT_RECURSIVE, _OPEN_TREE_CLONE, _MOVE_MOUNT_F_EMPTY_PATH = -100, 0x8000, 1, 4
_PR_SET_PDEATHSIG, _PR_CAPBSET_DROP, _PR_SET_NO_NEW_PRIVS = 1, 24, 38
_LAST_CAPABILITY: Final = "/proc/sys/kernel/cap_last_cap"
_INT: Final = 4

_PASSED: Final = 200
"""The most places on the way to what bubblewrap needs; links may go round in a circle."""

_libc = ctypes.CDLL(None, use_errno=True)


def serve(way: _socket.socket, backdrop: int | OSError) -> None:
    """Carry out order after order, until nobody asks any more."""
    while True:
        heard, files = _receive(way)
        if not heard:
            return
        if heard[:1] == LISTEN:
            _listen_for(marshal.loads(heard[1:]), files)  # noqa: S302 - the supervisor wrote it
        else:
            way.send(_start(files, backdrop).to_bytes(PID_BYTES, "little", signed=True))
        for file in files:
            os.close(file)


def _receive(way: _socket.socket) -> tuple[bytes, list[int]]:
    room = _socket.CMSG_SPACE(MOST_FILES * _INT)
    heard, extras, _, _ = way.recvmsg(_MOST_WORDS, room, _socket.MSG_CMSG_CLOEXEC)
    return heard, [
        int.from_bytes(content[at : at + _INT], sys.byteorder)
        for _, _, content in extras
        for at in range(0, len(content), _INT)
    ]


def _start(files: list[int], backdrop: int | OSError) -> int:
    """Split off a child of the supervisor; return its number, or that of an error below zero."""
    written, *inherited = files
    words = os.pread(written, os.fstat(written).st_size, 0)
    orders: StartOrders = marshal.loads(words)  # noqa: S302 - the supervisor wrote it, in memory
    child = _split_off()
    if child == 0:
        _become(orders, inherited, backdrop)
    return child


def _split_off() -> int:
    flags = ctypes.c_ulong(_CLONE_PARENT | _signal.SIGCHLD)
    child: int = _libc.syscall(_CLONE[os.uname().machine], flags, 0, 0, 0, 0)
    return child if child >= 0 else -ctypes.get_errno()


def _become(orders: StartOrders, inherited: list[int], backdrop: int | OSError) -> NoReturn:
    try:
        if not isinstance(backdrop, OSError) and backdrop in orders["numbers"]:
            above = max(*orders["numbers"], *inherited) + 1
            backdrop = fcntl.fcntl(backdrop, fcntl.F_DUPFD_CLOEXEC, above)
        _take(inherited, orders["numbers"])
        if isinstance(backdrop, OSError):
            raise backdrop
        _launch(orders, backdrop)
    except OSError as error:
        place = f": {error.filename}" if error.filename else ""
        os.write(2, f"launcher: {error.strerror}{place}\n".encode())
    os._exit(1)


def _take(files: list[int], numbers: list[int]) -> None:
    """Put the files where the command expects them; first out of each other's way.

    Those of ours close by themselves when the command begins.
    """
    above = max(*numbers, *files) + 1
    is_apart = set(files).isdisjoint(numbers)
    lifted = files if is_apart else [fcntl.fcntl(it, fcntl.F_DUPFD_CLOEXEC, above) for it in files]
    for file, number in zip(lifted, numbers, strict=True):
        os.dup2(file, number)


def _launch(orders: StartOrders, backdrop: int) -> NoReturn:
    """Carry the orders out; only a failure comes back, as an OSError."""
    _die_with(orders["parent"])
    os.setsid()
    _join(orders["groups"])
    _stage(orders["sources"], backdrop)
    for number, value in orders["limits"]:
        resource.setrlimit(number, (value, value))
    _become_user(orders["uid"])
    for ignored in (_signal.SIGPIPE, _signal.SIGXFSZ):
        # Python ignores these, and whoever is started would go on to.
        _signal.signal(ignored, _signal.SIG_DFL)
    # The kernel forgets the wish to die with the parent when the user changes.
    _die_with(orders["parent"])
    os.execve(orders["argv"][0], orders["argv"], {})  # noqa: S606 - a shell is what we avoid


def _join(groups: list[str]) -> None:
    """Enter control groups ourselves: to be put there by another, the kernel takes its time."""
    for group in groups:
        members = os.open(group, os.O_WRONLY | os.O_CLOEXEC)
        os.write(members, b"0")
        os.close(members)


def _die_with(parent: int) -> None:
    _prctl(_PR_SET_PDEATHSIG, _signal.SIGKILL)
    if os.getppid() != parent:
        os._exit(1)


def _stage(sources: list[tuple[str, str]], backdrop: int) -> None:
    # As the supervisor sees them: the backdrop is older, and does not show all that there is.
    trees = [_tree(source) for source, _ in sources]
    _check("the prepared mounts", _libc.setns(backdrop, _CLONE_NEWNS))
    _check("a mount namespace", _libc.unshare(_CLONE_NEWNS))
    for tree, (_, place) in zip(trees, sources, strict=True):
        _put(tree, place)
    # What is mounted outside from now on is not for those who have begun.
    _mount("none", "/", "", _MS_REC | _MS_PRIVATE)


def _tree(source: str) -> int:
    flags = _OPEN_TREE_CLONE | _AT_RECURSIVE | os.O_CLOEXEC
    tree: int = _libc.syscall(_OPEN_TREE, _AT_FDCWD, os.fsencode(source), flags)
    _check(source, min(tree, 0))
    return tree


def _put(tree: int, place: str) -> None:
    """Mount it at its place, which is made by whoever is the first to need one of its number."""
    if _move(tree, place) == 0:
        return
    if ctypes.get_errno() == errno.ENOENT:
        _make_place(place)
    _check(place, _move(tree, place))


def _move(tree: int, place: str) -> int:
    there = (_AT_FDCWD, place.encode(), _MOVE_MOUNT_F_EMPTY_PATH)
    result: int = _libc.syscall(_MOVE_MOUNT, tree, b"", *there)
    return result


def _make_place(place: str) -> None:
    if place.startswith(f"{STAGE}/d"):
        try:
            os.mkdir(place, 0o755)  # noqa: PTH102 - paths are plain text here
        except FileExistsError:
            return
    else:
        os.close(os.open(place, os.O_CREAT | os.O_WRONLY | os.O_CLOEXEC, 0o644))


def _prepare(needed: list[str]) -> int | OSError:
    """Make the namespace that all stages begin with; return it, or why there is none."""
    ours = os.open("/proc/self/ns/mnt", os.O_RDONLY | os.O_CLOEXEC)
    try:
        _check("a mount namespace", _libc.unshare(_CLONE_NEWNS))
        try:
            _mount("none", "/", "", _MS_REC | _MS_PRIVATE)
            _leave_only(needed)
            _mount("tmpfs", STAGE, "tmpfs", _MS_NOSUID | _MS_NODEV, "mode=0755,size=1m")
            return os.open("/proc/self/ns/mnt", os.O_RDONLY | os.O_CLOEXEC)
        finally:
            _check("our own mounts", _libc.setns(ours, _CLONE_NEWNS))
    except OSError as error:
        return error
    finally:
        os.close(ours)


def _leave_only(needed: list[str]) -> None:
    """Take away each mount that lies neither on the way to what is needed nor inside it."""
    ways = [_way(path) for path in needed]
    passed = {"/", *(place for way in ways for place in way)}
    inside = tuple(f"{way[-1]}/" for way in ways if way)
    with open("/proc/self/mountinfo", encoding="utf-8", errors="replace") as file:  # noqa: PTH123 - likewise
        mounted = [line.split(" ")[4] for line in file]
    for place in mounted:
        if place not in passed and not place.startswith(inside):
            # Some cannot be taken away, or are gone with what they were on: they do no harm.
            _libc.umount2(os.fsencode(place), _MNT_DETACH)


def _way(path: str) -> list[str]:
    """List the places that are passed on the way to a path, through all links."""
    passed: list[str] = []
    ahead, here = path.split("/"), ""
    while ahead and len(passed) < _PASSED:
        name = ahead.pop(0)
        if name == "..":
            here = here.rpartition("/")[0]
        elif name not in ("", "."):
            above, here = here, f"{here}/{name}"
            passed.append(here)
            try:
                link = os.readlink(here)  # noqa: PTH115 - likewise
            except OSError:
                continue
            ahead = [*link.split("/"), *ahead]
            here = "" if link.startswith("/") else above
    return passed


def _become_user(uid: int) -> None:
    os.setgroups([])
    os.setresgid(uid, uid, uid)
    os.setresuid(uid, uid, uid)


def _give_up_privileges() -> None:
    """Let nobody after us gain what bubblewrap was not given; we ourselves stay who we are."""
    if os.geteuid() == 0:
        with open(_LAST_CAPABILITY, encoding="ascii") as file:  # noqa: PTH123 - likewise
            last = int(file.read())
        for capability in range(last + 1):
            _prctl(_PR_CAPBSET_DROP, capability)
    _prctl(_PR_SET_NO_NEW_PRIVS, 1)


def _listen_for(orders: ListenOrders, files: list[int]) -> None:
    """Let a child go where the sandbox is and hand out from there; it lives no longer than that."""
    child = os.fork()
    if child == 0:
        try:
            _hand_out(orders, *files)
        finally:
            os._exit(0)
    os.waitpid(child, 0)


def _hand_out(orders: ListenOrders, held: int, way: int) -> None:
    reply = _socket.socket(_socket.AF_UNIX, _socket.SOCK_STREAM, 0, way)
    try:
        _enter_network(orders, held)
        listener = _socket.socket(_socket.AF_INET, _socket.SOCK_STREAM)
        listener.bind(("127.0.0.1", PORT))
        listener.listen(_BACKLOG)
    except OSError as error:
        reply.sendall(f"{error.errno} {error.strerror}".encode())
        return
    number = listener.fileno().to_bytes(_INT, sys.byteorder)
    reply.sendmsg([b"L"], [(_socket.SOL_SOCKET, _socket.SCM_RIGHTS, number)])


def _enter_network(orders: ListenOrders, held: int) -> None:
    """Go where a process is that waits for us, by the rights of the user who started it alone."""
    if orders["uid"]:
        _become_user(orders["uid"])
    network = os.open(f"/proc/{orders['pid']}/ns/net", os.O_RDONLY | os.O_CLOEXEC)
    # Only now does looking tell whose network this is: the number may have changed hands.
    if select.select([held], [], [], 0)[0]:
        raise ProcessLookupError(errno.ESRCH, "the sandbox has ended")
    if _is_ours(network, "net"):
        raise OSError(errno.EPERM, "the sandbox has no network of its own")
    owner = fcntl.ioctl(network, _NS_GET_USERNS)
    if not _is_ours(owner, "user"):
        _check("its user namespace", _libc.setns(owner, _CLONE_NEWUSER))
    _check("its network", _libc.setns(network, _CLONE_NEWNET))


def _is_ours(namespace: int, kind: str) -> bool:
    theirs, ours = os.fstat(namespace), os.stat(f"/proc/self/ns/{kind}")  # noqa: PTH116 - likewise
    return (theirs.st_dev, theirs.st_ino) == (ours.st_dev, ours.st_ino)


def _mount(source: str, target: str, kind: str, flags: int, options: str = "") -> None:
    texts = (os.fsencode(source), os.fsencode(target), kind.encode())
    _check(target, _libc.mount(*texts, ctypes.c_ulong(flags), options.encode()))


def _prctl(option: int, value: int) -> None:
    _check(f"prctl {option}", _libc.prctl(option, ctypes.c_ulong(value), 0, 0, 0))


def _check(what: str, result: int) -> None:
    if result != 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number), what)


if __name__ == "__main__":
    _die_with(int(sys.argv[2]))
    orders_come = _socket.socket(fileno=int(sys.argv[1]))
    # We have it by inheritance; nobody after us may.
    os.set_inheritable(orders_come.fileno(), False)  # noqa: FBT003 - the system's own signature
    _give_up_privileges()
    prepared = _prepare(sys.argv[3:])
    # A collection would touch, and so copy, every page that a child shares with us.
    gc.disable()
    gc.freeze()
    serve(orders_come, prepared)
    # Nothing here is worth the time that an interpreter takes to tidy up.
    os._exit(0)

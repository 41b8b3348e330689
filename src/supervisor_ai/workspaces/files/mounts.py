"""Mounts that root makes without any program: what the kernel offers, and no more."""

import os
import struct
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from supervisor_ai.domain.errors import Unavailable
from supervisor_ai.tools.programs import find_program
from supervisor_ai.workspaces.files.safe_open import c_library

_SYSTEM: Final = "/usr/bin:/bin"
_MS_NOSUID: Final = 2
_MS_NODEV: Final = 4
_MS_BIND: Final = 4096
_MNT_DETACH: Final = 2
_UMOUNT_NOFOLLOW: Final = 8
_OPEN_TREE: Final = 428
_MOVE_MOUNT: Final = 429
_MOUNT_SETATTR: Final = 442
_CLONE: Final = 1
_AT_FDCWD: Final = -100
_AT_EMPTY_PATH: Final = 0x1000
_FROM_EMPTY_PATH: Final = 4
_MAPPED: Final = 0x00100000


def bind(source: Path, place: Path) -> bool:
    """Show a directory at another place; False where that cannot be."""
    import ctypes

    paths = os.fsencode(source), os.fsencode(place)
    code: int = c_library().mount(*paths, None, ctypes.c_ulong(_MS_BIND), None)
    return code == 0


def unmount(place: Path) -> None:
    """Take away what is mounted, also from processes that still look at it."""
    import ctypes

    if place.is_mount() and not _take_away(place) and place.is_mount():
        reason = os.strerror(ctypes.get_errno())
        raise Unavailable(f"{str(place)!r} cannot be unmounted: {reason}.")


def overlay(place: Path, *, lower: Path, upper: Path, work: Path) -> None:
    """Show one directory over another that stays as it is; raise OSError where that cannot be."""
    import ctypes

    parts = f"lowerdir={lower},upperdir={upper},workdir={work},redirect_dir=on"
    flags = ctypes.c_ulong(_MS_NOSUID | _MS_NODEV)
    kind = b"overlay"
    _check(c_library().mount(kind, os.fsencode(place), kind, flags, os.fsencode(parts)))


@contextmanager
def owned_by(owner: int, source: Path, place: Path) -> Iterator[None]:
    """Show root's files as another's for a while; raise OSError where that cannot be."""
    tree = _call(_OPEN_TREE, _AT_FDCWD, os.fsencode(source), _CLONE | os.O_CLOEXEC)
    try:
        with _namespace(owner) as users:
            how = struct.pack("=QQQQ", _MAPPED, 0, 0, users)
            _call(_MOUNT_SETATTR, tree, b"", _AT_EMPTY_PATH, how, len(how))
        _call(_MOVE_MOUNT, tree, b"", _AT_FDCWD, os.fsencode(place), _FROM_EMPTY_PATH)
    finally:
        os.close(tree)
    try:
        yield
    finally:
        _take_away(place)


def _take_away(place: Path) -> bool:
    flags = _MNT_DETACH | _UMOUNT_NOFOLLOW
    return bool(c_library().umount2(os.fsencode(place), flags) == 0)


@contextmanager
def _namespace(owner: int) -> Iterator[int]:
    """Open a namespace of users in which root is the owner; its only process is gone afterwards."""
    program = find_program("unshare", _SYSTEM)
    if program is None:
        raise FileNotFoundError("unshare")
    with subprocess.Popen(
        [program, "--user", "--", "cat"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env={"PATH": _SYSTEM},
        cwd="/",
        bufsize=0,
        start_new_session=True,
    ) as process:
        _hear(process)
        proc = Path("/proc", str(process.pid))
        for table in ("uid_map", "gid_map"):
            (proc / table).write_text(f"0 {owner} 1\n")
        users = os.open(proc / "ns" / "user", os.O_RDONLY | os.O_CLOEXEC)
        try:
            yield users
        finally:
            os.close(users)


def _hear(process: subprocess.Popen[bytes]) -> None:
    """Wait until it is in its namespace: whoever answers is."""
    if process.stdin is None or process.stdout is None:
        raise BrokenPipeError
    process.stdin.write(b"\n")
    if process.stdout.read(1) != b"\n":
        raise PermissionError("unshare")


def _call(number: int, *arguments: int | bytes) -> int:
    import ctypes

    words = (
        ctypes.c_long(each) if isinstance(each, int) else ctypes.c_char_p(each)
        for each in arguments
    )
    found: int = c_library().syscall(ctypes.c_long(number), *words)
    _check(min(found, 0))
    return found


def _check(code: int) -> None:
    import ctypes

    if code != 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))

"""Opens files below a directory, whatever a hostile process does to the way there (openat2)."""

import errno
import os
import stat
import struct
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from ctypes import CDLL

_DIRECTORY: Final = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
# Without O_NONBLOCK the opening of a FIFO waits until somebody writes to it.
_FILE: Final = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC
_OPENAT2: Final = 437
_RESOLVE: Final = 0x02 | 0x04 | 0x08
"""No magic links, no symbolic links, nothing above the root."""
_IS_NO_FILE: Final = {errno.ELOOP, errno.ENXIO, errno.ENODEV, errno.EISDIR}
_CHUNK: Final = 3000
"""How much of a path the kernel is given at once; it takes no more than 4096 bytes."""

_MOST_FILES: Final = 200
"""How many of a directory are read."""

Parts = tuple[str, ...]


@cache
def c_library() -> "CDLL":
    """Return the C library of this process; who calls it reads the error by `ctypes.get_errno`."""
    import ctypes

    return ctypes.CDLL(None, use_errno=True)


def parts_of(path: str) -> Parts:
    """Split a path that git or a definition names."""
    return tuple(part for part in path.split("/") if part not in {"", "."})


@contextmanager
def root_directory(path: Path) -> Iterator[int]:
    """Open the directory that nothing shall leave."""
    handle = os.open(path, _DIRECTORY)
    try:
        yield handle
    finally:
        os.close(handle)


@contextmanager
def directory_beneath(root: int, parts: Parts, *, has_openat2: bool = True) -> Iterator[int]:
    """Open a directory by its names below the root; no link is followed, at any place."""
    enter = _enter_at_once if has_openat2 and _kernel_has_openat2() else _enter_by_steps
    here = os.open(".", _DIRECTORY, dir_fd=root)
    try:
        for chunk in _chunks(parts):
            there = enter(here, chunk)
            os.close(here)
            here = there
        yield here
    finally:
        os.close(here)


@contextmanager
def file_at(directory: int, name: str) -> Iterator[int | None]:
    """Open an entry of an open directory, without waiting; None unless it is a regular file."""
    handle = _open_file(directory, name)
    try:
        is_file = handle is not None and stat.S_ISREG(os.fstat(handle).st_mode)
        yield handle if is_file else None
    finally:
        if handle is not None:
            os.close(handle)


def read_beneath(root: Path, path: str, most: int) -> bytes | None:
    """Read the beginning of a file below the root; None where there is none, or only a link."""
    *above, name = parts_of(path)
    try:
        with (
            root_directory(root) as here,
            directory_beneath(here, tuple(above)) as directory,
            file_at(directory, name) as handle,
        ):
            if handle is None:
                return None
            with os.fdopen(handle, "rb", closefd=False) as file:
                return file.read(most)
    except OSError as error:
        if error.errno in {errno.ENOENT, errno.ENOTDIR, *_IS_NO_FILE}:
            return None
        raise


def read_files(root: Path, most: int) -> dict[str, bytes]:
    """Read the files of a directory, so many bytes in all; what is no file, or too much, is not."""
    names = sorted(path.name for path in islice(root.iterdir(), _MOST_FILES))
    found: dict[str, bytes] = {}
    for name in names:
        contents = read_beneath(root, name, most + 1)
        if contents is not None and len(contents) <= most:
            found[name] = contents
            most -= len(contents)
    return found


def _open_file(directory: int, name: str) -> int | None:
    try:
        return os.open(name, _FILE, dir_fd=directory)
    except OSError as error:
        if error.errno in _IS_NO_FILE:
            return None
        raise


def _chunks(parts: Parts) -> Iterator[bytes]:
    path = os.fsencode("/".join(parts))
    while len(path) > _CHUNK:
        cut = path.rfind(b"/", 0, _CHUNK)
        yield path[:cut]
        path = path[cut + 1 :]
    if path:
        yield path


def _enter_by_steps(here: int, path: bytes) -> int:
    first, *others = path.split(b"/")
    there = os.open(first, _DIRECTORY, dir_fd=here)
    for name in others:
        try:
            following = os.open(name, _DIRECTORY, dir_fd=there)
        finally:
            os.close(there)
        there = following
    return there


def _enter_at_once(here: int, path: bytes) -> int:
    import ctypes

    how = struct.pack("QQQ", _DIRECTORY, 0, _RESOLVE)
    handle: int = c_library().syscall(
        ctypes.c_long(_OPENAT2), ctypes.c_int(here), path, how, ctypes.c_size_t(len(how))
    )
    if handle < 0:
        code = ctypes.get_errno()
        raise OSError(code, os.strerror(code), os.fsdecode(path))
    return handle


@cache
def _kernel_has_openat2() -> bool:
    with root_directory(Path("/")) as root:
        try:
            os.close(_enter_at_once(root, b"."))
        except (OSError, AttributeError):
            return False
    return True


def is_plain(top: Path, path: str) -> bool:
    """Tell whether a path below a directory leads through real directories only."""
    place = top
    for part in path.split("/"):
        place /= part
        try:
            if not stat.S_ISDIR(place.lstat().st_mode):
                return False
        except OSError:
            return False
    return True

"""Removing what a worker left: any depth, any permissions, never through a link."""

import errno
import os
import secrets
import stat
from collections.abc import Iterator
from contextlib import suppress
from itertools import count
from pathlib import Path
from typing import Final

_DIRECTORY: Final = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_TRIES: Final = 100


def remove(path: Path) -> None:
    """Remove a file or a whole directory; absent is fine."""
    try:
        parent = os.open(path.parent, _DIRECTORY)
    except FileNotFoundError:
        return
    try:
        remove_at(parent, path.name)
    finally:
        os.close(parent)


def remove_at(parent: int, name: str) -> None:
    """Remove an entry of an open directory; absent is fine."""
    with suppress(FileNotFoundError):
        if stat.S_ISDIR(os.stat(name, dir_fd=parent, follow_symlinks=False).st_mode):
            _remove_directory(parent, name)
        else:
            os.unlink(name, dir_fd=parent)


def open_directory(parent: int, name: str) -> int:
    """Open a directory, whatever its owner did to its permissions."""
    try:
        return os.open(name, _DIRECTORY, dir_fd=parent)
    except PermissionError:
        grant(parent, name, stat.S_IRWXU)
        return os.open(name, _DIRECTORY, dir_fd=parent)


def grant(parent: int, name: str, bits: int) -> None:
    """Give the owner permissions, without following a link and without opening the entry."""
    handle = os.open(name, os.O_PATH | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=parent)
    try:
        path = Path(f"/proc/self/fd/{handle}")
        path.chmod(stat.S_IMODE(path.stat().st_mode) | bits)
    finally:
        os.close(handle)


def _remove_directory(parent: int, name: str) -> None:
    for _ in range(_TRIES):
        top = open_directory(parent, name)
        try:
            _empty(top)
        finally:
            os.close(top)
        try:
            os.rmdir(name, dir_fd=parent)
        except OSError as error:
            if error.errno != errno.ENOTEMPTY:
                raise
            continue  # Somebody else is removing it too and has lifted something meanwhile.
        return


def _empty(top: int) -> None:
    """Lift every directory to the top before it is emptied: no recursion, two open files."""
    token = secrets.token_hex(8)
    names = (f"{token}.{number}" for number in count())
    os.fchmod(top, stat.S_IRWXU)
    waiting = _unlink_files(top)
    while waiting:
        name = waiting.pop()
        with suppress(FileNotFoundError):
            directory = open_directory(top, name)
            try:
                os.fchmod(directory, stat.S_IRWXU)
                waiting += _lift(_unlink_files(directory), directory, top, names)
            finally:
                os.close(directory)
            _drop(top, name)


def _unlink_files(directory: int) -> list[str]:
    directories = []
    with os.scandir(directory) as entries:
        for entry in list(entries):
            if entry.is_dir(follow_symlinks=False):
                directories.append(entry.name)
                continue
            with suppress(FileNotFoundError):
                os.unlink(entry.name, dir_fd=directory)
    return directories


def _lift(children: list[str], directory: int, top: int, names: Iterator[str]) -> list[str]:
    lifted = []
    for child in children:
        name = next(names)
        with suppress(FileNotFoundError):
            # A directory that its owner cannot write cannot be moved either.
            grant(directory, child, stat.S_IRWXU)
            os.rename(child, name, src_dir_fd=directory, dst_dir_fd=top)
            lifted.append(name)
    return lifted


def _drop(top: int, name: str) -> None:
    try:
        os.rmdir(name, dir_fd=top)
    except OSError as error:
        if error.errno != errno.ENOTEMPTY:
            raise

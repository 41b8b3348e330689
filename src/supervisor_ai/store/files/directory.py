"""The directory that holds a project's state beside its definitions."""

import os
from pathlib import Path
from typing import Final

from supervisor_ai.domain.errors import Unavailable

_IGNORED: Final = """\
# Written by supervisor: state stays out of git, definitions belong into it.
/.gitignore
/state.db*
/artifacts/
/locks/
/logs/
/sessions/
"""


def prepare_directory(directory: Path) -> None:
    """Make the directory on first use and keep its state out of git."""
    try:
        directory.mkdir(parents=True, exist_ok=True)
        _refuse_link(directory)
        _write_once(directory / ".gitignore", _IGNORED)
    except OSError as error:
        raise Unavailable(
            f"The state directory {str(directory)!r} cannot be used: {error.strerror}.",
            hint="Make the directory writable for you and try again.",
        ) from error


def private_directory(directory: Path) -> None:
    """Make a directory that nobody else can look into, and refuse a link in its place."""
    directory.mkdir(mode=0o700, parents=True, exist_ok=True)
    _refuse_link(directory)


def sync_all(directory: Path) -> None:
    """Return when all that was written to the directory's file system is on the disk (syncfs)."""
    import ctypes

    descriptor = os.open(directory, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        if ctypes.CDLL(None, use_errno=True).syncfs(ctypes.c_int(descriptor)) != 0:
            code = ctypes.get_errno()
            raise OSError(code, os.strerror(code), str(directory))
    finally:
        os.close(descriptor)


def _refuse_link(directory: Path) -> None:
    """Stay inside the project: a link that came with the repository may lead anywhere."""
    if directory.is_symlink():
        raise Unavailable(
            f"The directory {str(directory)!r} is a symbolic link.",
            hint="State is kept in real directories only: remove the link.",
        )


def _write_once(path: Path, text: str) -> None:
    """Write a file that is not there yet; leave none behind that is not whole."""
    try:
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o644)
    except FileExistsError:
        return
    try:
        with os.fdopen(descriptor, "w") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
    except BaseException:
        path.unlink()
        raise

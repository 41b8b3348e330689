"""A file that appears whole in place of another one, in a directory that others write to."""

import hashlib
import os
import stat
from contextlib import suppress
from typing import Final, Protocol

_NEW: Final = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
_ORDINARY: Final = 0o644


class Rename(Protocol):
    """Gives a file another name, in place of whatever has that name."""

    def __call__(self, src: str, dst: str, *, src_dir_fd: int, dst_dir_fd: int) -> None:
        """Rename an entry of an open directory."""
        ...


def status_at(here: int, name: str) -> os.stat_result | None:
    """Look at an entry of an open directory, not at what it may point to; None: there is none."""
    try:
        return os.stat(name, dir_fd=here, follow_symlinks=False)
    except FileNotFoundError:
        return None


def replace_at(here: int, name: str, content: bytes, rename: Rename = os.rename) -> None:
    """Let the whole file appear at once; a draft that a crash left is overwritten."""
    draft = f".supervisor-{hashlib.sha256(name.encode()).hexdigest()[:16]}"
    with suppress(FileNotFoundError):
        os.unlink(draft, dir_fd=here)
    try:
        _write(here, draft, content, like=status_at(here, name))
        rename(draft, name, src_dir_fd=here, dst_dir_fd=here)
    except OSError:
        with suppress(FileNotFoundError):
            os.unlink(draft, dir_fd=here)
        raise


def _write(here: int, name: str, content: bytes, *, like: os.stat_result | None) -> None:
    """Write a new file that belongs to whom the old one did; without one, as the directory does."""
    handle = os.open(name, _NEW, 0o600, dir_fd=here)
    with os.fdopen(handle, "wb") as file:
        file.write(content)
        file.flush()
        owner = like or os.fstat(here)
        if os.geteuid() == 0:
            os.fchown(handle, owner.st_uid, owner.st_gid)
        os.fchmod(handle, stat.S_IMODE(like.st_mode) if like else _ORDINARY)
        os.fsync(handle)

"""Paths of the workspace in which something was made, replaced by those of another.

The scripts of a Python environment begin with the path of its interpreter, and what is installed
in place is found by its path: copied as they are, they would look for a workspace that is gone.
"""

import os
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from supervisor_ai.workspaces.files.safe_open import (
    Parts,
    directory_beneath,
    file_at,
    parts_of,
    root_directory,
)

_TEXT: Final = 1 << 20
"""What is larger is no script."""
_NEW: Final = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC


def find_mentions(entry: Path, files: Path, tree: Path) -> None:
    """Write down which of the files name the workspace that they come from."""
    needle = os.fsencode(tree)
    with root_directory(files) as root:
        found = [path for path in _paths(root) if needle in (_text(root, path) or b"")]
    (entry / "mentions").write_bytes(b"\0".join(os.fsencode("/".join(path)) for path in found))
    (entry / "tree").write_bytes(needle)


def relocate(entry: Path, target: int, tree: Path) -> None:
    """Let copies below the target name their own workspace."""
    old, new = (entry / "tree").read_bytes(), os.fsencode(tree)
    for path in (entry / "mentions").read_bytes().split(b"\0"):
        parts = parts_of(os.fsdecode(path))
        text = _text(target, parts) if parts else None
        if text is not None:
            _write(target, parts, text.replace(old, new))


def _paths(root: int) -> Iterator[Parts]:
    """Yield everything that is no directory."""
    waiting: list[Parts] = [()]
    while waiting:
        parts = waiting.pop()
        with directory_beneath(root, parts) as directory, os.scandir(directory) as entries:
            for entry in entries:
                path = (*parts, entry.name)
                if entry.is_dir(follow_symlinks=False):
                    waiting.append(path)
                else:
                    yield path


def _text(root: int, parts: Parts) -> bytes | None:
    """Return the content of a text, or where a link points; None for everything else."""
    with directory_beneath(root, parts[:-1]) as directory:
        name = parts[-1]
        if _is_link(directory, name):
            return os.readlink(os.fsencode(name), dir_fd=directory)
        with file_at(directory, name) as handle:
            if handle is None or os.fstat(handle).st_size > _TEXT:
                return None
            content = os.read(handle, _TEXT)
    return None if b"\0" in content else content


def _write(root: int, parts: Parts, text: bytes) -> None:
    with directory_beneath(root, parts[:-1]) as directory:
        name = parts[-1]
        status = os.stat(name, dir_fd=directory, follow_symlinks=False)
        os.unlink(name, dir_fd=directory)
        if stat.S_ISLNK(status.st_mode):
            os.symlink(text, os.fsencode(name), dir_fd=directory)
            return
        with os.fdopen(os.open(name, _NEW, 0o600, dir_fd=directory), "wb") as file:
            file.write(text)
            os.fchmod(file.fileno(), stat.S_IMODE(status.st_mode))


def _is_link(directory: int, name: str) -> bool:
    return stat.S_ISLNK(os.stat(name, dir_fd=directory, follow_symlinks=False).st_mode)

"""Size limits of a snapshot: what becomes part of the user's repository, before it is hashed."""

import os
import stat
from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from supervisor_ai.engine.ports.workspaces import Quota
from supervisor_ai.workspaces.commits.admission import Cleared
from supervisor_ai.workspaces.files.safe_open import root_directory
from supervisor_ai.workspaces.layout import WorkspaceDirectory
from supervisor_ai.workspaces.repositories.bare_repository import write
from supervisor_ai.workspaces.repositories.git import Git

_NEW: Final = ("ls-files", "-z", "--others", "--exclude-standard")
_CHANGED: Final = ("diff-files", "-z", "--name-only", "--ignore-submodules=all")
_LEFT_ALONE: Final = ("update-index", "-z", "--assume-unchanged", "--stdin")


def write_bound(desk: WorkspaceDirectory, bound: Quota) -> None:
    """Remember how much of the workspace may be kept, whoever comes to keep it."""
    write(desk.bound, f"{bound.disk} {bound.files}\n")


def read_bound(desk: WorkspaceDirectory) -> Quota | None:
    """Return how much may be kept; None: all of it."""
    if not desk.bound.exists():
        return None
    disk, files = desk.bound.read_text().split()
    return Quota(disk=int(disk), files=int(files))


def withhold(git: Git, desk: WorkspaceDirectory, cleared: Cleared) -> Mapping[bytes, str]:
    """Keep git from taking more than is allowed; return what it will not take, and why.

    The largest files are left out first: what a person wrote is small.
    """
    bound = read_bound(desk)
    if bound is None or (cleared.size <= bound.disk and cleared.files <= bound.files):
        return {}
    new, changed = (frozenset(listed(git, *how)) for how in (_NEW, _CHANGED))
    with root_directory(desk.tree) as root:
        excess = _excess(_measure(root, new | changed), bound)
        for path in new.intersection(excess):
            os.unlink(path, dir_fd=root)
    git.run(*_LEFT_ALONE, stdin=b"".join(b"%b\0" % path for path in changed.intersection(excess)))
    reason = f"what is kept of an attempt is at most {bound.disk} bytes in {bound.files} files"
    return dict.fromkeys(excess, reason)


def untaken(git: Git) -> frozenset[bytes]:
    """List the files that git was to take and did not."""
    return frozenset((*listed(git, *_NEW), *listed(git, *_CHANGED)))


def listed(git: Git, *how: str) -> Iterator[bytes]:
    """Ask git for paths."""
    return (path for path in git.run(*how).output.split(b"\0") if path)


def _measure(root: int, paths: Iterable[bytes]) -> Iterator[tuple[int, bytes]]:
    """Take the length of each file, not its room on the disk: holes are hashed like all else."""
    for path in paths:
        try:
            status = os.stat(path, dir_fd=root, follow_symlinks=False)
        except (FileNotFoundError, NotADirectoryError):
            continue
        if not stat.S_ISDIR(status.st_mode):
            yield status.st_size, path


def _excess(measured: Iterable[tuple[int, bytes]], bound: Quota) -> list[bytes]:
    excess, size = [], 0
    for number, (length, path) in enumerate(sorted(measured), 1):
        size += length
        if size > bound.disk or number > bound.files:
            excess.append(path)
    return excess

"""Workspaces of which a part may be written and another only read: one mount for each part.

A mount is more than its permission: inside the sandbox nobody can rename, remove or replace the
place on which it lies. So a file that is mounted by itself can be written in place, but not
replaced by renaming another one over it: that fails with EBUSY, or before that with EROFS where
the directory around it is read-only and takes no temporary file. Links and renames do not cross
mounts either (EXDEV), so no file gets a second name where other rules hold.
"""

import os
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from supervisor_ai.domain.errors import InvalidInput
from supervisor_ai.domain.run.writable import Writable
from supervisor_ai.engine.ports.sandbox import Mount
from supervisor_ai.workspaces.commits.composition import is_plain
from supervisor_ai.workspaces.repositories.bare_repository import READABLE, make_directory

_FILE: Final = ".md"
"""What is called so is a file; everything else that does not exist yet is a directory."""


def lay_out(tree: Path, writable: Writable) -> None:
    """Check every path of the rules, and make the directories that the commit lacks."""
    for path, _ in writable.outermost_first:
        if not is_plain(path):
            raise InvalidInput(f"The path {path!r} is not one of a workspace's own files.")
        _reach(tree, path, is_made=_is_directory(path, writable))


def part_mounts(tree: Path, writable: Writable) -> Iterator[Mount]:
    """List the mounts over the tree's own, each after those that it lies in."""
    there = {path for path in writable.paths if os.path.lexists(tree / path)}
    above = {place for path in there for place in _above(path) if writable.allows(place)}
    for path in sorted(there | above, key=lambda path: (path.count("/"), path)):
        place = tree / path
        yield Mount(source=place, target=place, is_writable=writable.allows(path))


def _above(path: str) -> Iterator[str]:
    """Name the directories around a part.

    Whoever can rename one of them takes the part away with it, and may put another in its place:
    hence they are mounts of their own, as writable as before.
    """
    while "/" in path:
        path = path.rpartition("/")[0]
        yield path


def _is_directory(path: str, writable: Writable) -> bool:
    holds_others = any(other.startswith(f"{path}/") for other in writable.paths)
    return holds_others or not path.endswith(_FILE)


def _reach(tree: Path, path: str, *, is_made: bool) -> None:
    """Go to a path by real directories alone: a commit may hold links to anywhere."""
    place = tree
    for name in path.split("/"):
        place /= name
        if not os.path.lexists(place):
            if not is_made:
                return
            make_directory(place, READABLE)
        kind = place.lstat().st_mode
        is_last = place == tree / path
        if not (stat.S_ISDIR(kind) or (is_last and stat.S_ISREG(kind))):
            raise InvalidInput(
                f"The path {path!r} cannot be mounted: in the commit"
                f" {str(place.relative_to(tree))!r} is {_named(kind)}.",
                hint="Let it be a directory, or a regular file at the end of the path.",
            )


def _named(kind: int) -> str:
    if stat.S_ISLNK(kind):
        return "a symbolic link"
    return "a file" if stat.S_ISREG(kind) else "neither a file nor a directory"

"""What may not enter history, however a worker tries."""

import errno
import os
import re
import stat
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from supervisor_ai.workspaces.beneath import root_directory
from supervisor_ai.workspaces.removal import grant, open_directory, remove_at

_DOT_GIT: Final = ".git"
_GITLINK: Final = b"160000"
_ABSENT: Final = b"000000"
_OWN_STATE: Final = (b".supervisor/state.db", b".supervisor/artifacts/", b".supervisor/locks/")
_SKELETON: Final = frozenset({b"head", b"objects", b"refs", b"commondir"})
# What macOS and Windows take for `.git` (and, as a link, for `.gitmodules`) git never adds.
_INVISIBLE: Final = dict.fromkeys(
    (*range(0x200C, 0x2010), *range(0x202A, 0x202F), *range(0x206A, 0x2070), 0xFEFF)
)
_ALIAS: Final = re.compile(r"(^|\\)(\.git|git~1)[ .]*([\\:]|$)")
_LINK_ALIAS: Final = re.compile(r"(^|\\)(\.gitmodules|gitmod~\d|[gi7eba]{0,6}~\d+)[ .]*([\\:]|$)")


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """An entry of the tree that is about to differ from the start."""

    path: bytes
    old_mode: bytes
    old_object: bytes
    new_mode: bytes
    new_object: bytes


def parse_changes(raw: bytes) -> tuple[Change, ...]:
    """Read git's raw form of a difference."""
    fields = raw.split(b"\0")[:-1]
    return tuple(
        _change(described, path) for described, path in zip(fields[::2], fields[1::2], strict=True)
    )


def refused(
    changes: Collection[Change],
    *,
    lookalikes: Collection[bytes],
    included: Collection[bytes] = (),
    offenders: Collection[str] = (),
) -> tuple[Change, ...]:
    """Choose the changes that must not be made."""
    return tuple(
        change
        for change in changes
        if change.new_mode == _GITLINK
        or change.path.lower().startswith(_OWN_STATE)
        or change.path in included
        or change.new_object.decode() in offenders
        or any(_is_part(change.path, directory) for directory in lookalikes)
    )


def restoration(changes: Collection[Change]) -> bytes:
    """Write, for `update-index --index-info`, what the entries were before."""
    removed = [b"0 %b\t%b\0" % (change.new_object, change.path) for change in changes]
    restored = [
        b"%b %b\t%b\0" % (change.old_mode, change.old_object, change.path)
        for change in changes
        if change.old_mode != _ABSENT
    ]
    return b"".join(removed + restored)


def clean(tree: Path) -> tuple[bytes, ...]:
    """Remove what git must not meet and no commit can hold; return what looks like a repository.

    A nested `.git` would become a link to a commit that nobody has, and git would start programs
    that its configuration names; without it the files beside it are plain files.
    """
    root = _open_root(tree)
    lookalikes, waiting = [], [""]
    try:
        os.fchmod(root, stat.S_IMODE(os.fstat(root).st_mode) | stat.S_IRWXU)
        while waiting:
            path = waiting.pop()
            names = frozenset(_clean_directory(root, path, waiting))
            if _looks_like_repository(names):
                lookalikes.append(os.fsencode(path))
    finally:
        os.close(root)
    return tuple(lookalikes)


def is_git_alias(name: str) -> bool:
    """Tell whether some system takes a file of this name for a git directory."""
    return _ALIAS.search(_plain(name)) is not None


def _open_root(tree: Path) -> int:
    """Open the workspace itself, whose permissions a worker can take away like any others."""
    with root_directory(tree.parent) as parent:
        return open_directory(parent, tree.name)


def _change(described: bytes, path: bytes) -> Change:
    old_mode, new_mode, old_object, new_object, _ = described.removeprefix(b":").split(b" ")
    return Change(
        path=path,
        old_mode=old_mode,
        old_object=old_object,
        new_mode=new_mode,
        new_object=new_object,
    )


def _is_part(path: bytes, directory: bytes) -> bool:
    if directory:
        return path.startswith(directory + b"/")
    return path.split(b"/", maxsplit=1)[0].lower() in _SKELETON


def _looks_like_repository(names: Collection[str]) -> bool:
    has_parts = ("objects" in names and "refs" in names) or "commondir" in names
    return "head" in names and has_parts


def _clean_directory(root: int, path: str, waiting: list[str]) -> Iterator[str]:
    try:
        directory = open_directory(root, path or ".")
    except OSError as error:
        if error.errno != errno.ENAMETOOLONG:
            raise
        return  # Git cannot see so deep either.
    try:
        with os.scandir(directory) as entries:
            for entry in list(entries):
                if _is_kept(entry, directory, is_root=not path):
                    yield entry.name.lower()
                    if entry.is_dir(follow_symlinks=False):
                        waiting.append(f"{path}/{entry.name}" if path else entry.name)
    finally:
        os.close(directory)


def _is_kept(entry: os.DirEntry[str], directory: int, *, is_root: bool) -> bool:
    if is_root and entry.name == _DOT_GIT:
        return False
    mode = entry.stat(follow_symlinks=False).st_mode
    if not _is_admissible(entry.name, mode):
        remove_at(directory, entry.name)
        return False
    needed = stat.S_IRWXU if stat.S_ISDIR(mode) else stat.S_IRUSR
    if mode & needed != needed:
        grant(directory, entry.name, needed)
    return True


def _is_admissible(name: str, mode: int) -> bool:
    if not (stat.S_ISREG(mode) or stat.S_ISDIR(mode) or stat.S_ISLNK(mode)):
        return False
    is_link_alias = stat.S_ISLNK(mode) and _LINK_ALIAS.search(_plain(name))
    return not (is_git_alias(name) or is_link_alias)


def _plain(name: str) -> str:
    return name.translate(_INVISIBLE).lower()

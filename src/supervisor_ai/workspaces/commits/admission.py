"""Checks what may not enter history, however a worker tries."""

import os
import re
import stat
from collections.abc import Collection, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Final

from msgspec import Struct, field

from supervisor_ai.workspaces.files.removal import grant, open_directory, remove_at
from supervisor_ai.workspaces.files.safe_open import root_directory
from supervisor_ai.workspaces.repositories.written_names import WrittenNames

_DOT_GIT: Final = ".git"
_GITLINK: Final = b"160000"
_ABSENT: Final = b"000000"
_OWN_STATE: Final = (
    b".supervisor/state.db",
    b".supervisor/artifacts/",
    b".supervisor/locks/",
    b".supervisor/logs/",
)
_SKELETON: Final = frozenset({b"head", b"objects", b"refs", b"commondir"})
# What macOS and Windows take for `.git` (and, as a link, for `.gitmodules`) git never adds.
_INVISIBLE: Final = dict.fromkeys(
    (*range(0x200C, 0x2010), *range(0x202A, 0x202F), *range(0x206A, 0x2070), 0xFEFF)
)
_ALIAS: Final = re.compile(r"(^|\\)(\.git|git~1)[ .]*([\\:]|$)")
_LINK_ALIAS: Final = re.compile(r"(^|\\)(\.gitmodules|gitmod~\d|[gi7eba]{0,6}~\d+)[ .]*([\\:]|$)")
_FAMILIES: Final = {
    "gitmodules": re.compile(r"(^|\\)(\.gitmodules|gi[a-z0-9]{1,4}~\d+)[ .]*([\\:]|$)"),
    "gitattributes": re.compile(r"(^|\\)(\.gitattributes|gi[a-z0-9]{1,4}~\d+)[ .]*([\\:]|$)"),
}
"""What git reads by itself, by the first letters of its complaints about it."""
_LONGEST: Final = 3_000
"""More leaves no room for the directory in which the files are checked out."""
_REPOSITORY: Final = "some system would take it for a git directory"
_SPECIAL: Final = "it is neither a file, a directory nor a link"
_TOO_LONG: Final = f"its path is longer than {_LONGEST} bytes"


class TreeChange(Struct, frozen=True, kw_only=True):
    """An entry of the tree that is about to differ from the start."""

    path: bytes
    old_mode: bytes
    old_object: bytes
    new_mode: bytes
    new_object: bytes


def parse_changes(raw: bytes) -> tuple[TreeChange, ...]:
    """Read git's raw form of a difference."""
    fields = raw.split(b"\0")[:-1]
    return tuple(
        _change(described, path) for described, path in zip(fields[::2], fields[1::2], strict=True)
    )


class Cleared(Struct, frozen=True, kw_only=True):
    """What was found in a workspace, and what had to go from it before git looks."""

    lookalikes: frozenset[bytes]
    """Directories that look like a repository; `b""` is the workspace itself."""
    removed: Mapping[bytes, str]
    size: int
    files: int
    touched: tuple[bytes, ...] | None = None
    """All that can differ from what the workspace was made of; None where nobody knows."""


class Rules(Struct, frozen=True, kw_only=True):
    """What must not be changed, and why."""

    lookalikes: Collection[bytes] = ()
    included: Collection[bytes] = ()
    removed: Mapping[bytes, str] = field(default_factory=dict)
    offenders: Mapping[str, str] = field(default_factory=dict)
    """The objects that git refused, each with the name of its complaint."""
    families: Collection[str] = ()
    """Complaints for which everything that could be meant is left out."""

    def refused(self, changes: Collection[TreeChange]) -> dict[TreeChange, str]:
        """Choose the changes that must not be made."""
        found = ((change, self._objection(change)) for change in changes)
        return {change: why for change, why in found if why}

    def _objection(self, change: TreeChange) -> str | None:
        if change.new_mode == _GITLINK:
            return "it is a repository of its own"
        if change.path.lower().startswith(_OWN_STATE):
            return "it is the place of supervisor's own state"
        if change.path in self.included:
            return "it was copied from your checkout, where git ignores it"
        if _lies_in(change.path, self.lookalikes):
            return "its directory looks like a git repository"
        if self._was_too_long(change.path):
            return _TOO_LONG
        complaint = self.offenders.get(change.new_object.decode())
        complaint = complaint or next((it for it in self.families if _concerns(it, change)), None)
        return f"git's own check refuses it ({complaint})" if complaint else None

    def _was_too_long(self, path: bytes) -> bool:
        return len(path) > _LONGEST or any(
            self.removed.get(place) == _TOO_LONG for place in _above(path)
        )


def restoration(changes: Collection[TreeChange]) -> bytes:
    """Write, for `update-index --index-info`, what the entries were before."""
    removed = [b"0 %b\t%b\0" % (change.new_object, change.path) for change in changes]
    restored = [
        b"%b %b\t%b\0" % (change.old_mode, change.old_object, change.path)
        for change in changes
        if change.old_mode != _ABSENT
    ]
    return b"".join(removed + restored)


def clean(tree: Path, written: WrittenNames | None = None) -> Cleared:
    """Remove what git must not meet and no commit can hold.

    A nested `.git` would become a link to a commit that nobody has, and git would start programs
    that its configuration names; without it the files beside it are plain files. Where it is known
    what was written, the rest is as a commit had it, and nobody looks there.
    """
    root = _open_root(tree)
    try:
        os.fchmod(root, stat.S_IMODE(os.fstat(root).st_mode) | stat.S_IRWXU)
        return _Broom(root, written).sweep()
    finally:
        os.close(root)


def is_git_alias(name: str) -> bool:
    """Tell whether some system takes a file of this name for a git directory."""
    return _ALIAS.search(_plain(name)) is not None


def _open_root(tree: Path) -> int:
    """Open the workspace itself, whose permissions a worker can take away like any others."""
    with root_directory(tree.parent) as parent:
        return open_directory(parent, tree.name)


def _change(described: bytes, path: bytes) -> TreeChange:
    old_mode, new_mode, old_object, new_object, _ = described.removeprefix(b":").split(b" ")
    return TreeChange(
        path=path,
        old_mode=old_mode,
        old_object=old_object,
        new_mode=new_mode,
        new_object=new_object,
    )


def _above(path: bytes) -> Iterator[bytes]:
    """Name the path and every directory around it, but for the workspace."""
    while path:
        yield path
        path = path.rpartition(b"/")[0]


def _lies_in(path: bytes, places: Collection[bytes]) -> bool:
    if any(place in places for place in _above(path)):
        return True
    return b"" in places and path.split(b"/", maxsplit=1)[0].lower() in _SKELETON


def _concerns(complaint: str, change: TreeChange) -> bool:
    """Tell whether a complaint that names no file may be about this one."""
    known = (at for start, at in _FAMILIES.items() if complaint.startswith(start))
    pattern = next(known, None)
    if pattern is None:
        return True
    parts = change.path.decode(errors="replace").split("/")
    return any(pattern.search(_plain(part)) for part in parts)


def _looks_like_repository(names: Collection[str]) -> bool:
    has_parts = ("objects" in names and "refs" in names) or "commondir" in names
    return "head" in names and has_parts


class _Broom:
    """Goes through a workspace once, from the top."""

    def __init__(self, root: int, written: WrittenNames | None) -> None:
        self._root = root
        self._waiting = [("", written)]
        """Directories, each with what knows what was written in it, if anything does."""
        self._removed: dict[bytes, str] = {}
        self._touched: list[bytes] = []
        self._is_all_known = True
        self._size = 0
        self._files = 0

    def sweep(self) -> Cleared:
        """Visit every directory in which something may have been written."""
        lookalikes = []
        while self._waiting:
            path, written = self._waiting.pop()
            if _looks_like_repository(frozenset(self._sweep_directory(path, written))):
                lookalikes.append(os.fsencode(path))
        return Cleared(
            lookalikes=frozenset(lookalikes),
            removed=self._removed,
            size=self._size,
            files=self._files,
            touched=tuple(sorted(self._touched)) if self._is_all_known else None,
        )

    def _sweep_directory(self, path: str, written: WrittenNames | None) -> Iterator[str]:
        names = None if written is None else written.inside(path)
        if names is None:
            written, self._is_all_known = None, False
        directory = open_directory(self._root, path or ".")
        try:
            with os.scandir(directory) as entries:
                found = {it.name: it for it in entries if path or it.name != _DOT_GIT}
            for name, entry in found.items():
                if names is None or name in names:
                    yield from self._look(entry, directory, path, written)
                else:
                    yield name.lower()
        finally:
            os.close(directory)
        if written is not None and names is not None:
            self._miss(path, names.difference(found, () if path else {_DOT_GIT}), written)

    def _miss(self, above: str, names: Iterable[str], written: WrittenNames) -> None:
        """Note what was removed; of a directory nobody knows here what it held."""
        for name in names:
            path = _join(above, name)
            self._touched.append(os.fsencode(path))
            self._is_all_known &= not written.is_retyped(path, is_directory=False)

    def _look(
        self, entry: os.DirEntry[str], directory: int, above: str, written: WrittenNames | None
    ) -> Iterator[str]:
        path = _join(above, entry.name)
        status = entry.stat(follow_symlinks=False)
        is_directory = stat.S_ISDIR(status.st_mode)
        if written is not None and written.is_retyped(path, is_directory=is_directory):
            written, self._is_all_known = None, False
        objection = _objection(path, entry.name, status.st_mode)
        if objection is not None or not is_directory:
            self._touched.append(os.fsencode(path))
        if objection is not None:
            remove_at(directory, entry.name)
            self._removed[os.fsencode(path)] = objection
            return
        needed = stat.S_IRWXU if is_directory else stat.S_IRUSR
        if status.st_mode & needed != needed:
            grant(directory, entry.name, needed)
        if is_directory:
            self._waiting.append((path, written))
        else:
            self._size += status.st_size
            self._files += 1
        yield entry.name.lower()


def _join(above: str, name: str) -> str:
    return f"{above}/{name}" if above else name


def _objection(path: str, name: str, mode: int) -> str | None:
    """Say why git must not meet an entry."""
    if len(os.fsencode(path)) > _LONGEST:
        return _TOO_LONG
    if not (stat.S_ISREG(mode) or stat.S_ISDIR(mode) or stat.S_ISLNK(mode)):
        return _SPECIAL
    is_link_alias = stat.S_ISLNK(mode) and _LINK_ALIAS.search(_plain(name))
    return _REPOSITORY if is_git_alias(name) or is_link_alias else None


def _plain(name: str) -> str:
    return name.translate(_INVISIBLE).lower()

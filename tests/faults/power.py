"""Disks as they are after the power has gone, made from a log of all that was written and synced.

The model is that of a journalling file system (ext4, XFS). Names (creating, renaming, linking,
removing, modes) reach the disk in the order in which they were made: any sync brings all of those
before it there; of the later ones some first part is there. What was written into a file is there
if the file was synced after it, or handed to the disk (`sync_file_range`) before some later sync.
Of the rest of each file there is nothing, everything, the first half of the writes, those with the
last one torn at a sector, or the new length with zeros in it: each file for itself. Memory maps
(the `-shm` of SQLite) are not synced by anybody, and never there.
"""

import os
import random
import shutil
import stat
import struct
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from msgspec import Struct

HEAD: Final = struct.Struct("<IIIIQQII")
SECTOR: Final = 512
FATES: Final = ("nothing", "nothing", "all", "half", "torn", "zeros")


class Change(Struct, frozen=True):
    """One record of the log."""

    kind: str
    path: str
    other: str
    data: bytes
    offset: int
    inode: int
    mode: int


def read_log(file: Path) -> Iterator[Change]:
    """Read what the shim has written down."""
    log, at = file.read_bytes(), 0
    while at < len(log):
        kind, *sizes, offset, inode, mode, _ = HEAD.unpack_from(log, at)
        at += HEAD.size
        parts = []
        for size in sizes:
            parts.append(log[at : at + size])
            at += size
        path, other, content = parts
        yield Change(chr(kind), os.fsdecode(path), os.fsdecode(other), content, offset, inode, mode)


class File(Struct, eq=False):
    """A file: what is on the disk, and what was written since."""

    durable: bytearray
    pending: list[Change] = []
    handed: int = 0

    def sync(self, upto: int) -> None:
        """Bring the first writes to the disk."""
        for change in self.pending[:upto]:
            apply(self.durable, change)
        self.pending = self.pending[upto:]
        self.handed = 0

    def content(self, fate: str) -> bytes:
        """Return what is found after the power has gone."""
        found, left = bytearray(self.durable), self.pending
        if fate == "zeros":
            whole = bytearray(found)
            for change in left:
                apply(whole, change)
            return bytes(found.ljust(len(whole), b"\0")[: max(len(found), len(whole))])
        kept = {"nothing": 0, "all": len(left)}.get(fate, len(left) // 2)
        for change in left[:kept]:
            apply(found, change)
        if fate == "torn" and left[kept:]:
            torn = left[kept]
            cut = len(torn.data) // 2 // SECTOR * SECTOR or len(torn.data) // 2
            apply(found, Change("w", "", "", torn.data[:cut], torn.offset, 0, 0))
        return bytes(found)


def apply(content: bytearray, change: Change) -> None:
    """Write into a content, or cut it."""
    if change.kind == "t":
        del content[change.offset :]
        content.extend(bytes(change.offset - len(content)))
        return
    if not change.data:
        return
    content.extend(bytes(max(0, change.offset - len(content))))
    content[change.offset : change.offset + len(change.data)] = change.data


Tree = dict[str, tuple[int, File | None]]
"""Modes and files by their paths; a directory has no file."""


class Disk:
    """The state of a directory while the log is played."""

    def __init__(self, base: Path, place: Path) -> None:
        self._names: Tree = {}
        self._waiting: list[tuple[Change, File | None]] = []
        self._files: dict[int, File] = {}
        for path in sorted(base.rglob("*")):
            found, there = path.lstat(), str(place / path.relative_to(base))
            original = Path(there).lstat()
            if stat.S_ISREG(found.st_mode):
                file = File(bytearray(path.read_bytes()))
                self._files[original.st_ino] = file
                self._names[there] = (found.st_mode, file)
            elif stat.S_ISDIR(found.st_mode):
                self._names[there] = (found.st_mode, None)

    def play(self, change: Change) -> None:
        """Let a change happen; it is on the disk when it is synced."""
        match change.kind:
            case "w" | "t":
                self._file(change.inode).pending.append(change)
            case "c":
                file = self._files[change.inode] = File(bytearray())
                self._waiting.append((change, file))
            case "h":
                self._file(change.inode).handed = len(self._file(change.inode).pending)
            case "s":
                self._sync(change)
            case _:
                self._waiting.append((change, None))

    def _file(self, inode: int) -> File:
        return self._files.setdefault(inode, File(bytearray()))

    def _sync(self, change: Change) -> None:
        for waiting, made in self._waiting:
            rename(self._names, waiting, made)
        self._waiting.clear()
        if stat.S_ISREG(change.mode):
            self._file(change.inode).sync(len(self._file(change.inode).pending))
        for file in self._files.values():
            if file.handed:
                file.sync(file.handed)

    def tree(self, upto: int | None = None) -> Tree:
        """Return the names that are on the disk, with so many of those that are not certain."""
        found = dict(self._names)
        for waiting, made in self._waiting[:upto]:
            rename(found, waiting, made)
        return found

    def write(self, place: Path, chances: random.Random) -> None:
        """Make the directory as it is found after the power has gone now."""
        upto = chances.choice([0, 0, len(self._waiting), chances.randint(0, len(self._waiting))])
        shutil.rmtree(place)
        place.mkdir(mode=0o755)
        for path, (mode, file) in sorted(self.tree(upto).items()):
            if file is None:
                Path(path).mkdir(parents=True, exist_ok=True)
            elif not path.endswith("-shm"):
                Path(path).parent.mkdir(parents=True, exist_ok=True)
                Path(path).write_bytes(file.content(chances.choice(FATES)))
            else:
                continue
            Path(path).chmod(stat.S_IMODE(mode) or 0o700)

    def strange(self, place: Path) -> list[str]:
        """Name what is otherwise than the log says when all of it has reached the disk."""
        wanted = {
            path: file.content("all")
            for path, (_, file) in self.tree().items()
            if file is not None and path.startswith(f"{place}/")
        }
        found = {str(it): it.read_bytes() for it in place.rglob("*") if it.is_file()}
        names = {*wanted, *found}
        return sorted(
            it for it in names if not it.endswith("-shm") and wanted.get(it) != found.get(it)
        )


def rename(names: Tree, change: Change, made: File | None) -> None:
    """Change the names of a directory."""
    path, other = change.path, change.other
    match change.kind:
        case "c":
            names[path] = (change.mode, made)
        case "d":
            names[path] = (change.mode, None)
        case "m" if path in names:
            names[path] = (change.mode, names[path][1])
        case "l" if path in names:
            names[other] = names[path]
        case "r" if path in names:
            for name in [it for it in names if it == path or it.startswith(f"{path}/")]:
                names[other + name.removeprefix(path)] = names.pop(name)
        case "u":
            names.pop(path, None)
        case _:
            pass

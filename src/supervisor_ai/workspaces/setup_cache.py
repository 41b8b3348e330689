"""A cache of what set-up commands made, for workspaces in which an equal set-up is asked for."""

import errno
import hashlib
import json
import os
import platform
import sys
import time
from collections.abc import Collection, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from secrets import token_hex
from typing import Final

from supervisor_ai.domain.errors import InvalidInput, Unavailable
from supervisor_ai.engine.ports.workspaces import SetupCache
from supervisor_ai.tools.file_lock import held
from supervisor_ai.workspaces.files.relocation import find_mentions, relocate
from supervisor_ai.workspaces.files.removal import remove, remove_at
from supervisor_ai.workspaces.files.safe_copy import Copy, CopyLimits, has_entry
from supervisor_ai.workspaces.files.safe_open import (
    Parts,
    directory_beneath,
    file_at,
    parts_of,
    root_directory,
)
from supervisor_ai.workspaces.repositories.bare_repository import PRIVATE, make_directory

_VERSION: Final = 1
"""Raised when entries are written in another form."""
_GIB: Final = 1 << 30
_PIECE: Final = 1 << 20
_ABANDONED_SECONDS: Final = 6 * 3600
_UNFINISHED: Final = "unfinished-"
_IN_THE_WAY: Final = {errno.ENOTDIR, errno.ELOOP}
_FULL: Final = {errno.ENOSPC, errno.EDQUOT}


class SetupCaches:
    """A directory with one entry per set-up; an entry is whole or absent."""

    def __init__(
        self, directory: Path, *, entry_size: int = 4 * _GIB, total_size: int = 10 * _GIB
    ) -> None:
        self._directory = directory
        self._entry_size = entry_size
        self._total_size = total_size

    def take(self, tree: Path, cache: SetupCache, hides: bytes = b"") -> bool:
        """Copy an entry into a workspace; tell whether there was one that could be used."""
        paths = _checked(cache)
        entry = self._directory / _name(tree, cache, hides)
        with _held(entry) as is_there:
            if not is_there:
                return False
            os.utime(entry)
            return self._place(entry, tree, paths)

    def keep(self, tree: Path, cache: SetupCache, hides: bytes = b"") -> None:
        """Keep what a workspace has at the paths; what cannot be kept is made again later."""
        paths = _checked(cache)
        entry = self._directory / _name(tree, cache, hides)
        if entry.exists():
            return
        unfinished = self._directory / f"{_UNFINISHED}{token_hex(8)}"
        try:
            make_directory(self._directory, PRIVATE)
            if self._write(unfinished, tree, paths):
                unfinished.rename(entry)
                self._make_room()
        except (OSError, Unavailable):
            return
        finally:
            remove(unfinished)

    def _place(self, entry: Path, tree: Path, paths: Collection[Parts]) -> bool:
        with root_directory(entry / "files") as source, root_directory(tree) as target:
            if any(_is_taken(target, parts) for parts in paths):
                return False  # What the commit has there counts for more.
            copy = Copy(source=source, target=target, allowance=self._allowance())
            try:
                for parts in paths:
                    copy.entry(parts)
                relocate(entry, target, tree)
            except OSError as error:
                if error.errno not in _FULL:
                    raise
                _take_away(target, paths)
                return False
        return True

    def _write(self, unfinished: Path, tree: Path, paths: Collection[Parts]) -> bool:
        """Copy what is there; False if nothing is."""
        files = unfinished / "files"
        make_directory(unfinished, PRIVATE)
        make_directory(files, PRIVATE)
        allowance = self._allowance()
        with root_directory(tree) as source, root_directory(files) as target:
            copy = Copy(source=source, target=target, allowance=allowance)
            is_anything = [copy.entry(parts) for parts in paths]
        if not any(is_anything):
            return False
        find_mentions(unfinished, files, tree)
        (unfinished / "size").write_text(f"{allowance.copied}\n")
        os.sync()  # A name that survives a power cut must not stand for files that did not.
        return True

    def _allowance(self) -> CopyLimits:
        return CopyLimits(what="The files of a set-up", size=self._entry_size, files=1_000_000)

    def _make_room(self) -> None:
        """Remove what nobody finished, and what was not used for longest, above the total."""
        entries = list(self._directory.iterdir())
        for path in entries:
            if path.name.startswith(_UNFINISHED) and _age(path) > _ABANDONED_SECONDS:
                remove(path)
        kept = [path for path in entries if not path.name.startswith(_UNFINISHED)]
        total = 0
        for entry in sorted(kept, key=_age):
            total += _size(entry)
            if total > self._total_size:
                self._drop(entry)

    def _drop(self, entry: Path) -> None:
        with _held(entry, is_shared=False) as is_there:
            if is_there:
                waste = self._directory / f"{_UNFINISHED}{token_hex(8)}"
                entry.rename(waste)
                remove(waste)


def _checked(cache: SetupCache) -> tuple[Parts, ...]:
    for path in (*cache.key_files, *cache.paths):
        parts = parts_of(path)
        is_git = any(part.lower() == ".git" for part in parts)
        if not parts or path.startswith("/") or ".." in parts or is_git or "\0" in path:
            raise InvalidInput(
                f"The path {path!r} of the set-up's cache is not one of a workspace's own files.",
                hint="Name paths below the top of the repository, such as `node_modules`.",
            )
    return tuple(parts_of(path) for path in cache.paths)


def _name(tree: Path, cache: SetupCache, hides: bytes) -> str:
    with root_directory(tree) as root:
        keys = [(name, _digest(root, parts_of(name))) for name in cache.key_files]
    machine = (sys.platform, platform.machine(), sys.version_info[:2])
    said = (_VERSION, machine, cache.command, cache.paths, keys, hides.hex())
    return hashlib.sha256(json.dumps(said).encode()).hexdigest()


def _digest(root: int, parts: Parts) -> str | None:
    """Return what tells one content of a file from another; None if there is no such file."""
    digest = hashlib.sha256()
    try:
        with directory_beneath(root, parts[:-1]) as above, file_at(above, parts[-1]) as handle:
            if handle is None:
                return None
            while piece := os.read(handle, _PIECE):
                digest.update(piece)
    except OSError:
        return None
    return digest.hexdigest()


def _is_taken(root: int, parts: Parts) -> bool:
    try:
        return has_entry(root, parts)
    except OSError as error:
        if error.errno in _IN_THE_WAY:
            return True
        raise


def _take_away(root: int, paths: Collection[Parts]) -> None:
    for parts in paths:
        with suppress(FileNotFoundError), directory_beneath(root, parts[:-1]) as above:
            remove_at(above, parts[-1])


@contextmanager
def _held(entry: Path, *, is_shared: bool = True) -> Iterator[bool]:
    """Keep others from removing an entry meanwhile; say whether it is there and can be had."""
    try:
        handle = os.open(entry, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    except FileNotFoundError:
        yield False
        return
    with held(handle, is_shared=is_shared, patience=0) as is_locked:
        yield is_locked and _is_same(handle, entry)


def _is_same(handle: int, entry: Path) -> bool:
    with suppress(FileNotFoundError):
        return os.path.samestat(os.fstat(handle), entry.stat())
    return False


def _age(path: Path) -> float:
    with suppress(FileNotFoundError):
        return time.time() - path.stat().st_mtime
    return 0.0


def _size(entry: Path) -> int:
    with suppress(FileNotFoundError, ValueError):
        return int((entry / "size").read_text())
    return 0

"""A knowledge store in a plain directory: read with care, written file by file."""

import hashlib
import os
import stat
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Final

from supervisor_ai.control.ports.knowledge import FILE_BYTES, MOST_FILES, StoreFile
from supervisor_ai.domain.errors import Conflict, Denied, InvalidInput, Unavailable
from supervisor_ai.tools.file_lock import held
from supervisor_ai.workspaces.files.replacement import replace_at, status_at
from supervisor_ai.workspaces.files.safe_open import (
    directory_beneath,
    file_at,
    parts_of,
    read_beneath,
    root_directory,
)

_DEEPEST: Final = 4
_GUIDE_BYTES: Final = 1 << 20
_LINK: Final = "it is a symbolic link, and no link is followed"


class DirectoryKnowledge:
    """The store below a directory that exists; the way there may lead through no link."""

    def __init__(self, root: Path, place: str) -> None:
        self._root = root
        self._place = parts_of(place)

    def stamp(self) -> str | None:
        """Name what is in it by names, sizes and times of its files; None: there is none."""
        digest, number = hashlib.sha256(), 0
        for path, entry in self._entries():
            status = entry.stat(follow_symlinks=False)
            told = (path, status.st_size, status.st_mtime_ns, status.st_ino)
            digest.update(repr(told).encode(errors="replace"))
            number += 1
        return digest.hexdigest() if number else None

    def read(self) -> Sequence[StoreFile]:
        """Read its files; nothing that a link leads to is read."""
        found: list[StoreFile] = []
        for path, entry in self._entries():
            if len(found) == MOST_FILES:
                trouble = f"{MOST_FILES} files are the most that are looked at"
                return (*found, StoreFile(path="", content=None, trouble=trouble))
            if entry.is_symlink():
                found.append(StoreFile(path=path, content=None, trouble=_LINK))
            else:
                found.append(self._file(path))
        return sorted(found, key=lambda it: it.path)

    def write(self, contents: Mapping[str, bytes], *, stamp: str | None) -> None:
        """Write files where the store is still as its stamp says; two processes take turns."""
        with alone_in(self._root):
            if self.stamp() != stamp:
                raise Conflict(
                    "Somebody has changed the knowledge store meanwhile. Nothing was written.",
                    hint="Look at it and try again.",
                )
            self.put(contents)

    def put(self, contents: Mapping[str, bytes]) -> None:
        """Write files by their paths in the store; nothing is written through a link."""
        self._root.mkdir(parents=True, exist_ok=True)
        for path, content in contents.items():
            *above, name = (*self._place, *parts_of(path))
            self._make(tuple(above), path)
            try:
                with (
                    root_directory(self._root) as root,
                    directory_beneath(root, tuple(above)) as here,
                ):
                    _refuse_other(here, name, path)
                    replace_at(here, name, content)
            except OSError as error:
                raise _unwritable(path, error) from error

    def _make(self, above: tuple[str, ...], path: str) -> None:
        """Make the directories on the way; one that is a link leads nowhere."""
        for depth in range(len(above)):
            try:
                with (
                    root_directory(self._root) as root,
                    directory_beneath(root, above[:depth]) as here,
                ):
                    if status_at(here, above[depth]) is None:
                        os.mkdir(above[depth], dir_fd=here)
            except OSError as error:
                raise _unwritable(path, error) from error

    def _file(self, path: str) -> StoreFile:
        *above, name = (*self._place, *parts_of(path))
        try:
            with (
                root_directory(self._root) as root,
                directory_beneath(root, tuple(above)) as here,
                file_at(here, name) as handle,
            ):
                if handle is None:
                    return StoreFile(path=path, content=None, trouble="it is no regular file")
                with os.fdopen(handle, "rb", closefd=False) as file:
                    content = file.read(FILE_BYTES + 1)
        except OSError as error:
            trouble = f"it cannot be read: {error.strerror}"
            return StoreFile(path=path, content=None, trouble=trouble)
        if len(content) > FILE_BYTES:
            trouble = f"the file has more than {FILE_BYTES} bytes, the most that are read"
            return StoreFile(path=path, content=None, trouble=trouble)
        return StoreFile(path=path, content=content)

    def _entries(self) -> Iterator[tuple[str, os.DirEntry[str]]]:
        """Yield what lies in the store, links included, by its path there."""
        waiting: list[tuple[str, ...]] = [()]
        while waiting:
            below = waiting.pop()
            try:
                with (
                    root_directory(self._root) as root,
                    directory_beneath(root, (*self._place, *below)) as here,
                    os.scandir(here) as entries,
                ):
                    level = sorted(entries, key=lambda it: it.name)[: MOST_FILES + 1]
                    for entry in level:
                        parts = (*below, entry.name)
                        if not entry.is_dir(follow_symlinks=False):
                            yield "/".join(parts), entry
                        elif len(parts) < _DEEPEST:
                            waiting.append(parts)
            except OSError:
                continue  # It is gone, or something else is in its place.


def alone_in(directory: Path) -> AbstractContextManager[bool]:
    """Keep other processes of ours from writing into a directory meanwhile."""
    directory.mkdir(parents=True, exist_ok=True)
    return held(os.open(directory, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC))


def _refuse_other(here: int, name: str, path: str) -> None:
    status = status_at(here, name)
    if status is not None and not stat.S_ISREG(status.st_mode):
        raise Denied(
            f"In place of {path!r} there is no regular file.",
            hint="Remove what is there: documents are plain files only.",
        )


def _unwritable(path: str, error: OSError) -> Unavailable:
    return Unavailable(
        f"The document {path!r} cannot be written: {error.strerror}.",
        hint="Its directories must be real ones, and writable for you.",
    )


class CheckoutGuides:
    """The files right at the top of a checkout that agents read by themselves."""

    def __init__(self, top: Path) -> None:
        self._top = top
        self._files = DirectoryKnowledge(top, "")

    def read(self, name: str) -> str | None:
        """Return a file; None: there is none."""
        content = read_beneath(self._top, name, _GUIDE_BYTES + 1)
        if content is None:
            if os.path.lexists(self._top / name):
                raise Denied(
                    f"{name!r} is no regular file.",
                    hint="Nothing is read or written through a link: name the file it leads to.",
                )
            return None
        if len(content) > _GUIDE_BYTES:
            found = f"The file {name!r} has more than {_GUIDE_BYTES} bytes"
            raise InvalidInput(f"{found}, the most that are read.")
        try:
            return content.decode()
        except UnicodeDecodeError as error:
            raise InvalidInput(f"The file {name!r} is not UTF-8 text: {error.reason}.") from error

    def write(self, name: str, text: str | None, *, before: str | None) -> None:
        """Write or remove a file that is still as it was; nothing is written through a link."""
        with alone_in(self._top):
            if self.read(name) != before:
                raise Conflict(
                    f"Somebody has changed {name!r} meanwhile. Nothing was written.",
                    hint="Look at it and try again.",
                )
            if text is not None:
                self._files.put({name: text.encode()})
            elif before is not None:
                (self._top / name).unlink()

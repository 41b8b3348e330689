"""What was read from definitions, kept until something that it was read from is another one."""

import json
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from hashlib import sha256
from itertools import islice
from pathlib import Path
from typing import Final, Generic, TypeVar

import msgspec

from supervisor_ai.domain.errors import SupervisorError

_PACKAGE: Final = Path(__file__).parents[2]
_MOST_FILES: Final = 5_000
"""Where there are more, nothing is kept: to look at all of them takes longer than to read."""

Row = TypeVar("Row", bound=msgspec.Struct)
T = TypeVar("T")
Stamp = tuple[str, int, int, int, int]


class KeptForm(msgspec.Struct, Generic[T], frozen=True, kw_only=True):
    """How something that is kept is written and read."""

    encode: Callable[[T], bytes]
    decode: Callable[[bytes], T]
    is_kept: Callable[[T], bool] = lambda found: True
    """Tells what depends on nothing but what is looked at."""


class RowCache(msgspec.Struct, frozen=True, kw_only=True):
    """Keeps one answer of each name; without it everything is only slower."""

    directory: Path
    places: tuple[Path, ...]
    """The directories that a list depends on, besides the commit, the package and its plug-ins."""

    def rows(
        self, name: str, about: Sequence[str], kind: type[Row], read: Callable[[], Sequence[Row]]
    ) -> Sequence[Row]:
        """Return the rows that are known, or read them; `about` says of what they are."""
        decoder: msgspec.json.Decoder[Sequence[Row]] = msgspec.json.Decoder(list[kind])  # type: ignore[valid-type]
        form = KeptForm(encode=msgspec.json.encode, decode=decoder.decode)
        return self.kept(name, about, form, read)

    def kept(self, name: str, about: Sequence[str], form: KeptForm[T], read: Callable[[], T]) -> T:
        """Return what is known by this name, or read it; `about` says of what it is."""
        key, file = self._key(about), self.directory / f"{name}.json"
        if key is None or not _is_private(self.directory):
            return read()
        written = _written(file, key)
        if written is not None:
            # What cannot be read, or was written by another version, counts as nothing.
            with suppress(msgspec.DecodeError, SupervisorError):
                return form.decode(written)
        found = read()
        if form.is_kept(found):
            _keep(file, b"\n".join((key.encode(), form.encode(found))))
        return found

    def _key(self, about: Sequence[str]) -> str | None:
        deep = (stamp for place in (_PACKAGE, *self.places) for stamp in _below(place))
        # An adapter that is installed or removed changes the directory of packages.
        packages = filter(Path.is_dir, map(Path, sys.path))
        flat = [_stamp(str(place), place.stat()) for place in packages]
        stamps = list(islice(deep, _MOST_FILES + 1))
        if len(stamps) > _MOST_FILES:
            return None
        return sha256(json.dumps([*about, *stamps, *flat]).encode()).hexdigest()


def open_row_cache(state: Path, project: Path, own: Path) -> RowCache:
    """Open the cache of a project's lists, which depend on the user's own definitions as well."""
    named = sha256(os.fsencode(project)).hexdigest()[:16]
    return RowCache(directory=state / "lists" / named, places=(own,))


def _is_private(directory: Path) -> bool:
    """Close what is kept to everybody else, who could say in it what a run may do."""
    places = (directory.parent, directory)
    with suppress(OSError):
        directory.parent.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        for place in places:
            place.mkdir(mode=0o700, exist_ok=True)
            place.chmod(0o700)
        return all(place.stat().st_uid == os.geteuid() for place in places)
    return False


def _below(place: Path) -> Iterator[Stamp]:
    waiting, linked = [str(place)], {os.path.realpath(place)}
    while waiting:
        try:
            entries = sorted(os.scandir(waiting.pop()), key=lambda entry: entry.name)
        except OSError:
            continue
        for entry in entries:
            if entry.is_symlink() and not Path(entry).is_file():
                real = os.path.realpath(entry.path)
                waiting += [] if real in linked else [real]
                linked.add(real)
            elif entry.is_dir(follow_symlinks=False):
                waiting += [] if entry.name == "__pycache__" else [entry.path]
            elif entry.is_file():
                yield _stamp(entry.path, entry.stat())


def _stamp(path: str, seen: os.stat_result) -> Stamp:
    return (path, seen.st_size, seen.st_mtime_ns, seen.st_ctime_ns, seen.st_ino)


def _written(file: Path, key: str) -> bytes | None:
    try:
        of, _, content = file.read_bytes().partition(b"\n")
    except OSError:
        return None
    return content if of == key.encode() else None


def _keep(file: Path, content: bytes) -> None:
    draft = file.with_suffix(f".{os.getpid()}")
    # Where it cannot be kept, the next call reads the definitions again, as this one did.
    with suppress(OSError):
        draft.write_bytes(content)
        draft.replace(file)

"""Cache of lists: rows are kept until something that they were read from is another one."""

import json
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from hashlib import sha256
from itertools import islice
from pathlib import Path
from typing import Final, TypeVar

import msgspec

_PACKAGE: Final = Path(__file__).parents[2]
_MOST_FILES: Final = 5_000
"""Where there are more, nothing is kept: to look at all of them takes longer than to read."""

Row = TypeVar("Row", bound=msgspec.Struct)
Stamp = tuple[str, int, int, int, int]


class RowCache(msgspec.Struct, frozen=True, kw_only=True):
    """Keeps one list of each name; without it everything is only slower."""

    directory: Path
    places: tuple[Path, ...]
    """The directories that a list depends on, besides the commit, the package and its plug-ins."""

    def rows(
        self, name: str, about: Sequence[str], kind: type[Row], read: Callable[[], Sequence[Row]]
    ) -> Sequence[Row]:
        """Return the rows that are known, or read them; `about` says of what they are."""
        key, file = self._key(about), self.directory / f"{name}.json"
        known = _known(file, key, kind)
        if known is not None:
            return known
        found = read()
        if key is not None:
            _keep(file, msgspec.json.encode((key, found)))
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


def _below(place: Path) -> Iterator[Stamp]:
    waiting = [str(place)]
    while waiting:
        try:
            entries = sorted(os.scandir(waiting.pop()), key=lambda entry: entry.name)
        except OSError:
            continue
        for entry in entries:
            if entry.is_dir(follow_symlinks=False):
                waiting += [] if entry.name == "__pycache__" else [entry.path]
            elif entry.is_file():
                yield _stamp(entry.path, entry.stat())


def _stamp(path: str, seen: os.stat_result) -> Stamp:
    return (path, seen.st_size, seen.st_mtime_ns, seen.st_ctime_ns, seen.st_ino)


def _known(file: Path, key: str | None, kind: type[Row]) -> list[Row] | None:
    try:
        of, rows = msgspec.json.decode(file.read_bytes(), type=tuple[str, list[kind]])  # type: ignore[valid-type]
    except (OSError, msgspec.DecodeError):
        return None
    return rows if of == key else None


def _keep(file: Path, content: bytes) -> None:
    draft = file.with_suffix(f".{os.getpid()}")
    # Where it cannot be kept, the next call reads the definitions again, as this one did.
    with suppress(OSError):
        file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        draft.write_bytes(content)
        draft.replace(file)

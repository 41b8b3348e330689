"""What lies over the keys inside a directory that is shown, however deep they are.

A large installation is walked once: a directory is listed again only when its change time says
that something was added to it, taken away or renamed. Without that a start would cost a walk.
"""

import os
import re
import time
from collections.abc import Callable, Iterable, Iterator
from hashlib import sha256
from pathlib import Path
from typing import Final

from msgspec import Struct
from msgspec.structs import astuple

from supervisor_ai.engine.ports.sandbox import Mount
from supervisor_ai.sandboxes.host_view.secret_names import (
    EDITION,
    holds_key,
    is_doubtful,
    is_for_keys,
)

_MOST_DIRECTORIES: Final = 250_000
_UNSURE_NS: Final = 2_000_000_000
"""A directory that changed so recently may change again without a new change time."""

_PUBLISHED: Final = re.compile(r"/lib/python\d[\d.]*/test(/|$)")
"""Python's own tests come with keys that the whole world knows, and each cover has its price."""


class _Listed(Struct, frozen=True):
    """What of one directory matters here, the names with a slash between them, as it is kept.

    Thousands of these are read at every start.
    """

    changed: int = 0
    below: str = ""
    hidden: str = ""
    doubtful: str = ""
    links: str = ""


_REFUSED: Final = _Listed()
_Record = list[str]
"""What was listed, as it is kept: of each directory its path, and what of it matters."""
_WIDTH: Final = 1 + len(_Listed.__struct_fields__)


class SecretCovers:
    """Shows directories read-only with something empty over every key in them."""

    def __init__(self, place: Path, *, now: Callable[[], int] = time.time_ns) -> None:
        self._place = place
        self._now = now
        self._over: dict[Path, tuple[Mount, ...] | None] = {}

    def exposed(self, roots: Iterable[Path]) -> Iterator[Mount]:
        """Return the mounts that show them; one that is too large to be looked through is not."""
        for root in roots:
            if (covers := self._covers(root)) is not None:
                yield Mount(source=root, target=root)
                yield from covers

    def cover(self, path: Path) -> Mount:
        """Return what makes a path look empty."""
        return Mount(source=self._nothing(os.fspath(path)), target=path)

    def over(self, root: Path) -> tuple[Mount, ...]:
        """Return what has to lie over a directory that is shown already."""
        return self._covers(root) or ()

    def _covers(self, root: Path) -> tuple[Mount, ...] | None:
        """Look once in the life of a process, as for the tools themselves."""
        if root not in self._over:
            real = os.path.realpath(root)
            hidden = self._look_through(real) if os.path.isdir(real) else ()  # noqa: PTH112 - as text
            self._over[root] = (
                None
                if hidden is None
                else tuple(
                    Mount(source=self._nothing(path), target=root / os.path.relpath(path, real))
                    for path in hidden
                )
            )
        return self._over[root]

    def _look_through(self, root: str) -> tuple[str, ...] | None:
        record = self._place / f"{sha256(os.fsencode(root)).hexdigest()[:24]}.seen"
        before = _recall(record)
        if _is_same(root, before):
            return tuple(sorted(set(_found(root, _telling(before)))))
        known = _all(before)
        listed = _walk(root, known, self._now())
        if listed is None:
            return None
        if listed != known:
            _keep(record, listed)
        return tuple(sorted(set(_found(root, listed))))

    def _nothing(self, path: str) -> Path:
        """Return what stands for a key inside: an empty directory or an empty file."""
        self._place.mkdir(mode=0o711, parents=True, exist_ok=True)
        if os.path.isdir(path):  # noqa: PTH112 - as text
            (self._place / "empty").mkdir(mode=0o755, exist_ok=True)
            return self._place / "empty"
        (self._place / "nothing").touch(mode=0o444)
        return self._place / "nothing"


def _is_same(root: str, before: _Record) -> bool:
    """Tell whether no directory has changed; one that could not be listed is tried again."""
    places, stat = before[0::_WIDTH], os.lstat
    try:
        return root in places[:1] and before[1::_WIDTH] == [
            str(stat(place).st_ctime_ns) for place in places
        ]
    except OSError:
        return False


def _all(before: _Record) -> dict[str, _Listed]:
    rows = zip(*(before[at::_WIDTH] for at in range(_WIDTH)), strict=True)
    return {place: _Listed(int(changed), *names) for place, changed, *names in rows}


def _telling(before: _Record) -> dict[str, _Listed]:
    """Return of thousands of directories the few in which something is hidden or in doubt."""
    columns = (before[at::_WIDTH] for at in (0, 3, 4, 5))
    return {
        place: _Listed(hidden=hidden, doubtful=doubtful, links=links)
        for place, hidden, doubtful, links in zip(*columns, strict=True)
        if hidden or doubtful or links
    }


def _walk(root: str, before: dict[str, _Listed], now: int) -> dict[str, _Listed] | None:
    listed: dict[str, _Listed] = {}
    ahead = [root]
    while ahead:
        place = ahead.pop()
        try:
            changed = os.stat(place, follow_symlinks=False).st_ctime_ns  # noqa: PTH116 - as text
            known = before.get(place)
            is_same = known is not None and known.changed == changed
            here = known if known is not None and is_same else _list(place, changed, now)
        except OSError:
            # What we cannot list, the sandbox's user cannot list either.
            here = _REFUSED
        listed[place] = here
        ahead += (f"{place}/{name}" for name in _names(here.below))
        if len(listed) > _MOST_DIRECTORIES:
            return None
    return listed


def _list(place: str, changed: int, now: int) -> _Listed:
    is_sure, is_published = now - changed > _UNSURE_NS, _PUBLISHED.search(place) is not None
    above = place.rpartition("/")[2]
    hidden: list[str] = []
    doubtful: list[str] = []
    links: list[str] = []
    below: list[str] = []
    with os.scandir(place) as entries:
        for entry in entries:
            is_directory = entry.is_dir(follow_symlinks=False)
            if entry.is_symlink():
                if is_for_keys(entry.name, above, is_directory=entry.is_dir()):
                    links.append(entry.name)
            elif is_for_keys(entry.name, above, is_directory=is_directory):
                hidden.append(entry.name)
            elif is_directory:
                below.append(entry.name)
            elif not entry.is_file(follow_symlinks=False):
                # A socket is not closed by a read-only mount, and no tool needs a pipe.
                hidden.append(entry.name)
            elif is_doubtful(entry.name) and not is_published:
                doubtful.append(entry.name)
    return _Listed(changed if is_sure else 0, *map("/".join, (below, hidden, doubtful, links)))


def _names(joined: str) -> list[str]:
    return joined.split("/") if joined else []


def _found(root: str, listed: dict[str, _Listed]) -> Iterator[str]:
    for place, each in listed.items():
        if not (each.hidden or each.doubtful or each.links):
            continue
        yield from (f"{place}/{name}" for name in _names(each.hidden))
        doubted = (f"{place}/{name}" for name in _names(each.doubtful))
        yield from (path for path in doubted if holds_key(path))
        # A link is nothing by itself; what it stands for may be visible under its own name.
        ends = (os.path.realpath(f"{place}/{name}") for name in _names(each.links))
        inside = (end for end in ends if end.startswith(f"{root}/") and os.path.lexists(end))
        yield from (end for end in inside if not f"{place}/".startswith(f"{end}/"))


def _recall(record: Path) -> _Record:
    try:
        edition, *words = os.fsdecode(record.read_bytes()).split("\0")
    except OSError:
        return []
    is_whole = edition == EDITION and len(words) % _WIDTH == 0
    return words if is_whole and all(map(str.isdecimal, words[1::_WIDTH])) else []


def _keep(record: Path, listed: dict[str, _Listed]) -> None:
    record.parent.mkdir(mode=0o711, parents=True, exist_ok=True)
    rows = ((place, *map(str, astuple(each))) for place, each in listed.items())
    draft = record.with_suffix(f".{os.getpid()}")
    draft.write_bytes(os.fsencode("\0".join([EDITION, *(word for row in rows for word in row)])))
    draft.chmod(0o600)
    draft.replace(record)

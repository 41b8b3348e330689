"""The programs that may be started: found here and nowhere else, and by absolute path.

An entry of a search path that is relative or empty means whatever directory a process stands in;
one in a distrusted place, or on a way that leads through one, holds what strangers put there.
"""

import os
from collections.abc import Collection
from functools import lru_cache
from pathlib import Path
from typing import Final

_MOST_LINKS: Final = 40
# Of the whole process, like the PATH itself; it only grows, so no order of calls takes trust back.
_DISTRUSTED: Final[set[str]] = set()


def distrust(*places: Path) -> None:
    """Take no program from these places any more, for as long as this process lives."""
    for place in map(os.path.abspath, places):
        _DISTRUSTED.update((place, os.path.realpath(place)))


def search_path(path: str | None) -> str:
    """Return what counts of a search path; never nothing, which would mean any directory."""
    return _counted(os.defpath if path is None else path, frozenset(_DISTRUSTED))


def find_program(name: str, path: str | None) -> str | None:
    """Return a program's absolute path, or None; a name with a slash must be one already."""
    if name.startswith("/"):
        candidates = [name]
    else:
        candidates = [] if "/" in name else [f"{it}/{name}" for it in search_path(path).split(":")]
    found = (it for it in candidates if os.path.isfile(it) and os.access(it, os.X_OK))  # noqa: PTH113 - for every entry at every start
    return next((it for it in found if not _is_strange(it, _DISTRUSTED)), None)


@lru_cache(maxsize=64)
def _counted(path: str, distrusted: frozenset[str]) -> str:
    entries = dict.fromkeys(path.split(":"))
    counted = [it for it in entries if it.startswith("/") and not _is_strange(it, distrusted)]
    return ":".join(counted) or os.defpath


def _is_strange(path: str, distrusted: Collection[str]) -> bool:
    """Tell whether a path, or a link on the way to what it stands for, is in a distrusted place.

    Whoever can write there could turn the link elsewhere between this look and the next.
    """
    reached, ahead, links = "/", _parts(path), 0
    while ahead:
        part = ahead.pop()
        if part == "..":
            reached = os.path.dirname(reached)  # noqa: PTH120 - for every entry at every start
            continue
        step = os.path.join(reached, part)  # noqa: PTH118 - likewise
        if step in distrusted:
            return True
        try:
            target = os.readlink(step)  # noqa: PTH115 - likewise
        except OSError:
            reached = step
            continue
        links += 1
        if links > _MOST_LINKS:
            return True
        reached = "/" if target.startswith("/") else reached
        ahead += _parts(target)
    return False


def _parts(path: str) -> list[str]:
    """Return the parts of a path, the first one last."""
    return [part for part in reversed(path.split("/")) if part not in ("", ".")]

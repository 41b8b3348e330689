"""Whose a directory of the state is: a project's path is not enough to know it by."""

from collections.abc import Callable
from hashlib import sha256
from os import fsencode
from pathlib import Path
from typing import Final

_OWNER: Final = "mark"


def own_place(open_place: Callable[[str], Path], root: Path, mark: str | None) -> Path:
    """Open the state of a repository, which is never that of another one at the same path.

    What the other one left there, set-ups above all, must not reach the workers of this one.
    """
    place = open_place(_name(fsencode(root)))
    if _is_ours(place, mark):
        return place
    return open_place(_name(fsencode(root) + b"\0" + (mark or "").encode()))


def _name(told: bytes) -> str:
    return sha256(told).hexdigest()[:16]


def _is_ours(place: Path, mark: str | None) -> bool:
    """Tell whether a directory is this repository's; one that is nobody's yet becomes so."""
    owner = place / _OWNER
    try:
        return owner.read_text() == mark
    except FileNotFoundError:
        if mark is not None:
            owner.write_text(mark)
        return True

"""The state directory of a project, and whose it is: the path alone is not enough to know it by."""

from hashlib import sha256
from os import fsencode
from pathlib import Path
from typing import Final

from supervisor_ai.domain.errors import Unavailable

_OWNER: Final = "mark"


def open_state(state: Path, name: str) -> Path:
    """Make a state directory that nobody else can pass through.

    Not even a sandbox's user needs to: what it may see is mounted for it by whoever started us.
    """
    try:
        for place in (state, state / name):
            place.mkdir(mode=0o700, parents=True, exist_ok=True)
        (state / name).chmod(0o700)
    except OSError as error:
        raise Unavailable(
            f"The state directory {str(state / name)!r} cannot be used: {error.strerror}.",
            hint="Name another directory with SUPERVISOR_STATE.",
        ) from error
    return state / name


def own_place(state: Path, root: Path, mark: str | None) -> Path:
    """Open the state of a repository, which is never that of another one at the same path.

    What the other one left there, set-ups above all, must not reach the workers of this one.
    """
    place = open_state(state, _name(fsencode(root)))
    if _is_ours(place, mark):
        return place
    return open_state(state, _name(fsencode(root) + b"\0" + (mark or "").encode()))


def _name(told: bytes) -> str:
    return sha256(told).hexdigest()[:16]


def _is_ours(place: Path, mark: str | None) -> bool:
    """Tell whether a directory is this repository's; one that is nobody's yet becomes so."""
    owner, ours = place / _OWNER, (mark or "").encode()
    try:
        if mark is not None and not owner.exists():
            owner.write_bytes(ours)
        return not owner.exists() or owner.read_bytes() == ours
    except OSError as error:
        raise Unavailable(
            f"The state directory {str(place)!r} cannot be used: {error.strerror}.",
            hint="Name another directory with SUPERVISOR_STATE.",
        ) from error

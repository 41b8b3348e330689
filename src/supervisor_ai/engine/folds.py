"""The name of the folding code, made from the code itself: no change of it can be forgotten.

What a state depends on is anything that the fold reaches: the domain, and the room of the driver,
where what drivers share lies beside it. A number that is kept by hand would have to be raised
whenever any of that changes, and a run would be driven on by a stale state where it was not. A name
that changes too often only costs one fold from the start.
"""

import os
import sys
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Final

import supervisor_ai.domain

_PYC_HEADER: Final = 16


def fold_name(name: str, *more: type) -> str:
    """Name the code that folds: the domain, and the places of classes from elsewhere."""
    return f"{name}:{_digest(tuple(place for kind in more for place in code_places(kind)))}"


def code_places(kind: type) -> tuple[str, ...]:
    """Return where the code of a class lies: a whole room of ours, or a module of others'."""
    top, *rooms = kind.__module__.split(".")
    if top == __name__.partition(".")[0]:
        return tuple(sys.modules[f"{top}.{rooms[0]}"].__path__)
    return (str(sys.modules[kind.__module__].__file__),)


@cache
def _digest(modules: tuple[str, ...]) -> str:
    digest = sha256()
    places = [Path(place) for place in supervisor_ai.domain.__path__]
    for content in (code_digest(place) for place in (*places, *map(Path, modules))):
        digest.update(content)
    return digest.hexdigest()[:16]


def code_digest(place: Path) -> bytes:
    """Digest a module or all modules of a package; without sources, what was compiled from them."""
    digest = sha256()
    for path in _modules(os.fspath(place)):
        with open(path, "rb", buffering=0) as module:  # noqa: PTH123 - hundreds, at every start
            content = module.readall()
        digest.update(path.rpartition("/")[2].encode())
        # The header of compiled code tells when and from what it was made, not what it does.
        digest.update(content[_PYC_HEADER:] if path.endswith(".pyc") else content)
    return digest.digest()


def _modules(place: str) -> list[str]:
    if os.path.isfile(place):  # noqa: PTH113 - as text
        return [place]
    found = [f"{directory}/{name}" for directory, _, names in os.walk(place) for name in names]
    sources = sorted(path for path in found if path.endswith(".py"))
    return sources or sorted(path for path in found if path.endswith(".pyc"))

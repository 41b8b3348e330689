"""Which parts of the product a change touches."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from pathlib import PurePosixPath
from typing import Final

from supervisor_ai.domain.errors import InvalidInput
from supervisor_ai.engine.ports.commits import Change, Commits
from supervisor_ai.engine.ports.gates import ChangeCase
from supervisor_ai.gates.changed_files import LARGEST, is_absent, shown, sizes
from supervisor_ai.gates.product_files import is_product

_WORD: Final = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")
_FILES: Final = 300
"""How many files' lines are read; so many are complex anyway."""
_LINE: Final = 1000


@dataclass(frozen=True, slots=True, kw_only=True)
class Touched:
    """What a change touches; names are examples, to be shown."""

    files: int = 0
    layers: tuple[str, ...] = ()
    changes_behaviour: bool = False
    sensitive: str | None = None
    direct: str | None = None
    shared: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Areas:
    """The words that areas are known by."""

    layers: Mapping[str, frozenset[str]]
    roots: frozenset[str]
    direct: frozenset[str]
    sensitive: frozenset[str]
    shared: frozenset[str]


def touched(case: ChangeCase, commits: Commits) -> Touched:
    """Look at what changed since the run began."""
    start = case.origin or case.base
    changes = [change for change in commits.changes(start, case.head) if is_product(change.path)]
    paths = [change.path for change in changes]
    old = [change.path for change in changes if not is_absent(change.before)]
    known = areas()
    lines = list(_changed_lines(case, commits, changes))
    return Touched(
        files=len(paths),
        layers=tuple(sorted({layer for path in paths if (layer := _layer(path, known))})),
        changes_behaviour=any(line.startswith("-") for line in lines),
        sensitive=_first_word(lines, known.sensitive),
        direct=_first(path for path in paths if _words(path) & known.direct),
        shared=_first(path for path in old if known.shared & _folders(path)),
    )


def _changed_lines(case: ChangeCase, commits: Commits, changes: Sequence[Change]) -> Iterator[str]:
    """Return the lines that were taken away or added, with their signs."""
    start = case.origin or case.base
    before, after = sizes(commits, start), sizes(commits, case.head)
    small = [
        change.path
        for change in changes
        if all(
            path_size.size <= LARGEST
            for listed in (before, after)
            if (path_size := listed.get(change.path)) is not None
        )
    ]
    for _, patch in commits.patches(start, case.head, small[:_FILES]):
        _, _, body = patch.partition("\n@@")
        yield from (line[:_LINE] for line in body.split("\n") if line[:1] in ("+", "-"))


def _first_word(lines: Iterable[str], words: frozenset[str]) -> str | None:
    return next((word for line in lines for word in sorted(_words(line) & words)), None)


def _first(paths: Iterable[str]) -> str | None:
    return next((shown(path) for path in paths), None)


def _words(text: str) -> frozenset[str]:
    return frozenset(word.lower() for word in _WORD.findall(text))


def _folders(path: str) -> frozenset[str]:
    pure = PurePosixPath(path)
    return frozenset(part.lower() for part in (*pure.parts[:-1], pure.stem))


def _layer(path: str, known: Areas) -> str | None:
    """Name the layer of a file; a file at the top belongs to none."""
    pure = PurePosixPath(path)
    folders = [part.lower() for part in pure.parts[:-1]]
    for word in (*folders, pure.suffix.lower()):
        for layer, words in known.layers.items():
            if word in words:
                return layer
    return shown(next((folder for folder in folders if folder not in known.roots), "")) or None


@cache
def areas() -> Areas:
    """Return the words that areas are known by."""
    return parse((files("supervisor_ai.gates") / "builtin/complexity.yaml").read_text("utf-8"))


def parse(text: str) -> Areas:
    """Understand the table of areas; raise InvalidInput where it cannot be understood."""
    import yaml

    table = yaml.safe_load(text)
    if not isinstance(table, dict) or not isinstance(table.get("layers"), dict):
        raise InvalidInput("The table of areas has no layers.")
    return Areas(
        layers={str(name): _listed(words) for name, words in table["layers"].items()},
        roots=_listed(table.get("roots")),
        direct=_listed(table.get("direct")),
        sensitive=_listed(table.get("sensitive")),
        shared=_listed(table.get("shared")),
    )


def _listed(value: object) -> frozenset[str]:
    if not isinstance(value, list):
        raise InvalidInput(f"The table of areas has something that is no list: {value!r}.")
    return frozenset(str(item) for item in value)

"""Which parts of the product a change touches."""

import re
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import PurePosixPath
from typing import Final

from msgspec import Struct

from supervisor_ai.control.ports.commits import Commits
from supervisor_ai.domain.errors import InvalidInput
from supervisor_ai.engine.ports.gates import ChangeCase
from supervisor_ai.gates.change.differences import shown
from supervisor_ai.gates.change.product_files import is_product
from supervisor_ai.gates.change.risks.changed_code import read_changed
from supervisor_ai.gates.change.risks.changes import find_risks
from supervisor_ai.gates.own_tables import load_table, own_text

_VALUES: Final = frozenset({"json", "settings"})
"""What is written in lines that are no statements."""
_WORD: Final = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")


class Touched(Struct, frozen=True, kw_only=True):
    """What a change touches; names are examples, to be shown."""

    files: int = 0
    lines: int = 0
    """How many statements come and go."""
    layers: tuple[str, ...] = ()
    changes_behaviour: bool = False
    sensitive: str | None = None
    direct: str | None = None
    shared: str | None = None
    strong_risks: tuple[str, ...] = ()
    risks: tuple[str, ...] = ()
    unread: str | None = None
    """A file with code that nobody could look at."""


class Areas(Struct, frozen=True, kw_only=True):
    """The words that areas are known by."""

    layers: Mapping[str, frozenset[str]]
    roots: frozenset[str]
    direct: frozenset[str]
    sensitive: frozenset[str]
    shared: frozenset[str]


def touched(case: ChangeCase, commits: Commits) -> Touched:
    """Look at what changed since the run began; a comment is no change."""
    changed = read_changed(case, commits)
    known = areas()
    product = [file for file in changed.files if is_product(file.path)]
    code = [change for change in changed.code if change.is_product]
    paths = [file.path for file in product]
    risks = tuple(find_risks([change.code for change in changed.code]))
    return Touched(
        files=len(paths),
        lines=sum(change.code.size for change in code if change.code.family not in _VALUES),
        layers=tuple(sorted({layer for path in paths if (layer := _layer(path, known))})),
        changes_behaviour=any(change.code.removed for change in code),
        sensitive=_first_word((line for it in code for line in it.code.lines), known.sensitive),
        direct=_first(path for path in paths if _words(path) & known.direct),
        shared=_first(
            file.path for file in product if file.is_old and known.shared & _folders(file.path)
        ),
        strong_risks=tuple(dict.fromkeys(rule.kind for rule in risks if rule.is_strong)),
        risks=tuple(dict.fromkeys(rule.kind for rule in risks if not rule.is_strong)),
        unread=_first(changed.unread),
    )


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
    return parse(own_text("complexity.yaml"))


def parse(text: str) -> Areas:
    """Understand the table of areas; raise InvalidInput where it cannot be understood."""
    table = load_table(text)
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

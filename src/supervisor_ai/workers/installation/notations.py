"""One entry of a settings file that others write too: found, put in and taken out as text.

All that is not the entry stays as it is, comments included. After every change the text is read
again: where it does not say exactly what it should, it is refused and never written.
"""

from collections.abc import Callable, Mapping
from copy import deepcopy

from msgspec import Struct

from supervisor_ai.domain.errors import Conflict
from supervisor_ai.tools.json_value import Json

Keys = tuple[str, str]
"""The table, and the name in it."""
Tree = dict[str, object]


class Notation(Struct, frozen=True, kw_only=True):
    """How a settings file is written."""

    name: str
    read: Callable[[str], Tree]
    """Raises ValueError or RecursionError where the text cannot be understood."""
    put: Callable[[str, Keys, Json], str]
    drop: Callable[[str, Keys], str]
    entry: Callable[[Keys, Json], str]
    """How the entry looks where nothing else is there."""


def entry_in(notation: Notation, path: str, text: str | None, keys: Keys) -> object | None:
    """Return what an entry says; None where there is none."""
    return _inner(_read(notation, path, text or ""), keys)


def with_entry(notation: Notation, path: str, text: str | None, keys: Keys, value: Json) -> str:
    """Put an entry into a text, in the place of one of the same name."""
    before = _read(notation, path, text or "")
    wanted = deepcopy(before)
    table = wanted.setdefault(keys[0], {})
    if isinstance(table, dict):
        table[keys[1]] = value
    try:
        made = notation.put(text or "", keys, value)
    except ValueError:
        made = ""
    return _checked(notation, path, made, wanted, notation.entry(keys, value))


def without_entry(notation: Notation, path: str, text: str, keys: Keys) -> str:
    """Take an entry out of a text; its table goes with it where nothing else is in it."""
    wanted = deepcopy(_read(notation, path, text))
    table = wanted.get(keys[0])
    if isinstance(table, dict):
        table.pop(keys[1], None)
        if not table:
            del wanted[keys[0]]
    return _checked(notation, path, notation.drop(text, keys), wanted, "")


def is_empty(notation: Notation, path: str, text: str) -> bool:
    """Tell whether a text says nothing."""
    return not _read(notation, path, text) and "#" not in text and "/" not in text


def _inner(tree: Mapping[str, object], keys: Keys) -> object | None:
    table = tree.get(keys[0])
    return table.get(keys[1]) if isinstance(table, Mapping) else None


def _read(notation: Notation, path: str, text: str) -> Tree:
    try:
        return notation.read(text) if text.strip() else {}
    except (ValueError, RecursionError) as error:
        raise Conflict(
            f"The file {path!r} cannot be read as {notation.name}: {error}.",
            hint="Mend it, or move it away, and try again.",
        ) from error


def _checked(notation: Notation, path: str, made: str, wanted: Tree, entry: str) -> str:
    try:
        is_right = (notation.read(made) if made.strip() else {}) == wanted
    except (ValueError, RecursionError):
        is_right = False
    if is_right:
        return made
    hint = f"Put it in by hand:\n{entry}" if entry else "Take the entry out by hand."
    raise Conflict(
        f"The file {path!r} is written in a way in which the entry cannot be changed alone.",
        hint=hint,
    )

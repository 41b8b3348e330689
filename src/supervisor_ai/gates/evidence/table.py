"""The table of files that belong to one half by their names, read once from beside the code."""

import re
from collections.abc import Sequence
from functools import cache

import msgspec
from msgspec import Struct

from supervisor_ai.domain.errors import InvalidInput
from supervisor_ai.engine.ports.evidence import Half
from supervisor_ai.gates.change.path_patterns import name_pattern, path_pattern
from supervisor_ai.gates.own_tables import load_table, own_text


class Row(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Files of one kind; the table says what each key means."""

    half: Half = Half.HARNESS
    why: str
    folders: tuple[str, ...] = ()
    names: tuple[str, ...] = ()
    paths: tuple[str, ...] = ()
    suffixes: tuple[str, ...] = ()


class _Patterns:
    """The patterns of a row, or of all of them at once."""

    def __init__(self, rows: Sequence[Row]) -> None:
        self._folders = _any([each for row in rows for each in row.folders])
        self._names = _any([each for row in rows for each in row.names])
        paths = [each for row in rows for each in row.paths]
        self._paths = path_pattern(paths) if paths else None
        self._known: dict[str, bool] = {}

    def match(self, path: str) -> bool:
        folder, _, name = path.rpartition("/")
        return bool(
            self._is_folder(folder)
            or ("." not in name and self._is_folder(name))
            or (self._names and self._names.match(name))
            or (self._paths and self._paths.match(path))
        )

    def _is_folder(self, folder: str) -> bool:
        if self._folders is None:
            return False
        if folder not in self._known:
            self._known[folder] = any(map(self._folders.match, folder.split("/")))
        return self._known[folder]


def _any(names: Sequence[str]) -> re.Pattern[str] | None:
    return name_pattern(names) if names else None


class HalvesTable:
    """Finds the first row that knows a path; most paths are known by none, and that is quick."""

    def __init__(self, rows: Sequence[Row]) -> None:
        self._rows = [(row, _Patterns([row])) for row in rows]
        self._all = _Patterns(rows)

    def find(self, path: str) -> Row | None:
        """Return the first row that knows a path."""
        if not self._all.match(path):
            return None
        fitting = (row for row, patterns in self._rows if patterns.match(path))
        lowered = path.lower()
        return next((row for row in fitting if lowered.endswith(row.suffixes or ("",))), None)


@cache
def table() -> HalvesTable:
    """Return the table that is ours."""
    return parse(own_text("harness.yaml"))


def parse(text: str) -> HalvesTable:
    """Understand a table; raise InvalidInput where it cannot be understood."""
    try:
        return HalvesTable(msgspec.convert(load_table(text), list[Row]))
    except msgspec.ValidationError as error:
        raise InvalidInput(f"The table of harness files cannot be understood: {error}.") from error

"""The files of a repository, as the resolvers see them."""

import json
import re
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from functools import cached_property
from posixpath import basename, dirname, normpath
from posixpath import join as joined
from typing import Final

from msgspec import Struct

from supervisor_ai.tools.toml import read_toml


class Imported(Struct, frozen=True, kw_only=True):
    """A name as the source spells it, and the files of the repository behind it."""

    name: str
    files: tuple[str, ...] = ()


MAX_CONFIG: Final = 256 * 1024
# Strings come first, so that a comment sign inside one is left alone; every branch always ends.
_JSON_PARTS: Final = re.compile(
    r'"(?:[^"\\]|\\.)*+"?|//[^\n]*|/\*.*?(?:\*/|\Z)|,(?=\s*[\]}])', re.DOTALL
)


class RepositoryFiles:
    """Paths and their texts; a text is read when it is asked for."""

    def __init__(self, files: Mapping[str, Callable[[], str]]) -> None:
        self._files = files
        self._tables: dict[str, dict[str, object]] = {}

    def __contains__(self, path: str) -> bool:
        return path in self._files

    def text(self, path: str) -> str:
        """Read a file."""
        return self._files[path]()

    def first(self, candidates: Iterator[str]) -> str | None:
        """Return the first candidate that is a file of the repository."""
        return next((path for path in candidates if path in self._files), None)

    def named(self, name: str) -> list[str]:
        """Return the paths of all files with a name, the outermost first."""
        return self._by_name.get(name, [])

    def beside(self, folder: str) -> list[str]:
        """Return the paths of the files in a folder, sorted."""
        return self._by_folder.get(folder, [])

    def table(self, path: str) -> dict[str, object]:
        """Read a JSON or TOML file as a table; an unreadable one is empty."""
        if path not in self._tables:
            self._tables[path] = self._read_table(path)
        return self._tables[path]

    def _read_table(self, path: str) -> dict[str, object]:
        text = self.text(path)[:MAX_CONFIG]
        try:
            found = read_toml(text) if path.endswith(".toml") else json.loads(_strict(text))
        except (ValueError, RecursionError):
            return {}
        return found if isinstance(found, dict) else {}

    @cached_property
    def _by_name(self) -> dict[str, list[str]]:
        names: dict[str, list[str]] = defaultdict(list)
        for path in sorted(self._files, key=lambda path: (path.count("/"), path)):
            names[basename(path)].append(path)
        return dict(names)

    @cached_property
    def _by_folder(self) -> dict[str, list[str]]:
        folders: dict[str, list[str]] = defaultdict(list)
        for path in sorted(self._files):
            folders[dirname(path)].append(path)
        return dict(folders)

    @cached_property
    def folders(self) -> frozenset[str]:
        """Return every folder that holds a file, directly or deeper."""
        found: set[str] = set()
        for path in self._files:
            folder = dirname(path)
            while folder not in found:
                found.add(folder)
                folder = dirname(folder)
        return frozenset(found)


def _strict(text: str) -> str:
    return _JSON_PARTS.sub(lambda part: part[0] if part[0].startswith('"') else "", text)


def under(folder: str, path: str) -> str:
    """Join and simplify a path; what leaves the repository begins with two dots."""
    found = normpath(joined(folder, path))
    return "" if found == "." else found.lstrip("/")


def parents(folder: str) -> Iterator[str]:
    """Yield a folder and all above it, up to the root of the repository."""
    while folder:
        yield folder
        folder = dirname(folder)
    yield ""


def table_at(value: object, *keys: str) -> dict[str, object]:
    """Go down into nested tables; what is missing or no table is empty."""
    for key in keys:
        value = value.get(key) if isinstance(value, dict) else None
    return value if isinstance(value, dict) else {}


def strings(value: object) -> list[str]:
    """Return a string or the strings of a list."""
    values = value if isinstance(value, list) else [value]
    return [each for each in values if isinstance(each, str)]

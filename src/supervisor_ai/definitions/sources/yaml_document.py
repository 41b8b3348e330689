"""YAML files of definitions with positions: what a file says, and in which line it says so."""

from functools import lru_cache
from typing import Final

from msgspec import Struct, field

from supervisor_ai.definitions.sources.mistakes import FileMistakes, FilePlace, KeyPath, key_text
from supervisor_ai.tools.yaml_tree import Value, YamlLimits, YamlTree, read_yaml_tree

__all__ = ["MAX_CHARACTERS", "Document", "Value", "read_package_yaml", "read_yaml"]

MAX_CHARACTERS: Final = 1024 * 1024
_LIMITS: Final = YamlLimits(characters=MAX_CHARACTERS, depth=40, values=100_000)
_MOST_KEPT: Final = 256


class Document(Struct, frozen=True, kw_only=True):
    """What one file says."""

    file: str
    value: Value
    lines: dict[KeyPath, int] = field(default_factory=dict)

    def find(self, *path: str | int) -> Value:
        """Return what stands at a key; None where nothing does."""
        found = self.value
        for part in path:
            if isinstance(found, dict) and isinstance(part, str):
                found = found.get(part)
            elif isinstance(found, list) and isinstance(part, int) and part < len(found):
                found = found[part]
            else:
                return None
        return found

    def place(self, *path: str | int) -> FilePlace:
        """Find a key, or the nearest one above it that stands in the file."""
        above = path
        while above and above not in self.lines:
            above = above[:-1]
        return FilePlace(file=self.file, line=self.lines.get(above, 1), key=key_text(path))


def read_yaml(file: str, text: str, mistakes: FileMistakes) -> Document | None:
    """Read one file; None, with a mistake noted, when it is no YAML."""
    return _document(file, read_yaml_tree(text, limits=_LIMITS), mistakes)


def read_package_yaml(file: str, text: str, mistakes: FileMistakes) -> Document | None:
    """Read a file that comes with the package; each text is parsed once in a process."""
    return _document(file, _kept_tree(text), mistakes)


@lru_cache(maxsize=_MOST_KEPT)
def _kept_tree(text: str) -> YamlTree[Value]:
    return read_yaml_tree(text, limits=_LIMITS)


def _document(file: str, tree: YamlTree[Value], mistakes: FileMistakes) -> Document | None:
    for at in tree.problems:
        place = FilePlace(file=file, line=at.line, column=at.column, key=key_text(at.path))
        mistakes.add(place, at.text)
    return Document(file=file, value=tree.value, lines=tree.lines) if tree.is_read else None

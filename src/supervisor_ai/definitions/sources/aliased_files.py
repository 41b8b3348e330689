"""Definition files whose directories may have another name as well."""

from collections.abc import Mapping
from typing import Final

from supervisor_ai.definitions.sources.files import DefinitionSource, Origin
from supervisor_ai.definitions.sources.mistakes import FileMistakes, FilePlace

OTHER_NAMES: Final[Mapping[str, str]] = {
    "workflows": "workflow_templates",
    "strategies": "context_strategies",
    "prompts": "templates",
}
"""What the design that people come with calls our directories."""


class AliasedSource:
    """A shelf that finds a file under either name of its directory."""

    def __init__(self, shelf: DefinitionSource) -> None:
        self._shelf = shelf
        self._found: dict[str, tuple[str, ...]] = {}

    @property
    def origin(self) -> Origin:
        """Say whose files these are."""
        return self._shelf.origin

    def label(self, path: str) -> str:
        """Name a file by where it stands."""
        return self._shelf.label(self._actual(path))

    def read(self, path: str, mistakes: FileMistakes) -> str | None:
        """Return a file's text; a file under both names is a mistake."""
        directory, _, name = path.rpartition("/")
        other = OTHER_NAMES.get(directory)
        if other and name in self._names(other) and name in self._names(directory):
            place = FilePlace(file=self._shelf.label(f"{other}/{name}"))
            mistakes.add(place, f"stands in {self._shelf.label(path)} as well; keep one of the two")
        return self._shelf.read(self._actual(path), mistakes)

    def read_script(self, path: str, mistakes: FileMistakes) -> str | None:
        """Return the text of a file that a definition names, or None."""
        return self._shelf.read_script(path, mistakes)

    def names(self, directory: str) -> tuple[str, ...]:
        """List the files of a directory under both of its names."""
        other = OTHER_NAMES.get(directory)
        also = self._names(other) if other else ()
        return tuple(sorted({*self._names(directory), *also}))

    def paths(self) -> tuple[str, ...]:
        """List the files that somebody may have written as definitions."""
        return self._shelf.paths()

    def links(self) -> tuple[str, ...]:
        """List the links that stand among them and are not followed."""
        return self._shelf.links()

    def _actual(self, path: str) -> str:
        directory, _, name = path.rpartition("/")
        other = OTHER_NAMES.get(directory)
        if other and name in self._names(other) and name not in self._names(directory):
            return f"{other}/{name}"
        return path

    def _names(self, directory: str) -> tuple[str, ...]:
        if directory not in self._found:
            self._found[directory] = self._shelf.names(directory)
        return self._found[directory]

"""Local names of a function, and what they stand for at a place in it."""

from collections.abc import Iterable
from itertools import islice
from typing import TYPE_CHECKING, Final

from msgspec import Struct

from supervisor_ai.gates.integrity.analysis.names import Names

if TYPE_CHECKING:
    from tree_sitter import Node

# Whoever sets more names in one function wrote it by machine.
_MAX_SETTINGS: Final = 500


class Setting(Struct, frozen=True, kw_only=True):
    """A name that is set, and where that holds."""

    name: str
    value: "Node | None"
    """What it is set to; None if nobody can tell."""
    start: int
    end: int


class Scopes:
    """Answers what the local names of a function stand for."""

    def __init__(self, settings: Iterable[Setting], changed: Iterable[str]) -> None:
        self._changed = frozenset(changed)
        self._settings: dict[str, list[Setting]] = {}
        for setting in islice(settings, _MAX_SETTINGS):
            self._settings.setdefault(setting.name, []).append(setting)
        self._everywhere: Names | None = None

    @classmethod
    def everywhere(cls, names: Names) -> "Scopes":
        """Return names that stand for the same at every place."""
        found = cls((), ())
        found._everywhere = names
        return found

    @property
    def names(self) -> frozenset[str]:
        """All names that are set or changed somewhere in the function."""
        return self._changed | self._settings.keys()

    def at(self, node: "Node") -> Names:
        """Return the names that are known at a node, and what they were last set to."""
        if self._everywhere is not None:
            return self._everywhere
        return _NamesAt(self, node.start_byte)

    def last(self, name: str, place: int) -> "Node | None":
        """Return what a name was last set to at a place; None if nobody can tell."""
        settings = () if name in self._changed else self._settings.get(name, ())
        holding = (it for it in reversed(settings) if it.start <= place < it.end)
        found = next(holding, None)
        return None if found is None else found.value


class _NamesAt(Struct, frozen=True):
    """What names stand for at one place."""

    scopes: Scopes
    place: int

    def get(self, name: str, /) -> "Node | None":
        """Return what a name was last set to."""
        return self.scopes.last(name, self.place)

"""Local names of a function, and what they stand for at a place in it."""

from collections.abc import Iterable
from typing import TYPE_CHECKING, Final

from msgspec import Struct

from supervisor_ai.gates.integrity.analysis.code_text import Names

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
        self._settings = list(settings)[:_MAX_SETTINGS]
        self._changed = frozenset(changed)
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
        return self._changed | {setting.name for setting in self._settings}

    def at(self, node: "Node") -> Names:
        """Return the names that are known at a node, and what they were last set to."""
        if self._everywhere is not None:
            return self._everywhere
        place = node.start_byte
        found: dict[str, Node] = {}
        for setting in self._settings:
            if not setting.start <= place < setting.end or setting.name in self._changed:
                continue
            if setting.value is None:
                found.pop(setting.name, None)
            else:
                found[setting.name] = setting.value
        return found

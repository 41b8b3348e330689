"""What names stand for, each looked up when it is asked for: a test has many, and asks for few."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Final, Protocol

if TYPE_CHECKING:
    from tree_sitter import Node


class Names(Protocol):
    """Names of code, and what they are set to; a dictionary is one."""

    def get(self, name: str, /) -> "Node | None":
        """Return what a name is set to; None where nobody can tell."""
        ...


NO_NAMES: Final[Names] = {}
MAX_VALUE: Final = 200
"""How many nodes what a name stands for may have: a longer one is known by its name alone, or each
of a thousand checks would be as long as the table that it asks."""


class Layers:
    """Names that hide those of the layers below them."""

    def __init__(self, *layers: Names) -> None:
        self._layers = tuple(layer for layer in layers if layer is not NO_NAMES)

    def get(self, name: str, /) -> "Node | None":
        """Return what the first layer knows."""
        return next((it for each in self._layers if (it := each.get(name)) is not None), None)


class NamesOfKind:
    """Those of some names whose values are of one kind."""

    def __init__(self, names: Names, is_chosen: "Callable[[Node], bool]") -> None:
        self._names, self._is_chosen = names, is_chosen
        self._known: dict[str, Node | None] = {}

    def get(self, name: str, /) -> "Node | None":
        """Return what a name is set to, if that is of the kind."""
        if name not in self._known:
            value = self._names.get(name)
            self._known[name] = value if value is not None and self._is_chosen(value) else None
        return self._known[name]


def standing_for(name: str, names: Names, node: "Node") -> "Node":
    """Return what a name stands for; the node itself where it stands for nothing."""
    value = names.get(name)
    return node if value is None else value

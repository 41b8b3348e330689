"""Types as a compiler compares them: as they are written, whatever type parameters are called."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Final

from supervisor_ai.gates.integrity.analysis.syntax_tree import source_of
from supervisor_ai.gates.public_api.type_trees import OPAQUE, TypeTree

if TYPE_CHECKING:
    from tree_sitter import Node

_LONGEST: Final = 4_000


def written(node: "Node | None", names: Mapping[str, str] | None = None) -> TypeTree | None:
    """Take a type as it stands; None where nothing stands there."""
    if node is None:
        return None
    text = " ".join(source_of(node).split())
    plain = text if not names or len(text) > _LONGEST else _leaves(node, names)
    return TypeTree(f"{OPAQUE}{''.join(plain.split())}", (), text)


def _leaves(node: "Node", names: Mapping[str, str]) -> str:
    found, stack = [], [node]
    while stack:
        each = stack.pop()
        if each.children:
            stack.extend(reversed([it for it in each.children if not it.is_extra]))
        else:
            text = source_of(each)
            found.append(names.get(text, text))
    # A space keeps two words apart, as in `dyn Error`.
    return "".join(f" {it} " if it.isidentifier() else it for it in found)

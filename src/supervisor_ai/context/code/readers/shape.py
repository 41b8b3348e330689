"""Node names of a language in its tree-sitter syntax tree: how declarations look."""

import re
from collections.abc import Callable, Mapping
from enum import StrEnum, unique
from typing import TYPE_CHECKING

from msgspec import Struct, field

from supervisor_ai.context.code.syntax_tree import SyntaxTree

if TYPE_CHECKING:
    from tree_sitter import Node


@unique
class NodeRole(StrEnum):
    """What the reader does with a node of a type."""

    IMPORT = "import"  # keep the whole text
    LINE = "line"  # a definition that is its own signature
    CALLABLE = "callable"  # keep what stands before the body
    CONTAINER = "container"  # likewise, and read the members
    VALUE = "value"  # keep it if it is short, else leave the value out
    WRAPPER = "wrapper"  # read the inside as if it began here
    GROUP = "group"  # read the inside


class NodePlace(Struct, frozen=True, kw_only=True):
    """Where a node was found, as far as that decides whether it is public."""

    container: str = ""
    is_exported: bool = False
    marks: str = ""
    exported: frozenset[str] = frozenset()


def _nothing(_tree: SyntaxTree) -> frozenset[str]:
    return frozenset()


class SyntaxShape(Struct, frozen=True, kw_only=True):
    """The node types of a language and its rule for what is public."""

    roles: Mapping[str, NodeRole]
    is_public: Callable[[SyntaxTree, "Node", NodePlace], bool]
    prefixes: Mapping[str, str] = field(default_factory=dict)
    doc_marks: tuple[str, ...] = ("/**",)
    exported: Callable[[SyntaxTree], frozenset[str]] = _nothing
    # Which bare expressions declare something, by how they begin.
    declaring: re.Pattern[str] | None = None


def roles(**types: str) -> dict[str, NodeRole]:
    """Spell a table as role="type type ..."."""
    return {kind: NodeRole(role) for role, names in types.items() for kind in names.split()}


def name_of(tree: SyntaxTree, node: "Node") -> str:
    """Return the name that a node declares, or nothing."""
    return tree.text(node.child_by_field_name("name"))

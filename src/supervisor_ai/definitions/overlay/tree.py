"""Trees of values with provenance, and how one is merged over another by a table of rules.

A file becomes a tree of nodes, each with its file and line. What a later file says is merged over
what the earlier ones say; `null` takes back what they said.
"""

from collections.abc import Iterable, Iterator, Mapping
from enum import StrEnum
from typing import Final

from msgspec import Struct, field

from supervisor_ai.definitions.sources.files import DefinitionSource, Origin
from supervisor_ai.definitions.sources.mistakes import FilePlace, KeyPath
from supervisor_ai.definitions.sources.yaml_document import Document, Value
from supervisor_ai.domain.structs import replace

ANY: Final = "*"
"""Stands for every key, or every number of a list, in the paths of a table."""


class MergeRule(StrEnum):
    """How what a file says at a path is merged over what was said before."""

    REPLACE = "replace"
    MERGE = "merge"
    """Key by key."""
    APPEND = "append"
    """Those that are there, then the new ones, none twice; of two with one `name`, the later."""
    WHOLE = "whole"
    """A mapping that is not mixed with the one of the same key."""


class MergeTable(Struct, frozen=True, kw_only=True):
    """The rules of one kind of file: by path, else mappings are merged and lists are as said."""

    rules: Mapping[KeyPath, MergeRule] = field(default_factory=dict)
    lists: MergeRule = MergeRule.REPLACE
    displaces: Mapping[KeyPath, Mapping[str, frozenset[str]]] = field(default_factory=dict)
    """Keys of a mapping whose word ends that of others, said before, beside them."""
    same: Mapping[KeyPath, KeyPath] = field(default_factory=dict)
    """Keys that have another one of the same meaning, under which both are kept."""
    texts: frozenset[KeyPath] = frozenset()
    """Texts that follow each other with a blank line between them."""
    dropped: frozenset[KeyPath] = frozenset()
    """Keys that are about the file itself."""

    def rule(self, path: KeyPath, value: object) -> MergeRule:
        """Find the rule for a value."""
        usual = MergeRule.MERGE if isinstance(value, Mapping) else MergeRule.REPLACE
        usual = self.lists if isinstance(value, (list, tuple)) else usual
        found = _pattern_of(self.rules, path)
        return usual if found is None else self.rules[found]

    def kept_as(self, path: KeyPath) -> KeyPath:
        """Return the path under which a key is kept."""
        found = _pattern_of(self.same, path)
        if found is None:
            return path
        return tuple(mine if it == ANY else it for it, mine in _padded(self.same[found], path))

    def ended_by(self, path: KeyPath, keys: Iterable[str]) -> frozenset[str]:
        """Name the keys of a mapping that no longer hold where these are said."""
        found = _pattern_of(self.displaces, path)
        rows = {} if found is None else self.displaces[found]
        return frozenset(ended for key in keys for ended in rows.get(key, ()))

    def is_text(self, path: KeyPath) -> bool:
        """Tell whether texts at a path follow each other."""
        return path in self.texts


def _pattern_of(patterns: Iterable[KeyPath], path: KeyPath) -> KeyPath | None:
    """Find the first pattern that stands for a path."""
    length = len(path)
    # Most have another length; asking for that first spares thousands of comparisons.
    return next((it for it in patterns if len(it) == length and fits(it, path)), None)


def fits(pattern: KeyPath, path: KeyPath) -> bool:
    """Tell whether a path is one of those that a pattern stands for."""
    if len(pattern) != len(path):
        return False
    return all(it in (ANY, mine) for it, mine in zip(pattern, path, strict=True))


def _padded(pattern: KeyPath, path: KeyPath) -> Iterator[tuple[str | int, str | int]]:
    return zip(pattern, (*path, *pattern[len(path) :]), strict=False)


class Location(Struct, frozen=True, kw_only=True):
    """A key of one file, and whose file it is."""

    document: Document
    shelf: DefinitionSource
    path: KeyPath = ()

    @property
    def origin(self) -> Origin:
        """Say whose word it is."""
        return self.shelf.origin

    def below(self, *keys: str | int) -> "Location":
        """Return a key below this one."""
        return replace(self, path=(*self.path, *keys))

    def place(self, *keys: str | int) -> FilePlace:
        """Find a key below this one, or where it would stand."""
        return self.document.place(*self.path, *keys)


Content = None | bool | int | float | str | tuple["ValueNode", ...] | Mapping[str, "ValueNode"]


class ValueNode(Struct, frozen=True, kw_only=True):
    """What is said at one key, and where the last word on it stands."""

    value: Content
    at: Location

    @property
    def entries(self) -> Mapping[str, "ValueNode"]:
        """Return what a mapping holds; nothing where this is none."""
        return self.value if isinstance(self.value, Mapping) else {}

    @property
    def items(self) -> tuple["ValueNode", ...]:
        """Return what a list holds; nothing where this is none."""
        return self.value if isinstance(self.value, tuple) else ()

    def child(self, key: str | int) -> "ValueNode | None":
        """Return what is said at the next key."""
        if isinstance(key, str):
            return self.entries.get(key)
        return self.items[key] if key < len(self.items) else None

    def find(self, *path: str | int) -> "ValueNode | None":
        """Return what is said at a path."""
        node: ValueNode | None = self
        for key in path:
            node = None if node is None else node.child(key)
        return node

    def place(self, *path: str | int) -> FilePlace:
        """Find where a value was said; one that nobody said is missing in what should hold it."""
        if path and (inner := self.child(path[0])) is not None:
            return inner.place(*path[1:])
        return self.at.place(*path)

    @property
    def origins(self) -> frozenset[Origin]:
        """Say whose words this is made of."""
        inner = (*self.entries.values(), *self.items)
        return frozenset({self.at.origin}).union(*(it.origins for it in inner))


def plant(
    value: Value, at: Location, table: MergeTable, called: Mapping[str, str] | None = None
) -> ValueNode:
    """Make a tree of what a file says, each key under the name by which it is kept.

    `called` are keys of the topmost level by what they are called in this file.
    """
    root = _planted(value, at, table, ())
    for key, own in (called or {}).items():
        moved = root.child(own)
        if moved is not None:
            root = _put(_without(root, (own,)), (key,), moved)
    for path, node in list(_leaves(root)) if table.same else ():
        meant = table.kept_as(path)
        if meant != path:
            known = root.find(*meant)
            moved = lay(known, node, table, meant) if known is not None else node
            root = _put(_without(root, path), meant, moved or node)
    return root


def _leaves(node: ValueNode, path: KeyPath = ()) -> Iterator[tuple[KeyPath, ValueNode]]:
    if not isinstance(node.value, Mapping):
        yield path, node
    for key, inner in node.entries.items():
        yield from _leaves(inner, (*path, key))


def _planted(value: Value, at: Location, table: MergeTable, path: KeyPath) -> ValueNode:
    if isinstance(value, dict):
        inner = {
            key: _planted(it, at.below(key), table, (*path, key))
            for key, it in value.items()
            if (*path, key) not in table.dropped
        }
        return ValueNode(value=inner, at=at)
    if isinstance(value, list):
        items = (_planted(it, at.below(no), table, (*path, no)) for no, it in enumerate(value))
        return ValueNode(value=tuple(items), at=at)
    return ValueNode(value=value, at=at)


def _put(node: ValueNode, path: KeyPath, leaf: ValueNode) -> ValueNode:
    if not path:
        return leaf
    key = str(path[0])
    inner = node.child(key) or ValueNode(value={}, at=leaf.at)
    return replace(node, value={**node.entries, key: _put(inner, path[1:], leaf)})


def _without(node: ValueNode, path: KeyPath) -> ValueNode:
    kept = {key: it for key, it in node.entries.items() if key != path[0]}
    inner = node.child(path[0])
    if inner is not None and len(path) > 1:
        kept[str(path[0])] = _without(inner, path[1:])
    return replace(node, value=kept)


def lay(
    below: ValueNode | None, above: ValueNode, table: MergeTable, path: KeyPath = ()
) -> ValueNode | None:
    """Merge one tree over another; None where what was said is taken back."""
    if above.value is None:
        # A section with nothing in it is no wish to forget the section.
        is_empty = below is not None and isinstance(below.value, Mapping) and len(path) <= 1
        return below if is_empty else None
    rule = table.rule(path, above.value)
    if isinstance(above.value, Mapping):
        base = below.entries if below is not None and rule is MergeRule.MERGE else {}
        return replace(above, value=_merged(base, above.value, table, path))
    if rule is MergeRule.APPEND and not isinstance(below.value if below else None, Mapping):
        return replace(above, value=_appended(_listed(below), _listed(above)))
    return above


def _listed(node: ValueNode | None) -> tuple[ValueNode, ...]:
    if node is None:
        return ()
    return node.value if isinstance(node.value, tuple) else (node,)


def _merged(
    below: Mapping[str, ValueNode], above: Mapping[str, ValueNode], table: MergeTable, path: KeyPath
) -> Mapping[str, ValueNode]:
    said = [key for key, node in above.items() if node.value is not None]
    ended = table.ended_by(path, said)
    laid = {key: node for key, node in below.items() if key not in ended}
    for key, node in above.items():
        found = lay(laid.get(key), node, table, (*path, key))
        if found is not None:
            laid[key] = found
        else:
            laid.pop(key, None)
    return laid


def _appended(below: Iterable[ValueNode], above: Iterable[ValueNode]) -> tuple[ValueNode, ...]:
    found = {_identity(node): node for node in below}
    for node in above:
        key = _identity(node)
        # What is there already stays where it is; of a gate, the later word counts.
        if key not in found or node.entries:
            found[key] = node
    return tuple(found.values())


def _identity(node: ValueNode) -> str:
    name = node.child("name")
    return f"name {name.value!r}" if name is not None else repr(plain(node))


def plain(node: ValueNode, table: MergeTable | None = None, path: KeyPath = ()) -> Value:
    """Return the values alone, as one file would say them."""
    if isinstance(node.value, Mapping):
        return {key: plain(it, table, (*path, key)) for key, it in node.value.items()}
    if isinstance(node.value, tuple):
        values = [plain(it, table, (*path, no)) for no, it in enumerate(node.value)]
        if table is None or not table.is_text(path):
            return values
        return "\n\n".join(str(value).strip("\n") for value in values if value)
    return node.value


def pieces(
    node: ValueNode, table: MergeTable, path: KeyPath = ()
) -> Iterator[tuple[KeyPath, ValueNode]]:
    """List what can be said by itself, with its path: no part of what is merged as a whole."""
    rule = table.rule(path, node.value)
    if node.entries and rule is MergeRule.MERGE:
        for key, inner in node.entries.items():
            yield from pieces(inner, table, (*path, key))
    elif node.items and rule is MergeRule.APPEND:
        yield from (((*path, number), inner) for number, inner in enumerate(node.items))
    else:
        yield path, node

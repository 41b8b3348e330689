"""How what several files say becomes one role, with where each value comes from.

Scalars: the last word counts. Lists: those of the parent, then those of the child, none twice.
Mappings: key by key. Prompts: one after the other. A server, a gate and flags are replaced as a
whole.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Final

from supervisor_ai.definitions.mistakes import KeyPath, Place
from supervisor_ai.definitions.roles.files import RoleFile
from supervisor_ai.definitions.shelves import Origin
from supervisor_ai.definitions.yaml_source import Value

_PROMPTS: Final = {
    "system_prompt": "system_prompt",
    "system_prompt_additions": "system_prompt",
    "instructions": "instructions",
}
"""What is concatenated, and under which name."""
_WHOLE: Final = frozenset({"mcp_servers"})
"""Mappings whose entries are not mixed with those of the same name."""
_REPLACED: Final = frozenset({"flags"})
"""Lists whose words belong together: those of the child count alone."""
_ASKED: Final[Mapping[str, str]] = {
    "planning.j2": "plan",
    "implement.j2": "implementation",
    "ui_design.j2": "implementation",
    "review_strict.j2": "review",
}
"""What the package's templates ask for."""
_NOT_INHERITED: Final = frozenset({"name", "extends"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Piece:
    """One value, and where it stands."""

    value: Value
    place: Place
    origin: Origin


Node = Piece | list[Piece] | dict[str, "Node"]
Tree = dict[str, Node]


def merged(files: Iterable[RoleFile]) -> Tree:
    """Lay files over each other, the last one on top."""
    tree: Tree = {}
    for file in files:
        tree = _laid_over(tree, _planted(file))
    return tree


def with_template_answer(tree: Tree) -> Tree:
    """Say what a role answers by the template that asks for it, where no file says so."""
    template = tree.get("template")
    if not isinstance(template, Piece) or "answer" in tree:
        return tree
    asked = _ASKED.get(str(template.value))
    if asked is None:
        return tree
    return {
        "answer": replace(template, value=asked),
        "writes": replace(template, value=asked == "implementation"),
        **tree,
    }


def plain(tree: Tree) -> dict[str, Value]:
    """Return the values alone, as one file would say them."""
    return {key: _joined(key, node) for key, node in tree.items()}


def pieces(node: Node, path: KeyPath = ()) -> Iterator[tuple[KeyPath, Piece]]:
    """List every value with its key."""
    if isinstance(node, Piece):
        yield path, node
    elif isinstance(node, list):
        for number, piece in enumerate(node):
            yield (*path, number), piece
    else:
        for key, inner in node.items():
            yield from pieces(inner, (*path, key))


def _planted(file: RoleFile) -> Tree:
    tree: Tree = {}
    for key, value in file.value.items():
        if value is None or key in _NOT_INHERITED:
            continue
        node = _node(file, value, (key,))
        prompt = _PROMPTS.get(key)
        if prompt is not None:
            before = tree.get(prompt, [])
            node = [*_listed(before), *_listed(node)]
        tree[prompt or key] = node
    return tree


def _node(file: RoleFile, value: Value, path: KeyPath) -> Node:
    if isinstance(value, list) and path[0] not in _REPLACED:
        return [_piece(file, item, (*path, number)) for number, item in enumerate(value)]
    if isinstance(value, dict) and path[0] not in _WHOLE:
        given = ((key, inner) for key, inner in value.items() if inner is not None)
        return {key: _node(file, inner, (*path, key)) for key, inner in given}
    if isinstance(value, dict):
        return {key: _piece(file, inner, (*path, key)) for key, inner in value.items()}
    return _piece(file, value, path)


def _piece(file: RoleFile, value: Value, path: KeyPath) -> Piece:
    return Piece(value=value, place=file.written.place(*path), origin=file.origin)


def _laid_over(below: Tree, above: Tree) -> Tree:
    laid = dict(below)
    for key, node in above.items():
        laid[key] = _combined(below[key], node) if key in below else node
    return laid


def _combined(below: Node, above: Node) -> Node:
    if isinstance(below, dict) and isinstance(above, dict):
        return _laid_over(below, above)
    if isinstance(below, list) and isinstance(above, list):
        return _appended(below, above)
    return above


def _appended(below: list[Piece], above: list[Piece]) -> list[Piece]:
    found = {_identity(piece): piece for piece in below}
    for piece in above:
        key = _identity(piece)
        # What is there already stays where it is; of a gate, the later word counts.
        if key not in found or isinstance(piece.value, dict):
            found[key] = piece
    return list(found.values())


def _identity(piece: Piece) -> str:
    value = piece.value
    return f"name {value.get('name')!r}" if isinstance(value, dict) else repr(value)


def _listed(node: Node) -> list[Piece]:
    if isinstance(node, list):
        return node
    return [node] if isinstance(node, Piece) else []


def _joined(key: str, node: Node) -> Value:
    if isinstance(node, Piece):
        return node.value
    if isinstance(node, list):
        values = [piece.value for piece in node]
        if key not in _PROMPTS:
            return values
        return "\n\n".join(str(value).strip("\n") for value in values if value)
    return {inner: _joined("", below) for inner, below in node.items()}

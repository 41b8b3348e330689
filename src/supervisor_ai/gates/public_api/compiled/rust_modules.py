"""Modules of a crate of Rust: their items, and which names they give to everybody."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from msgspec import Struct, field

from supervisor_ai.gates.integrity.analysis.syntax_tree import Grammar, items, source_of
from supervisor_ai.gates.integrity.analysis.syntax_tree import field as part
from supervisor_ai.gates.public_api.commit_side import CommitSide

if TYPE_CHECKING:
    from tree_sitter import Node

GRAMMAR: Final = Grammar("tree_sitter_rust")
_DEEPEST: Final = 20
_ITEMS: Final = frozenset(
    {"function_item", "struct_item", "enum_item", "union_item", "trait_item", "const_item"}
    | {"static_item", "type_item", "macro_definition", "function_signature_item"}
)


class RustItem(Struct, frozen=True, kw_only=True):
    """One item with what is written above it."""

    name: str
    node: "Node"
    file: str
    is_public: bool
    attributes: tuple[str, ...] = ()


class RustUse(Struct, frozen=True):
    """A name that comes from somewhere else; `*` stands for all of it."""

    path: tuple[str, ...]
    name: str
    is_public: bool


class RustModule(Struct, kw_only=True):
    """One module, in a file of its own or in another one's."""

    path: tuple[str, ...]
    is_public: bool
    file: str = ""
    items: dict[str, RustItem] = field(default_factory=dict)
    uses: list[RustUse] = field(default_factory=list)
    modules: dict[str, "RustModule"] = field(default_factory=dict)


class Crate:
    """All modules that hang on one root."""

    def __init__(self, side: CommitSide, root: str) -> None:
        self._side = side
        self.impls: list[tuple[Node, str]] = []
        self.macros: list[RustItem] = []
        self.root = RustModule(path=(), is_public=True)
        self._load(self.root, root, 0)

    def _load(self, module: RustModule, file: str, depth: int) -> None:
        root = self._side.root(file, GRAMMAR) if depth < _DEEPEST else None
        if root is not None:
            self._fill(module, root, file, depth)

    def _fill(self, module: RustModule, body: "Node", file: str, depth: int) -> None:
        above: list[str] = []
        for node in items(body):
            if node.type == "attribute_item":
                above.append("".join(source_of(node).split()))
                continue
            attributes, above = tuple(above), []
            if not _is_left_out(attributes):
                self._item(module, node, (file, attributes), depth)

    def _item(
        self, module: RustModule, node: "Node", place: tuple[str, tuple[str, ...]], depth: int
    ) -> None:
        file, attributes = place
        match node.type:
            case "mod_item":
                self._module(module, node, file, depth)
            case "use_declaration":
                argument = part(node, "argument")
                listed = _used(argument, (), is_public=is_public(node), depth=0)
                module.uses += list(listed)
            case "impl_item":
                self.impls.append((node, file))
            case kind if kind in _ITEMS:
                name = source_of(part(node, "name"))
                found = RustItem(
                    name=name,
                    node=node,
                    file=file,
                    is_public=is_public(node),
                    attributes=attributes,
                )
                if kind == "macro_definition":
                    is_given = any(it.startswith("#[macro_export") for it in attributes)
                    self.macros += [found] if is_given else []
                else:
                    module.items[name] = found
            case _:
                return

    def _module(self, module: RustModule, node: "Node", file: str, depth: int) -> None:
        name = source_of(part(node, "name"))
        inner = RustModule(path=(*module.path, name), is_public=is_public(node), file=file)
        module.modules[name] = inner
        body = part(node, "body")
        if body is not None:
            self._fill(inner, body, file, depth + 1)
            return
        folder = _folder(file)
        tried = (f"{folder}{name}.rs", f"{folder}{name}/mod.rs")
        found = next((it for it in tried if it in self._side.files), None)
        if found is not None:
            self._load(inner, found, depth + 1)

    def find(self, path: tuple[str, ...]) -> RustModule | None:
        """Return a module by its path from the root."""
        module: RustModule | None = self.root
        for name in path:
            module = None if module is None else module.modules.get(name)
        return module


def is_public(node: "Node") -> bool:
    """Tell whether an item is for everybody, and not only for its crate."""
    found = next((it for it in node.children if it.type == "visibility_modifier"), None)
    return found is not None and source_of(found) == "pub"


def _folder(file: str) -> str:
    folder, _, name = file.rpartition("/")
    above = f"{folder}/" if folder else ""
    if name in {"lib.rs", "main.rs", "mod.rs"}:
        return above
    return f"{above}{name.removesuffix('.rs')}/"


def _is_left_out(attributes: tuple[str, ...]) -> bool:
    return any(it.startswith(("#[cfg(test)", "#[doc(hidden)", "#[test]")) for it in attributes)


def _used(
    node: "Node | None", prefix: tuple[str, ...], *, is_public: bool, depth: int
) -> Iterator[RustUse]:
    if node is None or depth > _DEEPEST:
        return
    match node.type:
        case "use_list":
            for each in items(node):
                yield from _used(each, prefix, is_public=is_public, depth=depth + 1)
        case "scoped_use_list":
            inner = (*prefix, *_segments(part(node, "path")))
            listed = part(node, "list")
            yield from _used(listed, inner, is_public=is_public, depth=depth + 1)
        case "use_as_clause":
            path = (*prefix, *_segments(part(node, "path")))
            yield RustUse(path, source_of(part(node, "alias")), is_public)
        case "use_wildcard":
            inner = (*prefix, *_segments(items(node)[0] if items(node) else None))
            yield RustUse(inner, "*", is_public)
        case _:
            path = (*prefix, *_segments(node))
            name = path[-1] if path[-1:] != ("self",) else "".join(path[-2:-1])
            plain = path[:-1] if path[-1:] == ("self",) else path
            if path:
                yield RustUse(plain, name, is_public)


def _segments(node: "Node | None") -> tuple[str, ...]:
    return tuple(it for it in "".join(source_of(node).split()).split("::") if it)

"""Resolves the modules and the uses of Rust to files of the repository."""

import re
from collections.abc import Iterator
from posixpath import basename, dirname
from typing import TYPE_CHECKING, Final

from supervisor_ai.context.code.language import SourceLanguage
from supervisor_ai.context.code.resolvers.crates import Crates
from supervisor_ai.context.code.resolvers.repository import Imported, RepositoryFiles, under
from supervisor_ai.context.code.syntax_tree import SyntaxTree, parsed

if TYPE_CHECKING:
    from tree_sitter import Node

MAX_DEPTH: Final = 16
_QUERY: Final = """
(mod_item !body) @mod
(use_declaration argument: (_) @use)
(extern_crate_declaration name: (_) @use)
(scoped_identifier) @path
(scoped_type_identifier) @path
"""
_PATH_ATTRIBUTE: Final = re.compile(r'#\[\s*path\s*=\s*"([^"\n]+)"')
_PLAIN: Final = re.compile(r"[\w\s:$]+")


class RustResolver:
    """Walks module paths from the root of a crate, from this file or from the one above it."""

    def __init__(self, repository: RepositoryFiles) -> None:
        self._repository = repository
        self._crates = Crates(repository)

    def imports(self, path: str, text: str) -> Iterator[Imported]:
        """Yield the modules that a file declares and the paths that it uses."""
        tree = parsed(SourceLanguage.RUST, text)
        seen: set[str] = set()
        for kind, node in tree.found(_QUERY):
            if kind == "path" and _is_part(node):
                continue
            for found in self._found(tree, path, kind, node):
                if found.name not in seen and (kind != "path" or found.files):
                    seen.add(found.name)
                    yield found

    def _found(self, tree: SyntaxTree, path: str, kind: str, node: "Node") -> Iterator[Imported]:
        inline = _inline(tree, node)
        if kind == "mod":
            yield self._declared(tree, path, node, inline)
            return
        for parts in _used(tree, node, (), 0):
            file = self._target(path, parts, inline)
            files = () if file is None else (file,)
            yield Imported(name="::".join(parts), files=files)

    def _declared(self, tree: SyntaxTree, path: str, node: "Node", inline: list[str]) -> Imported:
        name = tree.text(node.child_by_field_name("name"))
        before = node.prev_named_sibling
        given = _PATH_ATTRIBUTE.match(tree.text(before)) if before is not None else None
        if given is not None:
            file: str | None = under(dirname(path), given[1])
        else:
            file = self._child(under(self._home(path), "/".join(inline)), name)
        is_there = file is not None and file in self._repository
        return Imported(name=f"mod {name}", files=(file,) if file and is_there else ())

    def _target(self, path: str, parts: tuple[str, ...], inline: list[str]) -> str | None:
        """Find the file of a path, by what its first word means."""
        head, rest = parts[0], parts[1:]
        if head in {"crate", "$crate"}:
            return self._walked(self._crates.root(path), rest)
        if head in {"self", "super"}:
            return self._relative(path, parts, len(inline))
        child = self._child(self._home(path), head)
        if child is not None and child != path:
            return self._walked(child, rest)
        library = self._crates.library(path, head)
        return None if library is None else self._walked(library, rest)

    def _relative(self, path: str, parts: tuple[str, ...], inline: int) -> str | None:
        file: str | None = path
        while parts and parts[0] in {"self", "super"}:
            if parts[0] == "super":
                # A module inside the file has this file above it.
                file, inline = (file, inline - 1) if inline else (self._above(file), 0)
            parts = parts[1:]
        return None if file is None else self._walked(file, parts)

    def _above(self, path: str | None) -> str | None:
        if path is None or self._crates.root(path) == path:
            return None
        folder = dirname(self._home(path))
        beside = self._repository.first(iter((under(folder, "mod.rs"), f"{folder}.rs")))
        return beside or self._crates.root(path)

    def _walked(self, file: str, parts: tuple[str, ...]) -> str:
        """Follow modules as far as they are files; what is left is defined in the last."""
        for part in parts:
            child = self._child(self._home(file), part)
            if child is None:
                return file
            file = child
        return file

    def _home(self, path: str) -> str:
        """Return the folder in which the modules of a file lie."""
        is_top = basename(path) in {"mod.rs", "lib.rs", "main.rs"} or (
            self._crates.root(path) == path
        )
        return dirname(path) if is_top else path.removesuffix(".rs")

    def _child(self, folder: str, name: str) -> str | None:
        places = (under(folder, f"{name}.rs"), under(folder, f"{name}/mod.rs"))
        return self._repository.first(iter(places))


def _is_part(node: "Node") -> bool:
    """Tell whether a path only begins a longer one, or stands in a use."""
    parent = node.parent
    return parent is not None and parent.type.startswith(("scoped_", "use_"))


def _inline(tree: SyntaxTree, node: "Node") -> list[str]:
    """Return the names of the modules inside the file that hold a node, the outermost first."""
    names: list[str] = []
    parent, left = node.parent, MAX_DEPTH * 4
    while parent is not None and left:
        if parent.type == "mod_item":
            names.insert(0, tree.text(parent.child_by_field_name("name")))
        parent, left = parent.parent, left - 1
    return names


def _used(
    tree: SyntaxTree, node: "Node | None", before: tuple[str, ...], depth: int
) -> Iterator[tuple[str, ...]]:
    """Spell out a tree of uses as single paths."""
    if node is None or depth > MAX_DEPTH:
        return
    match node.type:
        case "scoped_use_list":
            path = (*before, *_parts(tree.text(node.child_by_field_name("path"))))
            yield from _used(tree, node.child_by_field_name("list"), path, depth + 1)
        case "use_list":
            for child in node.named_children:
                yield from _used(tree, child, before, depth + 1)
        case "use_as_clause":
            yield from _used(tree, node.child_by_field_name("path"), before, depth + 1)
        case "use_wildcard":
            inside = next(iter(node.named_children), None)
            yield from _used(tree, inside, before, depth + 1)
        case _:
            parts = (*before, *_parts(tree.text(node)))
            if parts:
                yield parts


def _parts(text: str) -> tuple[str, ...]:
    """Split a path; one with generics or brackets in it is not a path of modules."""
    if _PLAIN.fullmatch(text) is None:
        return ()
    return tuple(part.strip() for part in text.split("::") if part.strip())

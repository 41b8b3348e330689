"""Public API of Rust: what a crate gives to everybody, under every path that leads to it."""

import re
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Final

from supervisor_ai.domain.structs import replace
from supervisor_ai.engine.ports.gates import ApiBreak
from supervisor_ai.gates.integrity.analysis.syntax_tree import field as part
from supervisor_ai.gates.integrity.analysis.syntax_tree import source_of
from supervisor_ai.gates.public_api.commit_side import CommitSide
from supervisor_ai.gates.public_api.comparison import compare
from supervisor_ai.gates.public_api.compiled.rust_modules import (
    Crate,
    RustItem,
    RustModule,
    RustUse,
)
from supervisor_ai.gates.public_api.compiled.rust_symbols import (
    implemented,
    rust_symbol,
)
from supervisor_ai.gates.public_api.model import ApiSymbol, BreakRules, Surface

if TYPE_CHECKING:
    from tree_sitter import Node

_ROOTS: Final = ("src/lib.rs", "lib.rs")
DIALECT: Final = BreakRules(
    exact_types=True,
    switching=frozenset({"async"}),
    demanding=frozenset({"unsafe", "non-exhaustive", "bound", "needs"}),
    giving=frozenset({"const", "implementing"}),
    same_kinds=(frozenset({"struct", "type"}), frozenset({"constant", "static"})),
)
_DEEPEST: Final = 12
_HERE: Final = frozenset({"crate", "self", "super"})


def rust_breaks(before: CommitSide, after: CommitSide, paths: frozenset[str]) -> Iterator[ApiBreak]:
    """Compare the crates that changed files belong to; a program has no public API."""
    roots = {root for path in paths if (root := _root(path, before)) is not None}
    for root in sorted(roots):
        was = _CrateSurface(before, root).surface()
        is_now = _CrateSurface(after, root).surface() if root in after.files else {}
        yield from compare(was, is_now, DIALECT)


def _root(path: str, side: CommitSide) -> str | None:
    """Find the root of the library that a file is a part of."""
    parts = path.split("/")[:-1]
    if "bin" in parts or path.endswith(("main.rs", "build.rs")):
        return None
    for depth in range(len(parts), -1, -1):
        folder = "".join(f"{it}/" for it in parts[:depth])
        for root in _ROOTS if f"{folder}Cargo.toml" in side.files else ():
            if f"{folder}{root}" in side.files:
                return f"{folder}{root}"
    bare = re.match(r"(.*/)?src/", path)
    root = f"{bare.group()}lib.rs" if bare else ""
    return root if root in side.files else None


class _CrateSurface:
    """One crate of one commit."""

    def __init__(self, side: CommitSide, root: str) -> None:
        self._side = side
        self._crate = Crate(side, root)
        self._told: set[tuple[tuple[str, ...], tuple[str, ...]]] = set()
        self._impls: dict[str, list[tuple[Node, str]]] = {}
        for node, file in self._crate.impls:
            owner = source_of(part(node, "type")).partition("<")[0].rpartition("::")[2].strip("& ")
            self._impls.setdefault(owner, []).append((node, file))

    def surface(self) -> Surface:
        """Return what everybody can name."""
        self._told.clear()
        found = dict(self._public(self._crate.root, (), 0))
        for macro in self._crate.macros:
            name = f"{macro.name}!"
            found[name] = ApiSymbol(name=name, kind="macro", file=macro.file)
        return found

    def _public(
        self, module: RustModule, path: tuple[str, ...], depth: int
    ) -> Iterator[tuple[str, ApiSymbol]]:
        self._side.tick()
        place = module.path, path
        if depth > _DEEPEST or place in self._told:
            return
        self._told.add(place)
        for use in module.uses:
            if use.is_public:
                yield from self._reexported(module, use, path, depth)
        for item in module.items.values():
            if item.is_public:
                yield self._named(item, (*path, item.name))
        for name, inner in module.modules.items():
            if inner.is_public:
                full = "::".join((*path, name))
                yield full, ApiSymbol(name=full, kind="module", file=inner.file)
                yield from self._public(inner, (*path, name), depth + 1)

    def _named(self, item: RustItem, path: tuple[str, ...]) -> tuple[str, ApiSymbol]:
        full = "::".join(path)
        symbol = rust_symbol(full, item)
        lent = implemented(full, self._impls.get(item.name, ()))
        traits = symbol.traits | lent.traits
        members: Mapping[str, ApiSymbol] = {**symbol.members, **lent.members}
        hidden = symbol.hidden | lent.hidden
        return full, replace(symbol, members=members, traits=traits, hidden=hidden)

    def _reexported(
        self, module: RustModule, use: RustUse, path: tuple[str, ...], depth: int
    ) -> Iterator[tuple[str, ApiSymbol]]:
        target = self._absolute(module, use.path)
        if use.name == "*":
            source = None if target is None else self._crate.find(target)
            if source is not None and source is not module:
                yield from self._public(source, path, depth + 1)
            return
        full = (*path, use.name)
        found = None if target is None else self._item(target, 0)
        if isinstance(found, RustItem):
            yield self._named(found, full)
        elif isinstance(found, RustModule):
            name = "::".join(full)
            yield name, ApiSymbol(name=name, kind="module", file=found.file)
            yield from self._public(found, full, depth + 1)
        else:
            name = "::".join(full)
            yield name, ApiSymbol(name=name, kind="name", file=module.file, is_open=True)

    def _absolute(self, module: RustModule, path: tuple[str, ...]) -> tuple[str, ...] | None:
        """Read a path from the root; None for what belongs to another crate."""
        at, rest = module.path, list(path)
        if rest[:1] == ["crate"]:
            return tuple(rest[1:])
        while rest and rest[0] in _HERE:
            at = at[:-1] if rest[0] == "super" else at
            rest = rest[1:]
        first = rest[0] if rest else ""
        here = self._crate.find(at)
        is_own = here is not None and (first in here.modules or first in here.items)
        return (*at, *rest) if is_own or path[:1] in (("self",), ("super",)) else None

    def _item(self, path: tuple[str, ...], depth: int) -> RustItem | RustModule | None:
        module = self._crate.find(path)
        if module is not None:
            return module
        self._side.tick()
        above = self._crate.find(path[:-1])
        if above is None or depth > _DEEPEST:
            return None
        if path[-1] in above.items:
            return above.items[path[-1]]
        for use in above.uses:
            target = self._absolute(above, use.path)
            if target is not None and use.name == path[-1]:
                return self._item(target, depth + 1)
            if target is not None and use.name == "*":
                found = self._item((*target, path[-1]), depth + 1)
                if found is not None:
                    return found
        return None

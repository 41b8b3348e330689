"""The exports of entry points, each followed to where it is declared."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Final

from supervisor_ai.domain.structs import replace
from supervisor_ai.gates.public_api.model import ApiSymbol, BreakRules
from supervisor_ai.gates.public_api.script.declarations import Declarations
from supervisor_ai.gates.public_api.script.script_modules import (
    ScriptModule,
    ScriptModules,
    ScriptOrigin,
)

if TYPE_CHECKING:
    from tree_sitter import Node

DIALECT: Final = BreakRules(
    switching=frozenset({"static"}),
    demanding=frozenset({"readonly", "abstract", "loaded"}),
    giving=frozenset({"loaded"}),
    same_kinds=(
        frozenset({"interface", "type"}),
        frozenset({"property", "method"}),
        frozenset({"function", "value"}),
        frozenset({"property", "index"}),
    ),
)
_DEEPEST: Final = 12


class ScriptSurface:
    """One side of a change."""

    def __init__(self, modules: ScriptModules) -> None:
        self._modules = modules
        self._known: dict[str, Mapping[str, ApiSymbol]] = {}
        self._types: dict[str, dict[str, ApiSymbol]] = {}

    def of(self, path: str, depth: int = 0) -> Mapping[str, ApiSymbol]:
        """Return what a module exports, by its public name."""
        if path not in self._known:
            # Modules that re-export each other get from each other what is not theirs.
            self._known[path] = {}
            self._known[path] = self._exports(path, depth)
        return self._known[path]

    def _exports(self, path: str, depth: int) -> Mapping[str, ApiSymbol]:
        module = self._modules.find(path)
        if module is None or depth > _DEEPEST:
            return {}
        found: dict[str, ApiSymbol] = {}
        for star in module.stars:
            source = self._modules.follow(path, star)
            inner = {} if source is None else self.of(source, depth + 1)
            found |= {name: it for name, it in inner.items() if name != "default"}
        for name, origin in module.exports.items():
            found[name] = self._export(module, name, origin, depth)
        return found

    def types(self, path: str, depth: int = 0) -> dict[str, ApiSymbol]:
        """Return all declarations of a module, also those that it keeps, and of what it uses."""
        if path not in self._types:
            self._types[path] = {}
            self._types[path] = self._used_types(path, depth)
        return self._types[path]

    def _used_types(self, path: str, depth: int) -> dict[str, ApiSymbol]:
        module = self._modules.find(path)
        if module is None or depth > 3:  # noqa: PLR2004 - farther away nothing is decided
            return {}
        found: dict[str, ApiSymbol] = {}
        sources = {it.source for it in module.imports.values()} | set(module.stars)
        for source in sorted(sources):
            place = self._modules.follow(path, source)
            found |= {} if place is None else self.types(place, depth + 1)
        return found | {it: self._declared(module, it, it, depth) for it in module.declared}

    def _export(
        self,
        module: ScriptModule,
        name: str,
        origin: "str | ScriptOrigin | Node",
        depth: int,
    ) -> ApiSymbol:
        if isinstance(origin, str):
            return self._local(module, origin, name, depth)
        if isinstance(origin, ScriptOrigin):
            return self._foreign(module, origin, name, depth)
        return Declarations(module.path).read(name, [origin])

    def _local(self, module: ScriptModule, local: str, name: str, depth: int) -> ApiSymbol:
        if local in module.declared:
            return self._declared(module, local, name, depth)
        origin = module.imports.get(local)
        if origin is not None:
            return self._foreign(module, origin, name, depth)
        return ApiSymbol(name=name, kind="value", file=module.path, is_open=True)

    def _foreign(
        self, module: ScriptModule, origin: ScriptOrigin, name: str, depth: int
    ) -> ApiSymbol:
        place = self._modules.follow(module.path, origin.source)
        unknown = ApiSymbol(name=name, kind="value", file=module.path, is_open=True)
        source = None if place is None or depth > _DEEPEST else self.of(place, depth + 1)
        if not source:
            return unknown
        if origin.name is None:
            members = {key: renamed(it, f"{name}.{key}") for key, it in source.items()}
            return ApiSymbol(name=name, kind="namespace", file=module.path, members=members)
        found = source.get(origin.name)
        return unknown if found is None else renamed(found, name)

    def _declared(self, module: ScriptModule, local: str, name: str, depth: int) -> ApiSymbol:
        symbol = Declarations(module.path).read(name, module.declared[local])
        members = dict(symbol.members)
        bases = set(symbol.bases)
        traits = set(symbol.traits)
        for base in sorted(symbol.bases):
            if (
                base != local
                and depth < _DEEPEST
                and (base in module.declared or base in module.imports)
            ):
                above = self._local(module, base, name, depth + 1)
                members = {**above.members, **members}
                bases |= above.bases
                if symbol.kind == above.kind == "interface":
                    # What counts of an interface is what it has, not whom it has it from.
                    bases.discard(base)
                    traits.add(f"extending {base}")
        return replace(symbol, members=members, bases=frozenset(bases), traits=frozenset(traits))


def renamed(symbol: ApiSymbol, name: str) -> ApiSymbol:
    """Call something by another name, and what it holds accordingly."""
    members = {
        key: renamed(it, f"{name}.{it.name.rpartition('.')[2]}")
        for key, it in symbol.members.items()
    }
    return replace(symbol, name=name, members=members)

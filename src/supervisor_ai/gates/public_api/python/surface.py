"""The public names of modules of Python, each followed to where it is defined."""

from collections.abc import Collection, Iterator
from typing import TYPE_CHECKING, Final

from supervisor_ai.domain.structs import replace
from supervisor_ai.gates.integrity.analysis.syntax_tree import field as part
from supervisor_ai.gates.public_api.commit_side import CommitSide
from supervisor_ai.gates.public_api.foreign_files import is_made
from supervisor_ai.gates.public_api.model import ApiSymbol, BreakRules, Surface, TypeUse
from supervisor_ai.gates.public_api.python import symbols
from supervisor_ai.gates.public_api.python.distributions import Distributions
from supervisor_ai.gates.public_api.python.modules import (
    ImportOrigin,
    PythonModule,
    PythonModules,
    is_public_name,
)

if TYPE_CHECKING:
    from tree_sitter import Node

DIALECT: Final = BreakRules(
    switching=frozenset({"staticmethod", "classmethod", "async"}),
    same_kinds=(frozenset({"value", "attribute"}),),
    ignored_bases=frozenset({"object", "Generic", "Protocol", "ABC"}),
)
_DEEPEST: Final = 12
_MOST_NEIGHBOURS: Final = 400


class PythonSurface:
    """One side of a change."""

    def __init__(self, side: CommitSide, suffix: str = ".py") -> None:
        self._side = side
        self.modules = PythonModules(side, suffix)
        self._distributions = Distributions(side)
        self._classes: dict[tuple[str, str], ApiSymbol | None] = {}
        self._stars: dict[str, frozenset[str]] = {}

    def of(self, names: Collection[str]) -> Surface:
        """Return everything that some modules give to whoever imports them, by its full name."""
        return self._given(names, is_promised=False)

    def promised(self, names: Collection[str]) -> Surface:
        """Return what others may rely on: of code that nobody can install, what it lists itself."""
        return self._given(names, is_promised=True)

    def _given(self, names: Collection[str], *, is_promised: bool) -> Surface:
        found: dict[str, ApiSymbol] = {}
        for name in sorted(names):
            module = self.modules.find(name) if is_public_name(name) else None
            if module is None or is_made(self._side.text(module.path) or b""):
                continue
            is_whole = not is_promised or self._distributions.has(module.path)
            if is_whole or module.listed:
                found[name] = ApiSymbol(name=name, kind="module", file=module.path)
            for public in self._names(module, 0) if is_whole else sorted(_listed(module)):
                symbol = self._symbol(module, public, f"{name}.{public}", 0)
                if symbol is not None:
                    found[symbol.name] = symbol
        return found

    def names_of(self, paths: Collection[str]) -> frozenset[str]:
        """Name the modules of files, and those beside and above them that may re-export them."""
        touched = {name for name, path in self.modules.paths.items() if path in paths}
        tops = {name.partition(".")[0] for name in touched}
        packages = {name.rpartition(".")[0] for name in touched}
        near = [
            name
            for name, path in self.modules.paths.items()
            if name.partition(".")[0] in tops
            and (
                path.rpartition("/")[2].startswith("__init__.")
                or name.rpartition(".")[0] in packages
            )
        ]
        self._side.fetch([self.modules.paths[it] for it in near[:_MOST_NEIGHBOURS]])
        return frozenset({*touched, *near[:_MOST_NEIGHBOURS]})

    def _names(self, module: PythonModule, depth: int) -> Iterator[str]:
        """Return the names that a module gives: its own, and what it re-exports."""
        own = {it for it in module.definitions if not it.startswith("_")}
        given = {it for it in module.imports if self._is_given(module, it)}
        inherited: set[str] = set()
        for star in module.stars if depth < _DEEPEST else ():
            source = self.modules.find(star)
            inherited |= set() if source is None else set(self._starred(source, depth))
        yield from sorted(own | given | inherited | _listed(module) | module.served)

    def _starred(self, module: PythonModule, depth: int) -> frozenset[str]:
        if module.listed:
            return module.listed
        if module.name not in self._stars:
            self._stars[module.name] = frozenset()
            names = frozenset(self._names(module, depth + 1))
            self._stars[module.name] = names - module.served
        return self._stars[module.name]

    def _is_given(self, module: PythonModule, local: str) -> bool:
        """Tell whether an imported name is a re-export, and not only used."""
        if local.startswith("_"):
            return False
        if local in module.kept:
            return True
        top = module.name.partition(".")[0]
        origins = module.imports[local]
        is_own = any(it.name and it.module.partition(".")[0] == top for it in origins)
        return module.is_package and is_own

    def _symbol(self, module: PythonModule, name: str, full: str, depth: int) -> ApiSymbol | None:
        if name in module.definitions:
            return self._defined(module, name, full, depth)
        for origin in module.imports.get(name, ()):
            found = self._followed(origin, full, depth)
            if found is not None:
                return found
        for star in module.stars:
            source = self.modules.find(star)
            if source is not None and depth < _DEEPEST and name in self._starred(source, depth):
                return self._symbol(source, name, full, depth + 1)
        if f"{module.name}.{name}" in self.modules.paths:
            return ApiSymbol(name=full, kind="module", file=module.path)
        is_made_up = name in module.listed and (module.is_dynamic or self._has_unseen(module))
        is_known = name in module.served or name in module.imports or is_made_up
        return (
            ApiSymbol(name=full, kind="name", file=module.path, is_open=True) if is_known else None
        )

    def _has_unseen(self, module: PythonModule) -> bool:
        return any(self.modules.find(it) is None for it in module.stars)

    def _followed(self, origin: ImportOrigin, full: str, depth: int) -> ApiSymbol | None:
        if origin.name is None or depth > _DEEPEST:
            return None
        source = self.modules.find(origin.module)
        if source is None:
            return None
        return self._symbol(source, origin.name, full, depth + 1)

    def _defined(self, module: PythonModule, name: str, full: str, depth: int) -> ApiSymbol | None:
        nodes = module.definitions[name]
        last = nodes[-1]
        kind = (part(last, "definition") or last).type
        if kind == "function_definition":
            plain = [it for it in nodes if (part(it, "definition") or it).type == kind]
            return symbols.function(full, module.path, plain)
        if kind == "class_definition":
            return self._known_class(module, name, full, depth)
        aliased = symbols.alias_of(last)
        if aliased and aliased != name and depth < _DEEPEST:
            found = self._symbol(module, aliased, full, depth + 1)
            if found is not None:
                return found
        return symbols.value(full, module.path, last)

    def _known_class(
        self, module: PythonModule, name: str, full: str, depth: int
    ) -> ApiSymbol | None:
        """Read a class once; one that is made of itself is made of nothing."""
        self._side.tick()
        key = module.name, name
        if key not in self._classes:
            self._classes[key] = None
            node = module.definitions[name][-1]
            self._classes[key] = self._class(module, node, full, depth)
        found = self._classes[key]
        return None if found is None else replace(found, name=full, members=_renamed(found, full))

    def _class(self, module: PythonModule, node: "Node", full: str, depth: int) -> ApiSymbol:
        members = dict(symbols.own_members(full, module.path, node))
        made = symbols.constructors(node)
        names: set[str] = set()
        is_outside = False
        for written in symbols.bases(node):
            simple = written.rpartition(".")[2]
            above = self._base(module, written, full, depth)
            if above is None:
                is_outside = is_outside or simple not in DIALECT.ignored_bases
            else:
                members = {**_renamed(above, full), **members}
                made = made or above.signatures
                names |= above.bases
            if not simple.startswith("_"):
                names.add(simple)
        if not made and not is_outside:
            made = symbols.NO_PARAMETERS
        return ApiSymbol(
            name=full,
            kind="class",
            file=module.path,
            members=members,
            bases=frozenset(names),
            signatures=made,
            use=TypeUse.GOT,
        )

    def _base(self, module: PythonModule, written: str, full: str, depth: int) -> ApiSymbol | None:
        if depth > _DEEPEST:
            return None
        first, _, rest = written.partition(".")
        if rest:
            origins = module.imports.get(first, ())
            places = [it.module if it.name is None else f"{it.module}.{it.name}" for it in origins]
            sources = [self.modules.find(it) for it in places]
            found = [self._symbol(it, rest, full, depth + 1) for it in sources if it is not None]
            symbol = next((it for it in found if it is not None), None)
        else:
            symbol = self._symbol(module, first, full, depth + 1)
        return symbol if symbol is not None and symbol.kind == "class" else None


def _listed(module: PythonModule) -> set[str]:
    return {it for it in module.listed if not (it.startswith("__") and it.endswith("__"))}


def _renamed(above: ApiSymbol, full: str) -> dict[str, ApiSymbol]:
    return {name: replace(it, name=f"{full}.{name}") for name, it in above.members.items()}

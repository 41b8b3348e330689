"""Public API of Go: what begins with a capital, package by package."""

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Final

from supervisor_ai.domain.structs import replace
from supervisor_ai.engine.ports.gates import ApiBreak
from supervisor_ai.gates.integrity.analysis.syntax_tree import Grammar, items, source_of
from supervisor_ai.gates.integrity.analysis.syntax_tree import field as part
from supervisor_ai.gates.public_api.commit_side import CommitSide
from supervisor_ai.gates.public_api.comparison import compare
from supervisor_ai.gates.public_api.compiled.written_types import written
from supervisor_ai.gates.public_api.foreign_files import is_foreign, is_made
from supervisor_ai.gates.public_api.model import (
    ApiSymbol,
    BreakRules,
    Parameter,
    Signature,
    Surface,
    TypeParameter,
)
from supervisor_ai.gates.public_api.type_trees import TypeTree

if TYPE_CHECKING:
    from tree_sitter import Node

GRAMMAR: Final = Grammar("tree_sitter_go")
DIALECT: Final = BreakRules(
    exact_types=True,
    demanding=frozenset({"called on a pointer"}),
    same_kinds=(frozenset({"variable", "constant"}),),
)


def go_breaks(before: CommitSide, after: CommitSide, paths: frozenset[str]) -> Iterator[ApiBreak]:
    """Compare the packages that changed files belong to."""
    for folder in sorted({path.rpartition("/")[0] for path in paths}):
        if "internal" not in folder.split("/") and not is_foreign(f"{folder}/"):
            was, is_now = (_GoPackage(side, folder) for side in (before, after))
            yield from compare(was.surface(), is_now.surface(), DIALECT)


class _GoPackage:
    """One folder of one commit."""

    def __init__(self, side: CommitSide, folder: str) -> None:
        self._side = side
        self._name = folder or "."
        self._found: dict[str, ApiSymbol] = {}
        self._wholes: dict[str, ApiSymbol] = {}
        self._methods: dict[str, dict[str, ApiSymbol]] = {}
        self._embedded: dict[str, list[str]] = {}
        paths = [it for it in side.files if _belongs(it, folder)]
        side.fetch(paths)
        for path in paths:
            root = side.root(path, GRAMMAR)
            if root is not None and not is_made(side.text(path) or b""):
                self._read(path, root)

    def surface(self) -> Surface:
        """Return what others can use."""
        found = {name: self._whole(name, it) for name, it in self._found.items()}
        return {it.name: it for name, it in found.items() if _is_exported(name)}

    def _whole(self, name: str, symbol: ApiSymbol) -> ApiSymbol:
        """Add methods, and what embedded types of the same package lend, each of them once."""
        self._side.tick()
        if name in self._wholes:
            return self._wholes[name]
        self._wholes[name] = symbol
        members: dict[str, ApiSymbol] = {}
        for lent in self._embedded.get(name, ()):
            above = self._found.get(lent)
            if above is not None:
                whole = self._whole(lent, above)
                members |= {key: _moved(it, symbol) for key, it in whole.members.items()}
        members |= dict(symbol.members) | self._methods.get(name, {})
        self._wholes[name] = replace(symbol, members=members)
        return self._wholes[name]

    def _read(self, path: str, root: "Node") -> None:
        clause = next((it for it in items(root) if it.type == "package_clause"), None)
        if clause is not None and source_of(items(clause)[0]) == "main":
            return
        for node in items(root):
            match node.type:
                case "function_declaration":
                    self._add(self._function(node, path, "function"))
                case "method_declaration":
                    self._method(node, path)
                case "type_declaration":
                    for each in items(node):
                        self._type(each, path)
                case "const_declaration" | "var_declaration":
                    kind = "constant" if node.type.startswith("const") else "variable"
                    for each in _specs(node):
                        self._values(each, path, kind)
                case _:
                    continue

    def _add(self, symbol: ApiSymbol) -> None:
        self._found[symbol.name.rpartition(".")[2]] = symbol

    def _function(self, node: "Node", path: str, kind: str, owner: str = "") -> ApiSymbol:
        name = source_of(part(node, "name"))
        full = f"{self._name}.{owner}.{name}" if owner else f"{self._name}.{name}"
        return ApiSymbol(name=full, kind=kind, file=path, signatures=(_signature(node),))

    def _method(self, node: "Node", path: str) -> None:
        receiver = source_of(part(node, "receiver")).strip("() ")
        owner = receiver.split()[-1] if receiver else ""
        plain = owner.lstrip("*").partition("[")[0]
        method = self._function(node, path, "method", plain)
        name = method.name.rpartition(".")[2]
        if _is_exported(name):
            traits = {"called on a pointer"} if "*" in receiver else set()
            self._methods.setdefault(plain, {})[name] = replace(method, traits=frozenset(traits))

    def _type(self, node: "Node", path: str) -> None:
        name, body = source_of(part(node, "name")), part(node, "type")
        full = f"{self._name}.{name}"
        if body is None:
            return
        plain = ApiSymbol(name=full, kind="type", file=path, types=_type_parameters(node))
        match body.type:
            case "struct_type":
                fields = list(self._fields(full, body, path))
                hidden = {it for it, _ in fields if not _is_exported(it)}
                public = {it: field for it, field in fields if _is_exported(it)}
                self._embedded[name] = [it for it, field in fields if field.kind == "embedded type"]
                self._add(replace(plain, kind="struct", members=public, hidden=frozenset(hidden)))
            case "interface_type":
                self._add(self._interface(plain, body))
            case _:
                self._add(replace(plain, type=written(body, _names(node))))

    def _fields(self, full: str, body: "Node", path: str) -> Iterator[tuple[str, ApiSymbol]]:
        for listed in items(body):
            for each in items(listed):
                names = [source_of(it) for it in each.children_by_field_name("name")]
                tree = written(part(each, "type"))
                if not names and tree is not None:
                    embedded = tree.text.lstrip("*").rpartition(".")[2].partition("[")[0]
                    kind = "embedded type"
                    yield embedded, ApiSymbol(name=f"{full}.{embedded}", kind=kind, file=path)
                for it in names:
                    yield it, ApiSymbol(name=f"{full}.{it}", kind="field", file=path, type=tree)

    def _interface(self, plain: ApiSymbol, body: "Node") -> ApiSymbol:
        methods = [it for it in items(body) if it.type in {"method_elem", "method_spec"}]
        named = {source_of(part(it, "name")): it for it in methods}
        # With a method of its own that nobody else can have, only the package implements it.
        is_sealed = any(not _is_exported(it) for it in named)
        members = {
            name: ApiSymbol(
                name=f"{plain.name}.{name}",
                kind="method",
                file=plain.file,
                signatures=(_signature(node),),
                is_demanded=not is_sealed,
            )
            for name, node in named.items()
            if _is_exported(name)
        }
        others = {source_of(it) for it in items(body) if it not in methods}
        return replace(plain, kind="interface", members=members, bases=frozenset(others))

    def _values(self, node: "Node", path: str, kind: str) -> None:
        tree = written(part(node, "type"))
        for name in node.children_by_field_name("name"):
            text = source_of(name)
            if text and text != ",":
                full = f"{self._name}.{text}"
                self._add(ApiSymbol(name=full, kind=kind, file=path, type=tree))


def _belongs(path: str, folder: str) -> bool:
    is_code = path.endswith(".go") and not path.endswith("_test.go")
    return is_code and path.rpartition("/")[0] == folder and not is_foreign(path)


def _is_exported(name: str) -> bool:
    return name[:1].isupper()


def _moved(member: ApiSymbol, to: ApiSymbol) -> ApiSymbol:
    return replace(member, name=f"{to.name}.{member.name.rpartition('.')[2]}")


def _specs(node: "Node") -> Iterator["Node"]:
    for each in items(node):
        if each.type.endswith("_list"):
            yield from items(each)
        else:
            yield each


def _names(node: "Node") -> Mapping[str, str]:
    listed = items(part(node, "type_parameters"))
    names = [source_of(it) for each in listed for it in each.children_by_field_name("name")]
    return {name: f"${at}" for at, name in enumerate(names)}


def _type_parameters(node: "Node") -> tuple[TypeParameter, ...]:
    names = _names(node)
    return tuple(
        TypeParameter(bound=_bound(part(each, "type"), names))
        for each in items(part(node, "type_parameters"))
        for _ in each.children_by_field_name("name")
    )


def _bound(node: "Node | None", names: Mapping[str, str]) -> TypeTree | None:
    found = written(node, names)
    return None if found is None or found.text in {"any", "interface{}"} else found


def _signature(node: "Node") -> Signature:
    names = _names(node)
    parameters: list[Parameter] = []
    for each in items(part(node, "parameters")):
        tree = written(part(each, "type"), names)
        is_rest = each.type.startswith("variadic")
        for name in each.children_by_field_name("name") or [each]:
            text = source_of(name) if name is not each else ""
            parameters.append(
                Parameter(name=text, type=tree, is_required=not is_rest, is_rest=is_rest)
            )
    return Signature(
        parameters=tuple(parameters),
        returns=_returns(part(node, "result"), names),
        types=_type_parameters(node),
    )


def _returns(node: "Node | None", names: Mapping[str, str]) -> TypeTree:
    """Leave out the names of what is returned: only their types count."""
    if node is None:
        return TypeTree("nothing")
    if node.type != "parameter_list":
        return written(node, names) or TypeTree("nothing")
    found = []
    for each in items(node):
        tree = written(part(each, "type"), names)
        count = len(each.children_by_field_name("name")) or 1
        found += [tree] * count
    parts = tuple(it for it in found if it is not None)
    return (
        parts[0]
        if len(parts) == 1
        else TypeTree("results", parts, " ".join(source_of(node).split()))
    )

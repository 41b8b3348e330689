"""Public API of Java: what is public or protected, file by file."""

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Final

from supervisor_ai.domain.structs import replace
from supervisor_ai.engine.ports.gates import ApiBreak
from supervisor_ai.gates.integrity.analysis.syntax_tree import Grammar, items, source_of
from supervisor_ai.gates.integrity.analysis.syntax_tree import field as part
from supervisor_ai.gates.public_api.commit_side import CommitSide
from supervisor_ai.gates.public_api.comparison import compare
from supervisor_ai.gates.public_api.compiled.written_types import written
from supervisor_ai.gates.public_api.foreign_files import is_made
from supervisor_ai.gates.public_api.model import (
    ApiSymbol,
    BreakRules,
    Parameter,
    Signature,
    TypeParameter,
)

if TYPE_CHECKING:
    from tree_sitter import Node

GRAMMAR: Final = Grammar("tree_sitter_java")
_UNMADE: Final = "for nobody else to make"
DIALECT: Final = BreakRules(
    exact_types=True,
    switching=frozenset({"static"}),
    demanding=frozenset({"final", "abstract", "sealed", "protected", "throws", _UNMADE}),
    ignored_bases=frozenset({"Object"}),
)
_KINDS: Final[Mapping[str, str]] = {
    "class_declaration": "class",
    "interface_declaration": "interface",
    "enum_declaration": "enum",
    "record_declaration": "record",
    "annotation_type_declaration": "annotation",
}
_OPEN_TO_ALL: Final = frozenset({"interface", "annotation"})
_KEPT: Final = frozenset({"final", "abstract", "sealed", "protected", "static"})
_DEEPEST: Final = 8


def java_breaks(before: CommitSide, after: CommitSide, paths: frozenset[str]) -> Iterator[ApiBreak]:
    """Compare the types that changed files declare."""
    was, is_now = (_JavaTypes(side, paths) for side in (before, after))
    yield from compare(was.public, is_now.public, DIALECT, is_now.hidden)


class _JavaTypes:
    """The types of some files of one commit."""

    def __init__(self, side: CommitSide, paths: frozenset[str]) -> None:
        self._side = side
        self._by_name: dict[str, list[str]] = {}
        for path in side.files:
            if path.endswith(".java"):
                self._by_name.setdefault(path.rpartition("/")[2][:-5], []).append(path)
        self._known: dict[str, ApiSymbol | None] = {}
        self.public: dict[str, ApiSymbol] = {}
        self.hidden: set[str] = set()
        for path in sorted(paths):
            if path in side.files and not is_made(side.text(path) or b""):
                self._read(path)

    def _read(self, path: str) -> None:
        for symbol, is_public in self._types(path, 0):
            if is_public:
                self.public[symbol.name] = symbol
            else:
                self.hidden.add(symbol.name)

    def _types(self, path: str, depth: int) -> Iterator[tuple[ApiSymbol, bool]]:
        root = self._side.root(path, GRAMMAR)
        package = ""
        for node in items(root):
            if node.type == "package_declaration":
                package = f"{source_of(items(node)[-1])}."
            elif node.type in _KINDS:
                name = source_of(part(node, "name"))
                symbol = self._type(f"{package}{name}", node, path, depth)
                yield symbol, "public" in _modifiers(node)

    def _type(self, full: str, node: "Node", path: str, depth: int) -> ApiSymbol:
        kind = _KINDS[node.type]
        names = _names(node)
        members: dict[str, ApiSymbol] = {}
        hidden: set[str] = set()
        made: list[Signature] = []
        traits = set(_modifiers(node) & _KEPT)
        has_constructor = False
        for each in _body(node):
            if each.type == "constructor_declaration":
                has_constructor = True
                made += [_signature(each, names)] if _is_open(each, kind) else []
                continue
            for member in self._members(full, each, kind, (path, names), depth):
                key = member.name.rpartition(".")[2]
                if not _is_open(each, kind):
                    hidden.add(key)
                elif key in members:
                    members[key] = _overloaded(members[key], member)
                else:
                    members[key] = member
        if kind == "record":
            made.append(_signature(node, names))
            members |= _components(full, node, path)
        elif kind == "class" and not has_constructor:
            made.append(Signature())
        elif kind == "class" and not made:
            traits.add(_UNMADE)
        bases, lent = self._above(full, node, path, depth)
        return ApiSymbol(
            name=full,
            kind=kind,
            file=path,
            members={**lent, **members},
            hidden=frozenset(hidden - members.keys()),
            signatures=tuple(made),
            bases=bases,
            types=_type_parameters(node, names),
            traits=frozenset(traits),
        )

    def _members(
        self, full: str, node: "Node", kind: str, place: tuple[str, Mapping[str, str]], depth: int
    ) -> Iterator[ApiSymbol]:
        path, names = place
        words = _modifiers(node)
        traits = words & _KEPT
        if node.type in _KINDS:
            yield self._type(f"{full}.{source_of(part(node, 'name'))}", node, path, depth + 1)
        elif node.type in {"field_declaration", "constant_declaration"}:
            tree = written(part(node, "type"), names)
            for each in node.children_by_field_name("declarator"):
                name = f"{full}.{source_of(part(each, 'name'))}"
                yield ApiSymbol(name=name, kind="field", file=path, type=tree, traits=traits)
        elif node.type == "enum_constant":
            name = f"{full}.{source_of(part(node, 'name'))}"
            yield ApiSymbol(name=name, kind="constant", file=path)
        elif node.type in {"method_declaration", "annotation_type_element_declaration"}:
            yield _method(full, node, kind, path, names)

    def _known_type(self, path: str, depth: int) -> ApiSymbol | None:
        self._side.tick()
        if path not in self._known:
            self._known[path] = None
            self._known[path] = next((it for it, _ in self._types(path, depth + 1)), None)
        return self._known[path]

    def _above(
        self, full: str, node: "Node", path: str, depth: int
    ) -> tuple[frozenset[str], dict[str, ApiSymbol]]:
        """Find what a type is made of; what it inherits in the same repository is its own."""
        names = [_plain(it) for it in _supertypes(node)]
        lent: dict[str, ApiSymbol] = {}
        bases = set(names)
        for name in names if depth < _DEEPEST else ():
            for place in self._by_name.get(name, [])[:1]:
                above = None if place == path else self._known_type(place, depth)
                if above is not None:
                    bases |= above.bases
                    lent |= {key: _moved(it, full) for key, it in above.members.items()}
        return frozenset(bases), lent


def _method(full: str, node: "Node", kind: str, path: str, names: Mapping[str, str]) -> ApiSymbol:
    words = _modifiers(node)
    thrown = [it for each in items(node) if each.type == "throws" for it in items(each)]
    traits = (words & _KEPT) | {f"throws {source_of(it)}" for it in thrown}
    is_unmade = part(node, "body") is None and not words & {"native", "static"}
    has_default = part(node, "value") is not None
    is_demanded = is_unmade and (kind in _OPEN_TO_ALL or "abstract" in words) and not has_default
    return ApiSymbol(
        name=f"{full}.{source_of(part(node, 'name'))}",
        kind="method",
        file=path,
        signatures=(_signature(node, names),),
        traits=frozenset(traits - ({"abstract"} if kind in _OPEN_TO_ALL else set())),
        is_demanded=is_demanded,
    )


def _overloaded(one: ApiSymbol, other: ApiSymbol) -> ApiSymbol:
    return replace(
        one,
        signatures=(*one.signatures, *other.signatures),
        traits=one.traits & other.traits,
        is_demanded=one.is_demanded or other.is_demanded,
    )


def _moved(member: ApiSymbol, full: str) -> ApiSymbol:
    return replace(member, name=f"{full}.{member.name.rpartition('.')[2]}")


def _body(node: "Node") -> Iterator["Node"]:
    for each in items(part(node, "body")):
        if each.type == "enum_body_declarations":
            yield from items(each)
        else:
            yield each


def _modifiers(node: "Node") -> frozenset[str]:
    found = next((it for it in node.children if it.type == "modifiers"), None)
    return frozenset() if found is None else frozenset(it.type for it in found.children)


def _is_open(node: "Node", kind: str) -> bool:
    words = _modifiers(node)
    if kind in _OPEN_TO_ALL or node.type == "enum_constant":
        return "private" not in words
    return bool(words & {"public", "protected"})


def _supertypes(node: "Node") -> Iterator["Node"]:
    above = part(node, "superclass")
    yield from items(above)
    listed = [part(node, "interfaces")]
    listed += [it for it in items(node) if it.type == "extends_interfaces"]
    for each in listed:
        for types in items(each):
            yield from items(types)


def _plain(node: "Node") -> str:
    return source_of(node).partition("<")[0].rpartition(".")[2].strip()


def _names(node: "Node") -> Mapping[str, str]:
    listed = [items(it) for it in items(part(node, "type_parameters"))]
    names = [source_of(it[0]) for it in listed if it]
    return {name: f"${at}" for at, name in enumerate(names)}


def _type_parameters(node: "Node", names: Mapping[str, str]) -> tuple[TypeParameter, ...]:
    return tuple(
        TypeParameter(bound=next((written(it, names) for it in items(each)[1:]), None))
        for each in items(part(node, "type_parameters"))
    )


def _signature(node: "Node", names: Mapping[str, str]) -> Signature:
    own = {**names, **{name: f"${at}" for name, at in _names(node).items()}}
    given = [it for it in items(part(node, "parameters")) if it.type != "receiver_parameter"]
    return Signature(
        parameters=tuple(_parameter(it, own) for it in given),
        returns=written(part(node, "type"), own),
        types=() if node.type == "record_declaration" else _type_parameters(node, own),
    )


def _parameter(node: "Node", names: Mapping[str, str]) -> Parameter:
    is_rest = node.type == "spread_parameter"
    plain = [it for it in items(node) if it.type != "modifiers"]
    tree = part(node, "type") or (plain[0] if plain else None)
    name = source_of(part(node, "name") or (plain[-1] if plain else None))
    return Parameter(name=name, type=written(tree, names), is_required=not is_rest, is_rest=is_rest)


def _components(full: str, node: "Node", path: str) -> Mapping[str, ApiSymbol]:
    found = {}
    for each in items(part(node, "parameters")):
        name = source_of(part(each, "name"))
        tree = written(part(each, "type"))
        symbol = ApiSymbol(name=f"{full}.{name}", kind="component", file=path, type=tree)
        found[name] = symbol
    return found

"""Functions, classes, interfaces and values of TypeScript and JavaScript."""

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Final

from supervisor_ai.domain.structs import replace
from supervisor_ai.gates.integrity.analysis.syntax_tree import field as part
from supervisor_ai.gates.integrity.analysis.syntax_tree import items, source_of
from supervisor_ai.gates.public_api.model import ApiSymbol
from supervisor_ai.gates.public_api.script.script_types import (
    Names,
    signature,
    type_names,
    type_parameters,
    type_tree,
)
from supervisor_ai.gates.public_api.type_trees import TypeTree, union

if TYPE_CHECKING:
    from tree_sitter import Node

CALLS: Final = "()"
MAKES: Final = "new()"
INDEX: Final = "[key]"
_FUNCTIONS: Final = frozenset(
    {"function_declaration", "function_signature", "generator_function_declaration"}
    | {"function_expression", "arrow_function", "generator_function", "function"}
)
_CLASSES: Final = frozenset({"class_declaration", "abstract_class_declaration", "class"})
_METHODS: Final = frozenset({"method_definition", "method_signature", "abstract_method_signature"})
_FIELDS: Final = frozenset({"public_field_definition", "field_definition", "property_signature"})
_WORDS: Final = ("static", "readonly", "abstract", "async")


class Declarations:
    """Reads the declarations of one file."""

    def __init__(self, file: str) -> None:
        self._file = file
        self._is_typed = file.endswith(("ts", "tsx"))

    def read(self, name: str, nodes: Sequence["Node"]) -> ApiSymbol:
        """Read all declarations of a name: a function and a namespace are one thing to users."""
        found = [self._one(name, node) for node in nodes]
        whole = found[0]
        for more in found[1:]:
            whole = self._merged(whole, more)
        return whole

    def _merged(self, one: ApiSymbol, other: ApiSymbol) -> ApiSymbol:
        first = other if one.kind == "namespace" else one
        return replace(
            first,
            signatures=(*one.signatures, *other.signatures),
            members={**one.members, **other.members},
            bases=one.bases | other.bases,
            is_open=one.is_open or other.is_open,
        )

    def _one(self, name: str, node: "Node") -> ApiSymbol:
        if node.type in _FUNCTIONS:
            return self._function(name, node)
        if node.type in _CLASSES:
            return self._class(name, node)
        match node.type:
            case "interface_declaration":
                return self._interface(name, node)
            case "type_alias_declaration":
                return self._alias(name, node)
            case "enum_declaration":
                return self._enum(name, node)
            case "internal_module" | "module":
                return self._namespace(name, node)
            case "variable_declarator":
                return self._variable(name, node)
            case _:
                return ApiSymbol(name=name, kind="value", file=self._file, is_open=True)

    def _function(self, name: str, node: "Node", kind: str = "function") -> ApiSymbol:
        found = signature(node, {}, is_typed=self._is_typed)
        return ApiSymbol(name=name, kind=kind, file=self._file, signatures=(found,))

    def _class(self, name: str, node: "Node") -> ApiSymbol:
        listed = part(node, "type_parameters")
        names = type_names(listed)
        body = items(part(node, "body"))
        members = self._members(name, body, names)
        made = members.pop("constructor", None)
        is_abstract = node.type == "abstract_class_declaration"
        return ApiSymbol(
            name=name,
            kind="class",
            file=self._file,
            members=members,
            hidden=frozenset(source_of(part(it, "name")) for it in body if _is_private(it)),
            types=type_parameters(listed, names),
            bases=frozenset(_class_bases(node)),
            signatures=() if made is None else made.signatures,
            traits=frozenset({"abstract"} if is_abstract else ()),
        )

    def _interface(self, name: str, node: "Node") -> ApiSymbol:
        listed = part(node, "type_parameters")
        names = type_names(listed)
        clauses = [it for it in items(node) if it.type.startswith("extends")]
        above = {_simple(each) for clause in clauses for each in items(clause)}
        return ApiSymbol(
            name=name,
            kind="interface",
            file=self._file,
            members=self._members(name, items(part(node, "body")), names),
            types=type_parameters(listed, names),
            bases=frozenset(above - {""}),
        )

    def _alias(self, name: str, node: "Node") -> ApiSymbol:
        listed = part(node, "type_parameters")
        names = type_names(listed)
        value = part(node, "value")
        types = type_parameters(listed, names)
        shape = self._shape(name, value, names)
        if shape is not None:
            return replace(shape, types=types)
        tree = type_tree(value, names)
        return ApiSymbol(name=name, kind="type", file=self._file, type=tree, types=types)

    def _shape(self, name: str, value: "Node | None", names: Names) -> ApiSymbol | None:
        """Read a type that is written as an object, or as one and the others that it is put to."""
        parts = list(_intersected(value))
        objects = [it for it in parts if it.type == "object_type"]
        if not objects:
            return None
        others = [_simple(it) for it in parts if it.type != "object_type"]
        members = self._members(name, [it for each in objects for it in items(each)], names)
        return ApiSymbol(
            name=name,
            kind="interface",
            file=self._file,
            members=members,
            bases=frozenset(filter(None, others)),
        )

    def _enum(self, name: str, node: "Node") -> ApiSymbol:
        body = items(part(node, "body"))
        words = (source_of(part(it, "name") or it).strip("'\"") for it in body)
        members = {
            it: ApiSymbol(name=f"{name}.{it}", kind="member", file=self._file) for it in words
        }
        return ApiSymbol(name=name, kind="enum", file=self._file, members=members)

    def _namespace(self, name: str, node: "Node") -> ApiSymbol:
        found: dict[str, list[Node]] = {}
        for inner, declared in declared_in(part(node, "body")):
            found.setdefault(inner, []).append(declared)
        members = {it: self.read(f"{name}.{it}", nodes) for it, nodes in found.items()}
        return ApiSymbol(name=name, kind="namespace", file=self._file, members=members)

    def _variable(self, name: str, node: "Node") -> ApiSymbol:
        written, value = part(node, "type"), part(node, "value")
        if value is not None and value.type in _FUNCTIONS and written is None:
            return self._function(name, value)
        if value is not None and value.type == "class":
            return self._class(name, value)
        inner = items(written)[0] if written is not None and items(written) else None
        if inner is not None and inner.type == "function_type":
            return self._function(name, inner)
        shape = self._shape(name, inner, {})
        if shape is not None:
            calls = shape.members.get(CALLS)
            members = {key: it for key, it in shape.members.items() if key != CALLS}
            made = () if calls is None else calls.signatures
            kind = "value" if calls is None else "function"
            return replace(shape, kind=kind, members=members, signatures=made)
        tree = type_tree(inner, {})
        is_open = tree is None and (value is None or value.type not in {"number", "string"})
        return ApiSymbol(name=name, kind="value", file=self._file, type=tree, is_open=is_open)

    def _members(self, name: str, nodes: Iterable["Node"], names: Names) -> dict[str, ApiSymbol]:
        found: dict[str, ApiSymbol] = {}
        for node in nodes:
            for member in self._member(name, node, names):
                key = member.name.rpartition(".")[2] if member.kind != "index" else INDEX
                before = found.get(key)
                found[key] = member if before is None else self._merged(before, member)
        return found

    def _member(self, name: str, node: "Node", names: Names) -> Iterator[ApiSymbol]:
        words = _words(node)
        if "private" in words:
            return
        traits = frozenset(it for it in _WORDS if it in words)
        if node.type in {"call_signature", "construct_signature"}:
            label = CALLS if node.type == "call_signature" else MAKES
            yield self._called(f"{name}.{label}", node, names, traits)
        elif node.type == "index_signature":
            tree = type_tree(part(node, "type"), names)
            yield ApiSymbol(name=f"{name}.{INDEX}", kind="index", file=self._file, type=tree)
        elif node.type in _METHODS | _FIELDS:
            written = source_of(part(node, "name") or part(node, "property")).strip("'\"")
            if written and not written.startswith(("_", "#")):
                yield from self._named(f"{name}.{written}", node, names, (traits, words))

    def _named(
        self, full: str, node: "Node", names: Names, said: tuple[frozenset[str], set[str]]
    ) -> Iterator[ApiSymbol]:
        traits, words = said
        if node.type in _METHODS and not {"get", "set"} & words:
            yield replace(self._called(full, node, names, traits), is_optional="?" in words)
            if full.endswith(".constructor"):
                yield from self._given_fields(full.removesuffix("constructor"), node, names)
            return
        value = part(node, "value")
        if value is not None and value.type == "arrow_function" and part(node, "type") is None:
            yield self._called(full, value, names, traits)
            return
        tree = type_tree(part(node, "type") or part(node, "return_type"), names)
        if tree is not None and "?" in words:
            # Who reads what may be missing reads `undefined`.
            tree = union([tree, TypeTree("undefined")], f"{tree.text} | undefined")
        plain = traits | {"readonly"} if "get" in words else traits
        yield ApiSymbol(
            name=full,
            kind="property",
            file=self._file,
            type=tree,
            traits=frozenset() if "set" in words else plain,
            is_optional="?" in words,
        )

    def _called(self, full: str, node: "Node", names: Names, traits: frozenset[str]) -> ApiSymbol:
        found = signature(node, names, is_typed=self._is_typed)
        kept = traits - {"async"}
        return ApiSymbol(
            name=full, kind="method", file=self._file, signatures=(found,), traits=kept
        )

    def _given_fields(self, prefix: str, node: "Node", names: Names) -> Iterator[ApiSymbol]:
        """Find the properties that a constructor declares by its parameters."""
        for each in items(part(node, "parameters")):
            words = {source_of(it) for it in each.children}
            if words & {"public", "protected", "readonly"} and "private" not in words:
                name = source_of(part(each, "pattern"))
                tree = type_tree(part(each, "type"), names)
                yield ApiSymbol(name=f"{prefix}{name}", kind="property", file=self._file, type=tree)


def _words(node: "Node") -> set[str]:
    return {source_of(it) for it in node.children if not it.is_named or "modifier" in it.type}


def _is_private(node: "Node") -> bool:
    return "private" in _words(node)


def _class_bases(node: "Node") -> Iterator[str]:
    for heritage in items(node):
        if heritage.type == "class_heritage":
            for clause in items(heritage):
                named = part(clause, "value")
                if named is not None:
                    yield source_of(named)
                elif clause.type == "identifier":
                    yield source_of(clause)


def _simple(node: "Node") -> str:
    named = part(node, "name") if node.type == "generic_type" else node
    return "" if named is None or named.type == "type_arguments" else source_of(named)


def _intersected(node: "Node | None") -> Iterator["Node"]:
    if node is None:
        return
    if node.type in {"intersection_type", "parenthesized_type"}:
        for each in items(node):
            yield from _intersected(each)
    else:
        yield node


def declared_in(body: "Node | None") -> Iterator[tuple[str, "Node"]]:
    """Return the names that a block declares, each with its declaration."""
    for node in items(body):
        yield from declared_by(node)


def declared_by(node: "Node") -> Iterator[tuple[str, "Node"]]:
    """Return what one statement declares."""
    match node.type:
        case "export_statement":
            inner = part(node, "declaration")
            if inner is not None:
                yield from declared_by(inner)
        case "ambient_declaration" | "expression_statement":
            for each in items(node):
                if each.type in {"internal_module", "module"} or node.type == "ambient_declaration":
                    yield from declared_by(each)
        case "lexical_declaration" | "variable_declaration":
            for each in items(node):
                if each.type == "variable_declarator":
                    yield source_of(part(each, "name")), each
        case _:
            name = part(node, "name")
            if name is not None and node.type != "import_statement":
                yield source_of(name), node

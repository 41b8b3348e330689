"""Items of Rust, with what they hold and what they ask for."""

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Final

from supervisor_ai.gates.integrity.analysis.syntax_tree import field as part
from supervisor_ai.gates.integrity.analysis.syntax_tree import items, source_of
from supervisor_ai.gates.public_api.compiled.rust_modules import RustItem, is_public
from supervisor_ai.gates.public_api.compiled.written_types import written
from supervisor_ai.gates.public_api.model import (
    ApiSymbol,
    Parameter,
    Signature,
    TypeParameter,
)
from supervisor_ai.gates.public_api.type_trees import TypeTree

if TYPE_CHECKING:
    from tree_sitter import Node

_KINDS: Final[Mapping[str, str]] = {
    "function_item": "function",
    "function_signature_item": "function",
    "struct_item": "struct",
    "enum_item": "enum",
    "union_item": "union",
    "trait_item": "trait",
    "const_item": "constant",
    "static_item": "static",
    "type_item": "type",
    "associated_type": "type",
}
_DERIVE: Final = re.compile(r"#\[derive\(([^)]*)\)\]")
_WORDS: Final = frozenset({"const", "async", "unsafe"})
_FUNCTIONS: Final = frozenset({"function_item", "function_signature_item"})


def rust_symbol(full: str, item: RustItem) -> ApiSymbol:
    """Read one item."""
    node, file = item.node, item.file
    names = _names(node)
    traits = {*_bounds(node, names)}
    if any(it.startswith("#[non_exhaustive") for it in item.attributes):
        traits.add("non-exhaustive")
    for derived in (_DERIVE.match(it) for it in item.attributes):
        words = derived.group(1).split(",") if derived else ()
        traits |= {f"implementing {it.rpartition('::')[2]}" for it in words if it}
    kind = _KINDS.get(node.type, "item")
    if node.type in _FUNCTIONS:
        return _function(full, node, file, kind)
    members = dict(_members(full, node, file))
    above = {it.strip() for it in source_of(part(node, "bounds")).lstrip(":").split("+")} - {""}
    if kind == "trait":
        traits |= {f"bound by {it}" for it in above}
    return ApiSymbol(
        name=full,
        kind=kind,
        file=file,
        members=members,
        hidden=frozenset(_hidden(node)),
        type=written(part(node, "type"), names),
        types=_type_parameters(node),
        traits=frozenset(traits),
    )


def implemented(full: str, impls: Iterable[tuple["Node", str]]) -> ApiSymbol:
    """Read what the impl blocks of a type add to it."""
    members: dict[str, ApiSymbol] = {}
    traits: set[str] = set()
    hidden: set[str] = set()
    for node, file in impls:
        of_trait = part(node, "trait")
        if of_trait is not None:
            name = "".join(source_of(of_trait).split()).rpartition("::")[2]
            traits.add(f"implementing {name}")
            continue
        for each in items(part(node, "body")):
            name = source_of(part(each, "name"))
            if each.type not in _KINDS:
                continue
            if not is_public(each):
                hidden.add(name)
            elif each.type in _FUNCTIONS:
                members[name] = _function(f"{full}::{name}", each, file, "method")
            else:
                tree = written(part(each, "type"))
                kind = _KINDS[each.type]
                members[name] = ApiSymbol(name=f"{full}::{name}", kind=kind, file=file, type=tree)
    return ApiSymbol(
        name=full,
        kind="impl",
        file="",
        members=members,
        traits=frozenset(traits),
        hidden=frozenset(hidden),
    )


def _function(full: str, node: "Node", file: str, kind: str) -> ApiSymbol:
    names = _names(node)
    modifiers = next((it for it in items(node) if it.type == "function_modifiers"), None)
    words = set(source_of(modifiers).split()) & _WORDS
    returned = written(part(node, "return_type"), names) or TypeTree("()")
    made = Signature(
        parameters=tuple(_parameters(node, names)),
        returns=returned,
        types=_type_parameters(node),
    )
    traits = frozenset({*words, *_bounds(node, names)})
    return ApiSymbol(name=full, kind=kind, file=file, signatures=(made,), traits=traits)


def _parameters(node: "Node", names: Mapping[str, str]) -> Iterator[Parameter]:
    for each in items(part(node, "parameters")):
        if each.type == "self_parameter":
            receiver = source_of(each).removeprefix("mut ")
            yield Parameter(name="self", type=TypeTree(receiver, (), receiver))
        elif each.type == "parameter":
            name = source_of(part(each, "pattern"))
            yield Parameter(name=name, type=_taken(written(part(each, "type"), names)))


def _taken(tree: TypeTree | None) -> TypeTree | None:
    """Let what may be given as several things be taken for the plain one among them."""
    if tree is None:
        return None
    plain = re.fullmatch(r"impl(?:Into|AsRef)<(.+?)>", tree.name.lstrip("?").replace(" ", ""))
    if plain is None:
        return tree
    inner = plain.group(1)
    is_borrowed = "AsRef" in tree.text
    return TypeTree(f"?&{inner}" if is_borrowed else f"?{inner}", (), tree.text)


def _members(full: str, node: "Node", file: str) -> Iterator[tuple[str, ApiSymbol]]:
    body = part(node, "body")
    match node.type:
        case "struct_item" | "union_item":
            yield from _fields(full, body, file)
        case "enum_item":
            for each in items(body):
                if each.type == "enum_variant":
                    name = source_of(part(each, "name"))
                    shape = written(part(each, "body")) or TypeTree("nothing")
                    yield (
                        name,
                        ApiSymbol(name=f"{full}::{name}", kind="variant", file=file, type=shape),
                    )
        case "trait_item":
            for each in items(body):
                yield from _of_trait(full, each, file)
        case _:
            return


def _fields(full: str, body: "Node | None", file: str) -> Iterator[tuple[str, ApiSymbol]]:
    if body is None:
        return
    if body.type == "ordered_field_declaration_list":
        for name, tree, is_open in _ordered(body):
            if is_open:
                yield name, ApiSymbol(name=f"{full}::{name}", kind="field", file=file, type=tree)
        return
    for each in items(body):
        if each.type == "field_declaration" and is_public(each):
            name, tree = source_of(part(each, "name")), written(part(each, "type"))
            yield name, ApiSymbol(name=f"{full}::{name}", kind="field", file=file, type=tree)


def _ordered(body: "Node") -> Iterator[tuple[str, TypeTree | None, bool]]:
    at, is_open = 0, False
    for each in items(body):
        if each.type == "visibility_modifier":
            is_open = source_of(each) == "pub"
        elif each.type != "attribute_item":
            yield str(at), written(each), is_open
            at, is_open = at + 1, False


def _hidden(node: "Node") -> Iterator[str]:
    body = part(node, "body")
    if node.type == "struct_item" and body is not None:
        for each in items(body):
            if each.type == "field_declaration" and not is_public(each):
                yield source_of(part(each, "name"))


def _of_trait(full: str, node: "Node", file: str) -> Iterator[tuple[str, ApiSymbol]]:
    name = source_of(part(node, "name"))
    if node.type in _FUNCTIONS:
        made = _function(f"{full}::{name}", node, file, "method")
        is_demanded = node.type == "function_signature_item"
    elif node.type in {"associated_type", "const_item"}:
        kind = _KINDS[node.type]
        tree = written(part(node, "type"))
        made = ApiSymbol(name=f"{full}::{name}", kind=kind, file=file, type=tree)
        is_demanded = part(node, "value") is None
    else:
        return
    yield (
        name,
        ApiSymbol(
            name=made.name,
            kind=made.kind,
            file=file,
            signatures=made.signatures,
            type=made.type,
            traits=made.traits,
            is_demanded=is_demanded,
        ),
    )


def _parameters_of_types(node: "Node") -> list["Node"]:
    kinds = {"type_parameter", "const_parameter", "constrained_type_parameter"}
    return [it for it in items(part(node, "type_parameters")) if it.type in kinds]


def _names(node: "Node") -> Mapping[str, str]:
    listed = _parameters_of_types(node)
    return {source_of(part(it, "name")): f"${at}" for at, it in enumerate(listed)}


def _type_parameters(node: "Node") -> tuple[TypeParameter, ...]:
    return tuple(
        TypeParameter(is_required=part(it, "default_type") is None)
        for it in _parameters_of_types(node)
    )


def _bounds(node: "Node", names: Mapping[str, str]) -> Iterator[str]:
    """Return what type parameters have to be, one sentence for each bound."""
    clauses = [it for it in items(node) if it.type == "where_clause"]
    predicates = [it for clause in clauses for it in items(clause)]
    for each in (*_parameters_of_types(node), *predicates):
        subject = part(each, "name") or part(each, "left")
        bounds = part(each, "bounds")
        name = source_of(subject)
        for bound in items(bounds):
            if bound.type != "lifetime" and not source_of(bound).startswith("?"):
                tree = written(bound, names)
                yield f"needs {names.get(name, name)}: {tree.name.lstrip('?') if tree else ''}"

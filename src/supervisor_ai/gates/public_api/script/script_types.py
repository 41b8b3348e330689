"""Types of TypeScript as trees; type parameters are known by their place, not by their name."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Final

from supervisor_ai.gates.integrity.analysis.syntax_tree import field as part
from supervisor_ai.gates.integrity.analysis.syntax_tree import items, source_of
from supervisor_ai.gates.public_api.model import Parameter, Signature, TypeParameter
from supervisor_ai.gates.public_api.type_trees import (
    FUNCTION,
    OBJECT,
    TUPLE,
    TypeTree,
    opaque,
    union,
)

if TYPE_CHECKING:
    from tree_sitter import Node

Names = Mapping[str, str]
"""Type parameters in sight, by the name that they have here."""

_DEEPEST: Final = 40
_MOST_PARTS: Final = 2_000
_OF_TYPES: Final = frozenset(
    {"parenthesized_type", "optional_type", "rest_type", "union_type", "array_type", "tuple_type"}
    | {"readonly_type"}
)
_PLAIN: Final = frozenset({"type_identifier", "identifier", "predefined_type", "this_type", "this"})


def type_tree(node: "Node | None", names: Names, depth: int = 0) -> TypeTree | None:
    """Understand a type; None where nothing is written."""
    if node is None:
        return None
    if node.type in {"type_annotation", "constraint", "default_type", "asserts_annotation"}:
        inner = items(node)
        return type_tree(inner[0], names, depth) if inner else None
    found = _tree(node, names, depth)
    return TypeTree(found.name, found.parts, " ".join(source_of(node).split()))


def _tree(node: "Node", names: Names, depth: int) -> TypeTree:
    if depth > _DEEPEST:
        return opaque(source_of(node))
    if node.type in _PLAIN:
        written = source_of(node)
        return TypeTree(names.get(written, written))
    inner = _all(node, names, depth) if node.type in _OF_TYPES else []
    match node.type:
        case "parenthesized_type" | "optional_type" | "rest_type" if inner:
            return inner[0]
        case "union_type":
            return union(inner)
        case "array_type":
            return TypeTree("Array", tuple(inner[:1]))
        case "tuple_type":
            return TypeTree(TUPLE, tuple(inner))
        case "readonly_type":
            is_array = bool(inner) and inner[0].name == "Array"
            return (
                TypeTree("ReadonlyArray", inner[0].parts) if is_array else opaque(source_of(node))
            )
        case _:
            return _other(node, names, depth)


def _other(node: "Node", names: Names, depth: int) -> TypeTree:
    match node.type:
        case "generic_type":
            return _generic(node, names, depth)
        case "function_type":
            return _function(node, names, depth)
        case "required_parameter" | "optional_parameter":
            return type_tree(part(node, "type"), names, depth + 1) or TypeTree("any")
        case "object_type" if all(it.type == "property_signature" for it in items(node)):
            return TypeTree(OBJECT, tuple(_property(it, names, depth) for it in items(node)))
        case "literal_type" if source_of(node) in {"null", "undefined"}:
            return TypeTree(source_of(node))
        case "literal_type":
            return opaque(source_of(node).replace('"', "'"))
        case _:
            return opaque(_renamed(node, names))


def _property(node: "Node", names: Names, depth: int) -> TypeTree:
    is_optional = any(it.type == "?" for it in node.children)
    name = source_of(part(node, "name")).strip("'\"")
    tree = type_tree(part(node, "type"), names, depth + 1) or TypeTree("any")
    return TypeTree(f"{name}{'?' if is_optional else ''}", (tree,))


def _all(node: "Node", names: Names, depth: int) -> list[TypeTree]:
    return [found for it in items(node) if (found := type_tree(it, names, depth + 1)) is not None]


def _generic(node: "Node", names: Names, depth: int) -> TypeTree:
    arguments = part(node, "type_arguments")
    written = source_of(part(node, "name"))
    parts = () if arguments is None else tuple(_all(arguments, names, depth))
    return TypeTree(names.get(written, written), parts)


def _function(node: "Node", names: Names, depth: int) -> TypeTree:
    inner = {**names, **type_names(part(node, "type_parameters"), f"{depth}.")}
    given = [
        type_tree(part(it, "type"), inner, depth + 1) for it in items(part(node, "parameters"))
    ]
    returned = type_tree(part(node, "return_type"), inner, depth + 1)
    return TypeTree(
        FUNCTION, (*(it or TypeTree("any") for it in given), returned or TypeTree("any"))
    )


def _renamed(node: "Node", names: Names) -> str:
    """Write what is not understood, with type parameters by their place."""
    if not names or not node.children or node.child_count > _MOST_PARTS:
        written = source_of(node)
        return names.get(written, written)
    return " ".join(_renamed(it, names) for it in node.children if not it.is_extra)


def type_names(node: "Node | None", prefix: str = "") -> dict[str, str]:
    """Number the type parameters of something."""
    listed = [it for it in items(node) if it.type == "type_parameter"]
    return {source_of(part(it, "name")): f"${prefix}{at}" for at, it in enumerate(listed)}


def type_parameters(node: "Node | None", names: Names) -> tuple[TypeParameter, ...]:
    """Read what has to be given to something generic."""
    return tuple(
        TypeParameter(
            bound=type_tree(part(it, "constraint"), names),
            is_required=part(it, "value") is None,
        )
        for it in items(node)
        if it.type == "type_parameter"
    )


def signature(node: "Node", names: Names, *, is_typed: bool = True) -> Signature:
    """Read how something is called."""
    listed = part(node, "type_parameters")
    inner = {**names, **type_names(listed, "call")}
    written = items(part(node, "parameters"))
    single = part(node, "parameter")
    given = [single] if single is not None else written
    found = [_parameter(it, inner, is_typed=is_typed) for it in given if not _is_this(it)]
    # A type parameter of a function that TypeScript can find out by itself is never given.
    types = type_parameters(listed, inner)
    returned = type_tree(part(node, "return_type") or part(node, "type"), inner)
    return Signature(parameters=tuple(found), returns=returned, types=types)


def _is_this(node: "Node") -> bool:
    pattern = part(node, "pattern")
    return pattern is not None and pattern.type == "this"


def _parameter(node: "Node", names: Names, *, is_typed: bool) -> Parameter:
    pattern = part(node, "pattern") or part(node, "left") or node
    is_rest = pattern.type == "rest_pattern"
    has_default = part(node, "value") is not None or node.type == "assignment_pattern"
    is_optional = node.type == "optional_parameter" or has_default or is_rest or not is_typed
    return Parameter(
        name=source_of(pattern).lstrip(".")[:60],
        type=type_tree(part(node, "type"), names),
        is_required=not is_optional,
        is_rest=is_rest,
    )

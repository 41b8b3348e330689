"""Functions, classes and values of Python, with how they are called and what they hold."""

import re
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Final

from supervisor_ai.gates.integrity.analysis.syntax_tree import field as part
from supervisor_ai.gates.integrity.analysis.syntax_tree import items, source_of, walked
from supervisor_ai.gates.public_api.model import ApiSymbol, Parameter, Signature, TypeUse
from supervisor_ai.gates.public_api.python.annotations import annotation
from supervisor_ai.gates.public_api.type_trees import TypeTree

if TYPE_CHECKING:
    from tree_sitter import Node

_DECORATOR: Final = re.compile(r"@\s*([\w.]+)")
_PROPERTIES: Final = frozenset(
    {"property", "cached_property", "abstractproperty", "hybrid_property"}
)
_OF_EVERYTHING: Final = frozenset(
    f"__{name}__"
    for name in (
        *("repr", "str", "eq", "ne", "hash", "reduce", "reduce_ex", "getstate", "setstate", "doc"),
        *("slots", "module", "init_subclass", "class_getitem", "sizeof", "format", "dir", "del"),
        *("setattr", "getattribute", "delattr", "init", "new", "post_init", "annotations"),
        *("match_args", "weakref", "qualname", "getattr", "set_name", "copy", "deepcopy"),
    )
)
"""Methods that every object has, or that nobody calls by name."""
_RECORDS: Final = frozenset({"dataclass", "define", "frozen", "attrs", "attr.s", "attr.dataclass"})
_RECORD_BASES: Final = frozenset({"NamedTuple", "BaseModel", "Struct", "TypedDict"})
_NAMED_ONLY: Final = frozenset({"BaseModel", "TypedDict"})
_LITERALS: Final = frozenset(
    {"integer", "float", "string", "concatenated_string", "true", "false", "none", "list", "tuple"}
    | {"dictionary", "set", "unary_operator"}
)


NO_PARAMETERS: Final = (Signature(),)


def function(name: str, file: str, nodes: list["Node"], kind: str = "function") -> ApiSymbol:
    """Read a function; of several definitions the overloads count, or else the last one."""
    plain = [it for it in nodes if "overload" not in _decorators(it)]
    counted = plain[-1:] or nodes
    decorators = _decorators(counted[-1])
    traits: set[str] = set(decorators) & {"staticmethod", "classmethod"}
    definition = _inner(counted[-1])
    if any(it.type == "async" for it in definition.children):
        traits.add("async")
    is_bound = kind == "method" and "staticmethod" not in decorators
    if kind == "method" and decorators & _PROPERTIES:
        returned = annotation(source_of(part(definition, "return_type")))
        return ApiSymbol(name=name, kind="attribute", file=file, type=returned, use=TypeUse.GOT)
    return ApiSymbol(
        name=name,
        kind=kind,
        file=file,
        traits=frozenset(traits),
        signatures=tuple(signature(_inner(it), is_bound=is_bound) for it in counted),
        is_demanded="abstractmethod" in decorators,
    )


def value(name: str, file: str, node: "Node", kind: str = "value") -> ApiSymbol:
    """Read something that is assigned; what is made by a call could be anything."""
    right = part(node, "right")
    return ApiSymbol(
        name=name,
        kind=kind,
        file=file,
        type=annotation(source_of(part(node, "type"))),
        is_open=right is not None and right.type not in _LITERALS,
        use=TypeUse.GOT,
    )


def alias_of(node: "Node") -> str:
    """Return the name that an assignment only gives another name to; nothing for all else."""
    right = part(node, "right")
    is_name = right is not None and right.type == "identifier" and part(node, "type") is None
    return source_of(right) if is_name else ""


def own_members(name: str, file: str, node: "Node") -> Mapping[str, ApiSymbol]:
    """Read what a class has by itself and everybody may use."""
    found: dict[str, list[Node]] = {}
    for each in _class_statements(part(_inner(node), "body")):
        for defined in _member_names(each):
            found.setdefault(defined, []).append(each)
    members = {
        it: _member(f"{name}.{it}", file, nodes)
        for it, nodes in found.items()
        if is_public_member(it)
    }
    for it in _set_by_itself(found.get("__init__", [])):
        full = f"{name}.{it}"
        members.setdefault(it, ApiSymbol(name=full, kind="attribute", file=file, is_open=True))
    return members


def is_public_member(name: str) -> bool:
    """Tell whether a member is for everybody."""
    if name.startswith("__") and name.endswith("__"):
        return name not in _OF_EVERYTHING
    return not name.startswith("_")


def constructors(node: "Node") -> tuple[Signature, ...]:
    """Read how a class is called, where it says so itself."""
    body = part(_inner(node), "body")
    for wanted in ("__init__", "__new__"):
        made = [it for it in _class_statements(body) if wanted in _member_names(it)]
        if made:
            plain = [it for it in made if "overload" not in _decorators(it)] or made
            return tuple(_without_returns(signature(_inner(it), is_bound=True)) for it in plain)
    return (_of_fields(node, body),) if _is_record(node) else ()


def bases(node: "Node") -> tuple[str, ...]:
    """Return the classes that a class is made of, as they are written."""
    listed = items(part(_inner(node), "superclasses"))
    plain = (part(it, "value") if it.type == "subscript" else it for it in listed)
    return tuple(source_of(it) for it in plain if it is not None and it.type != "keyword_argument")


def signature(node: "Node", *, is_bound: bool) -> Signature:
    """Read the parameters of a function."""
    found = list(_parameters(part(node, "parameters")))
    if is_bound and found and found[0].by_position:
        found = found[1:]
    returns = annotation(source_of(part(node, "return_type")))
    return Signature(parameters=tuple(found), returns=returns)


def _without_returns(made: Signature) -> Signature:
    return Signature(parameters=made.parameters)


def _parameters(node: "Node | None") -> Iterator[Parameter]:
    by_position = True
    listed = items(node)
    is_plain = dict.fromkeys(range(len(listed)), True)
    for at, each in enumerate(listed):
        if each.type == "positional_separator":
            is_plain |= dict.fromkeys(range(at), False)
    for at, each in enumerate(listed):
        match each.type:
            case "keyword_separator":
                by_position = False
            case "list_splat_pattern":
                yield Parameter(name=_bare(each), is_required=False, is_rest=True)
                by_position = False
            case "dictionary_splat_pattern":
                yield _named_rest(each)
            case "typed_parameter" if items(each)[0].type == "list_splat_pattern":
                yield Parameter(name=_bare(items(each)[0]), is_required=False, is_rest=True)
                by_position = False
            case "typed_parameter" if items(each)[0].type == "dictionary_splat_pattern":
                yield _named_rest(items(each)[0])
            case "positional_separator":
                continue
            case _:
                yield _parameter(each, by_position=by_position, may_be_named=is_plain[at])


def _named_rest(node: "Node") -> Parameter:
    name = _bare(node)
    return Parameter(name=name, is_required=False, by_position=False, by_name=True, is_rest=True)


def _bare(node: "Node") -> str:
    return source_of(node).lstrip("*")


def _parameter(node: "Node", *, by_position: bool, may_be_named: bool) -> Parameter:
    written = part(node, "name") or (items(node)[0] if items(node) else node)
    name = source_of(written)
    is_mangled = name.startswith("__") and not name.endswith("__")
    return Parameter(
        name=name,
        type=_with_default(annotation(source_of(part(node, "type"))), part(node, "value")),
        is_required=part(node, "value") is None,
        by_position=by_position,
        by_name=may_be_named and not is_mangled,
    )


def _with_default(written: TypeTree | None, default: "Node | None") -> TypeTree | None:
    """Let a default of None be None, also where the annotation forgot it."""
    if written is None or default is None or default.type != "none":
        return written
    tree = annotation(f"{written.text} | None")
    return tree or written


def _inner(node: "Node") -> "Node":
    return part(node, "definition") or node


def _decorators(node: "Node") -> frozenset[str]:
    if node.type != "decorated_definition":
        return frozenset()
    written = [_DECORATOR.match(source_of(it)) for it in items(node) if it.type == "decorator"]
    names = [it.group(1) for it in written if it is not None]
    return frozenset((*names, *(it.rpartition(".")[2] for it in names)))


def _class_statements(body: "Node | None") -> Iterator["Node"]:
    for each in items(body):
        if each.type == "expression_statement":
            yield from items(each)
        elif each.type in {"if_statement", "else_clause", "try_statement", "block"}:
            yield from _class_statements(each)
        else:
            yield each


def _member_names(node: "Node") -> tuple[str, ...]:
    match node.type:
        case "function_definition" | "class_definition" | "decorated_definition":
            return (source_of(part(_inner(node), "name")),)
        case "assignment":
            left = part(node, "left")
            listed = items(left) if left is not None and left.type == "pattern_list" else [left]
            return tuple(source_of(it) for it in listed if it is not None)
        case _:
            return ()


def _member(name: str, file: str, nodes: list["Node"]) -> ApiSymbol:
    last = _inner(nodes[-1])
    if last.type == "assignment":
        return value(name, file, last, kind="attribute")
    if last.type == "class_definition":
        return ApiSymbol(name=name, kind="class", file=file, is_open=True)
    getters = [it for it in nodes if not any(".setter" in d for d in _decorators(it))]
    return function(name, file, getters or nodes, kind="method")


def _set_by_itself(nodes: list["Node"]) -> Iterator[str]:
    """Find the attributes that a constructor sets."""
    for node in nodes:
        for each in walked(node):
            target = part(each, "left") if each.type == "assignment" else None
            if target is not None and target.type == "attribute":
                name = source_of(part(target, "attribute"))
                if source_of(part(target, "object")) == "self" and not name.startswith("_"):
                    yield name


def _is_record(node: "Node") -> bool:
    simple = {it.rpartition(".")[2] for it in bases(node)}
    return bool(_decorators(node) & _RECORDS or simple & _RECORD_BASES)


def _of_fields(node: "Node", body: "Node | None") -> Signature:
    """Make the constructor that a dataclass or its like gets from its fields."""
    simple = {it.rpartition(".")[2] for it in bases(node)}
    written = source_of(part(_inner(node), "superclasses")) + source_of(node)[:400]
    by_position = not simple & _NAMED_ONLY and "kw_only=True" not in "".join(written.split())
    found = [
        Parameter(
            name=source_of(part(it, "left")),
            type=annotation(source_of(part(it, "type"))),
            is_required=part(it, "right") is None,
            by_position=by_position,
            by_name=True,
        )
        for it in _class_statements(body)
        if it.type == "assignment" and part(it, "type") is not None
    ]
    plain = [it for it in found if not _is_of_class(it)]
    return Signature(parameters=tuple(plain))


def _is_of_class(field: Parameter) -> bool:
    return field.type is not None and "ClassVar" in field.type.text

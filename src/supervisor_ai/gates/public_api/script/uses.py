"""Who makes the values of a type: users that give them, or the package that they get them from."""

from collections.abc import Iterator, Mapping

from supervisor_ai.domain.structs import replace
from supervisor_ai.gates.public_api.model import ApiSymbol, Signature, TypeUse
from supervisor_ai.gates.public_api.type_trees import FUNCTION, TypeTree

_OTHER = {TypeUse.GIVEN: TypeUse.GOT, TypeUse.GOT: TypeUse.GIVEN, TypeUse.BOTH: TypeUse.BOTH}
_TYPES = frozenset({"interface", "type"})
_Seen = dict[tuple[str, TypeUse], None]
"""Types by their names, each with a use that was found."""


def with_uses(
    surface: Mapping[str, ApiSymbol], types: Mapping[str, ApiSymbol]
) -> Mapping[str, ApiSymbol]:
    """Mark each exported type by where signatures mention it."""
    known = {**types, **_inner_types(surface)}
    seen: _Seen = {}
    for symbol in surface.values():
        if symbol.kind not in _TYPES:
            _walk(_mentioned(symbol, TypeUse.GOT), known, seen)
    return {name: _marked(it, name, seen) for name, it in surface.items()}


def _inner_types(surface: Mapping[str, ApiSymbol]) -> dict[str, ApiSymbol]:
    """Return the types that namespaces hold."""
    return {
        name: it
        for symbol in surface.values()
        for name, it in symbol.members.items()
        if it.kind in _TYPES
    }


def _use(name: str, seen: _Seen) -> TypeUse:
    uses = {use for other, use in seen if other == name}
    return next(iter(uses)) if len(uses) == 1 else TypeUse.BOTH


def _walk(
    found: Iterator[tuple[str, TypeUse]],
    types: Mapping[str, ApiSymbol],
    seen: _Seen,
) -> None:
    left = list(found)
    while left:
        mention = left.pop()
        name, use = mention
        if mention not in seen and name in types:
            seen[mention] = None
            left.extend(_mentioned(types[name], use))


def _mentioned(symbol: ApiSymbol, use: TypeUse) -> Iterator[tuple[str, TypeUse]]:
    """Return the types that a symbol speaks of; what is called takes what others give."""
    for made in symbol.signatures:
        yield from _of_call(made, use)
    if symbol.type is not None:
        yield from _of_type(symbol.type, use)
    yield from ((base, use) for base in symbol.bases)
    above = (it.removeprefix("extending ") for it in symbol.traits if it.startswith("extending "))
    yield from ((base, use) for base in above)
    for member in symbol.members.values():
        if member.kind not in _TYPES:
            yield from _mentioned(member, use)


def _of_call(made: Signature, use: TypeUse) -> Iterator[tuple[str, TypeUse]]:
    for parameter in made.parameters:
        if parameter.type is not None:
            yield from _of_type(parameter.type, _OTHER[use])
    if made.returns is not None:
        yield from _of_type(made.returns, use)


def _of_type(tree: TypeTree, use: TypeUse) -> Iterator[tuple[str, TypeUse]]:
    yield tree.name.rpartition(".")[2], use
    for at, part in enumerate(tree.parts):
        is_given = tree.name == FUNCTION and at < len(tree.parts) - 1
        yield from _of_type(part, _OTHER[use] if is_given else use)


def _marked(symbol: ApiSymbol, name: str, seen: _Seen) -> ApiSymbol:
    if symbol.kind in _TYPES:
        use = _use(name, seen)
        members = {key: _member(it, use) for key, it in symbol.members.items()}
        return replace(symbol, use=use, members=members)
    inner = {
        key: _marked(it, key, seen) if it.kind in _TYPES else it
        for key, it in symbol.members.items()
    }
    got = TypeUse.GOT if symbol.kind == "value" else symbol.use
    return replace(symbol, use=got, members=inner)


def _member(member: ApiSymbol, use: TypeUse) -> ApiSymbol:
    is_demanded = use == TypeUse.GIVEN and member.kind == "property" and not member.is_optional
    return replace(member, use=use, is_demanded=is_demanded)

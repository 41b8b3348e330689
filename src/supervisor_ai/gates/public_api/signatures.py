"""Which calls of before still work."""

from collections.abc import Iterator

from supervisor_ai.gates.public_api.model import (
    ApiSymbol,
    BreakRules,
    Parameter,
    Signature,
    TypeParameter,
)
from supervisor_ai.gates.public_api.type_trees import TypeTree, takes
from supervisor_ai.gates.public_api.words import named, said


def call_faults(old: ApiSymbol, new: ApiSymbol, dialect: BreakRules) -> Iterator[str]:
    """Find ways to call something that are refused now; each has to be served by one of today."""
    if not new.signatures:
        return
    for signature in old.signatures:
        tried = [tuple(_faults(signature, it, dialect)) for it in new.signatures]
        if all(tried):
            _, best = min((len(it), it) for it in tried)
            yield from dict.fromkeys(best)


def _faults(old: Signature, new: Signature, dialect: BreakRules) -> Iterator[str]:
    yield from type_parameter_faults(old.types, new.types)
    yield from _position_faults(old, new, dialect)
    yield from _name_faults(old, new, dialect)
    yield from _demands(old, new)
    returned, returns = old.returns, new.returns
    if returned is not None and returns is not None and not _fits(returned, returns, dialect):
        yield f"it returned {said(returned)} and returns {said(returns)}"


def type_parameter_faults(
    old: tuple[TypeParameter, ...], new: tuple[TypeParameter, ...]
) -> Iterator[str]:
    """Compare what a generic thing has to be given."""
    if len(new) < len(old):
        yield f"it had {len(old)} type parameters and has {len(new)}"
    if any(it.is_required for it in new[len(old) :]):
        yield "it has a type parameter more that must be given"
    for before, after in zip(old, new, strict=False):
        if after.is_required and not before.is_required:
            yield "a type parameter lost its default"
        if after.bound is not None and not _is_bound(before.bound, after.bound):
            was = "anything" if before.bound is None else said(before.bound)
            yield f"a type parameter had to be {was} and has to be {said(after.bound)}"


def _is_bound(before: TypeTree | None, after: TypeTree) -> bool:
    return before is not None and takes(after, before, is_strict=True)


def _fits(wide: TypeTree, narrow: TypeTree, dialect: BreakRules) -> bool:
    return wide.key == narrow.key or (not dialect.exact_types and takes(wide, narrow))


def _positional(signature: Signature) -> list[Parameter]:
    return [it for it in signature.parameters if it.by_position and not it.is_rest]


def _rest(signature: Signature, *, by_name: bool) -> Parameter | None:
    found = (it for it in signature.parameters if it.is_rest and it.by_name == by_name)
    return next(found, None)


def _position_faults(old: Signature, new: Signature, dialect: BreakRules) -> Iterator[str]:
    ours, theirs, rest = _positional(old), _positional(new), _rest(new, by_name=False)
    for at, before in enumerate(ours):
        if at < len(theirs):
            yield from _pair_faults(before, theirs[at], dialect)
        elif rest is None:
            yield (
                f"{named(before)} is gone"
                if not _by_name(new, before)
                else (f"{named(before)} can no longer be given by position")
            )
    if _rest(old, by_name=False) is not None and rest is None:
        yield "it no longer takes any number of arguments"


def _pair_faults(before: Parameter, after: Parameter, dialect: BreakRules) -> Iterator[str]:
    if before.by_name and after.by_name and before.name != after.name:
        yield f"{named(before)} was where {named(after)} is"
    elif before.type and after.type and not _fits(after.type, before.type, dialect):
        yield f"{named(before)} was {said(before.type)} and is {said(after.type)}"
    if after.is_required and not before.is_required:
        yield f"{named(before)} became required"


def _by_name(signature: Signature, wanted: Parameter) -> Parameter | None:
    if not wanted.by_name:
        return None
    found = (it for it in signature.parameters if it.by_name and it.name == wanted.name)
    return next((it for it in found if not it.is_rest), None)


def _name_faults(old: Signature, new: Signature, dialect: BreakRules) -> Iterator[str]:
    rest = _rest(new, by_name=True)
    for before in (it for it in old.parameters if it.by_name and not it.is_rest):
        after = _by_name(new, before)
        if after is None and rest is None:
            known = any(it.name.lstrip("_") == before.name for it in new.parameters)
            yield f"{named(before)} {'can no longer be given by name' if known else 'is gone'}"
        elif after is not None and not (before.by_position and after.by_position):
            yield from _pair_faults(before, after, dialect)
    if _rest(old, by_name=True) is not None and rest is None:
        yield "it no longer takes any named argument"


def _demands(old: Signature, new: Signature) -> Iterator[str]:
    names = {it.name for it in old.parameters}
    count = len(_positional(old))
    for at, after in enumerate(_positional(new)):
        is_new = at >= count and (not after.by_name or after.name not in names)
        if is_new and after.is_required and _rest(old, by_name=False) is None:
            yield f"{named(after)} is new and required"
    for after in (it for it in new.parameters if not it.by_position and not it.is_rest):
        if after.is_required and after.name not in names:
            yield f"{named(after)} is new and required"

"""What of a public API is gone or asks for more than before."""

from collections.abc import Collection, Iterator

from supervisor_ai.engine.ports.gates import ApiBreak, ApiChange
from supervisor_ai.gates.change.differences import shown
from supervisor_ai.gates.public_api.model import ApiSymbol, BreakRules, Surface, TypeUse
from supervisor_ai.gates.public_api.signatures import call_faults, type_parameter_faults
from supervisor_ai.gates.public_api.type_trees import OPAQUE, takes
from supervisor_ai.gates.public_api.words import said, with_article


def compare(
    before: Surface, after: Surface, dialect: BreakRules, hidden: Collection[str] = ()
) -> Iterator[ApiBreak]:
    """Find the breaks between what was public and what is; some of it may only be hidden."""
    for name, old in before.items():
        new = after.get(name)
        if new is None:
            yield _gone(old, is_hidden=name in hidden)
        elif is_doubtful(old, new):
            continue
        else:
            yield from _symbol(old, new, dialect)


def is_doubtful(old: ApiSymbol, new: ApiSymbol) -> bool:
    """Tell whether a type is computed in another way, so that nobody knows what it takes."""
    if old.type is None or new.type is None or old.type.key == new.type.key:
        return False
    return any(it.name.startswith(OPAQUE) and " extends " in it.text for it in (old.type, new.type))


def _gone(old: ApiSymbol, *, is_hidden: bool) -> ApiBreak:
    if is_hidden:
        return _made(old, ApiChange.HIDDEN, f"the {old.kind} is no longer public")
    return _made(old, ApiChange.REMOVED, f"the {old.kind} is gone")


def _made(old: ApiSymbol, change: ApiChange, detail: str) -> ApiBreak:
    return ApiBreak(
        file=shown(old.file), symbol=shown(old.name), change=change, detail=shown(detail)
    )


def _symbol(old: ApiSymbol, new: ApiSymbol, dialect: BreakRules) -> Iterator[ApiBreak]:
    faults = [*_kind_faults(old, new, dialect)]
    if not faults:
        faults = [
            *_trait_faults(old, new, dialect),
            *_type_faults(old, new, dialect),
            *type_parameter_faults(old.types, new.types),
            *call_faults(old, new, dialect),
            *(f"it is no longer a {base}" for base in sorted(_lost_bases(old, new, dialect))),
        ]
        yield from _members(old, new, dialect)
    if faults:
        yield _made(old, ApiChange.NARROWED, "; ".join(dict.fromkeys(faults)))


def _kind_faults(old: ApiSymbol, new: ApiSymbol, dialect: BreakRules) -> Iterator[str]:
    is_same = old.kind == new.kind or old.is_open or new.is_open
    if not is_same and not any({old.kind, new.kind} <= same for same in dialect.same_kinds):
        yield f"it was {with_article(old.kind)} and is {with_article(new.kind)}"


def _trait_faults(old: ApiSymbol, new: ApiSymbol, dialect: BreakRules) -> Iterator[str]:
    came, went = new.traits - old.traits, old.traits - new.traits
    for trait in sorted(came):
        is_read_only = trait == "readonly" and old.use == TypeUse.GIVEN
        if not is_read_only and _is_one_of(trait, dialect.switching | dialect.demanding):
            yield f"it became {trait}"
    for trait in sorted(went):
        if _is_one_of(trait, dialect.switching | dialect.giving):
            yield f"it is no longer {trait}"


def _is_one_of(trait: str, words: frozenset[str]) -> bool:
    return trait in words or trait.partition(" ")[0] in words


def _type_faults(old: ApiSymbol, new: ApiSymbol, dialect: BreakRules) -> Iterator[str]:
    if old.is_optional and not new.is_optional and old.use != TypeUse.GOT:
        yield "it became required"
    if new.is_optional and not old.is_optional and old.use != TypeUse.GIVEN and new.type is None:
        yield "it became optional"
    if old.type is not None and new.type is not None and not _serves(old, new, dialect):
        yield f"its type was {said(old.type)} and is {said(new.type)}"


def _serves(old: ApiSymbol, new: ApiSymbol, dialect: BreakRules) -> bool:
    before, after = old.type, new.type
    if before is None or after is None or before.key == after.key:
        return True
    if dialect.exact_types:
        return False
    is_wider, is_narrower = takes(after, before), takes(before, after)
    match old.use:
        case TypeUse.GIVEN:
            return is_wider
        case TypeUse.GOT:
            return is_narrower
        case TypeUse.BOTH:
            return is_wider and is_narrower


def _lost_bases(old: ApiSymbol, new: ApiSymbol, dialect: BreakRules) -> frozenset[str]:
    return frozenset() if new.is_open else old.bases - new.bases - dialect.ignored_bases


def _members(old: ApiSymbol, new: ApiSymbol, dialect: BreakRules) -> Iterator[ApiBreak]:
    for name, member in old.members.items():
        found = new.members.get(name)
        if found is not None:
            yield from _symbol(member, found, dialect)
        elif not new.is_open:
            yield _gone(member, is_hidden=name in new.hidden)
    for name, member in new.members.items():
        if member.is_demanded and name not in old.members:
            yield _made(
                member, ApiChange.NARROWED, f"the {member.kind} is new, and others must have it"
            )

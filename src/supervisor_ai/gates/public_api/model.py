"""What a public API is made of, in the words that all languages share."""

from collections.abc import Mapping
from enum import StrEnum

from msgspec import Struct, field

from supervisor_ai.gates.public_api.type_trees import TypeTree


class Parameter(Struct, frozen=True, kw_only=True):
    """One thing that whoever calls gives."""

    name: str
    type: TypeTree | None = None
    """None: nothing is written."""
    is_required: bool = True
    by_position: bool = True
    by_name: bool = False
    is_rest: bool = False
    """Whether it takes all that is left, by position or, where only names count, by name."""


class TypeParameter(Struct, frozen=True, kw_only=True):
    """One type that whoever uses a generic thing gives."""

    bound: TypeTree | None = None
    is_required: bool = True


class Signature(Struct, frozen=True, kw_only=True):
    """One way to call something."""

    parameters: tuple[Parameter, ...] = ()
    returns: TypeTree | None = None
    types: tuple[TypeParameter, ...] = ()


class TypeUse(StrEnum):
    """Who makes the values of a type, as far as signatures show it."""

    GIVEN = "given"
    """Users make them: taking more is fine."""
    GOT = "got"
    """Users get them: having more is fine."""
    BOTH = "both"


class ApiSymbol(Struct, frozen=True, kw_only=True):
    """Something that others can name."""

    name: str
    kind: str
    """In the language's own word: function, class, field."""
    file: str
    signatures: tuple[Signature, ...] = ()
    type: TypeTree | None = None
    types: tuple[TypeParameter, ...] = ()
    members: Mapping[str, "ApiSymbol"] = field(default_factory=dict)
    hidden: frozenset[str] = frozenset()
    """What it has for itself alone."""
    bases: frozenset[str] = frozenset()
    traits: frozenset[str] = frozenset()
    """Words like `static`, `final`, `async`."""
    is_optional: bool = False
    is_demanded: bool = False
    """Whether whoever implements what it belongs to has to have it."""
    is_open: bool = False
    """Whether it may have members, or be callable, in ways that nobody could follow."""
    use: TypeUse = TypeUse.BOTH


class BreakRules(Struct, frozen=True, kw_only=True):
    """What breaks whoever uses a language."""

    exact_types: bool = False
    """Whether a type that is only wider is another one."""
    switching: frozenset[str] = frozenset()
    """Traits that may neither come nor go."""
    demanding: frozenset[str] = frozenset()
    """Traits that may not come; also as the beginning of one."""
    giving: frozenset[str] = frozenset()
    """Traits that may not go; also as the beginning of one."""
    same_kinds: tuple[frozenset[str], ...] = ()
    """Kinds that serve users in the same way."""
    ignored_bases: frozenset[str] = frozenset()


Surface = Mapping[str, ApiSymbol]
"""All that is public of some files, by its full name."""

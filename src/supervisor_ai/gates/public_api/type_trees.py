"""Types as they are written, and which of them takes the values of which."""

from collections.abc import Iterable, Mapping
from typing import Final

from msgspec import Struct

UNION: Final = "|"
FUNCTION: Final = "=>"
"""The last part is what is returned."""
TUPLE: Final = "[]"
OBJECT: Final = "{}"
"""Each part is a key, with a question mark where it may be missing, and its type."""
OPAQUE: Final = "?"
"""Text that is only ever equal to itself."""
_EVERYTHING: Final = frozenset({"Any", "any", "unknown", "object"})
_NOTHING: Final = frozenset({"never", "NoReturn", "Never"})
_COVARIANT: Final = frozenset(
    {"Iterable", "Iterator", "AsyncIterable", "AsyncIterator", "Sequence", "Collection", "Mapping"}
    | {"Container", "Reversible", "AbstractSet", "Awaitable", "Coroutine", "Generator", "type"}
    | {"frozenset", "tuple", "Array", "ReadonlyArray", "Promise", "PromiseLike", "Record"}
    | {"Readonly", "Partial", "Required", "ReadonlyMap", "ReadonlySet", "Final", "ClassVar"}
)
_SEQUENCES: Final = frozenset({"list", "tuple", "Sequence", "MutableSequence", "deque"})
_COLLECTIONS: Final = _SEQUENCES | {"set", "frozenset", "AbstractSet", "dict", "Mapping"}
_TAKES: Final[Mapping[str, frozenset[str]]] = {
    "Sequence": _SEQUENCES,
    "Collection": _COLLECTIONS | {"Collection"},
    "Iterable": _COLLECTIONS | {"Collection", "Iterator", "Generator", "Array", "Set", "Map"},
    "Mapping": frozenset({"dict", "MutableMapping", "OrderedDict", "defaultdict"}),
    "AbstractSet": frozenset({"set", "frozenset"}),
    "float": frozenset({"int"}),
    "complex": frozenset({"int", "float"}),
    "SupportsIndex": frozenset({"int"}),
    "SupportsInt": frozenset({"int", "float"}),
    "SupportsFloat": frozenset({"int", "float"}),
    "Hashable": frozenset({"str", "bytes", "int", "float", "bool", "None"}),
    "ReadonlyArray": frozenset({"Array"}),
    "PromiseLike": frozenset({"Promise"}),
    "ReadonlyMap": frozenset({"Map"}),
    "ReadonlySet": frozenset({"Set"}),
    "AsyncIterable": frozenset({"AsyncIterator", "AsyncGenerator"}),
}
_DEEPEST: Final = 40


class TypeTree(Struct, frozen=True):
    """A name with what stands in its brackets."""

    name: str
    parts: tuple["TypeTree", ...] = ()
    text: str = ""
    """As it is written, for people; it says nothing about the type."""

    @property
    def key(self) -> tuple[object, ...]:
        """Return what makes it the same type as another one."""
        keys = [part.key for part in self.parts]
        return self.name, tuple(sorted(keys, key=repr) if self.name == UNION else keys)


def union(members: Iterable[TypeTree], text: str = "") -> TypeTree:
    """Put alternatives together, each once."""
    flat = [each for it in members for each in (it.parts if it.name == UNION else (it,))]
    found = {it.key: it for it in flat}
    return (
        next(iter(found.values())) if len(found) == 1 else TypeTree(UNION, (*found.values(),), text)
    )


def opaque(text: str) -> TypeTree:
    """Make a type of which nothing is known but how it is written."""
    plain = " ".join(text.split())
    return TypeTree(f"{OPAQUE}{''.join(plain.split())}", (), plain)


def takes(wide: TypeTree, narrow: TypeTree, *, is_strict: bool = False, depth: int = 0) -> bool:
    """Tell whether every value of one type is surely one of another; False where nobody knows.

    The strict way has no covariance: it only lets alternatives come.
    """
    if wide.key == narrow.key:
        return True
    if depth > _DEEPEST:
        return False
    if narrow.name == UNION:
        return all(takes(wide, it, is_strict=is_strict, depth=depth + 1) for it in narrow.parts)
    if wide.name == UNION:
        return any(takes(it, narrow, is_strict=is_strict, depth=depth + 1) for it in wide.parts)
    return not is_strict and _takes_one(wide, narrow, depth + 1)


def _takes_one(wide: TypeTree, narrow: TypeTree, depth: int) -> bool:
    if wide.name in _EVERYTHING or narrow.name in _NOTHING:
        return True
    if wide.name == narrow.name == FUNCTION:
        return _takes_function(wide, narrow, depth)
    if wide.name == narrow.name == OBJECT:
        return _takes_object(wide, narrow, depth)
    if wide.name == narrow.name:
        # Bare names stand for anything in brackets.
        if not wide.parts or (wide.name in _COVARIANT and not narrow.parts):
            return not wide.parts
        return wide.name in _COVARIANT | {TUPLE} and _all_taken(wide.parts, narrow.parts, depth)
    if narrow.name in _TAKES.get(wide.name, ()):
        same = len(wide.parts) == len(narrow.parts)
        return not wide.parts or (same and _all_taken(wide.parts, narrow.parts, depth))
    return _is_literal_of(wide.name, narrow.name)


def _takes_function(wide: TypeTree, narrow: TypeTree, depth: int) -> bool:
    """Whoever is called with more than they want is content."""
    *given, got = wide.parts
    *wanted, returned = narrow.parts
    if len(wanted) > len(given):
        return False
    fits = all(takes(b, a, depth=depth) for a, b in zip(given, wanted, strict=False))
    return fits and (got.name == "void" or takes(got, returned, depth=depth))


def _takes_object(wide: TypeTree, narrow: TypeTree, depth: int) -> bool:
    """Keys that are written out must be known, and those that are wanted must be there."""
    wanted, given = ({it.name.rstrip("?"): it for it in side.parts} for side in (wide, narrow))
    if given.keys() - wanted.keys():
        return False
    for name, want in wanted.items():
        found = given.get(name)
        if (found is None or found.name.endswith("?")) and not want.name.endswith("?"):
            return False
        if found is not None and not takes(want.parts[0], found.parts[0], depth=depth):
            return False
    return True


def _all_taken(wide: tuple[TypeTree, ...], narrow: tuple[TypeTree, ...], depth: int) -> bool:
    return len(wide) == len(narrow) and all(
        takes(a, b, depth=depth) for a, b in zip(wide, narrow, strict=True)
    )


def _is_literal_of(wide: str, narrow: str) -> bool:
    written = narrow.removeprefix(OPAQUE)
    if wide in {"string", "str"}:
        return written[:1] in {"'", '"', "`"}
    if wide == "boolean":
        return written in {"true", "false"}
    return wide in {"number", "int"} and written.isdigit()

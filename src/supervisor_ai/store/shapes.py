"""How domain objects look as JSON: by their types, with a tag only where a type is a choice."""

import types
from collections.abc import Callable, Iterable, Mapping
from functools import cache
from typing import NewType, TypeVar, Union, get_args, get_origin, get_type_hints

import msgspec
from msgspec import Struct
from msgspec.structs import fields

from supervisor_ai.domain.errors import Unavailable

T = TypeVar("T")

_TAG = "@type"
_PLAIN = frozenset({bool, int, float, str, types.NoneType})
"""Types that JSON tells apart without a tag."""


class JsonShape(Struct, frozen=True, kw_only=True):
    """The way of one type into JSON values and back."""

    dump: Callable[[object], object]
    load: Callable[[object], object]


def to_json(value: object) -> bytes:
    """Return a domain object as JSON; the order of a mapping is kept."""
    return msgspec.json.encode(_shape(type(value)).dump(value))


def from_json(encoded: bytes | str, kind: type[T]) -> T:
    """Return the domain object that was encoded."""
    try:
        return _expect(_shape(kind).load(msgspec.json.decode(encoded)), kind)
    except msgspec.DecodeError as error:
        raise Unavailable(
            f"A stored {kind.__name__} cannot be read: {error}.",
            hint="If a newer version of supervisor wrote it, upgrade; "
            "if not, look at the ledger: supervisor ledger verify",
        ) from error


def _shape(kind: object) -> JsonShape:
    return _compiled(kind)


@cache
def _compiled(kind: object) -> JsonShape:
    origin, arguments = get_origin(kind), get_args(kind)
    if isinstance(kind, NewType):
        return _shape(kind.__supertype__)
    if origin in {Union, types.UnionType} and not _PLAIN.issuperset(arguments):
        return _choice(arguments)
    if origin is tuple:
        return _collection(tuple, arguments[0])
    if origin is frozenset:
        return _collection(frozenset, arguments[0])
    if origin in {dict, Mapping}:
        return _mapping(*arguments)
    if isinstance(kind, type) and issubclass(kind, Struct):
        return _tagged([kind]) if _is_base(kind) else _record(kind)
    is_choice = origin in {Union, types.UnionType}
    return _leaf(kind, _PLAIN.intersection(arguments if is_choice else (kind,)))


def _leaf(kind: object, plain: frozenset[object]) -> JsonShape:
    def dump_leaf(value: object) -> object:
        return value if type(value) in plain else msgspec.to_builtins(value)

    def load_leaf(raw: object) -> object:
        # Most of what is stored is what it says it is; a state has thousands of such values.
        return raw if type(raw) in plain else msgspec.convert(raw, kind)

    return JsonShape(dump=dump_leaf, load=load_leaf)


def _is_base(kind: type[Struct]) -> bool:
    """Tell whether a type has nothing to say itself and stands for those that are made of it."""
    return not kind.__struct_fields__ and bool(kind.__subclasses__())


def _record(kind: type[Struct]) -> JsonShape:
    hints = get_type_hints(kind)
    known: dict[str, JsonShape] = {}
    unused: frozenset[str] = getattr(kind, "written_where_set", frozenset())
    later = {it.name: it.default for it in fields(kind) if it.name in unused}

    def shapes() -> dict[str, JsonShape]:
        # They are looked up late because a type may contain itself.
        if not known:
            known.update((name, _shape(hint)) for name, hint in hints.items())
        return known

    def dump_record(value: object) -> object:
        said = {name: getattr(value, name) for name in kind.__struct_fields__}
        members = shapes()
        return {
            name: members[name].dump(it)
            for name, it in said.items()
            if name not in later or it != later[name]
        }

    def load_record(raw: object) -> object:
        said = _expect(raw, dict)
        if not said.keys() <= hints.keys():
            said = {name: it for name, it in said.items() if it is not None or name in hints}
        if unknown := said.keys() - hints.keys():
            raise msgspec.ValidationError(f"`{kind.__name__}` has no field {min(unknown)!r}")
        members = shapes()
        try:
            return kind(**{name: members[name].load(it) for name, it in said.items()})
        except TypeError as error:
            raise msgspec.ValidationError(str(error)) from error

    return JsonShape(dump=dump_record, load=load_record)


def _choice(members: tuple[object, ...]) -> JsonShape:
    """Optional values and choices between values, which need a tag."""
    present = [member for member in members if member is not types.NoneType]
    inner = _shape(present[0]) if len(present) == 1 else _tagged(present)
    if len(present) == len(members):
        return inner
    return JsonShape(
        dump=lambda value: None if value is None else inner.dump(value),
        load=lambda raw: None if raw is None else inner.load(raw),
    )


def _tagged(members: list[object]) -> JsonShape:
    def dump_tagged(value: object) -> object:
        kind = type(value)
        return {_TAG: kind.__name__, **_expect(_shape(kind).dump(value), dict)}

    def load_tagged(raw: object) -> object:
        written = dict(_expect(raw, dict))
        tag = written.pop(_TAG, None)
        kinds = _by_name(members)
        if tag not in kinds:
            raise msgspec.ValidationError(f"{tag!r} is none of {', '.join(sorted(kinds))}")
        return _shape(kinds[tag]).load(written)

    return JsonShape(dump=dump_tagged, load=load_tagged)


def _by_name(members: Iterable[object]) -> dict[str, type]:
    """Name what a choice is between: a base stands for every kind that was made of it.

    They are looked up late because a driver's own are made when it is imported.
    """
    kinds: dict[str, type] = {}
    for member in members:
        if isinstance(member, type):
            kinds |= {member.__name__: member, **_by_name(member.__subclasses__())}
    return kinds


def _collection(kind: type[tuple[object, ...] | frozenset[object]], member: object) -> JsonShape:
    def dump_collection(value: object) -> object:
        dump = _shape(member).dump
        dumped = [dump(item) for item in _expect(value, kind)]
        return sorted(dumped, key=msgspec.json.encode) if kind is frozenset else dumped

    def load_collection(raw: object) -> object:
        return kind(map(_shape(member).load, _expect(raw, list)))

    return JsonShape(dump=dump_collection, load=load_collection)


def _mapping(key: object, member: object) -> JsonShape:
    def dump_mapping(value: object) -> object:
        dump_key, dump = _shape(key).dump, _shape(member).dump
        return {dump_key(name): dump(item) for name, item in _expect(value, dict).items()}

    def load_mapping(raw: object) -> object:
        load_key, load = _shape(key).load, _shape(member).load
        return {load_key(name): load(item) for name, item in _expect(raw, dict).items()}

    return JsonShape(dump=dump_mapping, load=load_mapping)


def _expect(value: object, kind: type[T]) -> T:
    if not isinstance(value, kind):
        raise msgspec.ValidationError(f"Expected `{kind.__name__}`, got `{type(value).__name__}`")
    return value

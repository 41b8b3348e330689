"""What a schema no longer lets through, or no longer promises."""

from collections.abc import Iterator
from typing import Final, NamedTuple

from supervisor_ai.engine.ports.gates import ApiChange
from supervisor_ai.gates.public_api.model import TypeUse
from supervisor_ai.tools.json_value import Json, JsonObject, canonical_json, mapping, sequence, text

_DEEPEST: Final = 24
_MOST: Final = 20_000
_ALL: Final = frozenset({"string", "number", "integer", "boolean", "array", "object", "null"})
_SMALLER: Final = ("maximum", "exclusiveMaximum", "maxLength", "maxItems", "maxProperties")
_LARGER: Final = ("minimum", "exclusiveMinimum", "minLength", "minItems", "minProperties")


class SchemaFault(NamedTuple):
    """Something that was fine and no longer is."""

    place: str
    change: ApiChange
    detail: str


class SchemaSide(NamedTuple):
    """A document that schemas refer to, and one of them."""

    document: Json
    schema: JsonObject


class SchemaComparison:
    """Compares two schemas; both may refer to themselves without end."""

    def __init__(self, use: TypeUse) -> None:
        self._given = use != TypeUse.GOT
        self._got = use != TypeUse.GIVEN
        self._seen: set[tuple[int, int]] = set()

    def faults(
        self, old: SchemaSide, new: SchemaSide, place: str, depth: int = 0
    ) -> Iterator[SchemaFault]:
        """Find what is narrower, from the top down."""
        old, new = resolved(old), resolved(new)
        pair = id(old.schema), id(new.schema)
        if depth > _DEEPEST or pair in self._seen or len(self._seen) > _MOST:
            return
        self._seen.add(pair)
        yield from (
            SchemaFault(place, ApiChange.NARROWED, detail)
            for detail in (*self._types(old, new), *self._values(old, new), *self._bounds(old, new))
        )
        yield from self._properties(old, new, place, depth)
        inner = [SchemaSide(it.document, mapping(it.schema.get("items"))) for it in (old, new)]
        if all(it.schema for it in inner):
            yield from self.faults(inner[0], inner[1], f"{place}[]", depth + 1)

    def _types(self, old: SchemaSide, new: SchemaSide) -> Iterator[str]:
        before, after = _types(old), _types(new)
        lost, came = before - after, after - before
        if self._given and lost:
            yield f"it no longer takes {_listed(lost)}"
        if self._got and came and before != _ALL:
            yield f"it may be {_listed(came)} now"

    def _values(self, old: SchemaSide, new: SchemaSide) -> Iterator[str]:
        before, after = _values(old.schema), _values(new.schema)
        if self._given and after is not None:
            lost = after if before is None else before - after
            if before is None:
                yield f"it only takes {_listed(after)}"
            elif lost:
                yield f"it no longer takes {_listed(lost)}"
        if self._got and not self._given and before is not None and after is None:
            yield "it may have any value now"

    def _bounds(self, old: SchemaSide, new: SchemaSide) -> Iterator[str]:
        if not self._given:
            return
        for key in (*_SMALLER, *_LARGER):
            was, is_now = old.schema.get(key), new.schema.get(key)
            if isinstance(is_now, bool) or not isinstance(is_now, int | float):
                continue
            is_number = isinstance(was, int | float) and not isinstance(was, bool)
            is_tighter = not is_number or (is_now < was if key in _SMALLER else is_now > was)  # type: ignore[operator]
            if is_tighter:
                yield f"{key} was {was} and is {is_now}"
        for key in ("pattern", "format", "multipleOf", "const"):
            was, is_now = old.schema.get(key), new.schema.get(key)
            if is_now is not None and was != is_now:
                yield f"{key} was {was!r} and is {is_now!r}"

    def _properties(
        self, old: SchemaSide, new: SchemaSide, place: str, depth: int
    ) -> Iterator[SchemaFault]:
        before, after = _properties(old), _properties(new)
        required = _required(old), _required(new)
        for name, inner in before.items():
            found = after.get(name)
            if found is not None:
                yield from self.faults(inner, found, f"{place}.{name}", depth + 1)
            elif after or new.schema:
                yield SchemaFault(f"{place}.{name}", ApiChange.REMOVED, "the property is gone")
        if self._given:
            for name in sorted(required[1] - required[0]):
                yield SchemaFault(f"{place}.{name}", ApiChange.NARROWED, "it became required")
            if _is_open(old) and not _is_open(new):
                yield SchemaFault(
                    place, ApiChange.NARROWED, "it takes no other properties any more"
                )
        if self._got and not self._given:
            for name in sorted((required[0] - required[1]) & after.keys()):
                yield SchemaFault(f"{place}.{name}", ApiChange.NARROWED, "it may be missing now")


def resolved(side: SchemaSide) -> SchemaSide:
    """Follow references inside of the same document; others say nothing."""
    document, schema = side
    for _ in range(_DEEPEST):
        reference = text(schema.get("$ref"))
        if not reference:
            break
        target = document
        for step in reference.removeprefix("#").strip("/").split("/"):
            target = mapping(target).get(step.replace("~1", "/").replace("~0", "~"))
        schema = mapping(target) if reference.startswith("#") else {}
    return SchemaSide(document, schema)


def _parts(side: SchemaSide, depth: int = 0) -> Iterator[SchemaSide]:
    """Return a schema and all that it is put together of."""
    found = resolved(side)
    yield found
    for each in sequence(found.schema.get("allOf")) if depth < _DEEPEST else ():
        yield from _parts(SchemaSide(side.document, mapping(each)), depth + 1)


def _types(side: SchemaSide, depth: int = 0) -> frozenset[str]:
    schema = resolved(side).schema
    written = schema.get("type")
    named = [written] if isinstance(written, str) else sequence(written)
    found = {it for it in named if isinstance(it, str)}
    for key in ("oneOf", "anyOf"):
        for each in sequence(schema.get(key)) if depth < _DEEPEST else ():
            found |= _types(SchemaSide(side.document, mapping(each)), depth + 1)
    for each in sequence(schema.get("allOf")) if depth < _DEEPEST and not found else ():
        inner = _types(SchemaSide(side.document, mapping(each)), depth + 1)
        found |= inner if inner != _ALL else set()
    if not found:
        return frozenset({"object"}) if "properties" in schema else _ALL
    if "number" in found:
        found.add("integer")
    return frozenset({*found, "null"} if schema.get("nullable") is True else found)


def _values(schema: JsonObject) -> frozenset[str] | None:
    listed = schema.get("enum")
    if not isinstance(listed, list):
        return None
    return frozenset(canonical_json(it) for it in listed)


def _properties(side: SchemaSide) -> dict[str, SchemaSide]:
    return {
        name: SchemaSide(side.document, mapping(schema))
        for part in _parts(side)
        for name, schema in mapping(part.schema.get("properties")).items()
    }


def _required(side: SchemaSide) -> frozenset[str]:
    return frozenset(
        it
        for part in _parts(side)
        for it in sequence(part.schema.get("required"))
        if isinstance(it, str)
    )


def _is_open(side: SchemaSide) -> bool:
    return side.schema.get("additionalProperties") is not False


def _listed(words: frozenset[str]) -> str:
    return ", ".join(sorted(words))

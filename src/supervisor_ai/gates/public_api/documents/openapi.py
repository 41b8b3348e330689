"""What a description of a web API takes away from its clients."""

import re
from collections.abc import Iterator
from typing import Final

from supervisor_ai.engine.ports.gates import ApiChange
from supervisor_ai.gates.public_api.documents.schemas import (
    SchemaComparison,
    SchemaFault,
    SchemaSide,
    resolved,
)
from supervisor_ai.gates.public_api.model import TypeUse
from supervisor_ai.tools.json_value import Json, JsonObject, mapping, sequence, text

_METHODS: Final = ("get", "put", "post", "delete", "options", "head", "patch", "trace")
_VARIABLE: Final = re.compile(r"\{[^}]{0,200}\}")
_OF_SCHEMA: Final = ("type", "enum", "items", "format", "minimum", "maximum", "pattern")


def openapi_faults(old: Json, new: Json) -> Iterator[SchemaFault]:
    """Compare paths, operations, parameters, bodies and responses."""
    before, after = _paths(old), _paths(new)
    for path, item in before.items():
        found = after.get(path)
        if found is None:
            yield SchemaFault(path, ApiChange.REMOVED, "the path is gone")
            continue
        for method in _METHODS:
            if method not in item:
                continue
            place = f"{method.upper()} {path}"
            if method not in found:
                yield SchemaFault(place, ApiChange.REMOVED, "the operation is gone")
            else:
                yield from _operation(
                    _Operation(old, item, method), _Operation(new, found, method), place
                )


class _Operation:
    """One operation of one side, with what its path adds to it."""

    def __init__(self, document: Json, item: JsonObject, method: str) -> None:
        self.document = document
        self.own = self._whole(item.get(method))
        listed = [*sequence(item.get("parameters")), *sequence(self.own.get("parameters"))]
        whole = [self._whole(it) for it in listed]
        self.parameters = {(text(it.get("in")), text(it.get("name"))): it for it in whole}
        self.body = self._whole(self.own.get("requestBody"))
        self.responses = {
            code: self._whole(it) for code, it in mapping(self.own.get("responses")).items()
        }
        security = self.own.get("security", mapping(document).get("security"))
        needs = [mapping(it) for it in sequence(security)]
        self.is_guarded = bool(needs) and all(needs)

    def _whole(self, value: Json) -> JsonObject:
        return resolved(SchemaSide(self.document, mapping(value))).schema

    def schema(self, holder: JsonObject) -> SchemaSide:
        """Return the schema of a parameter or a response, wherever its version keeps it."""
        inline: JsonObject = {key: holder[key] for key in _OF_SCHEMA if key in holder}
        return SchemaSide(self.document, mapping(holder.get("schema")) or inline)

    def contents(self, holder: JsonObject) -> dict[str, SchemaSide]:
        """Return the schemas of a body by the kind of its content."""
        listed = mapping(holder.get("content"))
        if not listed and "schema" in holder:
            return {"": self.schema(holder)}
        return {kind: self.schema(mapping(it)) for kind, it in listed.items()}


def _operation(old: _Operation, new: _Operation, place: str) -> Iterator[SchemaFault]:
    yield from _parameters(old, new, place)
    if new.body.get("required") is True and old.body.get("required") is not True:
        yield SchemaFault(f"{place} body", ApiChange.NARROWED, "it became required")
    if old.body:
        yield from _contents(
            old.contents(old.body), new.contents(new.body), f"{place} body", TypeUse.GIVEN
        )
    for code, response in old.responses.items():
        found = new.responses.get(code)
        if found is None and code.startswith("2"):
            yield SchemaFault(f"{place} {code}", ApiChange.REMOVED, "the response is gone")
        elif found is not None:
            contents = old.contents(response), new.contents(found)
            yield from _contents(*contents, f"{place} {code}", TypeUse.GOT)
    if new.is_guarded and not old.is_guarded:
        yield SchemaFault(place, ApiChange.NARROWED, "it asks who calls")


def _parameters(old: _Operation, new: _Operation, place: str) -> Iterator[SchemaFault]:
    # What stands in a path is known by its place, not by its name.
    kept = {key: it for key, it in old.parameters.items() if key[0] != "path"}
    for key, parameter in kept.items():
        name = f"{place} {' '.join(key)}".rstrip()
        found = new.parameters.get(key)
        if found is None:
            yield SchemaFault(name, ApiChange.REMOVED, "the parameter is gone")
            continue
        if found.get("required") is True and parameter.get("required") is not True:
            yield SchemaFault(name, ApiChange.NARROWED, "it became required")
        comparison = SchemaComparison(TypeUse.GIVEN)
        yield from comparison.faults(old.schema(parameter), new.schema(found), name)
    for key, parameter in new.parameters.items():
        if key not in old.parameters and key[0] != "path" and parameter.get("required") is True:
            name = f"{place} {' '.join(key)}".rstrip()
            yield SchemaFault(name, ApiChange.NARROWED, "the parameter is new and required")


def _contents(
    old: dict[str, SchemaSide], new: dict[str, SchemaSide], place: str, use: TypeUse
) -> Iterator[SchemaFault]:
    for kind, schema in old.items():
        found = new.get(kind)
        if found is None:
            yield SchemaFault(f"{place} {kind}".rstrip(), ApiChange.REMOVED, "the content is gone")
        else:
            yield from SchemaComparison(use).faults(schema, found, place)


def _paths(document: Json) -> dict[str, JsonObject]:
    listed = mapping(mapping(document).get("paths"))
    return {_VARIABLE.sub("{}", path): mapping(item) for path, item in listed.items()}

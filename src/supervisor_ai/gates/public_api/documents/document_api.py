"""Breaks of the API that documents describe; a document is known by what it says it is."""

import re
from collections.abc import Iterator
from typing import Final

from supervisor_ai.engine.ports.gates import ApiBreak, ApiChange
from supervisor_ai.gates.change.differences import shown
from supervisor_ai.gates.public_api.commit_side import CommitSide
from supervisor_ai.gates.public_api.documents.openapi import openapi_faults
from supervisor_ai.gates.public_api.documents.schemas import (
    SchemaComparison,
    SchemaFault,
    SchemaSide,
)
from supervisor_ai.gates.public_api.model import TypeUse
from supervisor_ai.tools.json_value import BadJson, Json, mapping, parse_json, text
from supervisor_ai.tools.yaml_tree import YamlLimits, read_yaml_tree

_SIGN: Final = re.compile(
    rb"^[ \t{]{0,40}[\"']?(?:openapi|swagger)[\"']?\s*:|json-schema\.org", re.MULTILINE
)
_LIMITS: Final = YamlLimits()


def document_breaks(
    before: CommitSide, after: CommitSide, paths: frozenset[str]
) -> Iterator[ApiBreak]:
    """Compare the documents that describe an API, each with itself."""
    for path in sorted(paths):
        old = _read(before, path)
        if old is None or not _kind(path, old):
            continue
        if path not in after.files:
            detail = "the document is gone"
            yield _break(path, SchemaFault(path, ApiChange.REMOVED, detail))
            continue
        new = _read(after, path)
        if new is not None:
            faults = dict.fromkeys(_faults(_kind(path, old), old, new))
            yield from (_break(path, fault) for fault in faults)


def _faults(kind: str, old: Json, new: Json) -> Iterator[SchemaFault]:
    if kind == "openapi":
        yield from openapi_faults(old, new)
    else:
        sides = SchemaSide(old, mapping(old)), SchemaSide(new, mapping(new))
        name = text(mapping(old).get("title"), "schema")
        yield from SchemaComparison(TypeUse.GIVEN).faults(*sides, name)
        yield from _definitions(old, new)


def _definitions(old: Json, new: Json) -> Iterator[SchemaFault]:
    for key in ("definitions", "$defs"):
        before, after = mapping(mapping(old).get(key)), mapping(mapping(new).get(key))
        for name in before.keys() - after.keys():
            yield SchemaFault(f"{key}.{name}", ApiChange.REMOVED, "the definition is gone")


def _break(path: str, fault: SchemaFault) -> ApiBreak:
    return ApiBreak(
        file=shown(path),
        symbol=shown(fault.place),
        change=fault.change,
        detail=shown(fault.detail),
    )


def _kind(path: str, document: Json) -> str:
    found = mapping(document)
    if "paths" in found and ("openapi" in found or "swagger" in found):
        return "openapi"
    is_schema = "json-schema.org" in text(found.get("$schema"))
    is_named = path.endswith((".schema.json", ".schema.yaml", ".schema.yml"))
    return "schema" if is_schema or (is_named and found) else ""


def _read(side: CommitSide, path: str) -> Json:
    source = side.text(path)
    is_named = ".schema." in path
    if source is None or not (is_named or _SIGN.search(source)):
        return None
    written = source.decode("utf-8-sig", "replace")
    if path.endswith(".json"):
        try:
            return parse_json(written)
        except BadJson as error:
            side.unread[path] = f"it cannot be read: {error}"
            return None
    tree = read_yaml_tree(written, limits=_LIMITS)
    if not tree.is_read or tree.problems:
        problem = tree.problems[0].text if tree.problems else "is empty"
        side.unread[path] = f"it {problem}"
    return tree.value if tree.is_read else None

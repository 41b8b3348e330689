"""OpenAPI documents: their YAML, their form, and references that lead nowhere."""

from collections.abc import Iterator
from typing import Any, Final

from supervisor_ai.definitions.feature.interfaces.extra import FindModule
from supervisor_ai.drivers.feature.plan.interfaces import InterfaceForm, interface_text
from supervisor_ai.drivers.feature.plan.model import Interface
from supervisor_ai.tools.yaml_tree import Value, YamlLimits, read_yaml_tree

_LIMITS: Final = YamlLimits(characters=200_000, depth=60, values=20_000)
_REFERENCE: Final = "$ref"
_LOCAL: Final = "#/"
_MOST_WARNINGS: Final = 50
_SHOWN: Final = 200
_VERSIONS: Final = {
    "3.0": "OpenAPIV30SpecValidator",
    "3.1": "OpenAPIV31SpecValidator",
    "3.2": "OpenAPIV32SpecValidator",
}
_Table = dict[str, Value]


def load_schemas(find: FindModule) -> None:
    """Load what documents are compared with, for a process that is going to open no file."""
    for version in _VERSIONS:
        _judged({"openapi": f"{version}.0", "info": {}, "paths": {}}, find)


def parse_openapi(interface: Interface, find: FindModule) -> InterfaceForm:
    """Look at an API: a whole document, or its paths alone."""
    tree = read_yaml_tree(interface.definition, limits=_LIMITS)
    if tree.problems:
        first = tree.problems[0]
        return _form("yaml", f"in its line {first.line}, {first.text}")
    if not isinstance(tree.value, dict):
        return _form(
            "yaml", "is no part of an OpenAPI document: expected paths, or a whole document"
        )
    odd = [it for it in tree.value if not it.startswith(("/", "x-"))]
    if "openapi" not in tree.value and odd:
        return _form("yaml", f"is no part of an OpenAPI document: {odd[0]!r} is no path")
    whole = read_yaml_tree(interface_text(interface), limits=_LIMITS).value
    if not isinstance(whole, dict):
        return _form("yaml", "is no part of an OpenAPI document: its paths cannot be wrapped")
    return _judged(whole, find)


def _judged(document: _Table, find: FindModule) -> InterfaceForm:
    unknown = list(dict.fromkeys(_unknown(document)))
    warnings = tuple(f"unknown $ref {it[:_SHOWN]!r}" for it in unknown[:_MOST_WARNINGS])
    checker = _checker(document, find)
    if checker is None:
        return InterfaceForm(by="yaml", warnings=warnings)
    _stand_in(document, unknown)
    error = next(iter(checker(document).iter_errors()), None)
    if error is None:
        return InterfaceForm(by="openapi-spec-validator", warnings=warnings)
    at = "/".join(map(str, error.absolute_path))
    said = " ".join(str(error.message)[: _SHOWN * 4].split())[:_SHOWN]
    problem = f"is no OpenAPI document: at '/{at}', {said}"
    return InterfaceForm(by="openapi-spec-validator", problem=problem, warnings=warnings)


def _checker(document: _Table, find: FindModule) -> Any:  # noqa: ANN401 - a class of an extra
    """Find who knows this version of OpenAPI; None where nobody does."""
    found = find("openapi_spec_validator")
    version = ".".join(str(document.get("openapi", "")).split(".")[:2])
    return getattr(found, _VERSIONS.get(version, ""), None)


def _unknown(document: _Table) -> Iterator[str]:
    """Name the references that lead to nothing in the document itself."""
    for table in _tables(document):
        target = table.get(_REFERENCE)
        if isinstance(target, str) and not _leads_somewhere(document, target):
            yield target


def _tables(value: Value) -> Iterator[_Table]:
    ahead = [value]
    while ahead:
        found = ahead.pop()
        if isinstance(found, dict):
            yield found
            ahead += list(found.values())[::-1]
        elif isinstance(found, list):
            ahead += found[::-1]


def _leads_somewhere(document: _Table, target: str) -> bool:
    if not target.startswith(_LOCAL):
        return False
    at: Value = document
    for part in _parts(target):
        if isinstance(at, dict) and part in at:
            at = at[part]
        else:
            return False
    return True


def _parts(target: str) -> list[str]:
    words = target.removeprefix(_LOCAL).split("/")
    return [it.replace("~1", "/").replace("~0", "~") for it in words]


def _stand_in(document: _Table, unknown: list[str]) -> None:
    """Let every unknown reference lead to something empty, so that nobody goes to look for it."""
    for table in _tables(document):
        target = table.get(_REFERENCE)
        if isinstance(target, str) and target in unknown:
            table[_REFERENCE] = "#/components/schemas/unknown"
    if unknown:
        components = document.setdefault("components", {})
        schemas = components.setdefault("schemas", {}) if isinstance(components, dict) else None
        if isinstance(schemas, dict):
            schemas["unknown"] = {}


def _form(by: str, problem: str) -> InterfaceForm:
    return InterfaceForm(by=by, problem=problem)

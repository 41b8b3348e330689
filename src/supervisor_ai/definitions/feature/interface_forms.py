"""Whether an interface is written in its language, as far as a parser of ours can tell."""

import json
from collections.abc import Callable, Mapping
from typing import Final

from supervisor_ai.drivers.feature.plan.model import Interface, InterfaceKind
from supervisor_ai.tools.yaml_tree import YamlLimits, read_yaml_tree

_LIMITS: Final = YamlLimits(characters=100_000, depth=40, values=20_000)
_TOO_DEEP: Final = (RecursionError, MemoryError)


def form_problem(interface: Interface) -> str | None:
    """Say what is wrong with an interface; None: nothing, or nobody can tell."""
    look = _PARSERS.get(interface.kind)
    return None if look is None else look(interface.definition)


def _json_schema(text: str) -> str | None:
    try:
        found = json.loads(text)
    except ValueError as error:
        return f"is no JSON: {error}"
    except _TOO_DEEP:
        return "is no JSON that can be read: it is nested too deeply"
    return None if isinstance(found, dict | bool) else "is no JSON Schema: expected an object"


def _openapi(text: str) -> str | None:
    tree = read_yaml_tree(text, limits=_LIMITS)
    if tree.problems:
        first = tree.problems[0]
        return f"in its line {first.line}, {first.text}"
    if not isinstance(tree.value, dict):
        return "is no part of an OpenAPI document: expected paths, or a whole document"
    odd = [it for it in tree.value if not it.startswith(("/", "x-"))]
    if "openapi" not in tree.value and odd:
        return f"is no part of an OpenAPI document: {odd[0]!r} is no path"
    return None


_PARSERS: Final[Mapping[InterfaceKind, Callable[[str], str | None]]] = {
    InterfaceKind.JSON_SCHEMA: _json_schema,
    InterfaceKind.OPENAPI: _openapi,
}

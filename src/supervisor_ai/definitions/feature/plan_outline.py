"""The outline of a plan that does not fit: all of it that can be read, each part in its place."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated, TypeVar

from pydantic import Field, ValidationError

from supervisor_ai.definitions.feature.shapes import (
    ComponentShape,
    FeatureShape,
    File,
    InterfaceShape,
    PhaseShape,
)
from supervisor_ai.definitions.schema.base import FileShape
from supervisor_ai.definitions.sources.mistakes import KeyPath
from supervisor_ai.definitions.sources.yaml_document import Value
from supervisor_ai.drivers.feature.plan.model import InterfaceKind

S = TypeVar("S", bound=FileShape)


class _Interface(InterfaceShape):
    name: str = ""
    type: Annotated[InterfaceKind, Field(strict=False)] = InterfaceKind.SQL
    definition: str = ""


class _Component(ComponentShape):
    id: str = ""
    files: list[File] = Field(default_factory=list)


class _Phase(PhaseShape):
    id: str = ""
    components: list[ComponentShape] = Field(default_factory=list)


class _Feature(FeatureShape):
    id: str = ""
    phases: list[PhaseShape] = Field(default_factory=list)


def outline_of(value: Value) -> FeatureShape:
    """Read what is there: each phase and component keeps its place, whatever is wrong with it."""
    feature = _mapping(_mapping(value).get("feature"))
    parts = {"phases": [_phase(it, at) for at, it in enumerate(_rows(feature.get("phases")))]}
    return _named(_Feature, feature, "id", "the feature", parts)


def _phase(phase: Mapping[str, Value], at: int) -> PhaseShape:
    parts = {
        "components": [
            _named(_Component, it, "id", f"component {number}")
            for number, it in enumerate(_rows(phase.get("components")))
        ],
        "interfaces": list(_interfaces(phase.get("interfaces"), at)),
    }
    return _named(_Phase, phase, "id", f"phase {at}", parts)


def _interfaces(value: Value, phase: int) -> Iterator[InterfaceShape]:
    for number, it in enumerate(_rows(value)):
        found = _named(_Interface, it, "name", f"interface {number} of phase {phase}")
        is_known = "type" in found.model_fields_set
        # What is written in no language that is known is looked at by nobody.
        yield found if is_known else found.model_copy(update={"definition": ""})


def _named(
    shape: type[S],
    value: Mapping[str, Value],
    key: str,
    usual: str,
    parts: Mapping[str, object] = {},
) -> S:
    """Make a shape of what fits of a mapping; its name is kept as others may write it."""
    name = value.get(key)
    own = {it: value[it] for it in value if it not in {key, *parts}}
    word = name if isinstance(name, str) else usual
    return _fitted(shape, own).model_copy(update={key: word, **parts})


def _fitted(shape: type[S], value: dict[str, Value]) -> S:
    try:
        return shape.model_validate(value)
    except ValidationError as error:
        found = error.errors(include_url=False, include_context=False, include_input=False)
    return _fitted(shape, _without(value, [it["loc"] for it in found]))


def _without(value: dict[str, Value], wrong: Sequence[KeyPath]) -> dict[str, Value]:
    """Leave out what does not fit: of a list its entries, or else the whole."""
    left: dict[str, Value] = {}
    for key, it in value.items():
        found = [path[1:2] for path in wrong if path[:1] == (key,)]
        if not found:
            left[key] = it
        elif isinstance(it, list) and all(found):
            left[key] = [entry for at, entry in enumerate(it) if (at,) not in found]
    return left


def _mapping(value: Value) -> dict[str, Value]:
    return value if isinstance(value, dict) else {}


def _rows(value: Value) -> Iterator[dict[str, Value]]:
    return map(_mapping, value if isinstance(value, list) else [])

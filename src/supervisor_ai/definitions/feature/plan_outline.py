"""The outline of a plan that does not fit: who needs whom, as far as it can be read."""

from collections.abc import Iterator

from supervisor_ai.definitions.feature.shapes import ComponentShape, FeatureShape, PhaseShape
from supervisor_ai.definitions.sources.yaml_document import Value
from supervisor_ai.drivers.feature.plan.model import StartWhen


def outline_of(value: Value) -> FeatureShape:
    """Read what is there: each phase and component keeps its place, whatever is wrong with it."""
    feature = _mapping(_mapping(value).get("feature"))
    phases = [
        PhaseShape.model_construct(
            id=_word(it.get("id"), f"phase {at}"),
            sequence=it["sequence"] if isinstance(it.get("sequence"), int) else None,
            start_when=_start(it.get("start_when")),
            components=list(_components(it.get("components"))),
        )
        for at, it in enumerate(map(_mapping, _list(feature.get("phases"))))
    ]
    return FeatureShape.model_construct(id=_word(feature.get("id"), "the feature"), phases=phases)


def _components(value: Value) -> Iterator[ComponentShape]:
    for at, it in enumerate(map(_mapping, _list(value))):
        needs = [need for need in _list(it.get("depends_on")) if isinstance(need, str)]
        yield ComponentShape.model_construct(
            id=_word(it.get("id"), f"component {at}"), files=[], depends_on=needs
        )


def _start(value: Value) -> StartWhen:
    known = [it for it in StartWhen if it.value == value]
    return known[0] if known else StartWhen.PHASES_COMPLETED


def _mapping(value: Value) -> dict[str, Value]:
    return value if isinstance(value, dict) else {}


def _list(value: Value) -> list[Value]:
    return value if isinstance(value, list) else []


def _word(value: Value, usual: str) -> str:
    return value if isinstance(value, str) else usual

"""Plans of a change, as JSON documents of workers: how many tasks, and which wait for others."""

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from msgspec import Struct

_ENTRIES: Final = 2000


class PlannedTasks(Struct, frozen=True, kw_only=True):
    """The size of a plan; of several plans the largest."""

    count: int = 0
    has_dependencies: bool = False
    has_chain: bool = False
    """Whether a task waits for one that itself waits."""


def json_object(text: str | None) -> Mapping[str, object] | None:
    """Understand a JSON object that a worker wrote; None where it is none."""
    try:
        found = json.loads(text or "")
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None


def planned(plans: Sequence[str]) -> PlannedTasks:
    """Measure plans; what cannot be understood counts for nothing."""
    measured = [_measured(document) for document in map(json_object, plans) if document is not None]
    return PlannedTasks(
        count=max((plan.count for plan in measured), default=0),
        has_dependencies=any(plan.has_dependencies for plan in measured),
        has_chain=any(plan.has_chain for plan in measured),
    )


def components_of(plans: Sequence[str]) -> list[Mapping[str, object]]:
    """Return the components of the newest plan that has any."""
    for document in map(json_object, reversed(plans)):
        found = [] if document is None else _components(document)
        if found:
            return found
    return []


def _components(document: Mapping[str, object]) -> list[Mapping[str, object]]:
    phases = _mappings(document.get("phases"))
    return [part for phase in phases for part in _mappings(phase.get("components"))]


def _measured(document: Mapping[str, object]) -> PlannedTasks:
    phases = list(_mappings(document.get("phases")))
    components = _components(document)
    edges = {edge for edge in _edges(document, components) if edge[0] != edge[1]}
    return PlannedTasks(
        count=len(components) or len(phases),
        has_dependencies=bool(edges),
        has_chain=_has_chain(edges),
    )


def _edges(
    document: Mapping[str, object], components: Sequence[Mapping[str, object]]
) -> Iterator[tuple[str, str]]:
    for component in components:
        waits_for = component.get("depends_on")
        for other in waits_for[:_ENTRIES] if isinstance(waits_for, list) else ():
            yield str(component.get("id"))[:200], str(other)[:200]
    for pair in _mappings(document.get("dependencies")):
        yield str(pair.get("from"))[:200], str(pair.get("to"))[:200]


def _has_chain(edges: set[tuple[str, str]]) -> bool:
    """Tell whether three different tasks wait for each other in a row."""
    follows: dict[str, set[str]] = {}
    for source, target in edges:
        follows.setdefault(source, set()).add(target)
    return any(follows.get(middle, set()) - {first} for first, middle in edges)


def _mappings(value: object) -> Iterator[Mapping[str, object]]:
    items = value[:_ENTRIES] if isinstance(value, list) else []
    return (item for item in items if isinstance(item, dict))

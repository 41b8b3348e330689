"""Why each component that waits does so, in a sentence."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from supervisor_ai.drivers.feature.plan.claims import overlap
from supervisor_ai.drivers.feature.plan.graph import Graph, graph_of
from supervisor_ai.drivers.feature.plan.model import (
    AT_WORK,
    DONE,
    FAILED,
    Component,
    ComponentId,
    ComponentStatus,
    Feature,
)
from supervisor_ai.drivers.feature.plan.rollup import Statuses, status_of
from supervisor_ai.drivers.feature.plan.terms import ParallelLimits

_SHOWN: Final = 3


def waits_of(
    feature: Feature,
    statuses: Statuses,
    limits: ParallelLimits,
    *,
    touched: Mapping[ComponentId, Sequence[str]],
) -> dict[ComponentId, str]:
    """Say for each pending component what it waits for."""
    graph = graph_of(feature)
    pending = [it for it in feature.components if status_of(statuses, it.id) is _PENDING]
    return {
        it.id: _missing(graph, statuses, it)
        or _held(feature, statuses, it, touched)
        or _full(feature, statuses, limits, it)
        for it in pending
    }


_PENDING: Final = ComponentStatus.PENDING


def _missing(graph: Graph, statuses: Statuses, component: Component) -> str | None:
    """Name the components that have to be done first, or those whose failure is in the way."""
    failed = [it for it in _above(graph, component.id) if status_of(statuses, it) in FAILED]
    if failed:
        return f"blocked: {_list(failed, statuses)}"
    needed = [it for need in graph.needs[component.id] for it in _behind(graph, need)]
    missing = [it for it in dict.fromkeys(needed) if status_of(statuses, it) not in DONE]
    return f"waits for {_list(missing, statuses)}" if missing else None


def _above(graph: Graph, node: str) -> tuple[ComponentId, ...]:
    """Name all components that have to be done before one, directly or not."""
    found: dict[str, None] = {}
    ahead = list(graph.needs[node])
    while ahead:
        need = ahead.pop()
        if need not in found:
            found[need] = None
            ahead += graph.needs[need]
    return tuple(ComponentId(it) for it in found if it not in graph.gates)


def _behind(graph: Graph, need: str) -> Iterator[ComponentId]:
    """Name the components behind a gate, or the one that is needed itself."""
    if need in graph.gates:
        for it in graph.needs[need]:
            yield from _behind(graph, it)
    else:
        yield ComponentId(need)


def _list(components: Sequence[ComponentId], statuses: Statuses) -> str:
    shown = [f"{it} ({status_of(statuses, it).value})" for it in components[:_SHOWN]]
    more = len(components) - len(shown)
    return ", ".join(shown) + (f" and {more} more" if more else "")


def _held(
    feature: Feature,
    statuses: Statuses,
    component: Component,
    touched: Mapping[ComponentId, Sequence[str]],
) -> str | None:
    """Name a file that a component at work has."""
    for other in feature.components:
        if status_of(statuses, other.id) in AT_WORK:
            changed = touched.get(other.id, ())
            for file in component.files:
                if any(overlap(file, it) for it in other.files):
                    return f"waits for {file}, which {other.id} writes"
                if any(overlap(file, it) for it in changed):
                    return f"waits for {file}, which {other.id} has changed without saying so"
    return None


def _full(
    feature: Feature, statuses: Statuses, limits: ParallelLimits, component: Component
) -> str:
    """Say that there is no place, or that the next look starts it."""
    at_work = [it for it in feature.components if status_of(statuses, it.id) in AT_WORK]
    if len(at_work) >= limits.max_parallel:
        return f"waits for a slot: {len(at_work)} of {limits.max_parallel} are taken"
    for place, most in limits.places_of(component).items():
        same = sum(place in limits.places_of(it) for it in at_work)
        if same >= most:
            word = place.removeprefix("cli ")
            return f"waits for {word}: {same} of {most} places are taken"
    return "ready"

"""What has to go when a phase is undone: its components, and whatever builds on them."""

from supervisor_ai.drivers.feature.plan.graph import graph_of
from supervisor_ai.drivers.feature.plan.model import ComponentId, Feature, PhaseId


def undone_with(feature: Feature, phase: PhaseId) -> frozenset[ComponentId]:
    """Name the components of a phase, and all that wait for one of them, directly or not."""
    graph = graph_of(feature)
    ahead = [str(it.id) for it in feature.components if it.phase == phase]
    found: set[str] = set()
    while ahead:
        node = ahead.pop()
        if node not in found:
            found.add(node)
            ahead += graph.dependents[node]
    return frozenset(ComponentId(it) for it in found if it not in graph.gates)


def find_phase(feature: Feature, name: str) -> PhaseId | None:
    """Find a phase by its id, or as the plan calls it."""
    found = (it.id for it in feature.phases if name in {it.id, it.name})
    return next(found, None)

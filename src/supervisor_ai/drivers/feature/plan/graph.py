"""The order of a feature's components: what waits for what, and the longest way to the end."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from msgspec import Struct

from supervisor_ai.drivers.feature.plan.model import ComponentId, Feature, FeaturePhase, StartWhen
from supervisor_ai.drivers.feature.plan.projects import (
    FeatureProject,
    copies_of,
    is_publication,
    publication,
)

Node = str
"""A component, a publication, or a gate: in front of the phases with one sequence, or behind all
that belongs to a project."""
_GATE: Final = "before "
_PROJECT: Final = "project "


class Graph(Struct, frozen=True, kw_only=True):
    """What each component and each phase gate waits for, and what waits for it."""

    needs: dict[Node, tuple[Node, ...]]
    dependents: dict[Node, tuple[Node, ...]]
    gates: frozenset[Node] = frozenset()


def graph_of(feature: Feature) -> Graph:
    """Put the components in order; a phase barrier is one gate, not an edge for every pair."""
    needs: dict[Node, tuple[Node, ...]] = {}
    gates: dict[int, Node] = {}
    for sequence in sorted({phase.sequence for phase in feature.phases})[1:]:
        earlier = (phase for phase in feature.phases if phase.sequence < sequence)
        gates[sequence] = f"{_GATE}{sequence}"
        needs[gates[sequence]] = tuple(it.id for phase in earlier for it in phase.components)
    ends = _ends(feature)
    needs |= ends
    behind = {it.name: _behind(feature, it) for it in feature.projects}
    for phase in feature.phases:
        barrier = _barrier(phase, gates)
        needs |= {
            it.id: (*it.depends_on, *barrier, *behind.get(it.project or "", ()))
            for it in phase.components
        }
    return make_graph(
        needs, gates=(*gates.values(), *(it for it in ends if not is_publication(it)))
    )


def _ends(feature: Feature) -> dict[Node, tuple[Node, ...]]:
    """Say what has to be over before those begin who depend on a project."""
    found: dict[Node, tuple[Node, ...]] = {}
    for project in feature.projects:
        own = tuple(it.id for it in feature.components if it.project == project.name)
        end = f"{_PROJECT}{project.name}"
        found[end] = (*own, *(f"{_PROJECT}{it}" for it in project.depends_on))
        if copies_of(feature.projects, project.name):
            found[publication(project.name)] = (end,)
    return found


def _behind(feature: Feature, project: FeatureProject) -> tuple[Node, ...]:
    return tuple(
        publication(it) if copies_of(feature.projects, it) else f"{_PROJECT}{it}"
        for it in project.depends_on
    )


def project_cycle(projects: Sequence[FeatureProject]) -> tuple[Node, ...]:
    """Follow a circle of projects that wait for each other; nothing where there is none."""
    known = {it.name for it in projects}
    needs = {it.name: [on for on in it.depends_on if on in known] for it in projects}
    return find_cycle(make_graph(needs))


def _barrier(phase: FeaturePhase, gates: Mapping[int, Node]) -> tuple[Node, ...]:
    is_open = phase.start_when is StartWhen.INTERFACES_LOCKED or phase.sequence not in gates
    return () if is_open else (gates[phase.sequence],)


def make_graph(needs: Mapping[Node, Sequence[Node]], *, gates: Iterable[Node] = ()) -> Graph:
    """Turn the edges around as well."""
    dependents: dict[Node, list[Node]] = {node: [] for node in needs}
    for node, wanted in needs.items():
        for it in dict.fromkeys(wanted):
            dependents[it].append(node)
    return Graph(
        needs={node: tuple(dict.fromkeys(wanted)) for node, wanted in needs.items()},
        dependents={node: tuple(them) for node, them in dependents.items()},
        gates=frozenset(gates),
    )


def in_order(graph: Graph) -> tuple[Node, ...]:
    """Sort the nodes so that each comes after what it waits for; those of a cycle are missing."""
    open_needs = {node: len(wanted) for node, wanted in graph.needs.items()}
    found = [node for node, count in open_needs.items() if not count]
    for node in found:
        for dependent in graph.dependents[node]:
            open_needs[dependent] -= 1
            if not open_needs[dependent]:
                found.append(dependent)
    return tuple(found)


def find_cycle(graph: Graph) -> tuple[Node, ...]:
    """Follow a circle of nodes that wait for each other; nothing where there is none."""
    sorted_nodes = frozenset(in_order(graph))
    left = [node for node in graph.needs if node not in sorted_nodes]
    if not left:
        return ()
    path: dict[Node, None] = {}
    node = left[0]
    # Whatever could not be sorted waits for something that could not be sorted either.
    while node not in path:
        path[node] = None
        node = next(it for it in graph.needs[node] if it not in sorted_nodes)
    names = list(path)
    circle = names[names.index(node) :]
    return (*circle, circle[0])


def remaining(graph: Graph, durations: Mapping[Node, float]) -> dict[Node, float]:
    """Add up the longest way from the beginning of each node to the end of the feature."""
    lengths: dict[Node, float] = {}
    for node in reversed(in_order(graph)):
        after = max((lengths[it] for it in graph.dependents[node]), default=0.0)
        lengths[node] = durations.get(node, 0.0) + after
    return lengths


def critical_path(
    graph: Graph, durations: Mapping[Node, float], *, done: frozenset[Node] = frozenset()
) -> tuple[ComponentId, ...]:
    """List the components on the longest way that is still to go."""
    open_durations = {
        node: 0.0 if node in done else durations.get(node, 0.0) for node in graph.needs
    }
    lengths = remaining(graph, open_durations)
    ahead = [node for node, wanted in graph.needs.items() if not wanted]
    path: list[ComponentId] = []
    while ahead:
        node = max(ahead, key=lambda it: lengths[it])
        if node not in done and node not in graph.gates and not is_publication(node):
            path.append(ComponentId(node))
        ahead = list(graph.dependents[node])
    return tuple(path)

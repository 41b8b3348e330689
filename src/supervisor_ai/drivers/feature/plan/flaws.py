"""What is wrong with a plan as a whole, though each of its words may be right."""

from collections.abc import Iterator
from itertools import combinations, pairwise
from typing import Final

from msgspec import Struct

from supervisor_ai.domain.structs import replace
from supervisor_ai.drivers.feature.plan.claims import is_pattern, normal
from supervisor_ai.drivers.feature.plan.graph import Graph, Node, find_cycle, graph_of, in_order
from supervisor_ai.drivers.feature.plan.interfaces import interface_file
from supervisor_ai.drivers.feature.plan.model import Component, ComponentId, Feature, Overlaps
from supervisor_ai.drivers.feature.plan.terms import territory_of

MOST_COMPONENTS: Final = 1_000
_MOST_FLAWS: Final = 100
_MOST_CYCLES: Final = 20
_MOST_LOOKS: Final = 20_000_000
_WILD_LOOK: Final = 20
"""How much dearer it is to hold a claim against a pattern than against a directory."""


class PlanFlaw(Struct, frozen=True, kw_only=True):
    """A problem of one component, at one of its keys."""

    component: ComponentId
    key: str
    problem: str


def flaws_of(feature: Feature) -> Iterator[PlanFlaw]:
    """Find what would keep a plan from being built, or leave its order to chance."""
    cycles = cycles_of(feature)
    yield from (_cycle_flaw(feature, it) for it in cycles.found)
    yield from _locked(feature)
    if cycles.is_opened and feature.overlaps is Overlaps.REFUSE:
        yield from _unordered(cycles.rest, graph_of(cycles.rest))


class PlanCycles(Struct, frozen=True, kw_only=True):
    """The ways of a plan that lead back to where they began."""

    found: tuple[tuple[Node, ...], ...]
    rest: Feature
    """The plan without one dependency of each."""
    is_opened: bool
    """Whether nothing leads back in the rest."""


def cycles_of(feature: Feature) -> PlanCycles:
    """Find one cycle after the other, each without what closes those before it."""
    found: list[tuple[Node, ...]] = []
    while cycle := find_cycle(graph_of(feature)):
        found.append(cycle)
        opened = _opened(feature, cycle)
        if opened is None or len(found) == _MOST_CYCLES:
            return PlanCycles(found=tuple(found), rest=feature, is_opened=False)
        feature = opened
    return PlanCycles(found=tuple(found), rest=feature, is_opened=True)


def _opened(feature: Feature, cycle: tuple[Node, ...]) -> Feature | None:
    """Leave out a dependency that somebody wrote down; None: the cycle has none."""
    parts = {str(it.id): it for it in feature.components}
    for one, other in pairwise(cycle):
        part = parts.get(one)
        if part is not None and other in part.depends_on:
            kept = tuple(it for it in part.depends_on if it != other)
            return _with(feature, replace(part, depends_on=kept))
    return None


def _with(feature: Feature, part: Component) -> Feature:
    phases = tuple(
        replace(
            phase, components=tuple(part if it.id == part.id else it for it in phase.components)
        )
        for phase in feature.phases
    )
    return replace(feature, phases=phases)


def _cycle_flaw(feature: Feature, cycle: tuple[Node, ...]) -> PlanFlaw:
    """Name a cycle with its path; the way through a phase barrier is told as what it is."""
    names = feature.short_names()
    members = [it for it in cycle[:-1] if it in names]
    first = cycle.index(members[0])
    turned = (*cycle[first:-1], *cycle[:first], members[0])
    path = " → ".join(names.get(ComponentId(it), _between(it)) for it in turned)
    return PlanFlaw(
        component=ComponentId(members[0]),
        key="depends_on",
        problem=f"is part of a dependency cycle: {path}",
    )


def _between(node: Node) -> str:
    """Call what is no component: the gate of phases or of a project, or what one publishes."""
    return f"(the phases {node})" if node.startswith("before ") else f"({node})"


def _unordered(feature: Feature, graph: Graph) -> Iterator[PlanFlaw]:
    """Find files that two components claim of which neither waits for the other."""
    crowded = _crowded(feature)
    if crowded is not None:
        yield crowded
        return
    territory = territory_of(feature)
    holders: dict[str, list[Component]] = {}
    for component in feature.components:
        for lock in territory.locks(component.files):
            holders.setdefault(lock, []).append(component)
    before, names = _ancestors(graph), feature.short_names()
    number = {node: index for index, node in enumerate(graph.needs)}
    found = 0
    for lock, sharers in sorted(holders.items()):
        for one, other in combinations(sharers, 2):
            is_ordered = before[one.id] >> number[other.id] & 1
            if is_ordered or before[other.id] >> number[one.id] & 1:
                continue
            found += 1
            if found > _MOST_FLAWS:
                return
            yield PlanFlaw(
                component=other.id,
                key="files",
                problem=f"claims {lock!r} as {names[one.id]} does, and neither waits for the other",
            )


def _locked(feature: Feature) -> Iterator[PlanFlaw]:
    """Find components whose own file is that of an interface, which nobody may change."""
    files = {interface_file(it): it.name for it in feature.interfaces}
    for component in feature.components:
        for claim in component.files:
            name = files.get(normal(claim))
            if name is not None:
                problem = f"claims {claim!r}, the file of the interface {name}, which nobody writes"
                yield PlanFlaw(component=component.id, key="files", problem=problem)


def _crowded(feature: Feature) -> PlanFlaw | None:
    """Refuse more patterns than can be held against all claims in a moment."""
    wild: list[ComponentId] = []
    count, directories = 0, 0
    for component in feature.components:
        for claim in component.files:
            count += 1
            if is_pattern(claim.removesuffix("/**")):
                wild.append(component.id)
            else:
                directories += claim.endswith(("/", "/**"))
    if count * (directories + _WILD_LOOK * len(wild)) <= _MOST_LOOKS:
        return None
    problem = (
        f"is one of {len(wild)} patterns and {directories} directories among {count} claims of the"
        " plan, more than can be held against each other; name files instead"
    )
    at = wild[-1] if wild else feature.components[-1].id
    return PlanFlaw(component=at, key="files", problem=problem)


def _ancestors(graph: Graph) -> dict[Node, int]:
    """Gather for each node all that has to be done before it, one bit for each."""
    number = {node: index for index, node in enumerate(graph.needs)}
    found: dict[Node, int] = {}
    for node in in_order(graph):
        found[node] = 0
        for need in graph.needs[node]:
            found[node] |= found[need] | 1 << number[need]
    return found

"""How a plan is best begun, found by playing it through with what everything is expected to take.

The longest chain of components says too little where many share a file or a slot. So the plan is
played from its end to its beginning, as if it ran backwards: the time at which a component is over
there is the way that remains behind its beginning. What comes of it is played forwards, then
backwards again. Last, where an urgent component had to wait for a file that another one had just
taken, the plan is played with the urgent one first. The best of all plays counts.
"""

from collections.abc import Iterator, Mapping
from heapq import heappop, heappush
from typing import Final

from msgspec import Struct, field

from supervisor_ai.domain.structs import replace
from supervisor_ai.drivers.feature.plan.graph import Graph, Node, remaining
from supervisor_ai.drivers.feature.plan.scheduler import Scheduler, Terms

_EFFORT: Final = 20_000
"""So many components are played in all, but each at least three times."""
_ROUNDS: Final = 8
_SWAPS: Final = 40
_GOOD: Final = 1.02
"""A play that is so near to what nothing can beat is good enough."""


class PlayedPlan(Struct, frozen=True, kw_only=True):
    """When each component begins and is over, if everything takes as long as expected."""

    starts: dict[Node, float] = field(default_factory=dict)
    ends: dict[Node, float] = field(default_factory=dict)


class Rehearsed(Struct, frozen=True, kw_only=True):
    """The best play that was found: how urgent each component is, and who lets whom go first."""

    lengths: dict[Node, float]
    """The way that remains behind the beginning of each component."""
    first: dict[Node, tuple[Node, ...]] = field(default_factory=dict)
    play: PlayedPlan

    @property
    def makespan(self) -> float:
        """Tell how long the whole play takes."""
        return max(self.play.ends.values(), default=0.0)


def rehearse(terms: Terms) -> Rehearsed:
    """Play a plan through in several ways and keep the best."""
    goal = _GOOD * _bound(terms)
    count = max(1, len(terms.graph.needs))
    backwards = replace(terms, graph=_reversed(terms.graph))
    best = _play(terms, remaining(terms.graph, terms.durations))
    ends: Mapping[Node, float] = remaining(backwards.graph, terms.durations)
    for _ in range(max(1, min(_ROUNDS, _EFFORT // count // 4))):
        if best.makespan <= goal:
            return best
        found = _play(terms, play(backwards, ends).ends)
        ends = found.play.ends
        best = min(best, found, key=lambda it: it.makespan)
    return _swapped(terms, best, goal=goal, tries=min(_SWAPS, _EFFORT // count // 2))


def _play(terms: Terms, lengths: dict[Node, float]) -> Rehearsed:
    return Rehearsed(lengths=lengths, first=dict(terms.first), play=play(terms, lengths))


def play(terms: Terms, lengths: Mapping[Node, float]) -> PlayedPlan:
    """Follow a plan in which everything takes as long as expected."""
    scheduler = Scheduler(terms, lengths)
    under_way: list[tuple[float, Node]] = []
    played = PlayedPlan(ends=dict.fromkeys(terms.graph.gates, 0.0))
    now = 0.0
    while True:
        for node in scheduler.next():
            played.starts[node] = now
            heappush(under_way, (now + terms.durations.get(node, 0.0), node))
        if not under_way:
            return played
        now, node = heappop(under_way)
        played.ends[node] = now
        scheduler.complete(node)


def _swapped(terms: Terms, best: Rehearsed, *, goal: float, tries: int) -> Rehearsed:
    """Let urgent components go first, as long as that makes the whole play shorter."""
    tried: set[tuple[Node, Node]] = set()
    for _ in range(tries):
        if best.makespan <= goal:
            break
        pair = next((it for it in _overtaken(terms, best) if it not in tried), None)
        if pair is None:
            break
        tried.add(pair)
        urgent, other = pair
        first = {**best.first, other: (*best.first.get(other, ()), urgent)}
        found = _play(replace(terms, first=first), best.lengths)
        is_whole = len(found.play.ends) == len(terms.graph.needs)
        if is_whole and found.makespan <= best.makespan:
            best = found
    return best


def _overtaken(terms: Terms, best: Rehearsed) -> Iterator[tuple[Node, Node]]:
    """Follow the play back from its last end: who waited for whose file."""
    ending: dict[float, list[Node]] = {}
    for node, end in best.play.ends.items():
        if node not in terms.graph.gates:
            ending.setdefault(end, []).append(node)
    late = dict.fromkeys(ending.get(best.makespan, ()))
    while late:
        node = next(iter(late))
        del late[node]
        before = ending.pop(best.play.starts[node], [])
        locks = terms.locks.get(node, frozenset())
        for other in before:
            if not locks.isdisjoint(terms.locks.get(other, ())):
                yield node, other
        late |= dict.fromkeys(before)


def _bound(terms: Terms) -> float:
    """Say what no play can beat."""
    shared: dict[str, float] = {}
    for node, locks in terms.locks.items():
        for lock in locks:
            shared[lock] = shared.get(lock, 0.0) + terms.durations.get(node, 0.0)
    chains = remaining(terms.graph, terms.durations)
    work = sum(terms.durations.values()) / terms.slots
    return max(work, *chains.values(), *shared.values(), 0.0)


def _reversed(graph: Graph) -> Graph:
    return Graph(needs=graph.dependents, dependents=graph.needs, gates=graph.gates)

"""Which component starts next: pure and continuous, without batches.

Whenever a slot is free, the ready component with the longest remaining way starts that needs
nothing which another one holds: its files, and a place of its agent. A component that waits for
files is looked at again when one of them is given back, and not before; one that has waited too
long has its files kept free for it, so that nothing overtakes it for ever.
"""

from collections.abc import Iterable, Iterator, Mapping
from heapq import heappop, heappush
from typing import Final

from msgspec import Struct, field

from supervisor_ai.drivers.feature.plan.graph import Graph, Node

_PATIENCE: Final = 4
"""A ready component lets so many times the number of slots begin before it."""

_READY: Final = ""
"""The queue of those that wait for a slot alone; the others are called like what is missing."""

_Ranked = tuple[float, int, Node]
"""The longest remaining way comes first, then the order of the plan."""


class Terms(Struct, frozen=True, kw_only=True):
    """What the scheduler has to keep to."""

    graph: Graph
    locks: Mapping[Node, frozenset[str]] = field(default_factory=dict)
    """What each component needs for itself alone."""
    places: Mapping[Node, tuple[str, ...]] = field(default_factory=dict)
    """Which limited numbers of places each component needs one of: its agent, its account."""
    limits: Mapping[str, int] = field(default_factory=dict)
    """How many there are of them."""
    durations: Mapping[Node, float] = field(default_factory=dict)
    slots: int = 1
    first: Mapping[Node, tuple[Node, ...]] = field(default_factory=dict)
    """Whom a component lets begin first, because they need the same file more urgently."""


class Scheduler:
    """Follows what starts and ends, and says what can start now."""

    def __init__(self, terms: Terms, lengths: Mapping[Node, float]) -> None:
        """Begin with how long the way is that remains behind each component's beginning."""
        self._terms = terms
        nodes = terms.graph.needs
        self._rank: dict[Node, _Ranked] = {
            node: (-lengths[node], index, node) for index, node in enumerate(nodes)
        }
        self._needed = {node: _needed(terms, node) for node in nodes}
        self._open_needs = {node: len(wanted) for node, wanted in nodes.items()}
        self._courtesy = {node: set(others) for node, others in terms.first.items()}
        self._over: set[Node] = set()
        self._ready_since: dict[Node, int] = {}
        self._at: dict[Node, str] = {}
        """For each ready component the queue in which it stands."""
        self._queues: dict[str, list[_Ranked]] = {_READY: []}
        self._used: dict[str, int] = {}
        self._held: dict[Node, frozenset[str]] = {}
        self._promised: dict[str, Node] = {}
        self._starts = 0
        self._offer(self._first_nodes())

    @property
    def running(self) -> tuple[Node, ...]:
        """List what has started and not ended."""
        return tuple(self._held)

    def next(self) -> Iterator[Node]:
        """Start what can start now, one after the other."""
        while len(self._held) < self._terms.slots:
            node = self._first(_READY)
            if node is None:
                return
            wall = self._wall(node)
            if wall is None:
                self.start(node)
                yield node
            else:
                self._wait(node, wall)

    def start(self, node: Node) -> None:
        """Take note that a component has started."""
        self._starts += 1
        self._leave(node)
        self._held[node] = frozenset()
        self.touch(node, self._needed[node])
        self._pass_on(node)

    def touch(self, node: Node, locks: Iterable[str]) -> None:
        """Take note of what a running component holds, be it claimed or not."""
        more = frozenset(locks) - self._held[node]
        self._held[node] |= more
        for lock in more:
            self._used[lock] = self._used.get(lock, 0) + 1

    def complete(self, node: Node) -> None:
        """Take note that a component is done, or need not be done: what depends on it may begin."""
        self._give_back(node)
        self._over.add(node)
        self._pass_on(node)
        self._offer(tuple(self._freed(node)))

    def stop(self, node: Node) -> None:
        """Take note that a component does not run any more; what depends on it waits.

        Nobody is let go first from now on: who was to come first may depend on it.
        """
        self._give_back(node)
        for polite in tuple(self._courtesy):
            self._courtesy[polite].clear()
            self._join(polite)

    def _give_back(self, node: Node) -> None:
        was_ready = self._leave(node)
        for lock in self._held.pop(node, ()):
            self._used[lock] -= 1
            self._wake(lock)
        if was_ready:
            # Others may have waited behind it for what it does not need any more.
            for lock in self._needed[node]:
                self._wake(lock)

    def retry(self, node: Node) -> None:
        """Let a component that stopped start again."""
        self._offer((node,))

    def _first_nodes(self) -> Iterator[Node]:
        gates = self._terms.graph.gates
        for node in [node for node, count in self._open_needs.items() if not count]:
            yield from self._freed(node) if node in gates else (node,)

    def _freed(self, node: Node) -> Iterator[Node]:
        for dependent in self._terms.graph.dependents[node]:
            self._open_needs[dependent] -= 1
            if self._open_needs[dependent] or dependent in self._over:
                continue
            if dependent in self._terms.graph.gates:
                yield from self._freed(dependent)
            else:
                yield dependent

    def _offer(self, nodes: Iterable[Node]) -> None:
        for node in nodes:
            self._ready_since[node] = self._starts
            if not self._courtesy.get(node):
                self._put(node, _READY)

    def _pass_on(self, node: Node) -> None:
        """Let those go on that let a component begin first, which it has or never will."""
        for polite in tuple(it for it, others in self._courtesy.items() if node in others):
            self._courtesy[polite].discard(node)
            self._join(polite)

    def _join(self, polite: Node) -> None:
        if not self._courtesy[polite]:
            del self._courtesy[polite]
            if polite in self._ready_since and polite not in self._at:
                self._put(polite, _READY)

    def _put(self, node: Node, queue: str) -> None:
        self._at[node] = queue
        heappush(self._queues.setdefault(queue, []), self._rank[node])

    def _first(self, queue: str) -> Node | None:
        """Take the first of a queue; what has left it meanwhile is passed over."""
        ranked = self._queues.get(queue, [])
        while ranked:
            node = heappop(ranked)[-1]
            if self._at.get(node) == queue:
                return node
        return None

    def _leave(self, node: Node) -> bool:
        """Let a component stand in no queue; tell whether it stood in one."""
        self._ready_since.pop(node, None)
        for lock in [lock for lock, it in self._promised.items() if it == node]:
            del self._promised[lock]
        return self._at.pop(node, None) is not None

    def _wall(self, node: Node) -> str | None:
        """Name something that the component needs and cannot have now."""
        return next((it for it in self._needed[node] if not self._is_free(it, node)), None)

    def _is_free(self, lock: str, node: Node) -> bool:
        is_left = self._used.get(lock, 0) < self._terms.limits.get(lock, 1)
        return is_left and self._promised.get(lock, node) == node

    def _wait(self, node: Node, wall: str) -> None:
        self._put(node, wall)
        own = self._terms.locks.get(node, frozenset())
        has_waited = self._starts - self._ready_since[node] >= _PATIENCE * self._terms.slots
        if has_waited and own.isdisjoint(self._promised):
            self._promised |= dict.fromkeys(own, node)
        # It may have been woken for another lock that it cannot use yet: somebody else may.
        for lock in self._needed[node]:
            if lock != wall:
                self._wake(lock)

    def _wake(self, lock: str) -> None:
        """Look again at whom a free lock is promised to, or at the first that waits for it."""
        if lock not in self._queues and lock not in self._promised:
            return
        if self._used.get(lock, 0) >= self._terms.limits.get(lock, 1):
            return
        promised = self._promised.get(lock)
        if promised is None:
            node = self._first(lock)
        else:
            node = promised if self._can_go_on(promised) else None
        if node is not None:
            self._put(node, _READY)

    def _can_go_on(self, node: Node) -> bool:
        """Tell whether what a component was promised is free now, and it does not know yet."""
        return self._at[node] != _READY and self._wall(node) is None


def _needed(terms: Terms, node: Node) -> tuple[str, ...]:
    return tuple(sorted((*terms.locks.get(node, ()), *terms.places.get(node, ()))))

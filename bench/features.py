"""How long features take with our scheduler, against what no scheduler can beat; and what it costs.

Run: .venv/bin/python -m bench.features
"""

import statistics
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from heapq import heappop, heappush
from typing import Final

from bench.feature_plans import RandomPlan, make_plan, plans
from supervisor_ai.domain.structs import replace
from supervisor_ai.drivers.feature.plan.claims import Territory
from supervisor_ai.drivers.feature.plan.graph import Node, make_graph
from supervisor_ai.drivers.feature.plan.rehearsal import rehearse
from supervisor_ai.drivers.feature.plan.scheduler import Scheduler, Terms

MANY: Final = 10_000


def features() -> Iterator[str]:
    """Schedule the random plans, with durations that are known and with ones that are not."""
    known, unknown = [], []
    for plan in plans():
        known.append(makespan(plan, terms_of(plan)) / plan.bound)
        unknown.append(makespan(plan, terms_of(plan, is_known=False)) / plan.bound)
    yield f"{len(known):,} random plans (`bench/feature_plans.py`); the makespan over its bound.\n"
    yield "| durations | mean | median | 99 % | worst |\n|---|---:|---:|---:|---:|"
    yield f"| known | {_row(known)} |"
    yield f"| unknown: all are taken for equal | {_row(unknown)} |"
    yield f"\n{MANY:,} components from beginning to end: {cost():.2f} s of CPU (goal: under 2 s)."


def _row(ratios: Sequence[float]) -> str:
    ranked = sorted(ratios)
    shown = (statistics.mean(ranked), statistics.median(ranked), ranked[-len(ranked) // 100])
    return " | ".join(f"{it:.3f}" for it in (*shown, ranked[-1]))


def terms_of(plan: RandomPlan, *, is_known: bool = True) -> Terms:
    """Tell the scheduler about a plan."""
    names = [f"C{index}" for index in range(len(plan.durations))]
    territory = Territory(file for files in plan.files for file in files)
    durations: Mapping[Node, float] = {
        name: plan.durations[index] if is_known else 1.0 for index, name in enumerate(names)
    }
    return Terms(
        graph=make_graph(
            {name: [names[it] for it in plan.depends_on[at]] for at, name in enumerate(names)}
        ),
        locks={name: territory.locks(plan.files[at]) for at, name in enumerate(names)},
        durations=durations,
        slots=plan.slots,
    )


def makespan(plan: RandomPlan, terms: Terms) -> float:
    """Follow a plan from beginning to end."""
    takes: Callable[[Node], float] = lambda node: plan.durations[int(node[1:])]  # noqa: E731
    best = rehearse(terms)
    scheduler = Scheduler(replace(terms, first=best.first), best.lengths)
    ends: list[tuple[float, Node]] = []
    now, done = 0.0, 0
    while True:
        for node in scheduler.next():
            heappush(ends, (now + takes(node), node))
        if not ends:
            break
        now, node = heappop(ends)
        scheduler.complete(node)
        done += 1
    if done != len(plan.durations):
        raise AssertionError(f"{len(plan.durations) - done} components never started.")
    return now


def cost() -> float:
    """Schedule very many components: ten times what a large plan has."""
    parts = [make_plan(seed) for seed in range(200)]
    large = _joined(parts, MANY)
    began = time.process_time()
    makespan(large, terms_of(large))
    return time.process_time() - began


def _joined(parts: Sequence[RandomPlan], count: int) -> RandomPlan:
    """Put plans side by side until there are enough components; they share the shared files."""
    durations: list[float] = []
    needs: list[tuple[int, ...]] = []
    files: list[tuple[str, ...]] = []
    for part in parts:
        first = len(durations)
        durations += part.durations
        needs += [tuple(first + it for it in them) for them in part.depends_on]
        files += [tuple(_apart(file, first) for file in them) for them in part.files]
    return RandomPlan(16, tuple(durations[:count]), tuple(needs[:count]), tuple(files[:count]))


def _apart(file: str, first: int) -> str:
    return file if file.startswith("shared/") else f"{first}/{file}"


if __name__ == "__main__":
    for line in features():
        print(line)

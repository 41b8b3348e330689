"""Random plans of features: the fixed distributions of the makespan benchmark.

Plan number i is made of the seed i and of nothing else. Each has 10 to 500 components (as many
small plans as large ones, by their logarithm), 2 to 16 slots, one of four shapes, one of three
kinds of durations, and files of which some are shared. Nothing here knows how they are scheduled.
"""

import math
import random
from collections.abc import Iterator
from typing import Final, NamedTuple

PLANS: Final = 1_000
LEAST: Final = 10
MOST: Final = 500
SLOTS: Final = (2, 16)


class RandomPlan(NamedTuple):
    """A plan as plain numbers: component i, what it waits for, which files it writes, how long."""

    slots: int
    durations: tuple[float, ...]
    depends_on: tuple[tuple[int, ...], ...]
    """Only components with smaller numbers."""
    files: tuple[tuple[str, ...], ...]

    @property
    def bound(self) -> float:
        """No schedule is shorter than this."""
        work = sum(self.durations) / self.slots
        return max(self.critical_path, work, self.heaviest_file)

    @property
    def critical_path(self) -> float:
        """Add up the longest chain of components that wait for each other."""
        ends: list[float] = []
        for index, needed in enumerate(self.depends_on):
            start = max((ends[it] for it in needed), default=0.0)
            ends.append(start + self.durations[index])
        return max(ends)

    @property
    def heaviest_file(self) -> float:
        """Add up the components that share the one file that is written for the longest time."""
        totals: dict[str, float] = {}
        for index, files in enumerate(self.files):
            for file in files:
                totals[file] = totals.get(file, 0.0) + self.durations[index]
        return max(totals.values())


def plans(count: int = PLANS) -> Iterator[RandomPlan]:
    """Make the plans of the benchmark, always the same."""
    return map(make_plan, range(count))


def make_plan(seed: int) -> RandomPlan:
    """Make one plan."""
    chance = random.Random(seed)  # noqa: S311 - a benchmark, no secret
    count = round(math.exp(chance.uniform(math.log(LEAST), math.log(MOST))))
    slots = chance.randint(*SLOTS)
    shape = chance.choice((_layers, _window, _tree, _loose))
    return RandomPlan(
        slots=slots,
        durations=tuple(_durations(chance, count)),
        depends_on=tuple(shape(chance, count)),
        files=tuple(_files(chance, count)),
    )


def _durations(chance: random.Random, count: int) -> Iterator[float]:
    kind = chance.choice(("even", "skewed", "mixed"))
    for _ in range(count):
        match kind:
            case "even":
                yield chance.uniform(1, 10)
            case "skewed":
                yield chance.lognormvariate(1, 0.8)
            case _:
                is_long = chance.random() < 0.1
                yield chance.uniform(10, 30) if is_long else chance.uniform(1, 3)


def _layers(chance: random.Random, count: int) -> Iterator[tuple[int, ...]]:
    """Phases: each component waits for one to three of the layer before."""
    width = max(2, round(count / chance.randint(2, 12)))
    for index in range(count):
        layer = index // width
        before = range((layer - 1) * width, layer * width)
        yield _some(chance, before, chance.randint(1, 3)) if layer else ()


def _window(chance: random.Random, count: int) -> Iterator[tuple[int, ...]]:
    """A stream of work: each waits for none to three of the twenty before it."""
    for index in range(count):
        yield _some(chance, range(max(0, index - 20), index), chance.randint(0, 3))


def _tree(chance: random.Random, count: int) -> Iterator[tuple[int, ...]]:
    """A growing tree: each but the first waits for one of those before it."""
    for index in range(count):
        yield _some(chance, range(index), 1)


def _loose(chance: random.Random, count: int) -> Iterator[tuple[int, ...]]:
    """Hardly any order: one in three waits for another."""
    for index in range(count):
        yield _some(chance, range(index), 1) if chance.random() < 1 / 3 else ()


def _some(chance: random.Random, numbers: range, most: int) -> tuple[int, ...]:
    return tuple(sorted(chance.sample(numbers, min(most, len(numbers)))))


def _files(chance: random.Random, count: int) -> Iterator[tuple[str, ...]]:
    """Own files, and for some a file that others write too."""
    share = chance.uniform(0, 0.4)
    pool = chance.randint(2, max(2, count // 5))
    for index in range(count):
        own = [f"src/{index}/{number}.py" for number in range(chance.randint(1, 3))]
        if chance.random() < share:
            shared = chance.sample(range(pool), min(pool, chance.randint(1, 2)))
            own += [f"shared/{it}.py" for it in shared]
        yield tuple(own)

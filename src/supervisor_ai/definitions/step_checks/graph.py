"""Where the arrows of a workflow lead: every path must reach an end, every step must be reached."""

from collections.abc import Iterator, Mapping

from supervisor_ai.domain.ids import StepName
from supervisor_ai.domain.run.definition import Step

Steps = Mapping[StepName, Step]


def circles(steps: Steps) -> Iterator[tuple[StepName, ...]]:
    """Yield each circle of `next` arrows once, from its first step in the file back to it."""
    done: set[StepName] = set()
    for start in steps:
        trail: dict[StepName, None] = {}
        at: StepName | None = start
        while at is not None and at in steps and at not in done and at not in trail:
            trail[at] = None
            at = steps[at].next
        if at is not None and at in trail:
            names = list(trail)
            yield (*names[names.index(at) :], at)
        done.update(trail)


def unreachable(steps: Steps, initial: StepName) -> list[StepName]:
    """List the steps that no arrow leads to."""
    reached: set[StepName] = set()
    waiting = [initial]
    while waiting:
        name = waiting.pop()
        if name in reached:
            continue
        reached.add(name)
        waiting.extend(target for target in targets(steps[name]).values() if target in steps)
    return [name for name in steps if name not in reached]


def targets(step: Step) -> dict[str, StepName]:
    """Return the arrows that leave a step, by the key that names them."""
    arrows = {"next": step.next, "on_fail": step.on_fail, "on_reject": step.on_reject}
    return {key: target for key, target in arrows.items() if target is not None}

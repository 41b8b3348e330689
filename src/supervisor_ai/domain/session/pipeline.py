"""A pipeline: the tasks that a session begins with, and which of them wait for which."""

from collections.abc import Iterator, Mapping
from graphlib import CycleError, TopologicalSorter
from typing import Final

from msgspec import Struct

from supervisor_ai.domain.session.members import EVERYBODY, SUPERVISOR
from supervisor_ai.domain.session.tasks import CHECKPOINT
from supervisor_ai.domain.structs import replace
from supervisor_ai.tools.text import nearest

KeyPath = tuple[str | int, ...]
"""Where in the file of a pipeline something stands."""
MOST_TASKS: Final = 200


class PipelineTask(Struct, frozen=True, kw_only=True):
    """One task; a checkpoint looks at the tasks that it waits for."""

    task: str
    subject: str
    owner: str
    blocked_by: tuple[str, ...] = ()

    @property
    def is_checkpoint(self) -> bool:
        """Tell whether only the supervisor does it."""
        return self.task.startswith(CHECKPOINT)


class Pipeline(Struct, frozen=True, kw_only=True):
    """Tasks in the order of their file."""

    name: str
    description: str
    tasks: tuple[PipelineTask, ...]
    supervision: bool = True
    """Whether its checkpoints look at the work, unless somebody says otherwise."""

    @property
    def checkpoints(self) -> tuple[PipelineTask, ...]:
        """Return the tasks that only the supervisor does."""
        return tuple(task for task in self.tasks if task.is_checkpoint)

    def begun(self, *, supervision: bool) -> tuple[PipelineTask, ...]:
        """Return the tasks of a session, each after those that it waits for."""
        return _in_order(self.tasks if supervision else _unsupervised(self.tasks))


def pipeline_flaws(pipeline: Pipeline) -> Iterator[tuple[KeyPath, str]]:
    """Say everything that is wrong with a pipeline, and where."""
    first: dict[str, int] = {}
    for at, task in enumerate(pipeline.tasks):
        if task.task in first:
            before = f"tasks[{first[task.task]}]"
            yield ("tasks", at, "id"), f"{task.task!r} is there twice, first as {before}"
        first.setdefault(task.task, at)
    for at, task in enumerate(pipeline.tasks):
        yield from _flaws(at, task, first)
    yield from _circles(pipeline.tasks, first)


def _flaws(at: int, task: PipelineTask, known: Mapping[str, int]) -> Iterator[tuple[KeyPath, str]]:
    if task.is_checkpoint and not task.blocked_by:
        yield ("tasks", at, "id"), "a checkpoint has to wait for the tasks that it looks at"
    if task.is_checkpoint != (task.owner == SUPERVISOR):
        yield ("tasks", at, "owner"), "the supervisor does checkpoints, and nothing else"
    if task.owner == EVERYBODY:
        yield ("tasks", at, "owner"), f"{EVERYBODY!r} is nobody's name"
    for place, name in enumerate(task.blocked_by):
        where = ("tasks", at, "blocked_by", place)
        if name not in known:
            near = nearest(name, known)
            meant = f"; did you mean {near!r}?" if near else ""
            yield where, f"there is no task {name!r}{meant}"
        if name in task.blocked_by[:place]:
            yield where, f"{name!r} is there twice"


def _circles(
    tasks: tuple[PipelineTask, ...], first: Mapping[str, int]
) -> Iterator[tuple[KeyPath, str]]:
    """Name every circle once; what is in one is left aside in the search for the next."""
    waits: dict[str, list[str]] = {name: [] for name in first}
    for task in tasks:
        waits[task.task] += task.blocked_by
    while True:
        try:
            TopologicalSorter(waits).prepare()
        except CycleError as error:
            found: list[str] = error.args[1]
            circle = _from_first(found[:0:-1], first)
            shown = " → ".join((*circle, circle[0]))
            yield ("tasks", first[circle[0]], "blocked_by"), f"waits for itself: {shown}"
            waits = {
                name: [it for it in others if it not in circle]
                for name, others in waits.items()
                if name not in circle
            }
        else:
            return


def _from_first(circle: list[str], first: Mapping[str, int]) -> list[str]:
    """Begin a circle with the task that comes first in the file."""
    at = circle.index(min(circle, key=lambda name: first[name]))
    return circle[at:] + circle[:at]


def _unsupervised(tasks: tuple[PipelineTask, ...]) -> tuple[PipelineTask, ...]:
    """Leave the checkpoints out; who waited for one waits for what it would have looked at."""
    looks = {task.task: task.blocked_by for task in tasks if task.is_checkpoint}

    def waits(names: tuple[str, ...]) -> Iterator[str]:
        for name in names:
            yield from waits(looks[name]) if name in looks else (name,)

    return tuple(
        replace(task, blocked_by=tuple(dict.fromkeys(waits(task.blocked_by))))
        for task in tasks
        if task.task not in looks
    )


def _in_order(tasks: tuple[PipelineTask, ...]) -> tuple[PipelineTask, ...]:
    done: dict[str, PipelineTask] = {}
    left = list(tasks)
    while left:
        free = next(task for task in left if all(name in done for name in task.blocked_by))
        left.remove(free)
        done[free.task] = free
    return tuple(done.values())

"""Which task is next, and which phase that makes."""

from typing import Final

from supervisor_ai.domain.structs import replace
from supervisor_ai.drivers.kanban.board.kanban import (
    Kanban,
    Phase,
    PlanEvent,
    Priority,
    TaskFile,
    TaskKind,
)
from supervisor_ai.drivers.kanban.board.numbers import number_of
from supervisor_ai.drivers.kanban.board.plan import PlanRefusal, with_entry

PHASES: Final[dict[TaskKind, tuple[Phase, str | None]]] = {
    TaskKind.EXPLORATION: (Phase.EXPLORATION, None),
    TaskKind.DESIGN: (Phase.DESIGN, None),
    TaskKind.REDESIGN: (Phase.DESIGN, None),
    TaskKind.REVIEW: (Phase.EXECUTE, "review"),
    TaskKind.IMPLEMENT: (Phase.EXECUTE, None),
}
"""The phase and its part in which a kanban is while such a task is next; none: it is complete."""

_RANKS: Final = {priority: rank for rank, priority in enumerate(Priority)}
_LAST: Final = 10**9
"""Higher than every number that a file can have."""


def is_ready(kanban: Kanban, task: TaskFile) -> bool:
    """Tell whether a task is open and waits for nothing that is open too."""
    before = (kanban.files.get(path) for path in task.dependencies)
    return task.is_open and not any(other.is_open for other in before if other is not None)


def next_task(kanban: Kanban) -> TaskFile | None:
    """Choose what is ready: by priority, then in the order in which the tasks were made."""
    ready = [kanban.files[path] for path in kanban.open if is_ready(kanban, kanban.files[path])]
    return min(ready, key=_turn, default=None)


def settle(kanban: Kanban, *, at: str) -> Kanban | PlanRefusal:
    """Let the kanban say what is next, or that nothing is left."""
    if not kanban.open:
        ended = replace(kanban, phase=Phase.COMPLETE, sub_phase=None, current=None)
        return with_entry(ended, PlanEvent.WORKFLOW_COMPLETE, "No task is left to do.", at=at)
    following = next_task(kanban)
    if following is None:
        names = ", ".join(repr(path) for path in kanban.open)
        return PlanRefusal(
            "blocked", f"The open tasks wait for each other, so that none can be next: {names}."
        )
    phase, part = PHASES[following.kind]
    return replace(kanban, phase=phase, sub_phase=part, current=following.path)


def _turn(task: TaskFile) -> tuple[int, int]:
    number = number_of(task.path)
    return _RANKS[task.priority], _LAST if number is None else number

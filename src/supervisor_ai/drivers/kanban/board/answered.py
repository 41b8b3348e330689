"""Which entries of a work log the Manager has answered before."""

import re
from typing import Final

from supervisor_ai.drivers.kanban.board.kanban import (
    Kanban,
    LogEntry,
    PlanEvent,
    Priority,
    TaskFile,
    TaskKind,
)

_ANSWERS: Final = frozenset(
    {PlanEvent.TASK_DONE, PlanEvent.BLOCKER_DETECTED, PlanEvent.ESCALATION_RECEIVED}
)
_COUNTED: Final = re.compile(r"This answers ([0-9]{1,6}) entries of its work log\.\Z")


def blockers_of(kanban: Kanban, task: TaskFile) -> int:
    """Count how often somebody was sent to explore what blocks a task."""
    # Counted in files that the task's own agent cannot write.
    return sum(
        other.kind is TaskKind.EXPLORATION
        and other.priority is Priority.CRITICAL
        and task.path in other.refers
        for other in kanban.files.values()
    )


def new_entry(kanban: Kanban, task: TaskFile) -> LogEntry | None:
    """Find the last whole entry, unless every whole one was answered before."""
    whole = _whole(task)
    return whole[-1] if len(whole) > _answered(kanban, task) else None


def with_count(details: str, kanban: Kanban, task: TaskFile) -> str:
    """Add to a decision how many entries it answers, where that is more than one."""
    count = len(_whole(task)) - _answered(kanban, task)
    return f"{details} This answers {count} entries of its work log." if count > 1 else details


def _whole(task: TaskFile) -> list[LogEntry]:
    return [entry for entry in task.log if entry.is_whole]


def _answered(kanban: Kanban, task: TaskFile) -> int:
    """Count what the Manager's own files tell: the log of the plan, and the remedies in it.

    A task that a person opens again keeps its old entries; they must not end it a second time.
    """
    about = f"{task.path!r} is "
    noted = [
        _COUNTED.search(entry.details)
        for entry in kanban.log
        if entry.event in _ANSWERS and entry.details.startswith(about)
    ]
    return max(blockers_of(kanban, task), sum(int(found[1]) if found else 1 for found in noted))

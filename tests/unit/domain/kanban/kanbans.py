"""Kanbans, tasks and logs for the tests of the Manager's rules."""

from supervisor_ai.domain.structs import replace
from supervisor_ai.drivers.kanban.board.kanban import (
    Agent,
    Conclusion,
    Kanban,
    LogEntry,
    Phase,
    TaskFile,
    TaskKind,
    TaskState,
    WorkItem,
)

AT = "T1"
FILE = "tasks/0-kanban-x.md"


def logged(status: Conclusion | None, text: str = "because") -> LogEntry:
    return LogEntry(at="T0", title="Work", facts="f", analysis="a", conclusion=text, status=status)


OK = logged(Conclusion.OK)
BLOCKED = logged(Conclusion.BLOCKED)
ESCALATE = logged(Conclusion.ESCALATE)


def task(
    number: int,
    *log: LogEntry,
    kind: TaskKind = TaskKind.IMPLEMENT,
    needs: tuple[int, ...] = (),
    items: tuple[WorkItem, ...] = (),
) -> TaskFile:
    """Make a task of `tasks/N-t.md`, for whom its kind calls for."""
    return TaskFile(
        path=path(number),
        title=f"Task {number}",
        role=Agent.IMPLEMENTOR if kind is TaskKind.IMPLEMENT else Agent.ARCHITECT,
        kind=kind,
        dependencies=tuple(path(other) for other in needs),
        kanban=FILE,
        work_items=items,
        log=log,
    )


def done(number: int) -> TaskFile:
    return replace(task(number, OK), state=TaskState.DONE)


def path(number: int) -> str:
    return f"tasks/{number}-t.md"


def kanban(*tasks: TaskFile, phase: Phase = Phase.EXECUTE) -> Kanban:
    return Kanban(
        path=FILE,
        title="X",
        phase=phase,
        current=tasks[0].path,
        tasks=tuple(one.path for one in tasks),
        files={one.path: one for one in tasks},
    )


def item(description: str = "Do it", *, needs: tuple[int, ...] = ()) -> WorkItem:
    return WorkItem(
        description=description,
        files=("a.py",),
        related_domains=("shop",),
        expertise_required=("python",),
        dependencies=needs,
    )

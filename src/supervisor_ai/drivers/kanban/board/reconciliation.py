"""The rules by which a Manager without a model keeps a kanban."""

from typing import Final

from supervisor_ai.domain.structs import replace
from supervisor_ai.drivers.kanban.board.answered import new_entry, with_count
from supervisor_ai.drivers.kanban.board.follow_up import follow_up
from supervisor_ai.drivers.kanban.board.kanban import (
    Agent,
    Conclusion,
    Kanban,
    PlanEvent,
    TaskFile,
    TaskState,
)
from supervisor_ai.drivers.kanban.board.next_task import settle
from supervisor_ai.drivers.kanban.board.plan import (
    Moment,
    Plan,
    PlanRefusal,
    plan,
    with_entry,
    with_tasks,
)
from supervisor_ai.drivers.kanban.board.remedies import escalate, unblock

_NO_LOG: Final = (
    "The work log of {task!r} has no new whole entry: no log, no completion. Write the entry into "
    "the task file on the branch (facts, analysis, and a conclusion with ok, blocked or escalate), "
    "set its state to cancelled, or say yes so that it is tried again."
)


def reconcile(kanban: Kanban, done: str, *, number: int, at: str) -> Plan | PlanRefusal:
    """Decide what follows from the task that somebody has just worked on.

    The number is the first one that no file of the folder has.
    """
    if done not in kanban.tasks:
        return PlanRefusal("error", f"{kanban.path!r} does not list the task {done!r}.")
    moment = Moment(number=number, at=at)
    changed = _consequence(kanban, kanban.files[done], moment)
    settled = changed if isinstance(changed, PlanRefusal) else settle(changed, at=at)
    return settled if isinstance(settled, PlanRefusal) else plan(kanban, settled)


def _consequence(kanban: Kanban, task: TaskFile, moment: Moment) -> Kanban | PlanRefusal:
    if task.state is TaskState.CANCELLED:
        return kanban
    if task.role is Agent.MANAGER:
        # To ask the Manager for what is his own is to do it, and he writes no work log.
        return _complete(kanban, task, moment)
    entry = new_entry(kanban, task)
    if entry is None:
        return PlanRefusal("error", _NO_LOG.format(task=task.path))
    match entry.status:
        case Conclusion.BLOCKED:
            return unblock(kanban, task, entry, moment)
        case Conclusion.ESCALATE:
            return escalate(kanban, task, entry, moment)
        case _:
            return _complete(kanban, task, moment)


def _complete(kanban: Kanban, task: TaskFile, moment: Moment) -> Kanban | PlanRefusal:
    changed = with_tasks(kanban, [replace(task, state=TaskState.DONE)])
    details = with_count(f"{task.path!r} is done.", kanban, task)
    noted = with_entry(changed, PlanEvent.TASK_DONE, details, at=moment.at)
    return follow_up(noted, task, moment)

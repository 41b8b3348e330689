"""The rules by which a Manager without a model keeps a kanban."""

from dataclasses import replace

from supervisor_ai.domain.kanban.choosing import settle
from supervisor_ai.domain.kanban.follow_up import follow_up
from supervisor_ai.domain.kanban.kanban import (
    Agent,
    Conclusion,
    Kanban,
    LogEntry,
    PlanEvent,
    TaskFile,
    TaskState,
)
from supervisor_ai.domain.kanban.planning import (
    Moment,
    Plan,
    Refusal,
    plan,
    with_entry,
    with_tasks,
)
from supervisor_ai.domain.kanban.remedies import blockers_of, escalate, unblock
from supervisor_ai.domain.kanban.roles import determine_role


def reconcile(kanban: Kanban, done: str, *, number: int, at: str) -> Plan | Refusal:
    """Decide what follows from the task that somebody has just worked on.

    The number is the first one that no file of the folder has.
    """
    if done not in kanban.tasks:
        return Refusal("error", f"{kanban.path!r} does not list the task {done!r}.")
    moment = Moment(number=number, at=at)
    changed = _consequence(kanban, kanban.files[done], moment)
    settled = changed if isinstance(changed, Refusal) else settle(changed, at=at)
    return settled if isinstance(settled, Refusal) else plan(kanban, settled)


def _consequence(kanban: Kanban, task: TaskFile, moment: Moment) -> Kanban | Refusal:
    if task.state is TaskState.CANCELLED:
        return kanban
    if determine_role(task.role, kanban.phase, kanban.sub_phase) is Agent.MANAGER:
        return _own(kanban, task, moment)
    entry = _new_entry(kanban, task)
    if entry is None:
        return Refusal(
            "error", f"The work log of {task.path!r} has no new whole entry: no log, no completion."
        )
    match entry.status:
        case Conclusion.BLOCKED:
            return unblock(kanban, task, entry, moment)
        case Conclusion.ESCALATE:
            return escalate(kanban, task, entry, moment)
        case _:
            return _complete(kanban, task, moment)


def _own(kanban: Kanban, task: TaskFile, moment: Moment) -> Kanban | Refusal:
    """Do what is the Manager's own: to ask him is to do it, and he writes no work log."""
    if task.role is Agent.MANAGER:
        return _complete(kanban, task, moment)
    # Only the phase asked for him: he ends it by choosing what is next.
    return kanban


def _new_entry(kanban: Kanban, task: TaskFile) -> LogEntry | None:
    """Find the last whole entry, unless it is one that a blocker was seen in before."""
    whole = [entry for entry in task.log if entry.is_whole]
    return whole[-1] if len(whole) > blockers_of(kanban, task) else None


def _complete(kanban: Kanban, task: TaskFile, moment: Moment) -> Kanban | Refusal:
    changed = with_tasks(kanban, [replace(task, state=TaskState.DONE)])
    noted = with_entry(changed, PlanEvent.TASK_DONE, f"{task.path!r} is done.", at=moment.at)
    return follow_up(noted, task, moment)

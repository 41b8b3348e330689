"""What a Manager does about a task that cannot go on, and how often."""

import re
from typing import Final

from msgspec import Struct

from supervisor_ai.domain.structs import replace
from supervisor_ai.drivers.kanban.board.answered import blockers_of, with_count
from supervisor_ai.drivers.kanban.board.kanban import (
    Agent,
    Conclusion,
    Kanban,
    LogEntry,
    PlanEvent,
    Priority,
    TaskFile,
    TaskKind,
    TaskState,
)
from supervisor_ai.drivers.kanban.board.numbers import task_path, title_of
from supervisor_ai.drivers.kanban.board.plan import (
    Moment,
    PlanRefusal,
    too_many,
    waiting_for,
    with_entry,
    with_tasks,
)

MAX_BLOCKERS: Final = 2
"""How often somebody explores what blocks one task; the next time it is escalated."""
MAX_REMEDIES: Final = 3
"""How many explorations and redesigns may follow from each other; then a person is asked."""

_WORD: Final = re.compile(r"[^\W_]+")
_BARE: Final = frozenset({*Conclusion, "escalated"})


class Remedy(Struct, frozen=True, kw_only=True):
    """A task for the Architect that makes up for another one."""

    kind: TaskKind
    title: str
    description: str
    priority: Priority = Priority.CRITICAL


_UNBLOCK: Final = Remedy(
    kind=TaskKind.EXPLORATION,
    title="Unblock",
    description="Find out what blocks this task and how it can go on; its work log says what "
    "was tried. Suggest work items for whatever has to be done before.",
)
_REDESIGN: Final = Remedy(
    kind=TaskKind.REDESIGN,
    title="Redesign",
    description="This task was given up as it stands; its work log says why. Find another way to "
    "what it was for, and suggest work items that take its place.",
)


def remedies_before(kanban: Kanban, task: TaskFile) -> int:
    """Count the explorations and redesigns in the line of tasks that one came from, and it."""
    line: dict[str, TaskFile] = {}
    here: TaskFile | None = task
    while here is not None and here.path not in line:
        line[here.path] = here
        here = kanban.files.get(here.refers[0]) if here.refers else None
    return sum(_is_remedy(one) for one in line.values())


def unblock(
    kanban: Kanban, task: TaskFile, entry: LogEntry, moment: Moment
) -> Kanban | PlanRefusal:
    """Let the Architect explore what blocks a task, which waits meanwhile."""
    if blockers_of(kanban, task) >= MAX_BLOCKERS:
        return escalate(kanban, task, entry, moment)
    if refusal := too_deep(kanban, task) or too_many(kanban, 1):
        return refusal
    remedy = _task(_UNBLOCK, kanban, task, moment)
    waits = replace(task, state=TaskState.TODO, dependencies=(*task.dependencies, remedy.path))
    details = f"{task.path!r} is blocked{_because(entry)} and waits for {remedy.path!r}."
    return with_entry(
        with_tasks(kanban, [waits, remedy]),
        PlanEvent.BLOCKER_DETECTED,
        with_count(details, kanban, task),
        at=moment.at,
    )


def escalate(
    kanban: Kanban, task: TaskFile, entry: LogEntry, moment: Moment
) -> Kanban | PlanRefusal:
    """End a task as it stands and let the Architect find another way."""
    if refusal := too_deep(kanban, task) or too_many(kanban, 1):
        return refusal
    remedy = _task(_REDESIGN, kanban, task, moment)
    changed = with_tasks(kanban, [replace(task, state=TaskState.ESCALATED), remedy])
    details = f"{task.path!r} is escalated{_because(entry)} and goes on in {remedy.path!r}."
    return with_entry(
        waiting_for(changed, task.path, (remedy.path,)),
        PlanEvent.ESCALATION_RECEIVED,
        with_count(details, kanban, task),
        at=moment.at,
    )


def too_deep(kanban: Kanban, task: TaskFile) -> PlanRefusal | None:
    """Refuse one more remedy where so many before have not helped."""
    if remedies_before(kanban, task) < MAX_REMEDIES:
        return None
    return PlanRefusal(
        "escalate",
        f"{task.path!r} comes from {MAX_REMEDIES} explorations or redesigns one after the other "
        "and cannot go on again. Decide what to do: edit the task, or set its state to cancelled.",
    )


def _is_remedy(task: TaskFile) -> bool:
    return bool(task.refers) and task.kind in {TaskKind.EXPLORATION, TaskKind.REDESIGN}


def _because(entry: LogEntry) -> str:
    """Return the conclusion in brackets, where it says more than its word."""
    words = title_of(entry.conclusion)
    bare = " ".join(_WORD.findall(words.lower())).removeprefix("status ")
    return "" if bare in _BARE else f" ({words})"


def titled(prefix: str, title: str) -> str:
    """Put a word before a title, once."""
    is_there = title.lower().startswith(f"{prefix}:".lower())
    return title_of(title if is_there else f"{prefix}: {title}")


def _task(remedy: Remedy, kanban: Kanban, task: TaskFile, moment: Moment) -> TaskFile:
    title = titled(remedy.title, task.title)
    return TaskFile(
        path=task_path(kanban.path, moment.number, title),
        title=title,
        role=Agent.ARCHITECT,
        kind=remedy.kind,
        priority=remedy.priority,
        refers=(task.path,),
        kanban=kanban.path,
        created=moment.at,
        context=f"It is about `{task.path}`.",
        files=task.files,
        description=remedy.description,
    )

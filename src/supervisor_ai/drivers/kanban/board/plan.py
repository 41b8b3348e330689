"""What a Manager decides: a kanban that has moved on, or the reason why it cannot."""

from collections.abc import Iterable
from typing import Final, Literal

from msgspec import Struct

from supervisor_ai.domain.structs import replace
from supervisor_ai.drivers.kanban.board.kanban import Kanban, PlanEntry, PlanEvent, TaskFile

MAX_TASKS: Final = 200
"""How many tasks a kanban may list before a person has to look at it."""


class Plan(Struct, frozen=True, kw_only=True):
    """What a kanban is from now on, and what has to be written for it."""

    kanban: Kanban
    created: tuple[TaskFile, ...]
    revised: tuple[TaskFile, ...]
    entries: tuple[PlanEntry, ...]
    """What the Plan Adjustment Log gains; every decision is in it."""
    message: str

    @property
    def next_task(self) -> str | None:
        """Name the task file that is next; None: nothing is left to do."""
        return self.kanban.current

    @property
    def tasks(self) -> tuple[str, ...]:
        """List all task files of the kanban."""
        return self.kanban.tasks


class PlanRefusal(Struct, frozen=True):
    """Nothing is changed: a person has to look first."""

    status: Literal["error", "blocked", "escalate"]
    why: str
    """Full sentences."""


class Moment(Struct, frozen=True, kw_only=True):
    """What a decision cannot know by itself."""

    number: int
    """The first number that no file of the folder has."""
    at: str


def plan(before: Kanban, after: Kanban) -> Plan:
    """Tell what has to be written to get from one kanban to another."""
    files = [after.files[path] for path in after.tasks]
    entries = after.log[len(before.log) :]
    return Plan(
        kanban=after,
        created=tuple(task for task in files if task.path not in before.files),
        revised=tuple(task for task in files if before.files.get(task.path, task) != task),
        entries=entries,
        message=" ".join(entry.details for entry in entries) or "The next task is chosen.",
    )


def with_tasks(kanban: Kanban, tasks: Iterable[TaskFile]) -> Kanban:
    """Put tasks in: new ones at the end of the list, others in place of what they were."""
    files = {**kanban.files, **{task.path: task for task in tasks}}
    new = tuple(path for path in files if path not in kanban.files)
    return replace(kanban, files=files, tasks=(*kanban.tasks, *new))


def with_entry(kanban: Kanban, event: PlanEvent, details: str, *, at: str) -> Kanban:
    """Write a decision down."""
    return replace(kanban, log=(*kanban.log, PlanEntry(at=at, event=event, details=details)))


def waiting_for(kanban: Kanban, path: str, others: tuple[str, ...]) -> Kanban:
    """Let every open task that waits for one wait for others as well."""
    return with_tasks(
        kanban,
        [
            replace(task, dependencies=tuple(dict.fromkeys((*task.dependencies, *others))))
            for task in kanban.files.values()
            if task.is_open and path in task.dependencies
        ],
    )


def too_many(kanban: Kanban, more: int) -> PlanRefusal | None:
    """Refuse a plan that grows beyond what anybody can follow."""
    if len(kanban.tasks) + more <= MAX_TASKS:
        return None
    return PlanRefusal(
        "escalate",
        f"{kanban.path!r} lists {len(kanban.tasks)} tasks and would get {more} more; "
        f"without a person there may be {MAX_TASKS}.",
    )

"""What becomes of the work items that an agent suggests."""

import re
from typing import Final

from msgspec import Struct

from supervisor_ai.domain.structs import replace
from supervisor_ai.drivers.kanban.board.item_order import cuts, untangled
from supervisor_ai.drivers.kanban.board.kanban import (
    Agent,
    Kanban,
    PlanEvent,
    Priority,
    TaskFile,
    TaskKind,
    WorkItem,
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
from supervisor_ai.drivers.kanban.board.remedies import titled, too_deep

REVIEWED: Final = re.compile(
    r"(?<![a-z])(?:architecture|architectural|core[\s_/-]{1,3}types?)(?![a-z])", re.IGNORECASE
)
"""The words that make an item one that the Architect looks at before it is done."""
_REVIEW: Final = (
    "Look at the tasks that wait for this one before they are done: they touch core types or the "
    "architecture. Say in the work log what they have to keep to."
)
_UNCLEAR: Final = (
    "A work item does not say enough to be done: it needs a description, files and a domain. Find "
    "out what is meant and suggest work items that say it.\n\nIt says: {words}"
)


class FollowUpSource(Struct, frozen=True, kw_only=True):
    """The done task whose items become tasks, and what all of these have from it."""

    kanban: Kanban
    task: TaskFile
    moment: Moment

    def task_for(self, offset: int, title: str, kind: TaskKind, priority: Priority) -> TaskFile:
        """Begin one of the new tasks."""
        is_work = kind is TaskKind.IMPLEMENT
        return TaskFile(
            path=task_path(self.kanban.path, self.moment.number + offset, title),
            title=title_of(title),
            role=Agent.IMPLEMENTOR if is_work else Agent.ARCHITECT,
            kind=kind,
            priority=priority,
            refers=(self.task.path,),
            kanban=self.kanban.path,
            created=self.moment.at,
        )

    def tasks(self, *, is_reviewed: bool) -> tuple[TaskFile, ...]:
        """Make all of them: a review first where one is needed, then one for every item."""
        items = self.task.work_items
        made = [self._of_item(index + is_reviewed, item) for index, item in enumerate(items)]
        order = untangled(items)
        review = self._review() if is_reviewed else ()
        placed = [
            replace(
                task,
                dependencies=(
                    *(made[other].path for other in order[index]),
                    *(one.path for one in review if needs_review(items[index])),
                ),
            )
            for index, task in enumerate(made)
        ]
        return (*review, *placed)

    def _review(self) -> tuple[TaskFile]:
        title = titled("Review before", self.task.title)
        begun = self.task_for(0, title, TaskKind.REVIEW, Priority.HIGH)
        context = f"The work items are those of `{self.task.path}`."
        return (replace(begun, context=context, description=_REVIEW),)

    def _of_item(self, offset: int, item: WorkItem) -> TaskFile:
        words = f"{item.description}\n\n{item.notes}".strip()
        if not item.is_adequate:
            title = titled("Clarify", title_of(words))
            begun = self.task_for(offset, title, TaskKind.EXPLORATION, Priority.HIGH)
            description = _UNCLEAR.format(words=words or "nothing")
        else:
            begun = self.task_for(offset, words, TaskKind.IMPLEMENT, item.priority)
            description = words
        return replace(
            begun,
            expertise=item.expertise_required,
            files=item.files,
            context=f"It is a work item of `{self.task.path}`.",
            description=description,
        )


def follow_up(kanban: Kanban, task: TaskFile, moment: Moment) -> Kanban | PlanRefusal:
    """Make tasks of the work items of a done task."""
    items = task.work_items
    is_reviewed = task.kind is not TaskKind.REVIEW and any(map(needs_review, items))
    is_unclear = not all(item.is_adequate for item in items)
    deep = too_deep(kanban, task) if is_unclear else None
    if refusal := too_many(kanban, len(items) + is_reviewed) or deep:
        return refusal
    tasks = FollowUpSource(kanban=kanban, task=task, moment=moment).tasks(is_reviewed=is_reviewed)
    changed = with_tasks(kanban, tasks)
    if task.kind is not TaskKind.IMPLEMENT:
        # Who waits for what prepares something waits for what was prepared, too.
        changed = waiting_for(changed, task.path, tuple(made.path for made in tasks))
    return _noted(changed, task, tasks, moment.at)


def needs_review(item: WorkItem) -> bool:
    """Tell whether an item that can be done names core types or the architecture."""
    said = (item.description, item.notes, *item.files, *item.related_domains)
    words = "\n".join((*said, *item.expertise_required))
    return item.is_adequate and REVIEWED.search(words) is not None


def _noted(kanban: Kanban, task: TaskFile, tasks: tuple[TaskFile, ...], at: str) -> Kanban:
    """Write down what was made of the items, and what could not be."""
    unclear = [made.path for made in tasks if made.kind is TaskKind.EXPLORATION]
    clear = [made.path for made in tasks if made.path not in unclear]
    left_out = cuts(task.work_items, untangled(task.work_items))
    decisions = (
        (PlanEvent.TASKS_CREATED, clear, "New tasks of {task!r}: {what}."),
        (PlanEvent.INADEQUATE_INFORMATION, unclear, "To be clarified for {task!r}: {what}."),
        (
            PlanEvent.INADEQUATE_INFORMATION,
            [left_out] if left_out else [],
            "Items of {task!r} wait for each other or for nothing; left out: {what}.",
        ),
    )
    for event, what, words in decisions:
        if what:
            details = words.format(task=task.path, what=", ".join(what))
            kanban = with_entry(kanban, event, details, at=at)
    return kanban

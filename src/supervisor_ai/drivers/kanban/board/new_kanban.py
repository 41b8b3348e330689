"""A kanban from nothing but what somebody asks for."""

from typing import Final

from supervisor_ai.domain.structs import replace
from supervisor_ai.drivers.kanban.board.kanban import (
    Agent,
    Kanban,
    PlanEvent,
    Priority,
    TaskFile,
    TaskKind,
)
from supervisor_ai.drivers.kanban.board.next_task import PHASES
from supervisor_ai.drivers.kanban.board.numbers import task_path, title_of
from supervisor_ai.drivers.kanban.board.plan import Plan, plan, with_entry, with_tasks

_FIRST: Final = TaskKind.EXPLORATION
_DESCRIPTION: Final = (
    "Find out what the request of the kanban file means for this project: what is there, what is "
    "missing, what could go wrong. Suggest work items that together do what is asked for."
)


def create(instruction: str, *, file: str, number: int, at: str) -> Plan:
    """Make the kanban and its first task, which is always the Architect's: to explore."""
    phase, _ = PHASES[_FIRST]
    empty = Kanban(
        path=file, title=title_of(instruction), phase=phase, created=at, request=instruction
    )
    task = _first_task(empty, number, at)
    made = replace(with_tasks(empty, [task]), current=task.path)
    details = f"The first task is {task.path!r}."
    return plan(empty, with_entry(made, PlanEvent.KANBAN_CREATED, details, at=at))


def _first_task(kanban: Kanban, number: int, at: str) -> TaskFile:
    title = title_of(f"Explore: {kanban.title}")
    return TaskFile(
        path=task_path(kanban.path, number, title),
        title=title,
        role=Agent.ARCHITECT,
        kind=_FIRST,
        priority=Priority.HIGH,
        kanban=kanban.path,
        created=at,
        context=f"The request is in `{kanban.path}`.",
        description=_DESCRIPTION,
    )

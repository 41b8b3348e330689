"""The tasks of a run's kanban, for faces that show any run's list of tasks."""

from collections.abc import Mapping
from typing import Final, cast

from supervisor_ai.control.run_views import RunView
from supervisor_ai.control.slices import TaskDesk, TaskLine, TaskList
from supervisor_ai.drivers.kanban.board.kanban import TaskState
from supervisor_ai.drivers.kanban.commands.start import Office
from supervisor_ai.drivers.kanban.ports import KanbanReader
from supervisor_ai.drivers.kanban.queries.status import (
    KanbanView,
    TaskView,
    described,
    show_kanban,
)
from supervisor_ai.drivers.kanban.runs import policy_of_run

_STATES: Final = tuple(state.value for state in TaskState)
_READER: Final = "reader"


def task_list(desk: TaskDesk, run: RunView, ports: Mapping[str, object]) -> TaskList | None:
    """Read the kanban that a run works on; None where it has none."""
    policy = policy_of_run(desk.records, run.id)
    if policy is None:
        return None
    office = Office(
        preflight=desk.preflight,
        reader=cast("KanbanReader", ports[_READER]),
        records=desk.records,
        start=desk.start,
    )
    view = show_kanban(office, policy.place, ref=None)
    return TaskList(
        title=view.title,
        noun="kanban",
        phase="complete" if view.is_complete else view.phase.value,
        source=described(policy.place, view.source),
        states=_STATES,
        tasks=tuple(_line(view, task) for task in view.tasks),
    )


def _line(view: KanbanView, task: TaskView) -> TaskLine:
    return TaskLine(
        name="" if task.number is None else str(task.number),
        title=task.title,
        state=task.state.value,
        who=task.role.shown,
        said=task.conclusion or "",
        is_current=task.file == view.current and not view.is_complete,
    )

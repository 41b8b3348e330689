"""What is next is ready, important and old; and it makes the phase."""

import pytest
from tests.unit.domain.kanban.kanbans import AT, done, kanban, path, task

from supervisor_ai.domain.structs import replace
from supervisor_ai.drivers.kanban.board.kanban import (
    Kanban,
    Phase,
    PlanEntry,
    Priority,
    TaskFile,
    TaskKind,
    TaskState,
)
from supervisor_ai.drivers.kanban.board.next_task import PHASES, next_task, settle
from supervisor_ai.drivers.kanban.board.plan import PlanRefusal

NAMELESS = replace(task(0), path="tasks/notes.md")
CHOICES = {
    "the oldest": ([task(10), task(9)], path(9)),
    "a number counts, not its letters": ([task(10), task(9), task(100)], path(9)),
    "priority before age": ([task(1), replace(task(2), priority=Priority.HIGH)], path(2)),
    "a low priority waits": ([replace(task(1), priority=Priority.LOW), task(2)], path(2)),
    "what waits is not ready": ([task(1, needs=(2,)), task(2)], path(2)),
    "what waits for a done task is": ([task(1, needs=(2,)), done(2)], path(1)),
    "an unknown dependency keeps nobody": ([task(1, needs=(99,))], path(1)),
    "a task in review is open": ([replace(task(1), state=TaskState.REVIEW), task(2)], path(1)),
    "a file without a number comes last": ([NAMELESS, task(2)], path(2)),
    "nothing is open": ([done(1), replace(task(2), state=TaskState.CANCELLED)], None),
    "all wait": ([task(1, needs=(2,)), task(2, needs=(1,))], None),
}


@pytest.mark.parametrize(("tasks", "chosen"), CHOICES.values(), ids=CHOICES)
def test_the_next_task_is_chosen(tasks: list[TaskFile], chosen: str | None) -> None:
    following = next_task(kanban(*tasks))
    assert (following and following.path) == chosen


PHASE_OF = {
    TaskKind.EXPLORATION: (Phase.EXPLORATION, None),
    TaskKind.DESIGN: (Phase.DESIGN, None),
    TaskKind.REDESIGN: (Phase.DESIGN, None),
    TaskKind.REVIEW: (Phase.EXECUTE, "review"),
    TaskKind.IMPLEMENT: (Phase.EXECUTE, None),
}


@pytest.mark.parametrize("kind", TaskKind)
def test_the_next_task_makes_the_phase(kind: TaskKind) -> None:
    settled = settle(kanban(task(1, kind=kind), phase=Phase.PLAN), at=AT)
    assert isinstance(settled, Kanban)
    assert (settled.phase, settled.sub_phase) == PHASE_OF[kind]
    assert settled.current == path(1)
    assert settled.log == ()


def test_every_kind_of_task_has_a_phase() -> None:
    assert set(PHASES) == set(TaskKind)


def test_a_kanban_without_open_tasks_is_complete() -> None:
    settled = settle(replace(kanban(done(1)), sub_phase="review"), at=AT)
    assert isinstance(settled, Kanban)
    assert (settled.phase, settled.sub_phase, settled.current) == (Phase.COMPLETE, None, None)
    assert settled.log == (
        PlanEntry(at=AT, event="workflow_complete", details="No task is left to do."),
    )


def test_tasks_that_wait_for_each_other_are_for_a_person() -> None:
    settled = settle(kanban(task(1, needs=(2,)), task(2, needs=(1,)), done(3)), at=AT)
    assert isinstance(settled, PlanRefusal)
    assert settled.status == "blocked"
    assert "'tasks/1-t.md', 'tasks/2-t.md'" in settled.why
    assert path(3) not in settled.why

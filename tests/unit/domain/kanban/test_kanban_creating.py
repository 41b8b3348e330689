"""A kanban begins with the request as it is, and with the Architect."""

from supervisor_ai.drivers.kanban.board.kanban import Agent, Phase, PlanEntry, TaskKind, TaskState
from supervisor_ai.drivers.kanban.board.new_kanban import create

REQUEST = "\nSell shoes\n\nAnd hats,  too.\n"


def test_the_request_becomes_a_kanban_with_one_task_for_the_architect() -> None:
    plan = create(REQUEST, file="tasks/4-kanban-shoes.md", number=5, at="T1")
    [task] = plan.created
    kanban = plan.kanban
    assert (kanban.path, kanban.title, kanban.request) == (
        "tasks/4-kanban-shoes.md",
        "Sell shoes",
        REQUEST,
    )
    assert (kanban.phase, kanban.sub_phase, kanban.created) == (Phase.EXPLORATION, None, "T1")
    assert kanban.files == {task.path: task}
    assert plan.tasks == (task.path,) == ("tasks/5-explore-sell-shoes.md",)
    assert plan.next_task == task.path
    assert (task.role, task.kind, task.state) == (
        Agent.ARCHITECT,
        TaskKind.EXPLORATION,
        TaskState.TODO,
    )
    assert (task.kanban, task.created) == ("tasks/4-kanban-shoes.md", "T1")
    assert kanban.path in task.context


def test_the_decision_is_in_the_log() -> None:
    plan = create(REQUEST, file="tasks/0-kanban-x.md", number=1, at="T1")
    details = "The first task is 'tasks/1-explore-sell-shoes.md'."
    assert plan.entries == (PlanEntry(at="T1", event="kanban_created", details=details),)
    assert plan.kanban.log == plan.entries
    assert plan.message == details
    assert plan.revised == ()

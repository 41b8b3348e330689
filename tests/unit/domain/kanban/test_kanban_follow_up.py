"""Work items become tasks, in an order that can be kept."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.unit.domain.kanban.kanbans import AT, OK, done, item, kanban, path, task

from supervisor_ai.domain.structs import replace
from supervisor_ai.drivers.kanban.board.follow_up import needs_review
from supervisor_ai.drivers.kanban.board.item_order import cuts, untangled
from supervisor_ai.drivers.kanban.board.kanban import (
    Agent,
    Kanban,
    Phase,
    Priority,
    TaskFile,
    TaskKind,
    WorkItem,
)
from supervisor_ai.drivers.kanban.board.plan import MAX_TASKS, Plan, PlanRefusal
from supervisor_ai.drivers.kanban.board.reconciliation import reconcile


def after(*items: WorkItem, kind: TaskKind = TaskKind.EXPLORATION) -> Plan:
    return planned(kanban(task(1, OK, kind=kind, items=items)))


def planned(before: Kanban) -> Plan:
    plan = reconcile(before, path(1), number=50, at=AT)
    assert isinstance(plan, Plan), plan
    return plan


def numbers(plan: Plan, made: TaskFile) -> list[int]:
    """Say which of the new tasks another one waits for, counted from 0."""
    paths = [one.path for one in plan.created]
    return [paths.index(other) for other in made.dependencies]


def test_an_item_becomes_a_task_for_the_implementor() -> None:
    wanted = replace(item("Sell shoes"), priority=Priority.LOW, notes="Red ones.")
    plan = after(wanted)
    [made] = plan.created
    assert (made.role, made.kind, made.priority) == (
        Agent.IMPLEMENTOR,
        TaskKind.IMPLEMENT,
        Priority.LOW,
    )
    assert (made.path, made.title) == ("tasks/50-sell-shoes.md", "Sell shoes")
    assert made.description == "Sell shoes\n\nRed ones."
    assert (made.files, made.expertise) == (("a.py",), ("python",))
    assert (made.refers, made.kanban, made.created) == ((path(1),), plan.kanban.path, AT)
    assert [entry.event for entry in plan.entries] == ["task_done", "tasks_created"]
    assert (plan.next_task, plan.kanban.phase) == (made.path, Phase.EXECUTE)


def test_items_wait_for_each_other_by_index() -> None:
    plan = after(item("last", needs=(2, 1, 1)), item("middle", needs=(2,)), item("first"))
    last, middle, first = plan.created
    assert [numbers(plan, made) for made in plan.created] == [[2, 1], [2], []]
    assert (last.path, middle.path) == ("tasks/50-last.md", "tasks/51-middle.md")
    assert plan.next_task == first.path == "tasks/52-first.md"


def test_circular_dependencies_are_cut_and_noted() -> None:
    plan = after(item("a", needs=(1,)), item("b", needs=(0, 7, 1)), item("c", needs=(0,)))
    assert [numbers(plan, made) for made in plan.created] == [[1], [], [0]]
    entry = plan.entries[-1]
    assert entry.event == "inadequate_information"
    assert "left out: 1 on 0, 1 on 7, 1 on 1." in entry.details


def test_many_cuts_are_counted() -> None:
    items = (item(needs=tuple(range(12))),)
    assert cuts(items, untangled(items)) == (
        ", ".join(f"0 on {other}" for other in range(10)) + " and 2 more"
    )


@given(
    wanted=st.lists(st.lists(st.integers(-1, 9), max_size=6), max_size=8),
)
def test_whatever_items_wait_for_some_order_is_possible(wanted: list[list[int]]) -> None:
    items = tuple(item(needs=tuple(needs)) for needs in wanted)
    order = untangled(items)
    placed: set[int] = set()
    for _ in items:
        placed |= {index for index, needs in order.items() if placed.issuperset(needs)}
    assert placed == set(range(len(items)))
    assert all(set(order[index]) <= set(needs) for index, needs in enumerate(wanted))
    is_in_order = all(0 <= other < index for index, needs in enumerate(wanted) for other in needs)
    assert not (is_in_order and cuts(items, order))


INADEQUATE = {
    "no description": replace(item(" "), notes="Perhaps hats."),
    "no files": replace(item(), files=()),
    "no domain": replace(item(), related_domains=()),
    "nothing at all": WorkItem(),
}


@pytest.mark.parametrize("wanted", INADEQUATE.values(), ids=INADEQUATE)
def test_an_inadequate_item_is_explored_first(wanted: WorkItem) -> None:
    plan = after(wanted, item("then", needs=(0,)))
    explored, then = plan.created
    assert (explored.role, explored.kind, explored.priority) == (
        Agent.ARCHITECT,
        TaskKind.EXPLORATION,
        Priority.HIGH,
    )
    assert (wanted.notes or wanted.description or "nothing") in explored.description
    assert then.dependencies == (explored.path,)
    assert plan.next_task == explored.path
    assert "inadequate_information" in {entry.event for entry in plan.entries}


def test_what_stays_unclear_is_for_a_person() -> None:
    line = [replace(task(n, kind=TaskKind.EXPLORATION), refers=(path(n + 1),)) for n in (2, 3, 4)]
    last = replace(task(1, OK, items=(WorkItem(),)), refers=(path(2),))
    refusal = reconcile(kanban(last, *line), path(1), number=50, at=AT)
    assert isinstance(refusal, PlanRefusal)
    assert refusal.status == "escalate"
    clear = replace(last, work_items=(item(),))
    assert isinstance(reconcile(kanban(clear, *line), path(1), number=50, at=AT), Plan)


SENSITIVE = {
    "a word": (item("Change the architecture."), True),
    "core types": (item("Rename Core Types"), True),
    "a file": (replace(item(), files=("src/core/types.py",)), True),
    "a domain": (replace(item(), related_domains=("core_types",)), True),
    "expertise": (replace(item(), expertise_required=("architectural",)), True),
    "notes": (replace(item(), notes="a core-type"), True),
    "another word": (item("Paint the architectures of the hardcore typesetter"), False),
    "nothing": (item(), False),
    "an inadequate item": (WorkItem(description="architecture"), False),
}


@pytest.mark.parametrize(("wanted", "is_sensitive"), SENSITIVE.values(), ids=SENSITIVE)
def test_what_names_core_types_or_the_architecture_is_reviewed(
    wanted: WorkItem, *, is_sensitive: bool
) -> None:
    assert needs_review(wanted) is is_sensitive


def test_the_architect_reviews_sensitive_items_before_they_are_done() -> None:
    plan = after(item("Architecture A"), item("b"), item("core types", needs=(0,)))
    review, first, plain, last = plan.created
    assert (review.role, review.kind) == (Agent.ARCHITECT, TaskKind.REVIEW)
    assert [numbers(plan, made) for made in (review, first, plain, last)] == [[], [0], [], [1, 0]]
    assert [made.path.partition("-")[0] for made in plan.created] == [
        f"tasks/{number}" for number in (50, 51, 52, 53)
    ]
    assert plan.next_task == review.path
    assert (plan.kanban.phase, plan.kanban.sub_phase) == (Phase.EXECUTE, "review")


def test_what_a_review_suggests_is_not_reviewed_again() -> None:
    plan = after(item("Architecture A"), kind=TaskKind.REVIEW)
    assert [made.kind for made in plan.created] == [TaskKind.IMPLEMENT]


@pytest.mark.parametrize("kind", TaskKind)
def test_who_waits_for_a_preparation_waits_for_what_was_prepared(kind: TaskKind) -> None:
    prepared = task(1, OK, kind=kind, items=(item("new"),))
    plan = planned(kanban(prepared, task(2, needs=(1,)), replace(done(3), dependencies=(path(1),))))
    more = () if kind is TaskKind.IMPLEMENT else ("tasks/50-new.md",)
    assert plan.kanban.files[path(2)].dependencies == (path(1), *more)
    assert plan.kanban.files[path(3)].dependencies == (path(1),)


def test_more_items_than_a_kanban_may_list_are_refused() -> None:
    items = tuple(item(f"i{number}") for number in range(MAX_TASKS - 1))
    assert len(after(*items).tasks) == MAX_TASKS
    refusal = reconcile(kanban(task(1, OK, items=(*items, item()))), path(1), number=50, at=AT)
    assert isinstance(refusal, PlanRefusal)
    assert refusal.status == "escalate"


def test_a_chain_of_as_many_items_as_there_may_be_is_untangled() -> None:
    items = tuple(item(needs=(number + 1,)) for number in range(MAX_TASKS))
    assert cuts(items, untangled(items)) == f"{MAX_TASKS - 1} on {MAX_TASKS}"

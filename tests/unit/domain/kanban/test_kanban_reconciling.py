"""The Manager's rules: what follows from a task that somebody has worked on."""

import pytest
from tests.unit.domain.kanban.kanbans import (
    AT,
    BLOCKED,
    ESCALATE,
    OK,
    done,
    item,
    kanban,
    logged,
    path,
    task,
)

from supervisor_ai.domain.structs import replace
from supervisor_ai.drivers.kanban.board.kanban import (
    Agent,
    Conclusion,
    Kanban,
    LogEntry,
    Phase,
    PlanEntry,
    Priority,
    TaskFile,
    TaskKind,
    TaskState,
)
from supervisor_ai.drivers.kanban.board.plan import MAX_TASKS, Plan, PlanRefusal, with_tasks
from supervisor_ai.drivers.kanban.board.reconciliation import reconcile
from supervisor_ai.drivers.kanban.board.remedies import remedies_before


def planned(given: Kanban, number: int = 1) -> Plan:
    plan = reconcile(given, path(number), number=50, at=AT)
    assert isinstance(plan, Plan), plan
    return plan


def refused(given: Kanban, number: int = 1) -> PlanRefusal:
    refusal = reconcile(given, path(number), number=50, at=AT)
    assert isinstance(refusal, PlanRefusal), refusal
    return refusal


def events(plan: Plan) -> list[str]:
    return [entry.event for entry in plan.entries]


def remedy(number: int, of: int, kind: TaskKind = TaskKind.EXPLORATION) -> TaskFile:
    made = task(number, kind=kind)
    return replace(made, refers=(path(of),), priority=Priority.CRITICAL)


# No log, no completion.

INCOMPLETE = {
    "no entry": (),
    "no facts": (replace(OK, facts=""),),
    "no word in the conclusion": (logged(None),),
}


@pytest.mark.parametrize("log", INCOMPLETE.values(), ids=INCOMPLETE)
def test_a_task_without_a_whole_entry_is_not_completed(log: tuple[LogEntry, ...]) -> None:
    refusal = refused(kanban(task(1, *log)))
    assert refusal.status == "error"
    assert "'tasks/1-t.md'" in refusal.why


def test_an_entry_that_was_answered_before_is_no_new_one() -> None:
    blocked = task(1, BLOCKED, needs=(2,))
    explored = replace(remedy(2, 1), state=TaskState.DONE)
    assert refused(kanban(blocked, explored)).status == "error"
    plan = planned(kanban(replace(blocked, log=(BLOCKED, OK)), explored))
    assert plan.kanban.files[path(1)].state is TaskState.DONE


def test_a_task_that_the_kanban_does_not_list_is_refused() -> None:
    refusal = refused(kanban(task(1, OK)), number=9)
    assert refusal == PlanRefusal(
        "error", "'tasks/0-kanban-x.md' does not list the task 'tasks/9-t.md'."
    )


def test_the_last_whole_entry_counts() -> None:
    plan = planned(kanban(task(1, BLOCKED, OK, replace(ESCALATE, analysis=""))))
    assert plan.kanban.files[path(1)].state is TaskState.DONE


# ok


def test_the_last_task_completes_the_kanban() -> None:
    plan = planned(kanban(task(1, OK), done(2)))
    assert (plan.kanban.phase, plan.next_task) == (Phase.COMPLETE, None)
    assert plan.tasks == (path(1), path(2))
    assert events(plan) == ["task_done", "workflow_complete"]
    assert [one.path for one in plan.revised] == [path(1)]
    assert plan.message == "'tasks/1-t.md' is done. No task is left to do."


def test_the_next_task_follows_a_done_one() -> None:
    plan = planned(kanban(task(1, OK), task(2, needs=(1,))))
    assert plan.next_task == path(2)
    assert [one.path for one in plan.revised] == [path(1)]
    assert plan.created == ()


def test_what_an_agent_says_about_its_state_changes_nothing() -> None:
    for state in (TaskState.DONE, TaskState.REVIEW, TaskState.ESCALATED):
        given = kanban(replace(task(1, OK, items=(item(),)), state=state))
        assert len(planned(given).created) == 1


# Blockers


def test_what_blocks_a_task_is_explored_while_the_task_waits() -> None:
    given = replace(task(1, logged(Conclusion.BLOCKED, "no key")), state=TaskState.REVIEW)
    plan = planned(kanban(given, task(2)))
    [made] = plan.created
    waits = plan.kanban.files[path(1)]
    assert (made.role, made.kind, made.priority) == (
        Agent.ARCHITECT,
        TaskKind.EXPLORATION,
        Priority.CRITICAL,
    )
    assert (made.path, made.refers) == ("tasks/50-unblock-task-1.md", (path(1),))
    assert (waits.state, waits.dependencies) == (TaskState.TODO, (made.path,))
    assert plan.next_task == made.path
    assert plan.kanban.phase is Phase.EXPLORATION
    assert events(plan) == ["blocker_detected"]
    assert "no key" in plan.message


def test_a_task_that_is_blocked_for_the_third_time_is_escalated() -> None:
    blocked = task(1, BLOCKED, BLOCKED, BLOCKED)
    plan = planned(kanban(blocked, remedy(2, 1), remedy(3, 1)))
    assert plan.kanban.files[path(1)].state is TaskState.ESCALATED
    assert plan.created[0].kind is TaskKind.REDESIGN
    assert events(plan) == ["escalation_received"]


# Escalations


def test_an_escalated_task_goes_on_in_a_redesign() -> None:
    given = kanban(task(1, ESCALATE), task(2, needs=(1,)), task(3))
    plan = planned(given)
    [made] = plan.created
    assert (made.role, made.kind, made.priority) == (
        Agent.ARCHITECT,
        TaskKind.REDESIGN,
        Priority.CRITICAL,
    )
    assert made.refers == (path(1),)
    assert plan.kanban.files[path(1)].state is TaskState.ESCALATED
    assert plan.kanban.files[path(2)].dependencies == (path(1), made.path)
    assert [one.path for one in plan.revised] == [path(1), path(2)]
    assert (plan.next_task, plan.kanban.phase) == (made.path, Phase.DESIGN)
    assert events(plan) == ["escalation_received"]


@pytest.mark.parametrize("entry", [BLOCKED, ESCALATE])
def test_a_line_of_remedies_ends_with_a_person(entry: LogEntry) -> None:
    line = [
        remedy(2, 9, TaskKind.REDESIGN),
        replace(task(3), refers=(path(2),)),
        remedy(4, 3),
        remedy(5, 4, TaskKind.REDESIGN),
    ]
    last = replace(task(1, entry), refers=(path(4),))
    assert isinstance(reconcile(kanban(last, *line), path(1), number=50, at=AT), Plan)
    refusal = refused(kanban(replace(last, refers=(path(5),)), *line))
    assert refusal.status == "escalate"
    assert "'tasks/1-t.md'" in refusal.why


def test_tasks_that_refer_to_each_other_are_counted_once() -> None:
    one, other = remedy(1, 2), remedy(2, 1)
    assert remedies_before(kanban(one, other), one) == 2


def test_the_first_exploration_is_no_remedy() -> None:
    first = task(1, kind=TaskKind.EXPLORATION)
    assert remedies_before(kanban(first), first) == 0


# A kanban that grows and grows


@pytest.mark.parametrize("entry", [BLOCKED, ESCALATE])
def test_a_kanban_does_not_grow_beyond_its_limit(entry: LogEntry) -> None:
    others = [done(number) for number in range(2, MAX_TASKS)]
    assert planned(kanban(task(1, entry), *others)).created
    refusal = refused(kanban(task(1, entry), *others, done(MAX_TASKS)))
    assert refusal.status == "escalate"
    assert f"lists {MAX_TASKS} tasks" in refusal.why


# Decisions of people, and the Manager's own tasks


def test_a_cancelled_task_is_left_as_it_is() -> None:
    cancelled = replace(task(1, ESCALATE, items=(item(),)), state=TaskState.CANCELLED)
    plan = planned(kanban(cancelled, task(2)))
    assert (plan.created, plan.revised, plan.entries) == ((), (), ())
    assert plan.next_task == path(2)
    assert plan.message == "The next task is chosen."


def test_a_task_of_the_manager_is_done_by_asking_him() -> None:
    own = replace(task(1, items=(item(),)), role=Agent.MANAGER)
    plan = planned(kanban(own))
    assert plan.kanban.files[path(1)].state is TaskState.DONE
    assert plan.next_task == plan.created[0].path


def test_tasks_that_a_person_made_wait_for_each_other_are_refused() -> None:
    given = kanban(task(1, OK), task(2, needs=(3,)), task(3, needs=(2,)))
    assert refused(given).status == "blocked"


# What was answered before


@pytest.mark.parametrize("entries", [(OK,), (BLOCKED, OK), (OK, replace(OK, at="T2"))])
def test_a_task_that_is_opened_again_is_not_ended_by_its_old_entries(
    entries: tuple[LogEntry, ...],
) -> None:
    ended = planned(kanban(task(1, *entries), done(2))).kanban
    opened = with_tasks(ended, [replace(ended.files[path(1)], state=TaskState.TODO)])
    assert refused(opened).status == "error"
    again = with_tasks(opened, [replace(opened.files[path(1)], log=(*entries, ESCALATE))])
    assert planned(again).kanban.files[path(1)].state is TaskState.ESCALATED


@pytest.mark.parametrize("entries", [(ESCALATE,), (OK, ESCALATE), (OK, BLOCKED)])
def test_what_was_given_up_before_is_not_given_up_again(entries: tuple[LogEntry, ...]) -> None:
    ended = planned(kanban(task(1, *entries))).kanban
    opened = with_tasks(ended, [replace(ended.files[path(1)], state=TaskState.TODO)])
    assert refused(opened).status == "error"
    again = with_tasks(opened, [replace(opened.files[path(1)], log=(*entries, OK))])
    assert planned(again).kanban.files[path(1)].state is TaskState.DONE


def test_a_decision_about_several_entries_says_so() -> None:
    plan = planned(kanban(task(1, BLOCKED, OK)))
    assert plan.entries[0].details == (
        "'tasks/1-t.md' is done. This answers 2 entries of its work log."
    )


def test_other_entries_of_the_plan_answer_nothing() -> None:
    noted = kanban(task(1, OK))
    for event, details in (
        ("task_done", "'tasks/11-t.md' is done."),
        ("task_done", "tasks/1-t.md went well."),
        ("tasks_created", "'tasks/1-t.md' is new."),
    ):
        noted = replace(noted, log=(*noted.log, PlanEntry(at=AT, event=event, details=details)))
    assert planned(noted).kanban.files[path(1)].state is TaskState.DONE


# What people read


def test_a_refusal_says_what_a_person_can_do() -> None:
    assert refused(kanban(task(1))).why == (
        "The work log of 'tasks/1-t.md' has no new whole entry: no log, no completion. Write the "
        "entry into the task file on the branch (facts, analysis, and a conclusion with ok, "
        "blocked or escalate), set its state to cancelled, or say yes so that it is tried again."
    )


@pytest.mark.parametrize(
    ("conclusion", "because"),
    [
        ("blocked", ""),
        ("**Blocked.**", ""),
        ("Status: blocked", ""),
        ("`escalated`", ""),
        ("blocked by the weather", " (blocked by the weather)"),
        ("no key", " (no key)"),
    ],
)
@pytest.mark.parametrize("status", [Conclusion.BLOCKED, Conclusion.ESCALATE])
def test_a_reason_is_told_where_there_is_one(
    conclusion: str, because: str, status: Conclusion
) -> None:
    [entry] = planned(kanban(task(1, logged(status, conclusion)))).entries
    word = "blocked" if status is Conclusion.BLOCKED else "escalated"
    assert entry.details.startswith(f"'tasks/1-t.md' is {word}{because} and ")


@pytest.mark.parametrize(
    ("title", "made"),
    [
        ("Redesign: Shoes", "Redesign: Shoes"),
        ("redesign: Shoes", "redesign: Shoes"),
        ("Redesign the shoes", "Redesign: Redesign the shoes"),
        ("Unblock: Shoes", "Redesign: Unblock: Shoes"),
    ],
)
def test_the_word_before_a_title_is_not_repeated(title: str, made: str) -> None:
    given = replace(task(1, ESCALATE), title=title)
    [created] = planned(kanban(given)).created
    assert created.title == made

"""Roles without many errors, tasks that live, and nothing that was started twice."""

from datetime import datetime, timedelta

import pytest
from tests.unit.drivers.checkpoint.session import NOW, material, message, result

from supervisor_ai.domain.structs import replace
from supervisor_ai.drivers.checkpoint.checks.model import (
    BusMessage,
    CheckedTask,
    CheckMaterial,
    RoleState,
)
from supervisor_ai.drivers.checkpoint.score import CheckVerdict

PASS, FAIL = CheckVerdict.PASS, CheckVerdict.FAIL
UNDECIDED = CheckVerdict.UNDECIDED


def on(*messages: BusMessage) -> CheckMaterial:
    return replace(material(), messages=messages)


@pytest.mark.parametrize("rule", ["role_errors", "recent_activity", "duplicate_spawns"])
@pytest.mark.parametrize("messages", [(), None])
def test_an_empty_bus_decides_nothing(rule: str, messages: tuple[BusMessage, ...] | None) -> None:
    found = result(rule, replace(material(), messages=messages))
    assert (found.verdict, found.note) == (UNDECIDED, "no messages to analyze")


def errors(sender: str, count: int, kind: str = "error") -> list[BusMessage]:
    return [message(n, sender, kind) for n in range(1, count + 1)]


@pytest.mark.parametrize(
    ("messages", "verdict"),
    [
        (errors("writer", 2), PASS),
        (errors("writer", 3), FAIL),
        (errors("writer", 3, "task_failed"), FAIL),
        (errors("writer", 3, "build_error"), FAIL),
        (errors("writer", 2) + errors("planner", 2), PASS),
        (errors("supervisor", 5), UNDECIDED),
        (errors("coordinator", 2), UNDECIDED),
        (errors("coordinator", 3), FAIL),
        (errors("writer", 3, "errorless"), PASS),
    ],
)
def test_three_errors_of_one_role_fail(messages: list[BusMessage], verdict: CheckVerdict) -> None:
    assert result("role_errors", on(*messages)).verdict is verdict


def test_errors_are_cited_by_their_messages() -> None:
    found = result("role_errors", on(*errors("writer", 3), message(4)), limit=2)
    assert found.note == "writer has 3 errors."
    assert [(it.file, it.line) for it in found.citations] == [
        (".msg/messages.jsonl", number) for number in (1, 2, 3)
    ]


LONG_AGO = NOW - timedelta(hours=3)


def running(owner: str = "coder", moved_at: datetime | None = None) -> CheckMaterial:
    task = CheckedTask(id="IMPL-001", status="in_progress", owner=owner, moved_at=moved_at)
    return replace(material(), tasks=(task,))


def test_a_task_lives_that_was_moved_or_spoken_of() -> None:
    assert result("recent_activity", material()).verdict is UNDECIDED
    assert result("recent_activity", running(moved_at=NOW)).verdict is PASS
    silent = result("recent_activity", running(moved_at=LONG_AGO))
    assert (silent.verdict, silent.note) == (FAIL, "Nothing for 60 minutes: IMPL-001.")
    assert result("recent_activity", running(), minutes=600).verdict is FAIL
    for said in (message(sender="coder"), message(sender="x", task="IMPL-001")):
        alive = replace(running(), messages=(said,))
        assert result("recent_activity", alive).verdict is PASS
        assert result("recent_activity", alive, minutes=4).verdict is FAIL


def test_a_task_without_an_owner_lives_by_its_name_alone() -> None:
    assert result("recent_activity", running(owner="")).verdict is FAIL


def test_the_checkpoint_itself_and_other_tasks_need_no_sign_of_life() -> None:
    tasks = (
        CheckedTask(id="CHECKPOINT-001", status="in_progress", owner="supervisor"),
        CheckedTask(id="IMPL-002", status="pending"),
    )
    assert result("recent_activity", replace(material(), tasks=tasks)).verdict is UNDECIDED


def spawn(number: int, task: str = "IMPL-001", kind: str = "worker_spawned") -> BusMessage:
    return message(number, "coordinator", kind, task=task)


@pytest.mark.parametrize(
    ("messages", "verdict"),
    [
        ([spawn(1), spawn(2, "IMPL-002")], PASS),
        ([spawn(1), spawn(2)], FAIL),
        ([spawn(2), spawn(1)], FAIL),
        ([spawn(1), spawn(2, kind="error"), spawn(3)], PASS),
        ([spawn(1), spawn(2, kind="task_reset"), spawn(3)], PASS),
        ([spawn(1), spawn(2, kind="respawn")], PASS),
        ([spawn(1, ""), spawn(2, "")], PASS),
        ([spawn(1, kind="progress"), spawn(2, kind="progress")], UNDECIDED),
    ],
)
def test_a_second_start_needs_a_reason(messages: list[BusMessage], verdict: CheckVerdict) -> None:
    found = result("duplicate_spawns", on(*messages))
    assert found.verdict is verdict
    if verdict is FAIL:
        assert found.note == "IMPL-001 was started again."
        assert [it.line for it in found.citations] == [2]


def test_two_roles_at_one_task_are_a_duplicate() -> None:
    at = RoleState(task="IMPL-001", status="in_progress")
    roles = {"a": at, "b": at, "c": replace(at, status="task_complete"), "d": replace(at, task="")}
    found = result("duplicate_spawns", replace(material(), roles=roles))
    assert (found.verdict, found.note) == (FAIL, "IMPL-001 is in the hands of 2 roles.")


def test_two_tasks_that_ask_for_the_same_are_a_duplicate() -> None:
    task = CheckedTask(id="IMPL-001", status="in_progress", owner="coder", subject="Build it")
    done = replace(task, id="IMPL-003", status="completed")
    other = replace(task, id="IMPL-004", subject="Test it")
    tasks = (task, replace(task, id="IMPL-002"), done, other)
    found = result("duplicate_spawns", replace(material(), tasks=tasks))
    assert (found.verdict, found.note) == (FAIL, "coder has 2 tasks 'Build it' in progress.")

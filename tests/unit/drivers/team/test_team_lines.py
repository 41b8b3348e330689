"""A team whose members only send text, and a Lead who asks whether the file is right."""

import pytest
from tests.unit.drivers.team.control_scene import ADA, STATE, ControlScene

from supervisor_ai.domain.errors import InvalidInput
from supervisor_ai.drivers.team.commands.lines import (
    LONGEST_TEXT,
    NO_EVENT,
    ROUTED,
    event_forms,
    send_line,
)
from supervisor_ai.drivers.team.commands.reconcile import CONSISTENT, check_state
from supervisor_ai.drivers.team.commands.send import hand_off
from supervisor_ai.drivers.team.commands.teardown import begin_teardown
from supervisor_ai.drivers.team.machines.task import TeamTaskStatus
from supervisor_ai.drivers.team.sent import TeamAnswer
from supervisor_ai.drivers.team.staffing.roles import TeamRole
from supervisor_ai.drivers.team.text.lines import NoEvent, RoutedLine, read_line
from supervisor_ai.drivers.team.words import SentWord


@pytest.fixture
def scene() -> ControlScene:
    found = ControlScene().staffed()
    for task in ("1", "2"):
        found.send("lead", SentWord.TASK_ADDED, task_id=task, subject=f"Task {task}")
    found.send("coder-1", SentWord.CLAIM, task_id="1", files=("a.py",))
    return found


def say(scene: ControlScene, member: str, text: str) -> TeamAnswer:
    return send_line(scene.teams, "red", member, text, ADA)


def status(scene: ControlScene, task: str) -> TeamTaskStatus:
    found = scene.state.task(task)
    assert found is not None
    return found.status


def test_a_text_that_is_far_too_long_is_not_even_read(scene: ControlScene) -> None:
    index = scene.state.index
    with pytest.raises(InvalidInput, match="characters; 100000 are read"):
        say(scene, "coder-1", "Hotfix auth.ts. " * (LONGEST_TEXT // 10))
    assert scene.state.index == index


def test_a_task_goes_from_review_to_done_by_lines_alone(scene: ControlScene) -> None:
    assert say(scene, "coder-1", "IN_REVIEW: task 1. Files: [a.py, b.py]").accepted
    assert status(scene, "1") is TeamTaskStatus.IN_REVIEW
    early = say(scene, "coder-1", "DONE: task 1, claiming task 2")
    assert not early.accepted
    assert status(scene, "2") is TeamTaskStatus.PENDING
    scene.join("coder-2", TeamRole.CODER)
    assert say(scene, "coder-2", "CLAIM: task 2. Files: [c.py]").accepted
    assert say(scene, "rev", "APPROVED: task 1").accepted
    done = say(scene, "coder-1", "DONE: task 1, claiming task 2")
    assert (done.accepted, done.event) == (False, "DUPLICATE_TASK_KEY")
    assert done.reason.startswith("DONE of task 1 was taken. coder-2 has claimed task 2")
    assert status(scene, "1") is TeamTaskStatus.DONE
    scene.send("lead", SentWord.ARBITRATION, task_id="2", owner="coder-2")
    say(scene, "coder-2", "IN_REVIEW: task 2. Files: [c.py]")
    say(scene, "rev", "APPROVED: task 2")
    scene.send("lead", SentWord.TASK_ADDED, task_id="3", subject="Task 3")
    assert say(scene, "coder-2", "DONE: task 2, claiming task 3").accepted
    assert status(scene, "3") is TeamTaskStatus.IN_PROGRESS
    assert [it for it in scene.said("coder-1") if it[1] == "APPROVED"] == [("coder-1", "APPROVED")]
    begin_teardown(scene.teams, "red", ADA)
    assert say(scene, "coder-1", "SHUTDOWN_ACK:").accepted
    assert say(scene, "coder-1", "DONE: ALL MY TASKS COMPLETE").accepted


def test_a_finding_sends_back_and_a_small_one_does_not(scene: ControlScene) -> None:
    say(scene, "coder-1", "IN_REVIEW: task 1. Files: [a.py]")
    assert say(scene, "rev", "MINOR: task 1. A typo").accepted
    assert status(scene, "1") is TeamTaskStatus.IN_REVIEW
    assert say(scene, "rev", "MAJOR (80%): task 1. It leaks. Scenario: log in twice").accepted
    assert status(scene, "1") is TeamTaskStatus.IN_PROGRESS


@pytest.mark.parametrize(
    ("line", "after", "event"),
    [
        ("STUCK: task 1. No key", TeamTaskStatus.STUCK, "STUCK"),
        ("REVIEW_LOOP: task #1. Again", TeamTaskStatus.LOOP_SUSPECTED, "LOOP_SUSPECTED"),
        (
            "ESCALATE TO MEDIUM: task #1 touches auth",
            TeamTaskStatus.IN_PROGRESS,
            "ESCALATE TO MEDIUM",
        ),
        ("TOOL_UNAVAILABLE: WebSearch, task 1", TeamTaskStatus.IN_PROGRESS, "TOOL_UNAVAILABLE"),
    ],
)
def test_what_holds_a_task_up_is_an_event(
    scene: ControlScene, line: str, after: TeamTaskStatus, event: str
) -> None:
    answer = say(scene, "coder-1", line)
    assert answer.accepted, answer.reason
    assert status(scene, "1") is after
    assert event in [fact.word for _, fact in scene.teams.facts("red")]


def test_nobody_else_can_send_it(scene: ControlScene) -> None:
    assert not say(scene, "coder-1", "APPROVED: task 1").accepted
    assert not say(scene, "nobody", "STUCK: task 1").accepted


def test_a_request_to_code_is_refused_with_what_can_be_done(scene: ControlScene) -> None:
    answer = say(scene, "lead", "Hotfix src/server/auth.ts now")
    assert not answer.accepted
    assert "I can coordinate reassignment to a coder" in answer.reason


def test_other_words_are_no_event(scene: ControlScene) -> None:
    before = scene.state.index
    answer = say(scene, "coder-1", "I think I am done: task 1")
    assert (answer.accepted, answer.event) == (False, NO_EVENT)
    assert "no word of an event" in answer.reason
    assert scene.state.index == before


def test_what_is_for_others_is_passed_on(scene: ControlScene) -> None:
    assert say(scene, "coder-1", "REVIEW: task 1, token ghp_" + "Ab1" * 12).event == ROUTED
    assert ("rev", "routed") in scene.said()
    assert say(scene, "coder-1", "QUESTION: is it in scope?").accepted
    assert ("coordinator", "routed") in scene.said()
    scene.join("tech", TeamRole.TECH_LEAD)
    assert say(scene, "coder-1", "ESCALATION: which cache do we use?").accepted
    assert any(to == "tech" for to, _ in scene.said())


def test_without_reviewers_nothing_can_be_passed_to_them() -> None:
    scene = ControlScene()
    answer = say(scene, "lead", "REVIEW: task 1")
    assert (answer.accepted, answer.event) == (False, ROUTED)


@pytest.mark.parametrize(
    "line",
    ["IMPOSSIBLE_WAIT: task 1. No logic reviewer", "DONE: task 1", "CRITICAL: task 1. It leaks"],
)
def test_every_line_has_its_events(line: str) -> None:
    read = read_line(line)
    assert not isinstance(read, NoEvent | RoutedLine)
    assert [form.task_id for form in event_forms(read)] == ["1"]


def test_a_file_that_nobody_touched_is_right(scene: ControlScene) -> None:
    answer = check_state(scene.teams, "red", ADA)
    assert (answer.accepted, answer.event) == (True, CONSISTENT)


def test_an_edit_that_touches_no_work_is_undone_and_kept(scene: ControlScene) -> None:
    check_state(scene.teams, "red", ADA)
    before = scene.page
    scene.files[STATE] += b"\nI was here.\n"
    answer = check_state(scene.teams, "red", ADA)
    assert (answer.accepted, answer.event) == (True, "STATE_DIVERGENCE")
    assert answer.edit is not None
    assert f"supervisor ledger show {answer.edit}" in answer.reason
    assert "I was here." in scene.teams.desk.text(answer.edit)
    assert "I was here." not in scene.page
    assert scene.page.split("## Event Log")[0] == before.split("## Event Log")[0]


def test_an_edit_that_touches_work_waits_for_the_lead(scene: ControlScene) -> None:
    check_state(scene.teams, "red", ADA)
    scene.files[STATE] = scene.files[STATE].replace(b"IN_PROGRESS (coder-1)", b"DONE (coder-1)")
    answer = check_state(scene.teams, "red", ADA)
    assert (answer.accepted, answer.event) == (False, "STATE_DIVERGENCE")
    assert "supervisor team ack red --of reconcile" in answer.reason
    assert answer.edit is not None
    assert "DONE (coder-1)" in scene.teams.desk.text(answer.edit)
    assert "DONE (coder-1)" not in scene.page
    scene.send("lead", SentWord.RECONCILE_ACK)
    assert check_state(scene.teams, "red", ADA).accepted
    assert "IN_PROGRESS (coder-1)" in scene.page


def test_two_owners_are_for_the_lead_to_settle(scene: ControlScene) -> None:
    hand_off(scene.teams, "red", 2, ADA)
    scene.send("supervisor", SentWord.STATE_OWNERSHIP_ACK, epoch=2)
    assert check_state(scene.teams, "red", ADA).accepted

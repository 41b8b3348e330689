"""How a run stands, folded from its events."""

from datetime import UTC, datetime, timedelta
from typing import Final

import pytest

from supervisor_ai.domain.envelope import Event
from supervisor_ai.domain.ids import ArtifactHash, CommitSha, StepName, TimerName, TreeSha
from supervisor_ai.domain.picture import Picture
from supervisor_ai.domain.run import events as e
from supervisor_ai.domain.run.status import Outcome, OutcomeKind, RunStatus, StepStatus, Verdict
from supervisor_ai.domain.run.values import ApprovalReason

BEGIN: Final = datetime(2030, 1, 1, tzinfo=UTC)
TEST: Final = StepName("test")
COMMIT: Final = CommitSha("c")
ENTERED: Final = e.StepEntered(step=TEST, visit=1, start=COMMIT)
ASKED: Final = e.ApprovalRequested(
    step=TEST,
    visit=1,
    reason=ApprovalReason.HUMAN_GATE,
    tree=TreeSha("t"),
    commit=COMMIT,
    question=None,
)


def seen(*events: Event) -> Picture:
    """Fold events that come one second after the other."""
    picture = Picture()
    for seconds, event in enumerate(events):
        picture.see(event, BEGIN + timedelta(seconds=seconds))
    return picture


def began(slot: int, visit: int = 1) -> e.GateStarted:
    return e.GateStarted(step=TEST, visit=visit, slot=slot, gate=f"g{slot}", snapshot=COMMIT)


def ended(slot: int, verdict: Verdict, visit: int = 1) -> e.GateEnded:
    return e.GateEnded(
        step=TEST, visit=visit, slot=slot, gate="g", verdict=verdict, reason="", output=None
    )


def attempt(number: int) -> e.AttemptStarted:
    return e.AttemptStarted(step=TEST, visit=1, attempt=number, role="ada", cli="me", start=COMMIT)


def timer(name: str, minutes: int, *, parks: bool = True) -> e.TimerSet:
    due = BEGIN + timedelta(minutes=minutes)
    return e.TimerSet(timer=TimerName(name), due=due, parks=parks)


def waits(picture: Picture) -> tuple[str | None, datetime | None]:
    return picture.waits_for, picture.waits_until


@pytest.mark.parametrize(
    ("verdicts", "worst"),
    [
        ((Verdict.PASSED, Verdict.PASSED), "passed"),
        ((Verdict.WARNED, Verdict.PASSED), "warned"),
        ((Verdict.NOT_RUN, Verdict.WARNED), "not_run"),
        ((Verdict.FAILED, Verdict.NOT_RUN), "failed"),
        ((Verdict.PASSED, Verdict.FAILED), "failed"),
    ],
)
def test_the_worst_verdict_of_a_visit_stands_for_all_of_its_gates(
    verdicts: tuple[Verdict, ...], worst: str
) -> None:
    events = [
        it for slot, said in enumerate(verdicts, 1) for it in (began(slot), ended(slot, said))
    ]
    assert seen(ENTERED, *events).steps[TEST].last_verdict == worst


def test_a_gate_that_runs_again_takes_its_first_word_back() -> None:
    again = seen(ENTERED, began(1), ended(1, Verdict.FAILED), began(1), ended(1, Verdict.PASSED))
    assert again.steps[TEST].last_verdict == "passed"


def test_gates_of_another_visit_do_not_count() -> None:
    picture = seen(
        ENTERED, began(1), ended(1, Verdict.FAILED), began(1, 2), ended(1, Verdict.PASSED, 2)
    )
    assert picture.steps[TEST].last_verdict == "passed"
    assert [it.verdict for it in picture.gates(TEST, 1)] == [Verdict.FAILED]


def test_a_gate_that_never_began_says_nothing() -> None:
    assert seen(ENTERED, ended(1, Verdict.PASSED)).steps[TEST].last_verdict is None


def test_gates_are_under_way_until_they_end_in_some_way() -> None:
    picture = seen(ENTERED, began(1), began(2), began(3))
    assert picture.gates_under_way == 3
    picture.see(e.GateLost(step=TEST, visit=1, slot=1, gate="g1"), BEGIN)
    picture.see(e.GateCancelled(step=TEST, visit=1, slot=2, gate="g2"), BEGIN)
    assert picture.gates_under_way == 1
    picture.see(e.RunCancelled(outcome=Outcome(kind=OutcomeKind.CANCELLED, reason="")), BEGIN)
    assert {it.verdict for it in picture.gates(TEST, 1)} == {Verdict.NOT_RUN}


def test_attempts_are_counted_over_all_visits() -> None:
    step = seen(ENTERED, attempt(1), attempt(2)).steps[TEST]
    assert (step.attempts, step.role, step.last_verdict) == (2, "ada", None)


def test_a_step_that_was_never_entered_is_not_in_the_picture() -> None:
    assert seen(attempt(1), ASKED).steps == {}


def test_a_field_or_a_word_is_the_last_verdict() -> None:
    refused = e.ApprovalRefused(step=TEST, visit=1, tree=TreeSha("t"), note=ArtifactHash("n"))
    asked = seen(ENTERED, ASKED)
    assert asked.steps[TEST].status is StepStatus.WAITING
    assert seen(ENTERED, ASKED, refused).steps[TEST].last_verdict == "rejected"
    opened = e.PullRequestOpened(step=TEST, visit=1, url="https://forge/1")
    assert seen(ENTERED, opened).steps[TEST].last_verdict == "opened"


def test_time_is_spent_from_the_entry_to_the_end_of_each_visit() -> None:
    again = e.StepEntered(step=TEST, visit=2, start=COMMIT)
    step = seen(ENTERED, e.StepPassed(step=TEST, visit=1), attempt(1), again).steps[TEST]
    assert step.elapsed(BEGIN + timedelta(seconds=10)) == timedelta(seconds=8)
    assert (step.visits, step.status) == (2, StepStatus.RUNNING)


@pytest.mark.parametrize(
    ("event", "status", "of_step"),
    [
        (
            e.RunFailed(outcome=Outcome(kind=OutcomeKind.GATE_FAILED, reason="")),
            RunStatus.FAILED,
            StepStatus.FAILED,
        ),
        (
            e.RunCancelled(outcome=Outcome(kind=OutcomeKind.CANCELLED, reason="")),
            RunStatus.CANCELLED,
            StepStatus.CANCELLED,
        ),
    ],
)
def test_the_end_of_a_run_ends_what_was_under_way(
    event: Event, status: RunStatus, of_step: StepStatus
) -> None:
    other = e.StepEntered(step=StepName("plan"), visit=1, start=COMMIT)
    passed = e.StepPassed(step=StepName("plan"), visit=1)
    picture = seen(other, passed, ENTERED, timer("limit", 1), event)
    assert picture.status is status
    assert [it.status for it in picture.steps.values()] == [StepStatus.PASSED, of_step]
    assert picture.steps[TEST].elapsed(BEGIN + timedelta(hours=1)) == timedelta(seconds=2)


def test_a_run_waits_until_the_first_of_its_parking_timers() -> None:
    waiting = e.RunWaiting(reason="a limit")
    picture = seen(timer("a", 2), timer("b", 1), timer("c", 0, parks=False), waiting)
    assert waits(picture) == ("a limit", BEGIN + timedelta(minutes=1))
    picture.see(e.TimerFired(timer=TimerName("b")), BEGIN)
    assert waits(picture) == ("a limit", BEGIN + timedelta(minutes=2))
    picture.see(e.TimerCancelled(timer=TimerName("a")), BEGIN)
    assert waits(picture) == ("a limit", None)
    picture.see(e.RunContinued(), BEGIN)
    assert waits(picture) == (None, None)


def test_a_run_that_is_complete_waits_for_nothing() -> None:
    complete = e.RunCompleted(outcome=Outcome(kind=OutcomeKind.DONE, reason="Done."))
    picture = seen(timer("a", 2), e.RunWaiting(reason="a limit"), complete)
    assert (picture.status, picture.waits_until) == (RunStatus.COMPLETED, None)

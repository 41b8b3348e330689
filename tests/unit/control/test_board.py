"""What a person sees of a run while it is driven."""

from datetime import timedelta
from decimal import Decimal
from typing import Final

import pytest
from rich.console import Console
from tests.unit.cli.board_facts import BEGIN, COMMIT, RUN, TEST, began, ended, told

from supervisor_ai.cli.foreground.live_board import draw
from supervisor_ai.control.dashboard.board import Board, excerpt
from supervisor_ai.domain.ids import (
    ArtifactHash,
    RunId,
    StepName,
    TimerName,
    TreeSha,
    run_stream,
)
from supervisor_ai.domain.run import events as e
from supervisor_ai.domain.run.answers import Meaning
from supervisor_ai.domain.run.definition import StepLabel
from supervisor_ai.domain.run.status import FailureCategory, StepStatus, Verdict
from supervisor_ai.domain.run.values import ApprovalReason, Snapshot, Usage
from supervisor_ai.domain.structs import replace

DO: Final = StepName("implement")
ARTIFACT: Final = ArtifactHash("a")
SNAPSHOT: Final = Snapshot(commit=COMMIT, tree=TreeSha("t"))


def entered(step: StepName, visit: int = 1) -> e.StepEntered:
    return e.StepEntered(step=step, visit=visit, start=COMMIT)


def attempt(number: int = 1) -> e.AttemptStarted:
    return e.AttemptStarted(
        step=DO, visit=1, attempt=number, role="implementer", cli="me", start=COMMIT
    )


@pytest.fixture
def board() -> Board:
    board = Board(run=RUN, title="Add a median", started=BEGIN)
    board.expect(DO, TEST)
    return board


def shown(board: Board, seconds: float, *, is_ended: bool = False) -> list[str]:
    console = Console(width=72, record=True, file=None, force_terminal=False, quiet=False)
    now = BEGIN + timedelta(seconds=seconds)
    with console.capture() as capture:
        console.print(draw(board, now=now, is_ended=is_ended))
    return [line.rstrip() for line in capture.get().splitlines()]


def test_steps_that_belong_together_are_drawn_as_a_tree(board: Board) -> None:
    board.labels = {
        DO: StepLabel(text="├─ items", heading="The core"),
        TEST: StepLabel(text="└─ prices"),
    }
    drawn = "\n".join(shown(board, 1))
    assert drawn.index("The core") < drawn.index("├─ items") < drawn.index("└─ prices")
    assert DO not in drawn


def test_steps_to_come_are_on_the_board(board: Board) -> None:
    assert [(row.step, row.status) for row in board.steps] == [
        (DO, StepStatus.PENDING),
        (TEST, StepStatus.PENDING),
    ]


def test_time_counts_over_all_visits(board: Board) -> None:
    board.see(told(entered(DO), 0))
    board.see(told(e.StepPassed(step=DO, visit=1), 2))
    board.see(told(entered(DO, 2), 10))
    row = board.picture.steps[DO]
    assert row.elapsed(BEGIN + timedelta(seconds=13)) == timedelta(seconds=5)
    assert (row.status, row.visits) == (StepStatus.RUNNING, 2)


@pytest.mark.parametrize(
    ("event", "status", "word"),
    [
        (
            e.AttemptSucceeded(
                step=DO,
                visit=1,
                attempt=1,
                meaning=Meaning.PASS,
                said="SUCCESS",
                answer=ARTIFACT,
                feedback=ARTIFACT,
                transcript=ARTIFACT,
                snapshot=SNAPSHOT,
                usage=Usage(cost=Decimal(1)),
            ),
            StepStatus.RUNNING,
            "SUCCESS",
        ),
        (
            e.AttemptFailed(
                step=DO,
                visit=1,
                attempt=1,
                category=FailureCategory.PARSING,
                reason="no JSON",
                feedback=ARTIFACT,
                transcript=ARTIFACT,
            ),
            StepStatus.RUNNING,
            "parsing",
        ),
        (e.AttemptLost(step=DO, visit=1, attempt=1, kept=None), StepStatus.RUNNING, "lost"),
        (
            e.GateEnded(step=DO, visit=1, gate="g", verdict=Verdict.WARNED, reason="", output=None),
            StepStatus.RUNNING,
            "warned",
        ),
        (
            e.ApprovalRequested(
                step=DO,
                visit=1,
                reason=ApprovalReason.HUMAN_GATE,
                tree=TreeSha("t"),
                commit=COMMIT,
                question=None,
            ),
            StepStatus.WAITING,
            "waits for a person",
        ),
        (
            e.ApprovalGiven(step=DO, visit=1, tree=TreeSha("t"), note=None),
            StepStatus.RUNNING,
            "approved",
        ),
        (
            e.ApprovalRefused(step=DO, visit=1, tree=TreeSha("t"), note=ARTIFACT),
            StepStatus.RUNNING,
            "rejected",
        ),
        (e.StepFailed(step=DO, visit=1, reason="no"), StepStatus.FAILED, "works"),
        (
            e.StepQuarantined(step=DO, visit=1, reason="Round and round."),
            StepStatus.RUNNING,
            "gets nowhere",
        ),
        (
            e.PullRequestOpened(step=DO, visit=1, url="https://forge/1"),
            StepStatus.RUNNING,
            "pull request",
        ),
        (
            e.PullRequestRefused(step=DO, visit=1, reason="No.", detail=ARTIFACT),
            StepStatus.RUNNING,
            "no pull request",
        ),
    ],
)
def test_a_fact_changes_its_step(
    board: Board, event: e.PlacedEvent, status: StepStatus, word: str
) -> None:
    board.see(told(entered(DO)))
    board.see(told(attempt()))
    if isinstance(event, e.GateEnded):
        board.see(began(event.gate, event.slot, DO))
    board.see(told(event))
    row = board.picture.steps[DO]
    assert (row.status, board.words[DO], row.attempts) == (status, word, 1)


def test_roles_side_by_side_are_named(board: Board) -> None:
    board.see(told(entered(DO)))
    for slot, role in enumerate(("ada", "bob"), 1):
        board.see(told(replace(attempt(), slot=slot, role=role)))
    assert board.words[DO] == "ada works, bob works"
    failed = e.AttemptFailed(
        step=DO,
        visit=1,
        slot=2,
        attempt=1,
        category=FailureCategory.PARSING,
        reason="no JSON",
        feedback=ARTIFACT,
        transcript=ARTIFACT,
        role="bob",
    )
    board.see(told(failed))
    assert board.words[DO] == "ada works, bob parsing"
    board.see(told(entered(DO, 2)))
    board.see(told(replace(attempt(), visit=2, role="ada")))
    assert board.words[DO] == "works"


def test_other_runs_are_not_on_the_board(board: Board) -> None:
    board.see(told(entered(DO), stream=run_stream(RunId("r2"))))
    assert board.picture.steps == {}


def test_output_comes_in_pieces_and_is_shown_in_lines(board: Board) -> None:
    assert board.hear("one\ntw") == ["one"]
    assert board.hear("o\n\n") == ["two", ""]
    for number in range(20):
        board.hear(f"line {number}\n")
    assert list(board.tail) == [f"line {number}" for number in range(5, 20)]


def test_the_board_is_drawn(board: Board) -> None:
    board.see(told(entered(DO)))
    board.see(told(attempt()))
    board.see(told(e.StepPassed(step=DO, visit=1), 2.5))
    board.see(told(entered(TEST), 2.5))
    board.hear("1 failed\n")
    assert shown(board, 63) == [
        "Add a median                                                        1:03",
        "  ✓  implement  1 visit  1 attempt  works   2.5 s",
        "  ●  test       1 visit                    60.5 s",
        "  │ 1 failed",
    ]
    assert (
        shown(board, 63, is_ended=True)[-1] == "  ●  test       1 visit                    60.5 s"
    )


def test_a_timer_is_counted_down(board: Board) -> None:
    due = BEGIN + timedelta(hours=1, seconds=1)
    board.see(told(e.TimerSet(timer=TimerName("limit"), due=due, parks=True)))
    board.see(told(e.RunWaiting(reason="a timer")))
    assert "  waits, 1:00:00 left" in shown(board, 1)
    board.see(told(e.RunContinued()))
    assert "left" not in "".join(shown(board, 1))


def test_gates_side_by_side_are_named_unless_all_pass(board: Board) -> None:
    board.see(told(entered(TEST)))
    for slot, gate in enumerate(("test", "lint", "docs"), 1):
        board.see(began(gate, slot))
        board.see(told(ended(gate, slot, Verdict.PASSED)))
    assert board.words[TEST] == "3 gates passed"
    board.see(told(entered(TEST, 2)))
    for slot, (gate, verdict) in enumerate((("test", Verdict.PASSED), ("lint", Verdict.FAILED)), 1):
        board.see(began(gate, slot, visit=2))
        board.see(told(replace(ended(gate, slot, verdict), visit=2)))
    assert board.words[TEST] == "lint failed"


def test_the_last_lines_of_a_failed_gate_are_shown(board: Board) -> None:
    board.see(began("test", 1))
    board.hear("1 failed\n")
    failed = ended("test", 1, Verdict.FAILED)
    board.see(told(failed))
    assert excerpt(board, failed) == ["  test │ 1 failed"]
    assert excerpt(board, ended("test", 1, Verdict.PASSED)) == []
    assert excerpt(board, ended("test", 1, Verdict.WARNED)) == []
    assert excerpt(board, entered(TEST)) == []


def test_lines_that_may_be_another_gates_are_not_shown_as_ones_own(board: Board) -> None:
    board.see(began("test", 1))
    board.see(began("lint", 2))
    board.hear("1 failed\n")
    board.see(told(e.GateLost(step=TEST, visit=1, slot=1, gate="test")))
    failed = ended("lint", 2, Verdict.FAILED)
    board.see(told(failed))
    assert excerpt(board, failed) == ["  lint │ supervisor logs r1 --gate lint"]
    board.see(began("docs", 3))
    board.hear("docs fail\n")
    assert excerpt(board, ended("docs", 3, Verdict.FAILED)) == ["  docs │ docs fail"]


def test_it_is_said_where_findings_can_be_read(board: Board) -> None:
    board.see(began("claims", 1))
    for verdict in (Verdict.FAILED, Verdict.WARNED):
        found = ended("claims", 1, verdict, findings=2)
        assert excerpt(board, found) == ["  claims │ supervisor logs r1 --gate claims"]


def test_of_gates_side_by_side_what_a_worker_is_told_is_shown(board: Board) -> None:
    board.read = {ARTIFACT: "Code 1.\n\nWhat ruff says:\n\x1b[31mF401 unused\n"}.__getitem__
    for slot, gate in enumerate(("test", "lint"), 1):
        board.see(began(gate, slot))
    board.hear("of whom?\n")
    failed = replace(ended("lint", 2, Verdict.FAILED), reason="Code 1.", feedback=ARTIFACT)
    assert excerpt(board, failed) == [
        "  lint │ What ruff says:",
        "  lint │ F401 unused",
        "  lint │ supervisor logs r1 --gate lint",
    ]


def test_a_command_that_printed_nothing_has_nothing_to_show(board: Board) -> None:
    board.read = {ARTIFACT: "Code 1.\n\nThe end of its output:\n"}.__getitem__
    failed = replace(
        ended("lint", 2, Verdict.FAILED), reason="Code 1.", feedback=ARTIFACT, is_reused=True
    )
    assert excerpt(board, failed) == ["  lint │ supervisor logs r1 --gate lint"]
    assert excerpt(board, replace(failed, verdict=Verdict.WARNED)) == []


def test_of_much_that_a_worker_is_told_the_beginning_and_the_end_are_shown(board: Board) -> None:
    board.read = {ARTIFACT: "\n".join(map(str, range(1_000)))}.__getitem__
    failed = replace(ended("lint", 2, Verdict.FAILED), is_reused=True, feedback=ARTIFACT)
    lines = [line.removeprefix("  lint │ ") for line in excerpt(board, failed)]
    assert lines[:8] == list("01234567")
    assert lines[8:-1] == ["…", *map(str, range(993, 1_000))]

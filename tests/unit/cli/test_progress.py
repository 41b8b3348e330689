"""One line per fact that moves a run on."""

import pytest
from tests.unit.cli.board_facts import BEGIN, COMMIT, RUN, began, ended, told

from supervisor_ai.cli.foreground.progress import PlainProgress
from supervisor_ai.control.dashboard.board import Board
from supervisor_ai.domain.ids import StepName
from supervisor_ai.domain.live_output import LiveOutput
from supervisor_ai.domain.run import events as e
from supervisor_ai.domain.run.status import Verdict


@pytest.fixture
def progress() -> PlainProgress:
    progress = PlainProgress(verbose=False)
    progress.begin(Board(run=RUN, title="Do it", started=BEGIN))
    return progress


def test_a_gate_that_runs_nothing_needs_no_line_for_its_beginning(
    progress: PlainProgress, capsys: pytest.CaptureFixture[str]
) -> None:
    for slot, gate in enumerate(("claims", "test"), 1):
        progress.recorded(began(gate, slot))
    assert [line.split()[3:] for line in capsys.readouterr().err.splitlines()] == [
        ["gate", "test", "looks", "at", "c"]
    ]


def test_a_failed_gate_shows_its_last_lines_and_where_to_read_on(
    progress: PlainProgress, capsys: pytest.CaptureFixture[str]
) -> None:
    progress.recorded(began("test", 1))
    progress.output(LiveOutput(run=RUN, step=StepName("test"), attempt=None, text="1 failed\n"))
    progress.recorded(told(ended("test", 1, Verdict.FAILED, findings=1), 2))
    assert capsys.readouterr().err.splitlines()[1:] == [
        "    2.0 s  test                gate test failed, 1 finding:",
        "             test │ 1 failed",
        "             test │ supervisor logs r1 --gate test",
    ]


def test_what_is_only_intended_is_not_shown(
    progress: PlainProgress, capsys: pytest.CaptureFixture[str]
) -> None:
    offer = StepName("offer")
    progress.recorded(
        told(e.PullRequestStarted(step=offer, visit=1, branch="ai/r1", commit=COMMIT))
    )
    assert capsys.readouterr().err == ""
    progress.recorded(told(e.PullRequestOpened(step=offer, visit=1, url="https://forge/1")))
    assert "pull request https://forge/1 opened" in capsys.readouterr().err

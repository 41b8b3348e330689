"""What stood in a run's way is named before how the run ended because of it."""

import json
from datetime import timedelta
from typing import Final

import pytest
from tests.unit.control.gate_facts import LINT, WHEN
from tests.unit.control.run_rows import FakeQueries, queries, records

from supervisor_ai.control.ports.queries import ApprovalRow, AttemptRow, StepRow
from supervisor_ai.control.queries.causes import CauseView, find_cause
from supervisor_ai.control.records import Records
from supervisor_ai.control.run_views import show_run
from supervisor_ai.domain.envelope import Actor, ActorKind, NewEvent
from supervisor_ai.domain.ids import (
    PROJECT_STREAM,
    ArtifactHash,
    CommitSha,
    RunId,
    StepName,
    TreeSha,
)
from supervisor_ai.domain.project.events import FailureCounted
from supervisor_ai.domain.run.status import (
    AttemptStatus,
    FailureCategory,
    Outcome,
    OutcomeKind,
    RunStatus,
    StepStatus,
    Verdict,
)
from supervisor_ai.domain.run.values import ApprovalReason, ReasonWord
from supervisor_ai.domain.structs import replace
from supervisor_ai.engine.ports.ledger import Batch, StreamAppend

__all__ = ["queries", "records"]

BUILD, TEST, REVIEW = map(StepName, ("implement", "test", "review"))
LOOP: Final = Outcome(kind=OutcomeKind.LOOP_DETECTED, reason="The same files 4 times.")
TRIED: Final = AttemptRow(
    step=BUILD,
    visit=1,
    slot=1,
    attempt=1,
    role="implementer",
    cli="agent",
    status=AttemptStatus.SUCCEEDED,
    started_at=WHEN,
    ended_at=WHEN,
    said="SUCCESS",
    category=None,
    reason=None,
    prompt=None,
    transcript=None,
    answer=None,
    snapshot=None,
)
CRASHED: Final = replace(
    TRIED,
    status=AttemptStatus.FAILED,
    said=None,
    category=FailureCategory.CLI_ERROR,
    reason="The worker exited with code 3.",
)
REFUSED: Final = ApprovalRow(
    step=BUILD,
    visit=1,
    reason=ApprovalReason.HUMAN_GATE,
    tree=TreeSha("t"),
    commit=CommitSha("c"),
    question=None,
    asked_at=WHEN,
    is_approved=False,
    answered_by="ann",
    answered_at=WHEN + timedelta(minutes=5),
)


def step(name: StepName, status: StepStatus = StepStatus.FAILED) -> StepRow:
    return StepRow(step=name, role=None, status=status, visits=1, attempts=1, last_verdict=None)


@pytest.fixture(autouse=True)
def failed(queries: FakeQueries, records: Records) -> None:
    del records
    queries.rows[0] = replace(queries.rows[0], status=RunStatus.FAILED, outcome=LOOP)
    queries.visited = (step(BUILD), step(TEST), step(REVIEW))


def cause(records: Records) -> CauseView:
    found = find_cause(records, show_run(records, "r1a"))
    assert found is not None
    return found


def red(
    records: Records, output: str, verdict: Verdict = Verdict.FAILED, *, code: int | None = 1
) -> None:
    printed = records.artifacts.put(output)
    row = replace(LINT, gate="test", verdict=verdict, output=printed, ended_at=WHEN, exit_code=code)
    assert isinstance(records.queries, FakeQueries)
    records.queries.judged.append(replace(row, reason=f"The command exited with code {code}."))


@pytest.mark.parametrize("code", [0, None])
def test_output_is_quoted_only_where_the_command_failed(records: Records, code: int | None) -> None:
    red(records, "Ran 0 tests in 0.000s\n\nOK", code=code)
    assert cause(records).line == f"gate test failed: The command exited with code {code}."


@pytest.mark.parametrize(
    ("output", "line"),
    [
        ("FAILED t.py::test_a - assert 1 == 2", "FAILED t.py::test_a - assert 1 == 2"),
        ("FAILED t.py::test_b - KeyError: 'x'", "FAILED t.py::test_b - KeyError: 'x'"),
        ("ModuleNotFoundError: No module named 'x'", "ModuleNotFoundError: No module named 'x'"),
        ("sh: tox: not found", "sh: tox: not found"),
        ("", "The command exited with code 1."),
    ],
)
def test_runs_that_end_in_a_loop_tell_their_causes_apart(
    records: Records, queries: FakeQueries, output: str, line: str
) -> None:
    red(records, output)
    queries.tried.append(replace(TRIED, ended_at=WHEN + timedelta(minutes=1)))
    assert cause(records).line == f"gate test failed: {line}"
    assert cause(records).gate == "test"


def test_a_finding_says_more_than_what_was_printed(records: Records, queries: FakeQueries) -> None:
    found = [
        {"rule": "note", "message": "By the way", "severity": "note"},
        {"rule": "deleted", "message": "The test is gone", "file": "t.py", "line": 3},
        {"rule": "skipped", "message": "The test is skipped"},
    ]
    report = records.artifacts.put(json.dumps(found))
    queries.judged.append(replace(LINT, verdict=Verdict.FAILED, report=report, ended_at=WHEN))
    said = "gate lint failed: t.py:3: The test is gone (deleted) (and 1 more)"
    assert cause(records).line == said


def test_a_crashed_worker_shows_its_last_lines_made_harmless(
    records: Records, queries: FakeQueries
) -> None:
    red(records, "FAILED t.py::test_a")
    text = records.artifacts.put("".join(f"line {n}\n\n" for n in range(20)) + "\x1b[2Jboom\n")
    later = replace(CRASHED, transcript=text, ended_at=WHEN + timedelta(minutes=1))
    queries.tried.append(later)
    found = cause(records)
    assert found.line == "implementer with agent failed: The worker exited with code 3."
    assert (len(found.printed), found.printed[-1]) == (8, "boom")
    answer = records.artifacts.put('{"status": "FAILED", "summary": "too hard"}')
    queries.tried.append(replace(later, reason=None, answer=answer))
    assert cause(records).line == "implementer with agent failed: too hard"


def test_what_was_mended_later_is_no_cause(records: Records, queries: FakeQueries) -> None:
    red(records, "FAILED t.py::test_a")
    queries.visited = (step(BUILD), step(TEST, StepStatus.PASSED))
    queries.tried += [CRASHED, replace(TRIED, attempt=2)]
    assert find_cause(records, show_run(records, "r1a")) is None


def test_a_reviewers_first_issue_is_told(records: Records, queries: FakeQueries) -> None:
    issues = [{"file": "calc.py", "line": 2, "message": "Take\nmany numbers"}, {"message": "no"}]
    answer = records.artifacts.put(json.dumps({"issues": issues, "summary": "No."}))
    review = replace(TRIED, step=REVIEW, role="reviewer", said="REJECTED", answer=answer)
    queries.tried.append(review)
    said = "reviewer with agent answered REJECTED: calc.py:2: Take many numbers"
    assert cause(records).line == said


@pytest.mark.parametrize(
    ("reason", "line"),
    [
        (ApprovalReason.HUMAN_GATE, "ann said no at step implement: Not so."),
        (
            ApprovalReason.BLOCKED,
            "implementer with agent failed: The worker exited with code 3."
            " ann said no at step implement: Not so.",
        ),
    ],
)
def test_a_persons_words_are_told(
    records: Records, queries: FakeQueries, reason: ReasonWord, line: str
) -> None:
    queries.tried.append(CRASHED)
    note = records.artifacts.put("Not so.")
    queries.asked.append(replace(REFUSED, reason=reason, note=note))
    assert cause(records).line == line


def test_behind_a_breaker_stands_the_failure_of_another_run(
    records: Records, queries: FakeQueries
) -> None:
    outcome = Outcome(kind=OutcomeKind.CIRCUIT_OPEN, reason="It failed too often.")
    queries.rows[0] = replace(queries.rows[0], outcome=outcome)
    assert find_cause(records, show_run(records, "r1a")) is None
    counted = FailureCounted(breaker="implement/implementer/agent", run=RunId("r1b"), at=WHEN)
    actor = Actor(kind=ActorKind.RUNTIME, id="test", via="test", verified=True)
    new = (NewEvent(event=counted, actor=actor),)
    append = StreamAppend(stream=PROJECT_STREAM, expected=0, events=new)
    records.log.append(Batch(appends=(append,)))
    queries.elsewhere[RunId("r1b")] = [CRASHED]
    assert cause(records).line == "implementer with agent failed: The worker exited with code 3."


def test_an_answer_that_is_gone_is_no_obstacle(records: Records, queries: FakeQueries) -> None:
    gone = ArtifactHash("0" * 64)
    queries.tried.append(replace(TRIED, said="FAILED", answer=gone))
    assert cause(records).line == "implementer with agent answered FAILED:"


def test_a_run_that_did_not_fail_has_no_cause(records: Records) -> None:
    red(records, "FAILED t.py::test_a")
    assert find_cause(records, show_run(records, "r1b")) is None

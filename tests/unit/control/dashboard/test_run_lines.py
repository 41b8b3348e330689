"""A run in one line, and the lines that are wanted."""

from datetime import timedelta

import pytest
from tests.unit.control.asked_run import ASKED
from tests.unit.control.run_rows import MOMENT, FakeQueries, queries, records, run_row

from supervisor_ai.control.dashboard.run_lines import RunLine, RunLines, read_line, select_lines
from supervisor_ai.control.ports.queries import OwnerRow
from supervisor_ai.control.records import Records
from supervisor_ai.domain.ids import RunId
from supervisor_ai.domain.run.approvals.policy import ApprovalAction, RiskLevel
from supervisor_ai.domain.run.status import Outcome, OutcomeKind, RunStatus
from supervisor_ai.domain.run.values import ApprovalReason, ReasonWord
from supervisor_ai.domain.structs import replace

__all__ = ["queries", "records"]


@pytest.fixture(autouse=True)
def _driven(records: Records, queries: FakeQueries) -> None:
    del records  # It fills the rows.
    alive = OwnerRow(owner="ann", epoch=1, is_alive=True)
    queries.driven.update({row.id: alive for row in queries.rows})


def line_of(records: Records, queries: FakeQueries, **changes: object) -> RunLine:
    queries.rows[0] = replace(queries.rows[0], **changes)  # type: ignore[arg-type]
    return read_line(records, queries.rows[0])


def test_a_running_run(records: Records, queries: FakeQueries) -> None:
    line = line_of(records, queries)
    assert (line.id, line.task, line.word, line.at) == ("r1a", "Task of r1a", "running", "test")
    assert (line.level, line.waits, line.needs_person, line.ended_at) == (None, None, False, None)


def test_a_run_that_nobody_drives(records: Records, queries: FakeQueries) -> None:
    queries.driven.clear()
    assert line_of(records, queries).word == "interrupted"


def test_a_run_that_has_ended(records: Records, queries: FakeQueries) -> None:
    outcome = Outcome(kind=OutcomeKind.GATE_FAILED, reason="No.")
    line = line_of(records, queries, status=RunStatus.FAILED, outcome=outcome)
    assert (line.word, line.at, line.ended_at) == ("failed", "gate_failed", MOMENT)


@pytest.mark.parametrize(
    ("reason", "words"),
    [
        (ApprovalReason.HUMAN_GATE, "the workflow asks a person here"),
        (ApprovalReason.RISK, "the approval policy wants people to decide about this change"),
        (ReasonWord("from a newer version"), "a person is asked"),
    ],
)
def test_a_run_that_asks_a_person(
    records: Records, queries: FakeQueries, reason: ReasonWord, words: str
) -> None:
    queries.asked = [replace(ASKED, reason=reason, level=RiskLevel.HIGH)]
    line = line_of(records, queries, status=RunStatus.WAITING, waits_for="an approval")
    assert (line.needs_person, line.waits, line.level) == (True, words, RiskLevel.HIGH)
    assert not line.can_lapse
    assert not line_of(records, queries, status=RunStatus.RUNNING).needs_person


def test_a_run_that_goes_on_unless_somebody_objects(records: Records, queries: FakeQueries) -> None:
    queries.asked = [replace(ASKED, action=ApprovalAction.NOTIFY_AND_TIMEOUT)]
    line = line_of(records, queries, status=RunStatus.WAITING)
    assert line.needs_person
    assert line.can_lapse


def test_a_run_that_waits_for_something_else(records: Records, queries: FakeQueries) -> None:
    line = line_of(records, queries, status=RunStatus.WAITING, waits_for="a\x1b[2J timer")
    assert (line.needs_person, line.waits) == (False, "a timer")


def test_who_asks_stands_first_the_riskiest_before_the_oldest(
    records: Records, queries: FakeQueries
) -> None:
    lines = RunLines(records, limit=10)
    queries.asked = [replace(ASKED, level=RiskLevel.LOW)]
    queries.rows[1] = replace(queries.rows[1], status=RunStatus.WAITING)
    queries.rows[2] = replace(queries.rows[2], status=RunStatus.WAITING)
    lines.refresh()
    assert [line.id for line in lines.lines] == ["r1b", "r2c", "r1a"]
    queries.asked = [replace(ASKED, level=RiskLevel.CRITICAL)]
    lines.update([RunId("r2c")])
    assert [line.id for line in lines.lines] == ["r2c", "r1b", "r1a"]
    queries.asked = [replace(ASKED, level=RiskLevel.LOW, asked_at=MOMENT - timedelta(days=900))]
    lines.update([RunId("r1b")])
    assert [line.id for line in lines.lines] == ["r2c", "r1b", "r1a"]


def test_no_more_than_so_many_lines_are_kept(records: Records, queries: FakeQueries) -> None:
    lines = RunLines(records, limit=2)
    lines.refresh()
    assert ([line.id for line in lines.lines], lines.total) == (["r1a", "r1b"], 3)
    task = records.artifacts.put("New")
    queries.rows.insert(0, run_row("r9z", task))
    lines.update([RunId("r9z"), RunId("gone")])
    assert ([line.id for line in lines.lines], lines.total) == (["r9z", "r1a"], 4)


def test_lines_are_found_by_words_and_status(records: Records) -> None:
    lines = RunLines(records, limit=10)
    lines.refresh()
    assert [it.id for it in select_lines(lines.lines, words="TASK 2c")] == ["r2c"]
    assert select_lines(lines.lines, words="nowhere") == ()
    assert len(select_lines(lines.lines, statuses=frozenset({"running"}))) == 3
    assert select_lines(lines.lines, statuses=frozenset({"failed"})) == ()

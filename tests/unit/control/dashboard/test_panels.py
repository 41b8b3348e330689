"""What a person is asked, and what speaks for and against it."""

import json

from tests.support.kernel import Kernel, flow, stop, work
from tests.unit.control.asked_run import ASKED
from tests.unit.control.gate_facts import LINT
from tests.unit.control.run_rows import MOMENT, FakeQueries, queries, records

from supervisor_ai.control.dashboard.change_views import notes_of, read_notes
from supervisor_ai.control.dashboard.log_lines import RunLog, Tone
from supervisor_ai.control.dashboard.outputs import last_output
from supervisor_ai.control.dashboard.panels import read_panel
from supervisor_ai.control.ports.queries import AttemptRow, CommentRow
from supervisor_ai.control.records import Records
from supervisor_ai.domain.ids import ArtifactHash, CommitSha, RunId, StepName, TreeSha
from supervisor_ai.domain.run import events as e
from supervisor_ai.domain.run.definition import StepKind
from supervisor_ai.domain.run.gates import Finding, Severity
from supervisor_ai.domain.run.status import AttemptStatus, RunStatus, Verdict
from supervisor_ai.domain.run.values import ApprovalReason, ReasonWord
from supervisor_ai.domain.structs import replace

__all__ = ["queries", "records"]

RUN = RunId("r1a")


def review(role: str, said: str, answer: ArtifactHash | None = None, visit: int = 1) -> AttemptRow:
    return AttemptRow(
        step=StepName("review"),
        visit=visit,
        slot=1,
        attempt=1,
        role=role,
        cli="agent",
        status=AttemptStatus.SUCCEEDED,
        started_at=MOMENT,
        ended_at=MOMENT,
        said=said,
        category=None,
        reason=None,
        prompt=None,
        transcript=None,
        answer=answer,
        snapshot=None,
    )


def asks(queries: FakeQueries) -> None:
    queries.rows[0] = replace(queries.rows[0], status=RunStatus.WAITING)
    queries.asked = [replace(ASKED, reason=ApprovalReason.HUMAN_GATE)]


def test_a_run_that_asks_nothing_has_no_panel(records: Records, queries: FakeQueries) -> None:
    assert read_panel(records, RUN) is None
    assert read_panel(records, RunId("nobody")) is None
    asks(queries)
    assert read_panel(records, RUN) is not None


def test_a_panel_says_what_an_answer_means(records: Records, queries: FakeQueries) -> None:
    asks(queries)
    panel = read_panel(records, RUN)
    assert panel is not None
    assert panel.yes == "the run goes on"
    assert panel.risk is None
    assert not panel.needs_note
    queries.asked = [replace(ASKED, reason=ApprovalReason.FINDINGS)]
    found = read_panel(records, RUN)
    assert found is not None
    assert found.needs_note


def test_each_reviewer_is_heard_as_of_last(records: Records, queries: FakeQueries) -> None:
    asks(queries)
    issues = records.artifacts.put(json.dumps({"issues": [{"a": 1}, {"b": 2}]}))
    queries.tried = [
        review("first", "CHANGES_REQUESTED", issues),
        review("second", "CHANGES_REQUESTED", issues),
        review("first", "APPROVED", records.artifacts.put("no JSON"), visit=2),
        review("worker", "SUCCESS"),
    ]
    panel = read_panel(records, RUN)
    assert panel is not None
    told = [(it.by, it.said, it.is_good, it.remark) for it in panel.reviews]
    assert told == [
        ("first", "APPROVED", True, ""),
        ("second", "CHANGES_REQUESTED", False, "2 issues"),
    ]


def test_findings_and_comments_are_notes_at_lines(records: Records, queries: FakeQueries) -> None:
    asks(queries)
    report = [{"rule": "risk", "message": "Look.", "file": "a.py", "line": 3}]
    queries.judged = [
        replace(LINT, report=records.artifacts.put(json.dumps(report)), verdict=Verdict.FAILED)
    ]
    queries.said = [
        CommentRow(
            number=1,
            step=StepName("commit"),
            visit=1,
            tree=TreeSha("t"),
            file="b.py",
            line=7,
            text=records.artifacts.put("Why?"),
            person="ada",
            made_at=MOMENT,
        )
    ]
    notes = read_notes(records, RUN)
    assert [(it.file, it.line, it.is_comment) for it in notes] == [
        ("a.py", 3, False),
        ("b.py", 7, True),
    ]
    panel = read_panel(records, RUN)
    assert panel is not None
    assert panel.notes == notes


def test_a_finding_without_a_file_has_no_line() -> None:
    minor = Finding(rule="x", message="m", file="a", severity=Severity.NOTE)
    [note] = notes_of([Finding(rule="x", message="m"), minor])
    assert (note.file, note.line, note.is_minor) == ("a", None, True)


def test_the_last_output_is_that_of_who_ended_last(records: Records, queries: FakeQueries) -> None:
    assert last_output(records, RUN, lines=5) == ()
    text = records.artifacts.put("\n".join(f"line {number}" for number in range(20)))
    queries.tried = [replace(review("planner", "COMPLETE"), transcript=text)]
    assert last_output(records, RUN, lines=2) == (
        "── review visit 1 attempt 1, planner",
        "line 18",
        "line 19",
    )
    printed = records.artifacts.put("\x1b[31mE  assert\n")
    queries.judged = [replace(LINT, output=printed, ended_at=MOMENT.replace(year=2031))]
    assert last_output(records, RUN, lines=2)[1:] == ("E  assert",)


def test_a_log_keeps_its_last_lines_and_what_was_spent() -> None:
    kernel = Kernel(None)
    log = RunLog(kept=2)
    run = kernel.submit(flow(work("implement"), stop("commit", StepKind.COMMIT)))
    kernel.drive(run)
    envelopes = kernel.envelopes(run)
    log.take(envelopes)
    log.take(envelopes)
    assert len(log.lines) == 2
    assert log.lines[-1].tone is Tone.GOOD
    assert list(log.spent) == ["implementation"]
    assert log.evidence == ()
    lost = replace(
        envelopes[-1],
        seq=10_000,
        event=e.ApprovalRequested(
            step=StepName("a"),
            visit=1,
            slot=1,
            reason=ReasonWord("from a newer version"),
            tree=TreeSha("t"),
            commit=CommitSha("c"),
            question=None,
        ),
    )
    log.take([lost])
    assert log.lines[-1].words == "ApprovalRequested"

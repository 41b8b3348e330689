"""What a run asks a person, and how the person can answer."""

import json
from collections.abc import Mapping
from datetime import timedelta
from pathlib import Path
from typing import Final

import pytest
from inline_snapshot import snapshot
from tests.unit.control.asked_run import ASKED
from tests.unit.control.gate_facts import LINT, RUN
from tests.unit.control.run_rows import MOMENT, FakeQueries, run_row

from supervisor_ai.cli.invocation import Invocation
from supervisor_ai.cli.run_details import question, wait
from supervisor_ai.cli.tables import labelled
from supervisor_ai.control.dashboard.run_lines import read_line
from supervisor_ai.control.ports.queries import AttemptRow, OwnerRow
from supervisor_ai.control.records import Records
from supervisor_ai.control.run_views import due_words, show_run
from supervisor_ai.domain.ids import CommitSha, StepName
from supervisor_ai.domain.run.approvals.policy import ApprovalAction
from supervisor_ai.domain.run.status import AttemptStatus, RunStatus, Verdict
from supervisor_ai.domain.run.values import ApprovalReason, ReasonWord
from supervisor_ai.domain.structs import replace
from supervisor_ai.drivers.kanban.kinds import UNREADABLE
from supervisor_ai.store.documents import ArtifactDocuments
from supervisor_ai.testing.clock import FakeClock
from supervisor_ai.testing.memory_ledger import MemoryArtifacts, MemoryLedger
from supervisor_ai.tui.pages.blocks import clock
from supervisor_ai.tui.pages.board import waits_words, word_of

HERE: Final = Invocation(directory=Path("/project"))
FINDING: Final = {"rule": "test_deleted", "message": "\x1b[31mGone.\nReally.", "file": "t.py"}


@pytest.fixture
def queries() -> FakeQueries:
    return FakeQueries(asked=[ASKED])


@pytest.fixture
def records(queries: FakeQueries) -> Records:
    artifacts = MemoryArtifacts()
    queries.rows.append(run_row(RUN, artifacts.put("Do it")))
    return Records(
        ledger=Path("state.db"),
        queries=queries,
        log=MemoryLedger(FakeClock(), is_alive=lambda _: True),
        artifacts=artifacts,
        documents=ArtifactDocuments(artifacts),
    )


def asked(records: Records) -> str:
    rows = question(HERE, records, show_run(records, RUN))
    shown = "\n".join(labelled(list(rows)))
    return shown.replace(HERE.command, "supervisor")


def found(records: Records, queries: FakeQueries, *findings: Mapping[str, object]) -> None:
    report = records.artifacts.put(json.dumps(findings))
    failed = replace(LINT, verdict=Verdict.FAILED, report=report, findings=len(findings))
    passed = replace(failed, gate="docs", verdict=Verdict.PASSED)
    elsewhere = replace(failed, visit=2)
    queries.judged += [failed, passed, elsewhere]


def test_findings_are_shown_and_a_yes_needs_a_reason(
    records: Records, queries: FakeQueries
) -> None:
    found(records, queries, FINDING)
    assert asked(records) == snapshot("""\
  waits  for a person at step test, about tree t
  why    a gate found what only a person may accept
  found  gate lint failed:
           t.py: Gone. Really. (test_deleted)
  look   supervisor diff r1
  yes    supervisor approve r1 --note "…"
         → the findings are accepted as they are, for the reason you give
  no     supervisor reject r1 --reason "…"
         → back to the worker with your words\
""")


def test_every_gate_that_a_yes_accepts_is_named(records: Records, queries: FakeQueries) -> None:
    found(records, queries, FINDING)
    output = records.artifacts.put("one\n\n\x1b[31mtwo\n")
    silent = replace(LINT, gate="ci", verdict=Verdict.NOT_RUN, reason="No \x1b[1mcommand.")
    queries.judged += [
        replace(LINT, gate="docs", verdict=Verdict.FAILED, reason="Code 2.", output=output),
        replace(LINT, gate="types", verdict=Verdict.WARNED, reason="Code 1."),
        replace(LINT, gate="again", verdict=Verdict.FAILED, reason="Odd."),
        silent,
        replace(LINT, gate="again", verdict=Verdict.PASSED),
    ]
    shown = asked(records)
    assert shown[shown.index("  found") : shown.index("  look")] == snapshot("""\
  found  gate lint failed:
           t.py: Gone. Really. (test_deleted)
  found  gate docs failed: Code 2.
           │ one
           │ two
  found  gate types failed (it only warns): Code 1.
  found  gate ci could not run: No command.
""")


def test_notes_stand_behind_what_speaks_against_a_change(
    records: Records, queries: FakeQueries
) -> None:
    found(records, queries, {**FINDING, "severity": "note", "line": 1}, {**FINDING, "line": 2})
    shown = asked(records)
    assert shown.index("t.py:2") < shown.index("t.py:1")


def test_of_many_findings_the_first_are_shown(records: Records, queries: FakeQueries) -> None:
    found(records, queries, *[{**FINDING, "line": line} for line in range(1, 53)])
    shown = asked(records)
    assert "t.py:50: Gone. Really. (test_deleted)" in shown
    assert "t.py:51" not in shown
    assert "… and 2 more findings: supervisor logs r1 --gate lint" in shown


def test_where_a_command_failed_its_last_words_are_shown(
    records: Records, queries: FakeQueries
) -> None:
    output = records.artifacts.put("first\n" + "x" * 3_000 + "\n\x1b[1mlast")
    queries.judged[:] = [replace(LINT, verdict=Verdict.FAILED, reason="Code 1.", output=output)]
    shown = asked(records)
    assert "gate lint failed: Code 1." in shown
    assert "xxx\n           │ last\n" in shown
    assert "first" not in shown
    queries.judged.clear()
    queries.asked[:] = [replace(ASKED, question=output)]
    assert "xxx\n         last\n" in asked(records)


@pytest.mark.parametrize(
    ("reason", "lines"),
    [
        (
            ApprovalReason.REVIEW_LOOP,
            snapshot("""\
  waits  for a person at step test, about tree t
  why    reviewers and implementer go round in circles
  asks   The word.
  look   supervisor diff r1
  yes    supervisor approve r1
         → you overrule the reviewers, and the step passes
  no     supervisor reject r1 --reason "…"
         → back to the worker with your words; rounds are counted anew\
"""),
        ),
        (
            ApprovalReason.IMPOSSIBLE_WAIT,
            snapshot("""\
  waits  for a person at step test, about tree t
  why    those who have to agree cannot be had
  asks   The word.
  look   supervisor diff r1
  yes    supervisor approve r1
         → the step passes without them
  no     supervisor reject r1 --reason "…"
         → back to the worker with your words\
"""),
        ),
        (
            ApprovalReason.PULL_REQUEST,
            snapshot("""\
  waits  for a person at step test, about tree t
  why    no pull request could be opened
  asks   The word.
  look   supervisor diff r1
  yes    supervisor approve r1
         → you opened it yourself
  no     supervisor reject r1 --reason "…"
         → the run ends\
"""),
        ),
    ],
)
def test_other_questions_say_what_yes_and_no_mean(
    records: Records, queries: FakeQueries, reason: ReasonWord, lines: str
) -> None:
    words = records.artifacts.put("The \x1b[1mword.")
    queries.asked[:] = [replace(ASKED, reason=reason, question=words)]
    assert asked(records) == lines


@pytest.mark.parametrize("reason", [ApprovalReason.HUMAN_GATE, ApprovalReason.BLOCKED])
def test_plain_questions_need_no_explanation(
    records: Records, queries: FakeQueries, reason: ReasonWord
) -> None:
    queries.asked[:] = [replace(ASKED, reason=reason)]
    assert "→" not in asked(records)


def test_a_run_that_asks_nothing_shows_nothing(records: Records, queries: FakeQueries) -> None:
    queries.rows[0] = replace(queries.rows[0], status=RunStatus.COMPLETED)
    assert asked(records) == ""
    queries.asked[:] = [replace(ASKED, is_approved=True)]
    assert asked(records) == ""


def test_a_kanban_that_cannot_be_read_says_where_to_mend_it(
    records: Records, queries: FakeQueries
) -> None:
    mistakes = records.artifacts.put("tasks/0.md:3: Odd.\ntasks/1.md:4: \x1b[31mOdd.")
    queries.asked[:] = [replace(ASKED, reason=UNREADABLE, question=mistakes)]
    queries.rows[:] = [replace(row, driver="kanban") for row in queries.rows]
    first = "git -C /project branch ai/r1 bbbbbbbbbbbb; change the files there, commit"
    assert first in asked(records), "before anything has landed there is no branch"
    queries.rows[:] = [replace(row, commit=CommitSha("c")) for row in queries.rows]
    assert asked(records) == snapshot("""\
  waits  for a person at step test, about tree t
  why    the kanban's files cannot be read as they are
  asks   tasks/0.md:3: Odd.
         tasks/1.md:4: Odd.
  mend   the files on branch ai/r1, commit, leave the branch; then say yes
  look   supervisor diff r1
  yes    supervisor approve r1
         → you mended the files, and they are read again
  no     supervisor reject r1 --reason "…"
         → the run ends\
""")


def test_a_manager_that_cannot_go_on_says_where_the_files_are(
    records: Records, queries: FakeQueries
) -> None:
    why = records.artifacts.put("Nobody can do it.")
    stuck = replace(ASKED, reason=ApprovalReason.BLOCKED, question=why, step=StepName("manager"))
    queries.asked[:] = [stuck]
    assert "  edit " not in asked(records), "a workflow reads no files again"
    queries.rows[:] = [replace(row, driver="kanban", commit=CommitSha("c")) for row in queries.rows]
    told = asked(records)
    assert "  edit   the files on branch ai/r1, commit, leave the branch; then say yes" in told
    queries.asked[:] = [replace(stuck, step=StepName("architect"))]
    assert "  edit " not in asked(records)


def test_work_that_cannot_land_says_why(records: Records, queries: FakeQueries) -> None:
    why = records.artifacts.put("Somebody else has changed tasks/0.md.")
    queries.asked[:] = [replace(ASKED, reason=ApprovalReason.LANDING, question=why)]
    assert asked(records) == snapshot("""\
  waits  for a person at step test, about tree t
  why    the work could not be put where it belongs
  asks   Somebody else has changed tasks/0.md.
  look   supervisor diff r1
  yes    supervisor approve r1
         → it is tried again
  no     supervisor reject r1 --reason "…"
         → it is done again, from the files as they are now\
""")


def planned(records: Records, queries: FakeQueries, step: str, role: str, answer: object) -> None:
    document = records.artifacts.put(json.dumps(answer))
    queries.tried.append(
        AttemptRow(
            step=StepName(step),
            visit=1,
            slot=1,
            attempt=1,
            role=role,
            cli="agent",
            status=AttemptStatus.SUCCEEDED,
            started_at=MOMENT,
            ended_at=MOMENT,
            said="COMPLETE",
            category=None,
            reason=None,
            prompt=None,
            transcript=None,
            answer=document,
            snapshot=None,
        )
    )


def test_who_approves_a_plan_sees_it(records: Records, queries: FakeQueries) -> None:
    queries.asked = [replace(ASKED, reason=ApprovalReason.HUMAN_GATE)]
    components = [{"id": "login", "files": ["a.py", "b.py"], "depends_on": []}, {}]
    plan = {"status": "COMPLETE", "summary": "Two\nlines", "components": components, "notes": None}
    planned(records, queries, "plan", "planner", {"summary": "the first try"})
    planned(records, queries, "plan", "planner", plan)
    planned(records, queries, "review", "reviewer", {"summary": "\x1b[31mgood"})
    shown = asked(records)
    assert "the first try" not in shown
    assert shown.partition("  plan   ")[2].partition("  yes")[0] == snapshot("""\
plan (planner):
           status: COMPLETE
           summary: Two
             lines
           components:
             - id: login
               files:
                 - a.py
                 - b.py
             -
         review (reviewer):
           summary: good
  look   supervisor diff r1
""")
    planned(records, queries, "implement", "implementer", {"files_created": ["a.py"]})
    assert "  plan   " not in asked(records)


@pytest.mark.parametrize(
    ("until", "owner", "told"),
    [
        (1, "pid 1", "then it goes on by itself"),
        (1, "", "then somebody has to go on with it"),
        (-1, "", "which is over; no process drives it"),
        (-1, "pid 1", "which is over\n"),
    ],
)
def test_a_promise_is_made_only_where_a_process_keeps_it(
    until: int, owner: str, told: str, records: Records, queries: FakeQueries
) -> None:
    due = MOMENT + timedelta(hours=until)
    row = replace(queries.rows[0], status=RunStatus.WAITING, waits_for="a time", waits_until=due)
    queries.rows = [row]
    if owner:
        queries.driven[row.id] = OwnerRow(owner="pid 1", epoch=1, is_alive=True)
    known = replace(records, now=lambda: MOMENT)
    [(_, said)] = wait(known, show_run(known, RUN))
    assert told in f"{said}\n"
    assert due_words("T", is_over=until < 0, is_attended=bool(owner)) in waits_words(
        read_line(known, row)
    )[0].replace(clock(due), "T")


def test_one_word_says_how_a_run_stands_wherever_it_is_shown(
    records: Records, queries: FakeQueries
) -> None:
    queries.rows = [replace(queries.rows[0], status=RunStatus.WAITING)]
    queries.asked = [replace(ASKED, reason=ApprovalReason.HUMAN_GATE)]
    for action, word in ((None, "needs you"), (ApprovalAction.NOTIFY_AND_TIMEOUT, "may object")):
        queries.asked = [replace(queries.asked[0], action=action)]
        assert show_run(records, RUN).standing == word
        assert word_of(read_line(records, queries.rows[0])) == word
    queries.asked = []
    assert show_run(records, RUN).standing == "waiting"
    queries.rows = [replace(queries.rows[0], status=RunStatus.COMPLETED, degraded=True)]
    assert show_run(records, RUN).standing == "completed (degraded)"

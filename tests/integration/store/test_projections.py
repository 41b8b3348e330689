"""The tables that people read: the same whether they grew with the events or were made again."""

from collections.abc import Callable
from datetime import timedelta
from decimal import Decimal
from pathlib import Path

import pytest

from supervisor_ai.control.ports.queries import NoticeStatus, OwnerRow
from supervisor_ai.domain.envelope import NewEvent
from supervisor_ai.domain.ids import (
    ArtifactHash,
    CommitSha,
    RunId,
    StepName,
    StreamId,
    TreeSha,
    run_stream,
)
from supervisor_ai.domain.run import events as e
from supervisor_ai.domain.run.status import (
    AttemptStatus,
    FailureCategory,
    OutcomeKind,
    RunStatus,
    StepStatus,
    Verdict,
)
from supervisor_ai.domain.run.values import ApprovalReason, Base, Process
from supervisor_ai.engine.ports.ledger import Batch, StreamAppend
from supervisor_ai.store.codec import EventCodec
from supervisor_ai.store.ledger import SqliteLedger
from supervisor_ai.store.tables.projections import TABLES, known_tables, rows
from supervisor_ai.testing.histories import read_history
from supervisor_ai.testing.ledger_harness import RUN, StillClock, batch, birth, started

GOLDEN = max((Path(__file__).parents[2] / "histories").glob("*.jsonl"))
DONE, FAILED = RunId("golden-a"), RunId("golden-b")
CANCELLED, CHILD = RunId("golden-c"), RunId("golden-d")
PARENT, FORK = RunId("golden-p"), RunId("golden-f")
SPENDER, GUARDED, KANBAN = RunId("golden-s"), RunId("golden-g"), RunId("golden-kanban")


@pytest.fixture
def rich(ledger: SqliteLedger) -> SqliteLedger:
    """Append the golden history, fact by fact, through the front door."""
    codec = EventCodec()
    for record in read_history(GOLDEN):
        envelope = codec.unseal(record).envelope
        new = NewEvent(event=envelope.event, actor=envelope.actor, cause=envelope.cause)
        stream = StreamId(record.stream)
        append = StreamAppend(stream=stream, expected=record.version - 1, events=(new,))
        ledger.events.append(Batch(appends=(append,)))
    return ledger


def contents(ledger: SqliteLedger) -> dict[str, list[tuple[object, ...]]]:
    with ledger.connection.snapshot() as sql:
        return {table: rows(sql, table) for table in known_tables(sql)}


def test_both_ways_give_the_same_rows(rich: SqliteLedger) -> None:
    grown = contents(rich)
    assert all(grown[table] for table in TABLES), "the history must fill every table"
    count = rich.care.rebuild()
    assert count == rich.events.head().seq
    assert contents(rich) == grown
    rich.care.rebuild()
    assert contents(rich) == grown
    assert rich.care.verify().faults == ()


def test_every_table_is_compared(rich: SqliteLedger) -> None:
    tables = {
        name
        for (name,) in rich.connection.query("SELECT name FROM sqlite_master WHERE type='table'")
    }
    beside = {"events", "leases", "letters", "wakes", "states", "anchors"}
    with rich.connection.transaction() as sql:
        assert tables - set(known_tables(sql)) == beside


def test_runs_are_listed_newest_first(rich: SqliteLedger) -> None:
    listed, total = rich.queries.runs(limit=60)
    names = [row.id for row in listed]
    assert names.index(KANBAN) + 1 == names.index(GUARDED)
    assert names[-1] == DONE
    assert len(names) == total
    assert [row.id for row in rich.queries.runs(limit=2)[0]] == names[:2]


def test_a_run_tells_how_it_ended(rich: SqliteLedger) -> None:
    done = rich.queries.run(DONE)
    assert done is not None
    assert (done.status, done.driver, done.workflow) == (
        RunStatus.COMPLETED,
        "workflow",
        "golden",
    )
    assert done.outcome is not None
    assert done.outcome.kind is OutcomeKind.DONE
    assert isinstance(done.base, Base)
    assert done.commit is not None
    assert done.branch == "ai/golden-a-golden"
    assert not done.degraded
    parent = rich.queries.run(PARENT)
    child = rich.queries.run(CHILD)
    assert parent is not None
    assert child is not None
    assert parent.degraded
    assert (child.parent, child.root) == (PARENT, PARENT)
    assert child.status is RunStatus.CANCELLED


def test_usage_is_added_up_exactly(rich: SqliteLedger) -> None:
    done = rich.queries.run(DONE)
    assert done is not None
    answered = [attempt for attempt in rich.queries.attempts(DONE) if attempt.answer]
    assert done.usage.cost == len(answered) * Decimal("0.07")
    assert done.usage.tokens_in == len(answered) * 100
    assert done.usage.estimated


def test_a_run_was_updated_when_its_last_event_came(
    ledger: SqliteLedger, clock: StillClock
) -> None:
    ledger.events.append(batch(run_stream(RUN), 0, birth()))
    born = clock.now()
    clock.advance(timedelta(minutes=1))
    ledger.events.append(batch(run_stream(RUN), 1, started()))
    row = ledger.queries.run(RUN)
    assert row is not None
    assert (row.created_at, row.updated_at) == (born, clock.now())


def test_steps_come_in_the_order_of_their_first_visit(rich: SqliteLedger) -> None:
    steps = rich.queries.steps(DONE)
    assert [(step.step, step.visits, step.attempts, step.last_verdict) for step in steps] == [
        ("plan", 1, 1, "COMPLETE"),
        ("implement", 2, 4, "PARTIAL"),
        ("test", 2, 0, "passed"),
        ("review", 1, 1, "APPROVED"),
        ("approve", 1, 0, "approved"),
        ("commit", 1, 0, None),
    ]
    assert {step.status for step in steps} == {StepStatus.PASSED}
    assert [step.role for step in steps][:3] == ["coder", "coder", None]


def test_attempts_tell_what_came_of_them(rich: SqliteLedger) -> None:
    first, second, third = rich.queries.attempts(DONE)[1:4]
    assert (first.status, first.category) == (AttemptStatus.FAILED, FailureCategory.PARSING)
    assert (first.reason, first.answer) == ("The output has no JSON.", None)
    assert (second.status, second.category) == (AttemptStatus.FAILED, FailureCategory.LOGIC)
    assert (third.status, third.category) == (AttemptStatus.SUCCEEDED, None)
    assert third.snapshot is not None
    assert third.ended_at is not None
    assert all(attempt.prompt and attempt.transcript for attempt in (first, second, third))
    assert [attempt.status for attempt in rich.queries.attempts(FAILED)] == [
        AttemptStatus.LOST,
        AttemptStatus.SUCCEEDED,
    ]


def test_gates_tell_what_they_said(rich: SqliteLedger) -> None:
    assert [gate.verdict for gate in rich.queries.gates(DONE)] == [Verdict.FAILED, Verdict.PASSED]
    lost, warned = rich.queries.gates(FAILED)
    assert (lost.verdict, lost.output) == (Verdict.NOT_RUN, None)
    assert lost.reason == "Its owner died before the gate ended."
    assert warned.verdict is Verdict.WARNED
    (stopped,) = rich.queries.gates(CHILD)
    assert (stopped.verdict, stopped.ended_at is None) == (Verdict.NOT_RUN, False)


def test_approvals_tell_who_answered(rich: SqliteLedger) -> None:
    (given,), (refused,) = rich.queries.approvals(DONE), rich.queries.approvals(FAILED)
    assert (given.is_approved, given.answered_by) == (True, "ada")
    assert (refused.is_approved, refused.answered_by) == (False, "ada")


def test_an_answer_belongs_to_the_last_question(ledger: SqliteLedger) -> None:
    question = e.ApprovalRequested(
        step=StepName("plan"),
        visit=1,
        reason=ApprovalReason.BLOCKED,
        tree=TreeSha("t"),
        commit=CommitSha("c"),
        question=None,
    )
    given = e.ApprovalGiven(step=StepName("plan"), visit=1, tree=TreeSha("t"), note=None)
    refused = e.ApprovalRefused(
        step=StepName("plan"), visit=1, tree=TreeSha("t"), note=ArtifactHash("n")
    )
    ledger.events.append(
        batch(run_stream(RUN), 0, birth(), question, given, question, refused, question)
    )
    answers = [row.is_approved for row in ledger.queries.approvals(RUN)]
    assert answers == [True, False, None]


def test_the_end_of_a_run_ends_what_was_under_way(rich: SqliteLedger) -> None:
    assert [step.status for step in rich.queries.steps(CANCELLED)] == [StepStatus.CANCELLED]
    assert [attempt.status for attempt in rich.queries.attempts(CANCELLED)] == [
        AttemptStatus.CANCELLED
    ]
    forked = rich.queries.steps(FORK)
    assert {step.status for step in forked} == {StepStatus.FAILED}
    assert rich.queries.attempts(FORK)[-1].status is AttemptStatus.LOST
    timers = rich.connection.query("SELECT run, timer, status FROM timers ORDER BY 1")
    assert timers == [
        (DONE, "deadline", "cancelled"),
        (CANCELLED, "deadline", "cancelled"),
        (PARENT, "pause", "fired"),
    ]


def test_what_runs_share_can_be_read_with_plain_sql(rich: SqliteLedger) -> None:
    permits = rich.connection.query("SELECT permit, run, status, places FROM permits")
    assert permits == [
        ("heavy", PARENT, "released", 1),
        ("kanban:tasks/0-kanban.md", KANBAN, "released", None),
    ]
    children = rich.connection.query("SELECT parent, child, status, outcome FROM children")
    assert children == [(PARENT, CHILD, "cancelled", "cancelled")]


def test_runs_are_found_by_the_beginning_of_their_names(rich: SqliteLedger) -> None:
    assert len(rich.queries.matching("golden")) == rich.queries.runs(limit=1)[1]
    assert rich.queries.matching("golden-a") == [DONE]
    assert rich.queries.matching("%") == []
    assert rich.queries.run(RunId("golden")) is None


def test_the_owner_of_a_run_is_known(ledger: SqliteLedger) -> None:
    process = Process(boot="boot", pid=1, started=1)
    assert ledger.queries.owner(RUN) is None
    lease = ledger.leases.acquire(RUN, owner="ada@host", process=process, ttl=timedelta(seconds=9))
    assert ledger.queries.owner(RUN) == OwnerRow(owner="ada@host", epoch=1, is_alive=True)
    ledger.leases.release(lease)
    assert ledger.queries.owner(RUN) is None


def test_a_dead_owner_is_named_as_dead(
    ledger: SqliteLedger, open_here: Callable[[Path], SqliteLedger]
) -> None:
    process = Process(boot="boot", pid=1, started=1)
    other = open_here(ledger.connection.path.parent)
    other.leases.acquire(RUN, owner="eve@host", process=process, ttl=timedelta(seconds=9))
    other.close()
    assert ledger.queries.owner(RUN) == OwnerRow(owner="eve@host", epoch=1, is_alive=False)


def test_false_claims_are_counted_by_role_and_agent(rich: SqliteLedger) -> None:
    rows = {(row.role, row.cli): row for row in rich.queries.claims()}
    coder = rows["coder", "agent"]
    assert (coder.refuted, coder.files, coder.tests, coder.commits) == (1, 1, 2, 0)
    assert coder.attempts > coder.refuted


def test_a_gate_has_its_findings(rich: SqliteLedger) -> None:
    [gate] = rich.queries.gates(GUARDED)
    assert (gate.gate, gate.findings, gate.tests, gate.is_reused) == ("claims", 3, 5, False)
    assert gate.report is not None


def test_what_people_were_told_is_known(rich: SqliteLedger) -> None:
    dropped, failed, delivered = rich.queries.notices(limit=10)
    assert [it.status for it in (dropped, failed, delivered)] == [
        NoticeStatus.DROPPED,
        NoticeStatus.FAILED,
        NoticeStatus.DELIVERED,
    ]
    assert (delivered.run, delivered.channels) == (RunId("golden-n"), ("tui",))
    assert delivered.reason == "It did not answer."
    assert (failed.channels, failed.reason) == (("slack", "tui"), "No channel took it.")
    assert failed.ended_at is not None
    assert not any(it.is_current for it in (dropped, failed, delivered))
    assert rich.queries.notices(limit=1) == [dropped]
    assert rich.queries.notices(DONE, limit=10) == []

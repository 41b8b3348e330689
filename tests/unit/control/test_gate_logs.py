"""What a gate printed, found and told, as logs show it."""

import json
from pathlib import Path

import pytest
from tests.unit.control.gate_facts import LINT, RUN, TEST, WHEN
from tests.unit.control.run_rows import STEPS, FakeQueries, run_row

from supervisor_ai.control.ports.queries import ApprovalRow
from supervisor_ai.control.queries.logs import LogFilter, LogKind, read_logs
from supervisor_ai.control.records import Records
from supervisor_ai.domain.errors import NotFound
from supervisor_ai.domain.ids import CommitSha, TreeSha
from supervisor_ai.domain.run.gates import Finding
from supervisor_ai.domain.run.status import Verdict
from supervisor_ai.domain.run.values import ApprovalReason
from supervisor_ai.domain.structs import replace
from supervisor_ai.store.documents import ArtifactDocuments
from supervisor_ai.testing.clock import FakeClock
from supervisor_ai.testing.memory_ledger import MemoryArtifacts, MemoryLedger


@pytest.fixture
def records() -> Records:
    artifacts = MemoryArtifacts()
    found = artifacts.put(json.dumps([{"rule": "test_deleted", "message": "Gone."}]))
    judged = replace(
        LINT,
        gate="test_integrity",
        verdict=Verdict.FAILED,
        reason="1 thing was found.",
        output=artifacts.put("printed"),
        report=found,
        feedback=artifacts.put("Put it back."),
        findings=1,
        ended_at=WHEN,
    )
    asked = ApprovalRow(
        step=TEST,
        visit=1,
        reason=ApprovalReason.FINDINGS,
        tree=TreeSha("t"),
        commit=CommitSha("c"),
        question=found,
        asked_at=WHEN,
        is_approved=None,
        answered_by=None,
        answered_at=None,
    )
    queries = FakeQueries(
        rows=[run_row(RUN, artifacts.put("Do it"))], asked=[asked], judged=[LINT, judged]
    )
    return Records(
        ledger=Path("state.db"),
        queries=queries,
        log=MemoryLedger(FakeClock(), is_alive=lambda _: True),
        artifacts=artifacts,
        documents=ArtifactDocuments(artifacts),
    )


def test_a_gate_shows_what_it_printed_found_and_told(records: Records) -> None:
    [entry] = read_logs(records, RUN, LogFilter(gate="test_integrity"))
    assert (entry.kind, entry.by, entry.status) == (LogKind.GATE, "test_integrity", "failed")
    assert (entry.came_back, entry.feedback) == ("printed", "Put it back.")
    assert entry.findings == (Finding(rule="test_deleted", message="Gone."),)


def test_a_gate_that_is_under_way_has_nothing_to_show_yet(records: Records) -> None:
    [entry] = read_logs(records, RUN, LogFilter(gate="lint", step="test", visit=1))
    assert (entry.status, entry.came_back, entry.findings) == ("started", None, ())
    assert read_logs(records, RUN, LogFilter(gate="lint", visit=2)) == ()


def test_without_a_filter_everything_is_there(records: Records) -> None:
    entries = read_logs(records, RUN, LogFilter())
    assert [entry.kind for entry in entries] == [LogKind.GATE, LogKind.GATE, LogKind.APPROVAL]
    asked = entries[-1]
    assert (asked.status, asked.reason, asked.sent) == ("waiting", "findings", None)
    assert asked.findings == (Finding(rule="test_deleted", message="Gone."),)


def test_a_gate_that_did_not_run_is_said_with_the_nearest_one(records: Records) -> None:
    assert [step.step for step in STEPS] == ["plan", "test"]
    with pytest.raises(NotFound, match="gates that ran: lint, test_integrity") as error:
        read_logs(records, RUN, LogFilter(gate="lnt"))
    assert error.value.hint == "Did you mean 'lint'?"
    with pytest.raises(NotFound, match="No gate 'zzz' has run in 'r1'") as error:
        read_logs(records, RUN, LogFilter(gate="zzz"))
    assert error.value.hint is None

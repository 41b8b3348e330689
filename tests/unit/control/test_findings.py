"""What gates found, read back from where it was kept."""

import json
from pathlib import Path
from typing import Final

import pytest
from tests.unit.control.run_rows import FakeQueries

from supervisor_ai.control.queries.findings import read_findings
from supervisor_ai.control.records import Records
from supervisor_ai.domain.run.gates import Finding, Severity
from supervisor_ai.store.documents import ArtifactDocuments
from supervisor_ai.testing.clock import FakeClock
from supervisor_ai.testing.memory_ledger import MemoryArtifacts, MemoryLedger

WHOLE: Final = {
    "rule": "test_deleted",
    "message": "It is gone.",
    "file": "tests/test_a.py",
    "line": 3,
    "subject": "test_a",
    "severity": "note",
}


@pytest.fixture
def records() -> Records:
    artifacts = MemoryArtifacts()
    return Records(
        ledger=Path("state.db"),
        queries=FakeQueries(),
        log=MemoryLedger(FakeClock(), is_alive=lambda _: True),
        artifacts=artifacts,
        documents=ArtifactDocuments(artifacts),
    )


def read(records: Records, text: str) -> tuple[Finding, ...]:
    return read_findings(records, records.artifacts.put(text))


def test_findings_come_back_as_they_were_kept(records: Records) -> None:
    assert read(records, json.dumps([WHOLE, {"rule": "odd", "message": "Odd."}])) == (
        Finding(
            rule="test_deleted",
            message="It is gone.",
            file="tests/test_a.py",
            line=3,
            subject="test_a",
            severity=Severity.NOTE,
        ),
        Finding(rule="odd", message="Odd."),
    )


def test_no_report_has_no_findings(records: Records) -> None:
    assert read_findings(records, None) == ()


def test_an_erased_report_has_no_findings(records: Records) -> None:
    report = records.artifacts.put(json.dumps([WHOLE]))
    records.artifacts.erase(report)
    assert read_findings(records, report) == ()


@pytest.mark.parametrize("text", ["", "no JSON", "{}", "3", "null", '["a", 1]', "[" * 100_000])
def test_what_is_no_report_has_no_findings(records: Records, text: str) -> None:
    assert read(records, text) == ()


def test_values_of_another_kind_are_left_out(records: Records) -> None:
    [found] = read(records, json.dumps([{**WHOLE, "file": 3, "line": "3", "severity": "odd"}]))
    assert (found.file, found.line, found.severity) == (None, None, Severity.ERROR)

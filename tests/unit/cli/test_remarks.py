"""What a run passed in spite of."""

from pathlib import Path
from typing import Final

import pytest
from tests.unit.control.gate_facts import LINT, RUN, WHEN
from tests.unit.control.run_rows import FakeQueries, run_row

from supervisor_ai.cli.run_details import count_of_tests, remarks
from supervisor_ai.control.ports.queries import AttemptRow, GateRow, StepRow
from supervisor_ai.control.records import Records
from supervisor_ai.control.run_views import show_run
from supervisor_ai.domain.ids import CommitSha, StepName
from supervisor_ai.domain.run.definition import KNOWN_RED
from supervisor_ai.domain.run.status import AttemptStatus, RunStatus, StepStatus, Verdict
from supervisor_ai.domain.structs import replace
from supervisor_ai.store.documents import ArtifactDocuments
from supervisor_ai.testing.clock import FakeClock
from supervisor_ai.testing.memory_ledger import MemoryArtifacts, MemoryLedger

REVIEW: Final = StepName("review")
DONE: Final = tuple(
    StepRow(step=step, role=None, status=status, visits=1, attempts=0, last_verdict=None)
    for step, status in (
        (LINT.step, StepStatus.PASSED),
        (REVIEW, StepStatus.PASSED),
        (StepName("ci"), StepStatus.FAILED),
    )
)


@pytest.fixture
def queries() -> FakeQueries:
    return FakeQueries(visited=DONE)


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


def said(records: Records) -> list[tuple[str, str]]:
    return list(remarks(records, show_run(records, RUN)))


def review(role: str, word: str | None, visit: int = 1, step: StepName = REVIEW) -> AttemptRow:
    return AttemptRow(
        step=step,
        visit=visit,
        slot=1,
        attempt=1,
        role=role,
        cli="me",
        status=AttemptStatus.SUCCEEDED,
        started_at=WHEN,
        ended_at=WHEN,
        said=word,
        category=None,
        reason=None,
        prompt=None,
        transcript=None,
        answer=None,
        snapshot=None,
    )


def test_a_run_without_a_hitch_has_no_remarks(records: Records, queries: FakeQueries) -> None:
    queries.judged += [replace(LINT, verdict=Verdict.PASSED)]
    queries.tried += [review("ada", "APPROVED")]
    assert said(records) == []


def test_gates_that_warned_or_could_not_run_are_named(
    records: Records, queries: FakeQueries
) -> None:
    queries.judged += [
        replace(LINT, gate="types", verdict=Verdict.WARNED, reason="2 mistakes."),
        replace(LINT, verdict=Verdict.WARNED),
        replace(LINT, gate="docs", verdict=Verdict.NOT_RUN, reason="Gone."),
        replace(LINT, visit=2, verdict=Verdict.PASSED),
        replace(LINT, step=StepName("ci"), gate="ci", verdict=Verdict.NOT_RUN),
    ]
    assert said(records) == [
        ("warned", "gate types failed (it only warns): 2 mistakes.\ngate docs could not run: Gone.")
    ]


def test_a_red_gate_that_a_person_accepted_is_named(records: Records, queries: FakeQueries) -> None:
    queries.judged += [replace(LINT, verdict=Verdict.FAILED, reason="1 mistake.")]
    assert said(records) == [("accepted", "gate lint failed: 1 mistake.")]


def test_what_may_be_red_is_repeated_whether_it_was_or_not(
    records: Records, queries: FakeQueries
) -> None:
    excepted = f"{KNOWN_RED}a (m.a), b (forgiven: none). It ran 2 tests."
    queries.judged += [replace(LINT, verdict=Verdict.PASSED, reason=excepted)]
    assert said(records) == [("known red", "lint: a (m.a), b (forgiven: none)")]


CLAIMS = replace(LINT, gate="claims", verdict=Verdict.PASSED)


@pytest.mark.parametrize(
    ("gates", "row"),
    [
        ([CLAIMS], "none were run: workflow standard has no gate that runs any"),
        (
            [CLAIMS, replace(LINT, verdict=Verdict.PASSED)],
            "nobody knows whether any was run: gate lint passed and does not say how many it ran",
        ),
        (
            [CLAIMS, replace(LINT, gate="test", tests=0), replace(LINT, tests=1)],
            "1 test (lint) ran",
        ),
        (
            [replace(LINT, tests=3), replace(LINT, step=REVIEW, tests=9)],
            "9 tests (lint) ran",
        ),
    ],
)
def test_a_change_that_no_test_has_seen_is_said_to_be_so(
    records: Records, queries: FakeQueries, gates: list[GateRow], row: str
) -> None:
    queries.judged += gates
    assert list(count_of_tests(records, show_run(records, RUN))) == []
    done = replace(queries.rows[0], status=RunStatus.COMPLETED, commit=CommitSha("c"))
    queries.rows[0] = done
    assert list(count_of_tests(records, show_run(records, RUN))) == [("tests", row)]


def test_who_was_outvoted_is_named(records: Records, queries: FakeQueries) -> None:
    queries.tried += [
        review("bob", "REJECTED", visit=1),
        review("ada", "CHANGES_REQUESTED", visit=2),
        review("bob", None, visit=2),
        review("bob", "APPROVED", visit=2),
        review("eve", "REJECTED", visit=2),
        review("kim", "REJECTED", step=StepName("ci")),
    ]
    assert said(records) == [("objected", "ada, eve")]

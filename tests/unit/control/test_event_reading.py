"""Reading facts as they come."""

from pathlib import Path

import pytest
from tests.unit.control.run_rows import FakeQueries

from supervisor_ai.control.queries.events import find_pull_request, follow_events, read_events
from supervisor_ai.control.records import Records
from supervisor_ai.domain.ids import PROJECT_STREAM, RunId, StepName, run_stream
from supervisor_ai.domain.project.events import PermitTaken
from supervisor_ai.domain.run.events import PullRequestOpened
from supervisor_ai.store.documents import ArtifactDocuments
from supervisor_ai.testing.clock import FakeClock
from supervisor_ai.testing.ledger_harness import batch, birth, completed, started
from supervisor_ai.testing.memory_ledger import MemoryArtifacts, MemoryLedger

RUN = RunId("r1")


@pytest.fixture
def ledger() -> MemoryLedger:
    return MemoryLedger(FakeClock(), is_alive=lambda _: True)


@pytest.fixture
def records(ledger: MemoryLedger) -> Records:
    artifacts = MemoryArtifacts()
    return Records(
        ledger=Path("state.db"),
        queries=FakeQueries(),
        log=ledger,
        artifacts=artifacts,
        documents=ArtifactDocuments(artifacts),
    )


def test_one_run_or_all_streams_are_read_after_a_cursor(
    records: Records, ledger: MemoryLedger
) -> None:
    ledger.append(batch(run_stream(RUN), 0, birth()))
    ledger.append(batch(PROJECT_STREAM, 0, PermitTaken(permit="gpu", run=RUN)))
    ledger.append(batch(run_stream(RUN), 1, started()))
    assert [it.seq for it in read_events(records, None)] == [1, 2, 3]
    assert [it.seq for it in read_events(records, None, after=1)] == [2, 3]
    assert [it.seq for it in read_events(records, RUN)] == [1, 3]
    assert [it.seq for it in read_events(records, RUN, after=1)] == [3]


def test_following_waits_for_more_and_ends_with_the_run(
    records: Records, ledger: MemoryLedger
) -> None:
    ledger.append(batch(run_stream(RUN), 0, birth()))
    to_come = [started(), completed()]
    pauses = 0

    def pause() -> None:
        nonlocal pauses
        pauses += 1
        ledger.append(batch(run_stream(RUN), pauses, to_come[pauses - 1]))

    seen = [it.type for it in follow_events(records, RUN, pause=pause)]
    assert seen == ["RunSubmitted", "RunStarted", "RunCompleted"]
    assert pauses == 2


def test_following_an_ended_run_from_its_end_returns_at_once(
    records: Records, ledger: MemoryLedger
) -> None:
    ledger.append(batch(run_stream(RUN), 0, birth(), started(), completed()))

    def pause() -> None:
        pytest.fail("There is nothing to wait for.")

    assert list(follow_events(records, RUN, after=3, pause=pause)) == []


def test_following_everything_goes_on_after_a_run_has_ended(
    records: Records, ledger: MemoryLedger
) -> None:
    ledger.append(batch(run_stream(RUN), 0, birth(), started(), completed()))

    def pause() -> None:
        taken = PermitTaken(permit="gpu", run=RUN)
        ledger.append(batch(PROJECT_STREAM, 0, taken))

    events = follow_events(records, None, pause=pause)
    assert [next(events).seq for _ in range(4)] == [1, 2, 3, 4]


def test_the_last_pull_request_of_a_run_is_found(records: Records, ledger: MemoryLedger) -> None:
    ledger.append(batch(run_stream(RUN), 0, birth()))
    assert find_pull_request(records, RUN) is None
    opened = [
        PullRequestOpened(step=StepName("offer"), visit=number, url=f"https://forge/{number}")
        for number in (1, 2)
    ]
    ledger.append(batch(run_stream(RUN), 1, *opened))
    assert find_pull_request(records, RUN) == "https://forge/2"

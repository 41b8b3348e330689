"""Today's code reads, verifies and folds the ledgers of every release."""

from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path

import pytest
from tests.histories import record

from supervisor_ai.control.ports.queries import FaultKind
from supervisor_ai.control.slices import own_events, stream_kind
from supervisor_ai.domain.envelope import Envelope
from supervisor_ai.domain.ids import RunId, StreamId, run_stream, stream_run, stream_session
from supervisor_ai.domain.project.project import Project
from supervisor_ai.domain.project.project import evolve as evolve_project
from supervisor_ai.domain.run import run as machine
from supervisor_ai.domain.run.events import RunSubmitted
from supervisor_ai.domain.run.run import Run
from supervisor_ai.domain.run.status import ENDED, RunStatus, StepStatus
from supervisor_ai.domain.run.values import Process
from supervisor_ai.domain.session.session import SessionState
from supervisor_ai.domain.session.session import evolve as evolve_session
from supervisor_ai.drivers.kanban.definition import KanbanDefinition
from supervisor_ai.drivers.moves.state import WorkflowState
from supervisor_ai.drivers.workflow.driver import WorkflowDriver
from supervisor_ai.engine.ports.workspaces import AnchorPoint
from supervisor_ai.store.codec import EVENT_KINDS, Record
from supervisor_ai.store.ledger import SqliteLedger, open_ledger
from supervisor_ai.store.shapes import from_json, to_json
from supervisor_ai.testing.histories import read_history, restore_history, write_history
from supervisor_ai.testing.ledger_harness import StillClock

HERE = Path(__file__).parent
HISTORIES = sorted(HERE.glob("*.jsonl"))
NEWEST = HISTORIES[-1]


class Alone:
    def __init__(self, anchored: AnchorPoint) -> None:
        self._anchored = anchored

    def current(self) -> Process:
        return Process(boot="boot", pid=1, started=1)

    def is_alive(self, process: Process) -> bool:
        return process == self.current()

    def read(self) -> AnchorPoint | None:
        return self._anchored

    def write(self, point: AnchorPoint) -> None:
        self._anchored = point


@pytest.fixture(params=HISTORIES, ids=lambda path: path.stem)
def history(request: pytest.FixtureRequest) -> Path:
    path: Path = request.param
    return path


@pytest.fixture
def ledger(history: Path, tmp_path: Path) -> Iterator[SqliteLedger]:
    records = read_history(history)
    world = Alone(AnchorPoint(seq=records[-1].seq, hash=records[-1].hash))
    opened = open_ledger(tmp_path, clock=StillClock(), processes=world, anchor=world)
    restore_history(opened.connection, records)
    opened.care.rebuild()
    yield opened
    opened.close()


def read_definition(history: Path) -> KanbanDefinition:
    return from_json(history.with_suffix(".definition.json").read_bytes(), KanbanDefinition)


class Fold:
    """Folds run streams as the engine does: a fork begins with a prefix of another stream."""

    def __init__(self, ledger: SqliteLedger, definition: KanbanDefinition) -> None:
        self._ledger = ledger
        self._definition = definition
        self._driver = WorkflowDriver()

    def play(self, run: RunId, upto: int | None = None) -> tuple[Run, WorkflowState]:
        first, *rest = self._ledger.events.read(run_stream(run), upto=upto)
        assert isinstance(first.event, RunSubmitted)
        folded, state = self._begin(run, first.event)
        for envelope in rest:
            folded = machine.evolve(folded, envelope.event)
            state = self._driver.evolve(state, envelope.event)
        return folded, state

    def _begin(self, run: RunId, birth: RunSubmitted) -> tuple[Run, WorkflowState]:
        if birth.fork is None:
            return machine.submit(run, birth), self._driver.begin(birth, self._definition)
        _, state = self.play(birth.fork.run, birth.fork.version)
        return machine.submit(run, birth), self._driver.fork(state)


def runs_of(ledger: SqliteLedger) -> list[RunId]:
    rows, total = ledger.queries.runs(limit=1000)
    assert len(rows) == total
    return [row.id for row in rows]


def test_a_frozen_history_is_never_written_again() -> None:
    for line in record.FROZEN.read_text().splitlines():
        digest, name = line.split()
        assert sha256((HERE / name).read_bytes()).hexdigest() == digest, name


def test_every_history_but_the_newest_is_frozen() -> None:
    frozen = {line.split()[1] for line in record.FROZEN.read_text().splitlines()}
    assert {path.name for path in HISTORIES[:-1]} <= frozen


def test_what_is_recorded_today_is_the_newest_history_byte_for_byte(tmp_path: Path) -> None:
    record.write(NEWEST.stem, tmp_path)
    for name in (NEWEST.name, f"{NEWEST.stem}.definition.json"):
        assert (tmp_path / name).read_bytes() == (HERE / name).read_bytes(), name


def test_the_chain_of_an_old_ledger_holds(ledger: SqliteLedger) -> None:
    found = ledger.care.verify()
    assert found.faults == ()
    assert found.events == ledger.events.head().seq > 100


def test_a_history_is_written_as_it_was_read(
    ledger: SqliteLedger, history: Path, tmp_path: Path
) -> None:
    write_history(ledger.connection, tmp_path / "again.jsonl")
    assert (tmp_path / "again.jsonl").read_bytes() == history.read_bytes()


def test_every_run_of_an_old_ledger_folds(ledger: SqliteLedger, history: Path) -> None:
    fold = Fold(ledger, read_definition(history))
    ends = {run: fold.play(run)[0] for run in runs_of(ledger)}
    assert len(ends) >= 6
    assert {run.status for run in ends.values()} == ENDED
    assert all(run.outcome is not None and not run.open for run in ends.values())


def test_the_project_of_an_old_ledger_folds(ledger: SqliteLedger) -> None:
    project = Project()
    for envelope in ledger.events.read(StreamId("project")):
        project = evolve_project(project, envelope.event)
    assert set(project.holders.values()) == {frozenset()}, "every permit was given back"


def test_the_tables_say_what_the_fold_says(ledger: SqliteLedger, history: Path) -> None:
    fold = Fold(ledger, read_definition(history))
    for name in runs_of(ledger):
        run, state = fold.play(name)
        row = ledger.queries.run(name)
        assert row is not None
        assert (row.status, row.outcome, row.degraded) == (run.status, run.outcome, run.degraded)
        for step in ledger.queries.steps(name):
            told = state.steps[step.step]
            assert (step.visits, step.last_verdict) == (told.visits, told.verdict)
            assert step.status == _after(run.status, told.status)
            if run.birth.fork is None:
                assert step.attempts == told.attempts


def _after(run: RunStatus, step: StepStatus) -> StepStatus:
    """A step that was under way when its run ended shares the run's end."""
    if step not in {StepStatus.RUNNING, StepStatus.WAITING} or run is RunStatus.COMPLETED:
        return step
    return StepStatus(run.value)


def test_the_definition_of_an_old_release_is_read(history: Path) -> None:
    definition = read_definition(history)
    assert next(iter(definition.workflow.steps)) == definition.workflow.initial_step
    assert from_json(to_json(definition), KanbanDefinition) == definition


def test_every_type_of_fact_has_an_example() -> None:
    shown = {record.type for record in read_history(NEWEST)}
    assert {kind.__name__ for kind in (*EVENT_KINDS, *own_events())} - shown == set(), (
        "extend record.py"
    )


def test_a_changed_history_would_be_noticed(ledger: SqliteLedger, history: Path) -> None:
    records = read_history(history)
    changed = records[3]._replace(payload=records[3].payload.replace("golden", "changed"))
    changed = changed if changed != records[3] else records[3]._replace(cause="changed")
    faults = _verify_again(ledger, [*records[:3], changed, *records[4:]])
    assert faults == [4]


def _verify_again(ledger: SqliteLedger, records: list[Record]) -> list[int | None]:
    with ledger.connection.transaction() as sql:
        sql.execute("DROP TRIGGER events_are_never_removed")
        sql.execute("DELETE FROM events")
    restore_history(ledger.connection, records)
    found = ledger.care.verify().faults
    return [fault.seq for fault in found if fault.kind is FaultKind.EVENT]


def test_streams_belong_to_runs_to_sessions_or_to_the_project(ledger: SqliteLedger) -> None:
    envelopes: list[Envelope] = list(ledger.events.read_all())
    streams = {envelope.stream for envelope in envelopes}
    others = {it for it in streams if stream_run(it) is None and stream_session(it) is None}
    assert {it for it in others if stream_kind(it) is None} == {StreamId("project")}


def test_every_stream_of_a_slice_in_an_old_ledger_folds(ledger: SqliteLedger) -> None:
    for stream in {envelope.stream for envelope in ledger.events.read_all()}:
        kind = stream_kind(stream)
        if kind is not None:
            state = kind.fold.kind()
            for envelope in ledger.events.read(stream):
                state = kind.fold.evolve(state, envelope.event)


def test_every_session_of_an_old_ledger_folds(ledger: SqliteLedger) -> None:
    streams = {envelope.stream for envelope in ledger.events.read_all()}
    for stream in filter(stream_session, streams):
        session = SessionState()
        for envelope in ledger.events.read(stream):
            session = evolve_session(session, envelope.event)
        assert session.is_closed

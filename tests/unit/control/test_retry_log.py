"""What the ledger says about failed attempts: expected, received, done."""

from datetime import UTC, datetime
from pathlib import Path
from typing import Final

import pytest
from tests.unit.control.run_rows import FakeQueries

from supervisor_ai.control.queries.logs import LogFilter
from supervisor_ai.control.queries.retry_log import RetryLogKeeper, read_retries
from supervisor_ai.control.records import Records
from supervisor_ai.domain.envelope import Event
from supervisor_ai.domain.errors import NotFound, Unavailable
from supervisor_ai.domain.ids import (
    ArtifactHash,
    CommitSha,
    RunId,
    StepName,
    TimerName,
    TreeSha,
    run_stream,
)
from supervisor_ai.domain.run import events as e
from supervisor_ai.domain.run.answers import AnswerKind, AnswerWord, Meaning
from supervisor_ai.domain.run.definition import Definition, Limits, Role, Step, StepKind, Workflow
from supervisor_ai.domain.run.failures.degradation import Level
from supervisor_ai.domain.run.failures.retries import MoveKind, RetryPolicy
from supervisor_ai.domain.run.failures.retry_notes import RetryEntry
from supervisor_ai.domain.run.spending.budgets import Amount
from supervisor_ai.domain.run.status import FailureCategory, Outcome, OutcomeKind
from supervisor_ai.domain.run.values import ApprovalReason, Snapshot
from supervisor_ai.domain.structs import replace
from supervisor_ai.store.documents import ArtifactDocuments
from supervisor_ai.testing.clock import FakeClock
from supervisor_ai.testing.ledger_harness import batch, birth, completed
from supervisor_ai.testing.memory_ledger import MemoryArtifacts, MemoryLedger

RUN: Final = RunId("r1")
PLAN: Final = StepName("plan")
COMMIT: Final = CommitSha("c" * 40)
TREE: Final = TreeSha("e" * 40)
WHEN: Final = datetime(2030, 1, 1, tzinfo=UTC)
ALL: Final = LogFilter()
PLANNER: Final = Role(
    name="planner",
    description="",
    answer=AnswerKind.PLAN,
    writes=False,
    cli="claude",
    template="",
    fallback=("codex",),
)
STEP: Final = Step(name=PLAN, kind=StepKind.ROLE, role="planner")
STARTED: Final = e.AttemptStarted(
    step=PLAN, visit=1, attempt=1, role="planner", cli="claude", start=COMMIT
)
AGAIN: Final = replace(STARTED, attempt=2)
LAUNCH: Final = e.LaunchRequested(step=PLAN, visit=1, attempt=2, role="planner", cli="claude")
REFUSED: Final = e.LaunchRefused(
    step=PLAN, visit=1, attempt=2, kind=OutcomeKind.CIRCUIT_OPEN, reason="Too often."
)
REST: Final = e.TimerSet(timer=TimerName("rest/plan/1/2/then"), due=WHEN, parks=True)
GONE_WRONG: Final = Outcome(kind=OutcomeKind.WORKER_FAILED, reason="It failed.")


def pinned(step: Step = STEP, role: Role = PLANNER, limits: Limits | None = None) -> Definition:
    return Definition(
        workflow=Workflow(name="w", description="", initial_step=PLAN, steps={PLAN: step}),
        roles={"planner": role},
        clis={},
        gates={},
        limits=limits or Limits(),
        retries={"patient": RetryPolicy(name="patient", max_attempts=9)},
    )


def schema(kind: AnswerWord) -> str:
    return f"the schema of a {kind}"


class Desk:
    """A ledger with one run, to which a test adds facts."""

    def __init__(self, definition: Definition) -> None:
        self.artifacts = MemoryArtifacts()
        self.documents = ArtifactDocuments(self.artifacts)
        self.ledger = MemoryLedger(FakeClock(), is_alive=lambda _: True)
        self.records = Records(
            ledger=Path("state.db"),
            queries=FakeQueries(),
            log=self.ledger,
            artifacts=self.artifacts,
            documents=self.documents,
        )
        self.transcript = self.artifacts.put("I am done.")
        self.feedback = self.artifacts.put("The worker exited with code 1.\n\nIts end.")
        self.answer = self.artifacts.put('{"status": "NEEDS_REFINEMENT"}')
        self.task = self.artifacts.put("Write it.")
        self._version = 0
        self.add(replace(birth(), task=self.task, definition=self.documents.save(definition)))

    def add(self, *events: Event) -> None:
        self.ledger.append(batch(run_stream(RUN), self._version, *events))
        self._version += len(events)

    def failed(self, category: FailureCategory = FailureCategory.PARSING) -> e.AttemptFailed:
        return e.AttemptFailed(
            step=PLAN,
            visit=1,
            attempt=1,
            category=category,
            reason="There is no answer.",
            feedback=self.feedback,
            transcript=self.transcript,
        )

    def undone(self, meaning: Meaning, said: str) -> e.AttemptSucceeded:
        return e.AttemptSucceeded(
            step=PLAN,
            visit=1,
            attempt=1,
            meaning=meaning,
            said=said,
            answer=self.answer,
            feedback=self.feedback,
            transcript=self.transcript,
            snapshot=Snapshot(commit=COMMIT, tree=TREE),
        )

    def read(self, wanted: LogFilter = ALL) -> tuple[RetryEntry, ...]:
        return read_retries(self.records, RUN, wanted, schema)


@pytest.fixture
def desk() -> Desk:
    return Desk(pinned())


def only(entries: tuple[RetryEntry, ...]) -> RetryEntry:
    [entry] = entries
    return entry


def test_a_format_error_is_told_with_the_schema_and_the_output(desk: Desk) -> None:
    desk.add(STARTED, desk.failed(), replace(AGAIN, is_told=False))
    [_, _, ended, _] = desk.ledger.read(run_stream(RUN))
    assert only(desk.read()) == RetryEntry(
        at=ended.recorded_at,
        role="planner",
        task="Write it.",
        attempt=1,
        max_retries=2,
        category=FailureCategory.PARSING,
        move=MoveKind.RETRY_SAME,
        expected="the schema of a plan",
        received="I am done.",
        reason="There is no answer.",
        step="plan",
        visit=1,
        cli="claude",
    )


def test_any_other_failure_is_told_with_what_went_wrong(desk: Desk) -> None:
    desk.add(STARTED, desk.failed(FailureCategory.CLI_ERROR), AGAIN)
    entry = only(desk.read())
    assert entry.expected == "A valid answer with the status COMPLETE."
    assert entry.received == "The worker exited with code 1.\n\nIts end."


def test_work_that_its_worker_calls_unfinished_is_a_retry_too(desk: Desk) -> None:
    desk.add(STARTED, desk.undone(Meaning.REFINE, "NEEDS_REFINEMENT"), AGAIN)
    entry = only(desk.read())
    assert (entry.category, entry.move) == (FailureCategory.LOGIC, MoveKind.RETRY_WITH_FEEDBACK)
    assert entry.reason == "The worker answered NEEDS_REFINEMENT."
    assert entry.received == '{"status": "NEEDS_REFINEMENT"}'


@pytest.mark.parametrize("meaning", [Meaning.PASS, Meaning.REJECT, Meaning.BLOCK])
def test_a_run_whose_attempts_all_ended_well_has_none(desk: Desk, meaning: Meaning) -> None:
    desk.add(STARTED, desk.undone(meaning, "COMPLETE"), completed())
    assert desk.read() == ()


@pytest.mark.parametrize(
    ("later", "move"),
    [
        ((AGAIN,), MoveKind.RETRY_WITH_FEEDBACK),
        ((LAUNCH,), MoveKind.RETRY_WITH_FEEDBACK),
        ((replace(LAUNCH, is_told=False),), MoveKind.RETRY_SAME),
        ((replace(AGAIN, cli="codex", is_told=False),), MoveKind.FAIL_OVER),
        ((replace(AGAIN, level=Level.SIMPLIFIED),), MoveKind.DEGRADE),
        (
            (e.TimerSet(timer=TimerName("park/plan/1/1"), due=WHEN, parks=True), AGAIN),
            MoveKind.PARK,
        ),
        (
            (e.TimerSet(timer=TimerName("retry/plan/1/1"), due=WHEN, parks=False),),
            MoveKind.RETRY_SAME,
        ),
        (
            (e.TimerSet(timer=TimerName("deadline"), due=WHEN, parks=False), AGAIN),
            MoveKind.RETRY_WITH_FEEDBACK,
        ),
        (
            (
                e.ApprovalRequested(
                    step=PLAN,
                    visit=1,
                    reason=ApprovalReason.BLOCKED,
                    tree=TREE,
                    commit=COMMIT,
                    question=None,
                ),
            ),
            MoveKind.ESCALATE,
        ),
        ((e.StepSkipped(step=PLAN, visit=1, reason="Nobody."),), MoveKind.SKIP),
        ((e.StepFailed(step=PLAN, visit=1, reason="Enough."),), MoveKind.GIVE_UP),
        ((e.RunFailed(outcome=GONE_WRONG),), MoveKind.GIVE_UP),
        ((LAUNCH, REFUSED, e.RunFailed(outcome=GONE_WRONG)), MoveKind.GIVE_UP),
        ((LAUNCH, REFUSED, REST), MoveKind.RETRY_WITH_FEEDBACK),
        ((LAUNCH, REFUSED, REST, replace(AGAIN, is_told=False)), MoveKind.RETRY_SAME),
        (
            (LAUNCH, REFUSED, replace(LAUNCH, attempt=3, cli="codex")),
            MoveKind.FAIL_OVER,
        ),
        (
            (LAUNCH, e.LaunchAllowed(step=PLAN, visit=1, attempt=2, amount=Amount()), AGAIN),
            MoveKind.RETRY_WITH_FEEDBACK,
        ),
        ((), None),
        ((e.RunCancelled(outcome=GONE_WRONG),), None),
        ((replace(AGAIN, slot=2), replace(AGAIN, visit=2, attempt=1)), None),
    ],
)
def test_what_was_done_is_read_off_what_followed(
    desk: Desk, later: tuple[Event, ...], move: MoveKind | None
) -> None:
    desk.add(STARTED, desk.failed(), *later)
    assert only(desk.read()).move == move


@pytest.mark.parametrize(
    ("definition", "retries"),
    [
        (pinned(limits=Limits(step_max_retries=7)), 7),
        (pinned(role=replace(PLANNER, max_retries=5), limits=Limits(step_max_retries=7)), 5),
        (pinned(replace(STEP, max_retries=0), role=replace(PLANNER, max_retries=5)), 0),
        (pinned(replace(STEP, retry_policy="conservative")), 1),
        (pinned(replace(STEP, retry_policy="patient")), 8),
        (pinned(replace(STEP, retry_policy="patient", max_retries=2)), 2),
    ],
)
def test_the_most_retries_are_those_of_the_pinned_definition(
    definition: Definition, retries: int
) -> None:
    desk = Desk(definition)
    desk.add(STARTED, desk.failed())
    assert only(desk.read()).max_retries == retries


def test_an_attempt_is_judged_by_the_definition_of_its_time(desk: Desk) -> None:
    newer = desk.documents.save(pinned(replace(STEP, max_retries=1)))
    migrated = e.DefinitionMigrated(previous=ArtifactHash("d" * 64), definition=newer)
    desk.add(STARTED, desk.failed(), migrated, AGAIN, replace(desk.failed(), attempt=2))
    assert [(it.attempt, it.max_retries) for it in desk.read()] == [(1, 2), (2, 1)]


def test_what_was_erased_is_said_to_be_erased(desk: Desk) -> None:
    desk.add(STARTED, desk.failed())
    desk.artifacts.erase(desk.transcript)
    desk.artifacts.erase(desk.task)
    entry = only(desk.read())
    assert (entry.task, entry.received) == ("[erased]", "[erased]")


def test_of_a_long_output_the_end_is_shown(desk: Desk) -> None:
    desk.transcript = desk.artifacts.put("x" * 5_000 + "the end")
    desk.add(STARTED, desk.failed())
    received = only(desk.read()).received
    assert received.startswith("[… 2007 characters left out …]\nx")
    assert received.endswith("the end")


def test_only_the_wanted_attempts_are_told(desk: Desk) -> None:
    desk.add(STARTED, desk.failed(), AGAIN, replace(desk.failed(), attempt=2))
    assert [it.attempt for it in desk.read()] == [1, 2]
    assert [it.attempt for it in desk.read(LogFilter(step="plan", attempt=2))] == [2]
    assert desk.read(LogFilter(step="test")) == ()
    with pytest.raises(NotFound, match="has not visited a step 'plna'"):
        desk.read(LogFilter(step="plna"))


class FullDisk:
    """A place where nothing can be written."""

    def write(self, run: RunId, text: str) -> None:
        raise Unavailable(f"{run} has no space for {text[:17]!r}.", hint="Make some.")

    def remove_all(self) -> None:
        raise Unavailable("Nothing can be removed.")


def test_a_file_that_cannot_be_written_is_told_once() -> None:
    told: list[str] = []
    keeper = RetryLogKeeper(schemas=schema, tell=told.append)
    desk = Desk(pinned())
    records = replace(desk.records, retry_logs=FullDisk())
    keeper.keep(records, RUN)
    assert told == []
    desk.add(STARTED, desk.failed())
    keeper.keep(desk.records, RUN)
    assert told == []
    for _ in range(2):
        keeper.keep(records, RUN)
    assert told == ["r1 has no space for '## Supervisor Log'. Make some."]


def test_the_end_of_an_attempt_that_another_run_began_is_not_of_this_run() -> None:
    desk = Desk(pinned())
    desk.add(desk.failed())
    assert read_retries(desk.records, RUN, LogFilter(), schema) == ()

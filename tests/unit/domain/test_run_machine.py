"""The run's machine: its table, its fold and its small decisions."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta

import pytest

from supervisor_ai.domain.envelope import Event
from supervisor_ai.domain.errors import InternalError
from supervisor_ai.domain.flow import find, is_terminal
from supervisor_ai.domain.ids import (
    ArtifactHash,
    CommitSha,
    LetterKey,
    RunId,
    StepName,
    TimerName,
    TreeSha,
)
from supervisor_ai.domain.notices import NoticeSeverity, NoticeState
from supervisor_ai.domain.run import events as e
from supervisor_ai.domain.run.answers import Meaning
from supervisor_ai.domain.run.approvals.facts import Fact
from supervisor_ai.domain.run.approvals.policy import ApprovalAction, Assessment, RiskLevel
from supervisor_ai.domain.run.effects import SetTimer, timer_intent
from supervisor_ai.domain.run.gates import Health
from supervisor_ai.domain.run.operations import (
    OperationKind,
    UnderWay,
    operation_key,
    operations_of,
)
from supervisor_ai.domain.run.run import (
    RUN_FLOW,
    Ending,
    Run,
    attempt_of,
    cancel_operation,
    cancelled,
    ending_event,
    evolve,
    settle,
    submit,
)
from supervisor_ai.domain.run.spending.budgets import NOTHING
from supervisor_ai.domain.run.status import (
    ENDED,
    FailureCategory,
    Outcome,
    OutcomeKind,
    RunStatus,
    Verdict,
)
from supervisor_ai.domain.run.values import ApprovalReason, Base, Identity, Process, Snapshot
from supervisor_ai.domain.structs import replace
from supervisor_ai.drivers.kanban import events as k
from supervisor_ai.drivers.kanban.board.kanban import Phase
from supervisor_ai.drivers.kanban.events import KANBAN_EVENTS

RUN = RunId("r1")
STEP = StepName("implement")
TEXT = ArtifactHash("text")
COMMIT = CommitSha("c1")
TREE = TreeSha("t1")
NOW = datetime(2030, 1, 1, tzinfo=UTC)
SNAPSHOT = Snapshot(commit=COMMIT, tree=TREE)
DONE = Outcome(kind=OutcomeKind.DONE, reason="Done.")
BIRTH = e.RunSubmitted(
    task=TEXT,
    driver="workflow",
    workflow="standard",
    definition=ArtifactHash("definition"),
    base=Base(ref="main", sha=COMMIT, tree=TREE),
    branch="ai/r1-task",
    identity=Identity(name="A", email="a@example.org"),
    parent=None,
    root=RUN,
)

ATTEMPT = e.AttemptStarted(step=STEP, visit=1, attempt=1, role="r", cli="c", start=COMMIT)
GATE = e.GateStarted(step=STEP, visit=1, gate="test", snapshot=COMMIT)
APPROVAL = e.ApprovalRequested(
    step=STEP,
    visit=1,
    reason=ApprovalReason.HUMAN_GATE,
    tree=TREE,
    commit=COMMIT,
    question=None,
)
LANDING = e.IntegrationStarted(
    step=STEP, visit=1, snapshot=COMMIT, branch="ai/r1-task", expected=None
)
PERMIT = e.PermitRequested(permit="gpu", limit=1)
TIMER = e.TimerSet(timer=TimerName("nap"), due=NOW, parks=True)

LAUNCH = e.LaunchRequested(step=STEP, visit=1, attempt=1, role="r", cli="c")
PULL = e.PullRequestStarted(step=STEP, visit=1, branch="ai/x", commit=CommitSha("c"))
PULLED: list[e.RunEvent] = [
    e.PullRequestOpened(step=STEP, visit=1, url="https://forge.example/1"),
    e.PullRequestRefused(step=STEP, visit=1, reason="No.", detail=TEXT),
    e.PullRequestLost(step=STEP, visit=1),
]
TELLING = e.NotificationStarted(
    step=STEP,
    visit=1,
    tree=TREE,
    channels=("desktop",),
    severity=NoticeSeverity.WARNING,
    about=NoticeState.OBJECTION,
)
TOLD: list[e.RunEvent] = [
    e.NotificationDelivered(step=STEP, visit=1, channels=("desktop",), at=NOW),
    e.NotificationFailed(step=STEP, visit=1, reason="No."),
    e.NotificationLost(step=STEP, visit=1),
]
ASSESSING = e.AssessmentStarted(step=STEP, visit=1, tree=TREE, commit=COMMIT)
ASSESSED: list[e.RunEvent] = [
    e.ChangeAssessed(
        step=STEP,
        visit=1,
        tree=TREE,
        commit=COMMIT,
        assessment=Assessment(
            level=RiskLevel.LOW, action=ApprovalAction.AUTO_APPROVE, because=("file_count < 3",)
        ),
        facts=(Fact(name="file_count", value=1),),
        shown=TEXT,
    ),
    e.AssessmentLost(step=STEP, visit=1),
]
ANSWERED: list[e.RunEvent] = [
    e.ApprovalLapsed(step=STEP, visit=1, tree=TREE),
    e.ChangeEdited(step=STEP, visit=1, replaced=TREE, tree=TreeSha("t2"), commit=COMMIT),
]
AWAITED = e.SignalAwaited(step=STEP, visit=1, signal="message")
LOOK = e.PullRequestLookStarted(step=STEP, visit=1, commit=CommitSha("c"))
LOOKED: list[e.RunEvent] = [
    e.PullRequestSeen(step=STEP, visit=1, standing=e.PullRequestStanding.GREEN, report=TEXT),
    e.PullRequestUnseen(step=STEP, visit=1, reason="No.", detail=TEXT),
    e.PullRequestLookLost(step=STEP, visit=1),
]
READ: list[e.RunEvent] = [
    k.KanbanRead(
        step=STEP,
        visit=1,
        snapshot=SNAPSHOT,
        tip=None,
        phase=Phase.EXECUTE,
        sub_phase=None,
        current="tasks/1.md",
        role=None,
        tasks=("tasks/1.md",),
        open=("tasks/1.md",),
        files=(k.ImportedFile(path="tasks/1.md", artifact=TEXT),),
    ),
    k.KanbanUnreadable(step=STEP, visit=1, reason="No.", report=TEXT),
    k.KanbanReadLost(step=STEP, visit=1),
]
SAVED: list[e.RunEvent] = [
    k.KanbanSaved(step=STEP, visit=1, rest=SNAPSHOT),
    k.KanbanSaveRefused(step=STEP, visit=1, reason="No.", detail=TEXT),
    k.KanbanSaveLost(step=STEP, visit=1),
]
READING = k.KanbanReadStarted(step=STEP, visit=1, file="tasks/0-kanban.md")
SAVING = k.KanbanSaveStarted(step=STEP, visit=1, start=COMMIT, snapshot=COMMIT)
EXAMPLES: list[e.RunEvent] = [
    BIRTH,
    e.RunStarted(driver="workflow", parent=None, root=RUN),
    e.RunOwned(owner="me", process=Process(boot="b", pid=1, started=2)),
    e.RunWaiting(reason="an approval"),
    e.RunContinued(),
    e.RunCompleted(outcome=DONE, degraded=True),
    e.RunFailed(outcome=DONE),
    e.RunCancelled(outcome=DONE),
    e.CancelRequested(reason=None),
    e.CommandRefused(letter=LetterKey("k"), reason="No."),
    e.DefinitionMigrated(previous=TEXT, definition=ArtifactHash("new")),
    e.StepEntered(step=STEP, visit=1, start=COMMIT),
    e.StepPassed(step=STEP, visit=1),
    e.StepFailed(step=STEP, visit=1, reason="No."),
    ATTEMPT,
    e.PromptSent(step=STEP, visit=1, attempt=1, prompt=TEXT),
    e.AttemptSucceeded(
        step=STEP,
        visit=1,
        attempt=1,
        meaning=Meaning.PASS,
        said="SUCCESS",
        answer=TEXT,
        feedback=TEXT,
        transcript=TEXT,
        snapshot=SNAPSHOT,
    ),
    e.AttemptFailed(
        step=STEP,
        visit=1,
        attempt=1,
        category=FailureCategory.PARSING,
        reason="No.",
        feedback=TEXT,
        transcript=TEXT,
    ),
    e.AttemptCancelled(step=STEP, visit=1, attempt=1),
    e.AttemptLost(step=STEP, visit=1, attempt=1, kept=None),
    e.BaselineStarted(step=STEP, visit=1, gate="test", base=COMMIT),
    e.BaselineEnded(step=STEP, visit=1, gate="test", health=Health.GREEN, reason="Yes."),
    e.BaselineLost(step=STEP, visit=1, gate="test"),
    GATE,
    e.GateEnded(
        step=STEP, visit=1, gate="test", verdict=Verdict.PASSED, reason="Yes.", output=TEXT
    ),
    e.GateLost(step=STEP, visit=1, gate="test"),
    e.GateCancelled(step=STEP, visit=1, gate="test"),
    APPROVAL,
    e.ApprovalGiven(step=STEP, visit=1, tree=TREE, note=None),
    e.ApprovalRefused(step=STEP, visit=1, tree=TREE, note=TEXT),
    LANDING,
    e.IntegrationLanded(step=STEP, visit=1, commit=COMMIT),
    e.IntegrationRefused(step=STEP, visit=1, reason="No."),
    e.IntegrationLost(step=STEP, visit=1),
    e.SignalReceived(signal="message"),
    AWAITED,
    e.SignalHeard(step=STEP, visit=1),
    TIMER,
    e.TimerFired(timer=TIMER.timer),
    e.TimerCancelled(timer=TIMER.timer),
    PERMIT,
    e.PermitGranted(permit="gpu"),
    e.PermitReleased(permit="gpu"),
    e.ChildStarted(step=STEP, visit=1, child=RunId("r2")),
    e.ChildCancelRequested(child=RunId("r2")),
    e.ChildEnded(child=RunId("r2"), status=RunStatus.COMPLETED, outcome=DONE),
    e.SetupEnded(step=STEP, visit=1, attempt=1, is_cached=True, reason="It was there."),
    e.EgressRefused(
        step=STEP, visit=1, attempt=1, host="example.com", port=443, reason="not-listed"
    ),
    e.ContextPacked(step=STEP, visit=1, attempt=1, strategy="s", record=TEXT, tokens=1, budget=2),
    e.KnowledgeInjected(step=STEP, visit=1, attempt=1, record=TEXT, tokens=1, budget=2),
    e.StepSkipped(step=STEP, visit=1, reason="Nobody is there."),
    e.StepQuarantined(step=STEP, visit=1, reason="Round and round."),
    e.ClaimsRefuted(
        step=STEP,
        visit=1,
        attempt=1,
        role="implementer",
        cli="agent",
        files=1,
        tests=0,
        commits=0,
        report=TEXT,
    ),
    PULL,
    *PULLED,
    TELLING,
    *TOLD,
    ASSESSING,
    *ASSESSED,
    *ANSWERED,
    e.ApprovalCounted(step=STEP, visit=1, tree=TREE, person="ann"),
    e.CommentMade(step=STEP, visit=1, number=1, tree=TREE, file="a.py", line=3, text=TEXT),
    LOOK,
    *LOOKED,
    e.WriteRefused(step=STEP, visit=1, attempt=1, paths=("a",)),
    e.FilesLeftOut(step=STEP, visit=1, attempt=1, paths=("a",), count=1, reason="It is large."),
    READING,
    *READ,
    SAVING,
    *SAVED,
    LAUNCH,
    e.LaunchAllowed(step=STEP, visit=1, attempt=1, amount=NOTHING),
    e.LaunchRefused(step=STEP, visit=1, attempt=1, kind=OutcomeKind.BUDGET_EXHAUSTED, reason="No."),
    e.LaunchWithdrawn(step=STEP, visit=1, attempt=1),
]


def a_run(status: RunStatus, *opened: Event) -> Run:
    run = submit(RUN, BIRTH)
    if status is not RunStatus.QUEUED:
        run = evolve(run, e.RunStarted(driver="workflow", parent=None, root=RUN))
    for event in opened:
        run = evolve(run, event)
    reach: dict[RunStatus, Event] = {
        RunStatus.WAITING: e.RunWaiting(reason="a person"),
        RunStatus.COMPLETED: e.RunCompleted(outcome=DONE),
        RunStatus.FAILED: e.RunFailed(outcome=DONE),
        RunStatus.CANCELLED: e.RunCancelled(outcome=DONE),
    }
    return evolve(run, reach[status]) if status in reach else run


def running(*events: Event) -> Run:
    return a_run(RunStatus.RUNNING, *events)


def test_every_event_has_an_example() -> None:
    assert {type(example) for example in EXAMPLES} == {*e.RUN_EVENTS, *KANBAN_EVENTS}


@pytest.mark.parametrize("status", RunStatus)
@pytest.mark.parametrize("event", EXAMPLES, ids=lambda event: type(event).__name__)
def test_the_table_alone_says_what_may_happen(status: RunStatus, event: e.RunEvent) -> None:
    run = a_run(status, *(() if status is RunStatus.QUEUED else (PERMIT,)))
    target = find(RUN_FLOW, status, type(event))
    if target is None:
        with pytest.raises(InternalError, match=type(event).__name__):
            evolve(run, event)
    else:
        assert evolve(run, event).status is target


def test_exactly_the_ended_statuses_are_terminal() -> None:
    assert {status for status in RunStatus if is_terminal(RUN_FLOW, status)} == ENDED


OPERATIONS = operations_of((*e.RUN_EVENTS, *KANBAN_EVENTS))


def example(kind: type[e.RunEvent]) -> e.RunEvent:
    [found] = [given for given in EXAMPLES if type(given) is kind]
    return found


@pytest.mark.parametrize("kind", OPERATIONS, ids=lambda kind: kind.key)
def test_an_intent_is_open_until_its_outcome(kind: OperationKind) -> None:
    run = running(example(kind.started))
    assert [type(intent) for intent in run.open.values()] == [kind.started]
    for outcome in kind.ended:
        assert evolve(run, example(outcome)).open == {}, outcome
    for other in (end for row in OPERATIONS if row is not kind for end in row.ended):
        assert evolve(run, example(other)).open == run.open, other


def test_what_the_engine_does_itself_is_told_from_what_others_answer() -> None:
    table = operations_of((*e.RUN_EVENTS, *KANBAN_EVENTS))
    assert table == OPERATIONS
    asked = {kind.started for kind in table if not kind.is_performed}
    assert asked == {e.ApprovalRequested, e.LaunchRequested, e.SignalAwaited}


def test_a_permit_is_open_until_it_is_granted() -> None:
    run = running(PERMIT)
    assert list(run.open.values()) == [PERMIT]
    assert evolve(run, e.PermitGranted(permit="gpu")).open == {}


def test_every_operation_has_a_word_of_its_own_and_ends() -> None:
    assert {kind.key: len(kind.ended) for kind in OPERATIONS} == {
        "launch": 3,
        "worker": 4,
        "baseline": 2,
        "gate": 3,
        "approval": 4,
        "assess": 2,
        "integrate": 3,
        "pull_request": 3,
        "notify": 3,
        "look": 3,
        "signal": 1,
        "kanban": 3,
        "save": 3,
    }
    ends = {event for event in (*e.RUN_EVENTS, *KANBAN_EVENTS) if issubclass(event, e.IntentEnded)}
    assert {end for kind in OPERATIONS for end in kind.ended} == ends


@pytest.mark.parametrize(
    "kind", [kind for kind in OPERATIONS if kind.is_performed], ids=lambda kind: kind.key
)
def test_what_the_engine_performs_can_be_lost(kind: OperationKind) -> None:
    started = example(kind.started)
    assert isinstance(started, e.OperationStarted)
    lost = started.lost()
    assert type(lost) in kind.ended
    assert lost.place == started.place
    assert evolve(running(started), lost).open == {}


def test_an_outcome_of_another_visit_leaves_the_operation_open() -> None:
    run = evolve(running(ATTEMPT), e.GateLost(step=STEP, visit=1, gate="test"))
    assert list(run.open.values()) == [ATTEMPT]
    run = evolve(run, e.AttemptLost(step=STEP, visit=2, attempt=1, kept=None))
    assert list(run.open.values()) == [ATTEMPT]


def test_an_end_belongs_to_the_attempt_that_is_under_way() -> None:
    lost = e.AttemptLost(step=STEP, visit=1, attempt=1, kept=None)
    assert attempt_of(running(GATE, ATTEMPT), lost) == ATTEMPT
    with pytest.raises(InternalError, match="none was under way"):
        attempt_of(running(GATE), lost)


def test_a_permit_outcome_does_not_close_a_worker() -> None:
    run = running(PERMIT, e.StepPassed(step=STEP, visit=1))
    assert list(run.open.values()) == [PERMIT]


def test_a_permit_can_be_granted_together_with_the_birth() -> None:
    run = evolve(submit(RUN, BIRTH), e.PermitGranted(permit="gpu"))
    assert run.permits == {"gpu"}


def test_a_permit_that_was_not_asked_for_cannot_be_granted() -> None:
    with pytest.raises(InternalError, match="was not under way"):
        running(e.PermitGranted(permit="gpu"))


def test_permits_are_held_until_released() -> None:
    run = running(PERMIT, e.PermitGranted(permit="gpu"))
    assert run.permits == {"gpu"}
    assert evolve(run, e.PermitReleased(permit="gpu")).permits == frozenset()


def test_only_the_workers_key_contains_the_attempt() -> None:
    intents: list[UnderWay] = [ATTEMPT, GATE, APPROVAL, LANDING, PERMIT]
    assert [operation_key(RUN, intent) for intent in intents] == [
        "r1/implement/1/1/worker/1",
        "r1/implement/1/1/gate",
        "r1/implement/1/1/approval",
        "r1/implement/1/1/integrate",
        "r1/permit/gpu",
    ]


def test_timers_are_set_fired_and_cancelled() -> None:
    run = running(TIMER)
    assert run.timers == {TIMER.timer: TIMER}
    fired = evolve(run, e.TimerFired(timer=TIMER.timer))
    assert fired.timers == {}
    assert fired.fired == {TIMER.timer}
    assert evolve(fired, TIMER).fired == frozenset()
    assert evolve(run, e.TimerCancelled(timer=TIMER.timer)).timers == {}


def test_a_timer_is_due_after_its_time() -> None:
    intent = timer_intent(SetTimer(timer=TimerName("nap"), after=timedelta(hours=2)), now=NOW)
    assert intent.due == NOW + timedelta(hours=2)


def test_children_are_known_by_their_status() -> None:
    child = RunId("r2")
    run = running(e.ChildStarted(step=STEP, visit=1, child=child))
    assert run.children == {child: RunStatus.QUEUED}
    ended = evolve(run, e.ChildEnded(child=child, status=RunStatus.FAILED, outcome=DONE))
    assert ended.children == {child: RunStatus.FAILED}


def test_an_ended_run_has_nothing_open() -> None:
    for ending in (e.RunCompleted(outcome=DONE), e.RunFailed(outcome=DONE)):
        run = evolve(running(ATTEMPT, TIMER), ending)
        assert (run.open, run.timers, run.outcome, run.is_ended) == ({}, {}, DONE, True)


def test_a_migrated_run_knows_its_new_definition() -> None:
    migrated = e.DefinitionMigrated(previous=TEXT, definition=ArtifactHash("new"))
    assert running(migrated).definition == "new"


def test_the_open_question_is_found() -> None:
    assert running(ATTEMPT).approval is None
    assert running(APPROVAL).approval == APPROVAL


@pytest.mark.parametrize(
    ("events", "reason"),
    [((APPROVAL,), "an approval"), ((PERMIT,), "a permit"), ((TIMER,), "a timer")],
)
def test_a_run_that_can_only_wait_says_so(events: tuple[Event, ...], reason: str) -> None:
    assert settle(running(*events)) == (e.RunWaiting(reason=reason),)
    assert settle(a_run(RunStatus.WAITING, *events)) == ()


@pytest.mark.parametrize(
    "events",
    [
        (),
        (ATTEMPT,),
        (ATTEMPT, APPROVAL),
        (APPROVAL, e.ChildStarted(step=STEP, visit=1, child=RunId("r2"))),
    ],
)
def test_a_run_with_something_under_way_does_not_wait(events: tuple[Event, ...]) -> None:
    assert settle(running(*events)) == ()


def test_a_run_ceases_to_wait_when_the_answer_comes() -> None:
    run = a_run(RunStatus.WAITING, APPROVAL)
    run = evolve(run, e.ApprovalGiven(step=STEP, visit=1, tree=TREE, note=None))
    assert settle(run) == (e.RunContinued(),)


@pytest.mark.parametrize(
    ("status", "event"),
    [
        (RunStatus.COMPLETED, e.RunCompleted),
        (RunStatus.CANCELLED, e.RunCancelled),
        (RunStatus.FAILED, e.RunFailed),
    ],
)
def test_an_ending_is_stated_by_its_own_event(
    status: RunStatus, event: Callable[..., e.RunEvent]
) -> None:
    assert ending_event(Ending(status=status, outcome=DONE)) == event(outcome=DONE)


def test_a_cancelled_run_ends_as_cancelled() -> None:
    assert cancelled().outcome.kind is OutcomeKind.CANCELLED


def test_workers_and_gates_can_be_cancelled_and_nothing_else() -> None:
    assert isinstance(cancel_operation(ATTEMPT), e.AttemptCancelled)
    assert isinstance(cancel_operation(GATE), e.GateCancelled)
    assert [cancel_operation(intent) for intent in (APPROVAL, LANDING, PULL, PERMIT)] == [None] * 4


def test_votes_count_for_the_question_that_is_open() -> None:
    vote = e.ApprovalCounted(step=STEP, visit=1, tree=TREE, person="ann")
    run = evolve(running(APPROVAL), vote)
    assert run.votes == ("ann",)
    answered = evolve(run, e.ApprovalGiven(step=STEP, visit=1, tree=TREE, note=None))
    assert evolve(answered, replace(APPROVAL, visit=2)).votes == ()


def test_comments_are_numbered_through_the_whole_run() -> None:
    comment = e.CommentMade(step=STEP, visit=1, number=1, tree=TREE, file="a.py", line=3, text=TEXT)
    assert evolve(evolve(running(APPROVAL), comment), replace(comment, number=2)).comments == 2

"""Write the golden history of a release: every type of fact, in streams that can be folded.

Run: .venv/bin/python tests/histories/record.py VERSION
"""

import sys
import tempfile
from collections.abc import Iterator
from datetime import timedelta
from decimal import Decimal
from hashlib import sha256
from pathlib import Path

from tests.histories import checkpoint_events as c
from tests.histories import feature_events as feature
from tests.histories import loop_events as loop
from tests.histories import team_events

from supervisor_ai.domain.envelope import Actor, ActorKind, Event, NewEvent
from supervisor_ai.domain.ids import (
    PROJECT_STREAM,
    ArtifactHash,
    CommitSha,
    EffectKey,
    LetterKey,
    RunId,
    SessionId,
    StepName,
    StreamId,
    TimerName,
    TreeSha,
    run_stream,
    session_stream,
)
from supervisor_ai.domain.issues import IssueLink
from supervisor_ai.domain.notices import NoticeSeverity, NoticeState
from supervisor_ai.domain.project.events import (
    AccountsClosed,
    ArtifactErased,
    BreakerClosed,
    BudgetReserved,
    BudgetSettled,
    FailureCounted,
    NoticeDelivered,
    NoticeDropped,
    NoticeFailed,
    NoticeOwed,
    NoticeTaken,
    PermitFreed,
    PermitTaken,
    TaskNumbered,
    TrialStarted,
)
from supervisor_ai.domain.run import definition as d
from supervisor_ai.domain.run import events as e
from supervisor_ai.domain.run.answers import AnswerKind, AnswerWord, Meaning
from supervisor_ai.domain.run.approvals.facts import Fact
from supervisor_ai.domain.run.approvals.policy import ApprovalAction, Assessment, RiskLevel
from supervisor_ai.domain.run.failures.breaker import BreakerPolicy
from supervisor_ai.domain.run.failures.degradation import Level
from supervisor_ai.domain.run.gates import Complexity, Concern, GateKind, Health
from supervisor_ai.domain.run.spending.budgets import Amount, Scope
from supervisor_ai.domain.run.status import (
    FailureCategory,
    Outcome,
    OutcomeKind,
    RunStatus,
    Verdict,
)
from supervisor_ai.domain.run.values import (
    ApprovalReason,
    Base,
    Feedback,
    FeedbackKind,
    ForkPoint,
    Identity,
    Process,
    Snapshot,
    Usage,
)
from supervisor_ai.domain.session import events as s
from supervisor_ai.domain.session.members import MemberRole
from supervisor_ai.domain.session.tasks import TaskStatus
from supervisor_ai.domain.structs import replace
from supervisor_ai.drivers.checkpoint.kinds import CHECKPOINT, RESIDENCE
from supervisor_ai.drivers.feature.kinds import OF_COMPONENT
from supervisor_ai.drivers.kanban import events as k
from supervisor_ai.drivers.kanban.board.kanban import Agent, Phase
from supervisor_ai.drivers.kanban.board.policy import KanbanPlace, KanbanPolicy
from supervisor_ai.drivers.kanban.definition import KanbanDefinition
from supervisor_ai.drivers.kanban.kinds import READ_FILES
from supervisor_ai.drivers.loop.kinds import BOOKKEEPING
from supervisor_ai.drivers.team.residence.definition import WATCH
from supervisor_ai.engine.ports.ledger import Batch, Lease, StreamAppend
from supervisor_ai.engine.ports.workspaces import AnchorPoint
from supervisor_ai.store.ledger import SqliteLedger, open_ledger
from supervisor_ai.store.shapes import to_json
from supervisor_ai.testing.histories import write_history
from supervisor_ai.testing.ledger_harness import BEGIN, StillClock

FROZEN = Path(__file__).parent / "frozen.sha256"
PLAN, IMPLEMENT, TEST = StepName("plan"), StepName("implement"), StepName("test")
GUARD, PUBLISH = StepName("implement-guard"), StepName("publish")
REVIEW, APPROVE, COMMIT = StepName("review"), StepName("approve"), StepName("commit")
KANBAN, SAVE = StepName("kanban"), StepName("land-kanban")
DEADLINE = TimerName("deadline")
RUNTIME = Actor(kind=ActorKind.RUNTIME, id="ada@host", via="engine", verified=True)
USER = Actor(kind=ActorKind.USER, id="ada", via="cli")
PROCESS = Process(boot="boot", pid=1, started=1)


def artifact(words: str) -> ArtifactHash:
    return ArtifactHash(sha256(words.encode()).hexdigest())


def commit(words: str) -> CommitSha:
    return CommitSha(sha256(words.encode()).hexdigest()[:40])


def tree(words: str) -> TreeSha:
    return TreeSha(sha256(f"tree {words}".encode()).hexdigest()[:40])


def snapshot(words: str) -> Snapshot:
    return Snapshot(commit=commit(words), tree=tree(words))


BASE = Base(ref="main", sha=commit("base"), tree=tree("base"))


def role(name: str, kind: AnswerWord) -> d.Role:
    return d.Role(
        name=name,
        description=f"The {name}",
        answer=kind,
        writes=name == "coder",
        cli="agent",
        template="{{ task }}",
        instructions="Be brief.",
    )


def definition() -> KanbanDefinition:
    steps = (
        d.Step(name=PLAN, kind=d.StepKind.ROLE, role="planner", next=IMPLEMENT),
        d.Step(name=IMPLEMENT, kind=d.StepKind.ROLE, role="coder", next=TEST, max_retries=3),
        d.Step(name=TEST, kind=d.StepKind.GATE, gate="test", next=REVIEW, on_fail=IMPLEMENT),
        d.Step(name=REVIEW, kind=d.StepKind.ROLE, role="critic", next=APPROVE, on_reject=IMPLEMENT),
        d.Step(name=APPROVE, kind=d.StepKind.HUMAN, next=COMMIT, on_reject=IMPLEMENT),
        d.Step(name=COMMIT, kind=d.StepKind.COMMIT, terminal=True),
        d.Step(name=GUARD, kind=d.StepKind.GATE, gates=("claims",), next=TEST, on_fail=IMPLEMENT),
        d.Step(name=PUBLISH, kind=d.StepKind.PULL_REQUEST, terminal=True),
        d.Step(name=KANBAN, kind=READ_FILES),
        d.Step(name=SAVE, kind=d.StepKind.COMMIT, next=KANBAN),
        d.Step(name=c.SESSION, kind=RESIDENCE, next=c.SESSION),
        d.Step(name=c.FIRST, kind=CHECKPOINT, next=c.SESSION, particulars="{}"),
        d.Step(name=team_events.WATCH, kind=WATCH, terminal=True),
        *(d.Step(name=name, kind=BOOKKEEPING) for name in loop.STEPS),
        *(d.Step(name=name, kind=OF_COMPONENT) for name in feature.STEPS),
    )
    kinds = {
        "planner": AnswerKind.PLAN,
        "coder": AnswerKind.IMPLEMENTATION,
        "critic": AnswerKind.REVIEW,
    }
    return KanbanDefinition(
        workflow=d.Workflow(
            name="golden",
            description="Everything that can happen",
            initial_step=PLAN,
            steps={step.name: step for step in steps},
        ),
        roles={name: role(name, kind) for name, kind in kinds.items()},
        clis={"agent": d.Cli(name="agent", adapter="command", command=("./agent", "--go"))},
        gates={
            "test": d.Gate(name="test", command=("make", "test"), timeout=timedelta(minutes=10)),
            "claims": d.Gate(
                name="claims", command=(), timeout=timedelta(minutes=1), kind=GateKind.CLAIMS
            ),
        },
        limits=d.Limits(workflow_timeout=timedelta(hours=1, microseconds=5)),
        sandbox=d.SandboxPolicy(ro_paths=("/opt/tools",)),
        kanban=KanbanPolicy(place=KanbanPlace(file="tasks/0-kanban.md", directory="/tmp/tasks")),
    )


def birth(run: str, **changes: object) -> e.RunSubmitted:
    fields: dict[str, object] = {
        "task": artifact("task"),
        "driver": "workflow",
        "workflow": "golden",
        "definition": artifact("definition"),
        "base": BASE,
        "branch": f"ai/{run}-golden",
        "identity": Identity(name="Ada", email="ada@example.org"),
        "parent": None,
        "root": RunId(run),
    }
    return e.RunSubmitted(**{**fields, **changes})  # type: ignore[arg-type]


def owned() -> e.RunOwned:
    return e.RunOwned(owner=RUNTIME.id, process=PROCESS)


def started(run: str) -> e.RunStarted:
    return e.RunStarted(driver="workflow", parent=None, root=RunId(run))


def entered(step: StepName, visit: int = 1, *feedback: Feedback) -> e.StepEntered:
    return e.StepEntered(step=step, visit=visit, start=BASE.sha, feedback=feedback)


def begun(step: StepName, visit: int = 1, attempt: int = 1) -> Iterator[Event]:
    yield e.AttemptStarted(
        step=step, visit=visit, attempt=attempt, role="coder", cli="agent", start=BASE.sha
    )
    record = artifact(f"record {step} {visit} {attempt}")
    yield e.ContextPacked(
        step=step,
        visit=visit,
        attempt=attempt,
        strategy="planner_docset",
        record=record,
        tokens=900,
        budget=1000,
    )
    told = e.ToldDocument(path="conventions/errors.md", fingerprint="0f1e2d3c4b5a6978")
    yield e.KnowledgeInjected(
        step=step,
        visit=visit,
        attempt=attempt,
        record=artifact(f"knowledge {step} {visit} {attempt}"),
        tokens=90,
        budget=2000,
        documents=(told,),
    )
    prompt = artifact(f"prompt {step} {visit} {attempt}")
    yield e.PromptSent(step=step, visit=visit, attempt=attempt, prompt=prompt, redactions=1)


def surrounded(step: StepName, attempt: int) -> Iterator[Event]:
    yield e.SetupEnded(step=step, visit=1, attempt=attempt, is_cached=True, reason="It was there.")
    yield e.EgressRefused(
        step=step, visit=1, attempt=attempt, host="example.com", port=443, reason="not-listed"
    )


def answered(
    step: StepName, meaning: Meaning, said: str, *, visit: int = 1, attempt: int = 1
) -> e.AttemptSucceeded:
    name = f"{step} {visit} {attempt}"
    return e.AttemptSucceeded(
        step=step,
        visit=visit,
        attempt=attempt,
        meaning=meaning,
        said=said,
        answer=artifact(f"answer {name}"),
        feedback=artifact(f"feedback {name}"),
        transcript=artifact(f"transcript {name}"),
        snapshot=snapshot(name),
        usage=Usage(tokens_in=100, tokens_out=20, cost=Decimal("0.07"), estimated=attempt > 1),
    )


def worked(
    step: StepName, said: str, *, visit: int = 1, meaning: Meaning = Meaning.PASS
) -> Iterator[Event]:
    yield from begun(step, visit)
    yield answered(step, meaning, said, visit=visit)


def passed(step: StepName, visit: int = 1) -> e.StepPassed:
    return e.StepPassed(step=step, visit=visit)


def failed(step: StepName, visit: int = 1) -> e.StepFailed:
    return e.StepFailed(step=step, visit=visit, reason=f"Step {step!r} did not pass.")


def gated(verdict: Verdict, visit: int = 1) -> Iterator[Event]:
    yield e.GateStarted(step=TEST, visit=visit, gate="test", snapshot=commit("gated"))
    yield e.GateEnded(
        step=TEST,
        visit=visit,
        gate="test",
        verdict=verdict,
        reason="It ran.",
        output=artifact("gate output"),
        exit_code=0 if verdict is Verdict.PASSED else 1,
    )


def asked(visit: int = 1) -> Iterator[Event]:
    yield e.ApprovalRequested(
        step=APPROVE,
        visit=visit,
        reason=ApprovalReason.HUMAN_GATE,
        tree=tree("asked"),
        commit=commit("asked"),
        question=None,
    )
    yield e.RunWaiting(reason="an approval")


def landing() -> e.IntegrationStarted:
    return e.IntegrationStarted(
        step=COMMIT, visit=1, snapshot=commit("asked"), branch="ai/golden", expected=None
    )


def outcome(kind: OutcomeKind) -> Outcome:
    return Outcome(kind=kind, reason=f"It ended: {kind.value}.")


class Pen:
    """Writes as the owner of every run; each write is one second after the last."""

    def __init__(self, ledger: SqliteLedger, clock: StillClock) -> None:
        self._ledger = ledger
        self._clock = clock
        self._versions: dict[StreamId, int] = {}
        self._leases: dict[RunId, Lease] = {}

    def own(self, run: str) -> None:
        """Take the run with the next epoch."""
        name = RunId(run)
        if name in self._leases:
            self._ledger.leases.release(self._leases[name])
        self._leases[name] = self._ledger.leases.acquire(
            name, owner=RUNTIME.id, process=PROCESS, ttl=timedelta(days=1)
        )

    def write(self, run: str, *events: Event, actor: Actor = RUNTIME, **shared: Event) -> None:
        """Append to the run's stream and, in the same batch, to other streams."""
        appends = [self._append(run_stream(RunId(run)), events, actor)]
        if "project" in shared:
            appends.append(self._append(PROJECT_STREAM, (shared.pop("project"),), RUNTIME))
        for child, first in shared.items():
            stream = run_stream(RunId(child.replace("_", "-")))
            appends.append(self._append(stream, (first,), RUNTIME))
        lease = self._leases.get(RunId(run))
        self._ledger.events.append(Batch(appends=tuple(appends), lease=lease))
        self._clock.advance(timedelta(seconds=1))

    def write_shared(self, stream: StreamId, *events: Event) -> None:
        """Append to a stream that no run owns."""
        self._ledger.events.append(Batch(appends=(self._append(stream, events, USER),)))
        self._clock.advance(timedelta(seconds=1))

    def _append(self, stream: StreamId, events: tuple[Event, ...], actor: Actor) -> StreamAppend:
        version = self._versions.get(stream, 0)
        self._versions[stream] = version + len(events)
        new = tuple(NewEvent(event=event, actor=actor, cause=f"test:{stream}") for event in events)
        return StreamAppend(stream=stream, expected=version, events=new)


def write_completed(pen: Pen) -> None:
    """A run that reaches its goal after everything went wrong once."""
    run = "golden-a"
    pen.write(run, birth(run), actor=USER)
    pen.own(run)
    deadline = e.TimerSet(timer=DEADLINE, due=BEGIN + timedelta(hours=1), parks=False)
    pen.write(run, owned(), started(run), deadline, entered(PLAN))
    pen.write(run, *worked(PLAN, "COMPLETE"), passed(PLAN), entered(IMPLEMENT))
    pen.write(run, *begun(IMPLEMENT))
    pen.write(
        run,
        e.AttemptFailed(
            step=IMPLEMENT,
            visit=1,
            attempt=1,
            category=FailureCategory.PARSING,
            reason="The output has no JSON.",
            feedback=artifact("no json"),
            transcript=artifact("words"),
            exit_code=0,
        ),
    )
    pen.write(run, *begun(IMPLEMENT, attempt=2))
    pen.write(run, answered(IMPLEMENT, Meaning.FAIL, "FAILED", attempt=2))
    pen.write(run, *begun(IMPLEMENT, attempt=3))
    pen.write(run, answered(IMPLEMENT, Meaning.PASS, "SUCCESS", attempt=3), passed(IMPLEMENT))
    pen.write(run, entered(TEST), *gated(Verdict.FAILED), failed(TEST))
    back = Feedback(kind=FeedbackKind.GATE, source="test", artifact=artifact("gate output"))
    pen.write(run, entered(IMPLEMENT, 2, back), *worked(IMPLEMENT, "PARTIAL", visit=2))
    pen.write(run, passed(IMPLEMENT, 2), entered(TEST, 2), *gated(Verdict.PASSED, 2))
    pen.write(run, passed(TEST, 2), entered(REVIEW), *worked(REVIEW, "APPROVED"), passed(REVIEW))
    pen.write(run, e.TimerCancelled(timer=DEADLINE), entered(APPROVE), *asked())
    refusal = e.CommandRefused(letter=LetterKey("late"), reason="Nobody asked.")
    pen.own(run)
    pen.write(run, owned(), refusal, actor=USER)
    note = artifact("go on")
    given = e.ApprovalGiven(step=APPROVE, visit=1, tree=tree("asked"), note=note)
    pen.write(run, given, actor=USER)
    pen.write(run, e.RunContinued(), passed(APPROVE), entered(COMMIT), landing())
    landed = e.IntegrationLanded(step=COMMIT, visit=1, commit=commit("landed"))
    pen.write(run, landed, passed(COMMIT), e.RunCompleted(outcome=outcome(OutcomeKind.DONE)))


def write_failed(pen: Pen) -> None:
    """A run whose owners die in every operation, and which cannot land."""
    run = "golden-b"
    pen.write(run, birth(run), actor=USER)
    pen.own(run)
    pen.write(run, owned(), started(run), entered(IMPLEMENT), *begun(IMPLEMENT))
    pen.own(run)
    kept = "refs/supervisor/golden-b/implement/1.1.1"
    pen.write(run, owned(), e.AttemptLost(step=IMPLEMENT, visit=1, attempt=1, kept=kept))
    pen.write(run, *begun(IMPLEMENT, attempt=2), *surrounded(IMPLEMENT, attempt=2))
    pen.write(run, answered(IMPLEMENT, Meaning.PASS, "SUCCESS", attempt=2), passed(IMPLEMENT))
    gate = e.GateStarted(step=TEST, visit=1, gate="test", snapshot=commit("gated"))
    pen.write(run, entered(TEST), gate)
    pen.own(run)
    pen.write(run, owned(), e.GateLost(step=TEST, visit=1, gate="test"))
    pen.write(run, *gated(Verdict.WARNED), passed(TEST), entered(APPROVE), *asked())
    refused = e.ApprovalRefused(step=APPROVE, visit=1, tree=tree("asked"), note=artifact("no"))
    pen.write(run, refused, actor=USER)
    pen.write(run, e.RunContinued(), failed(APPROVE), entered(COMMIT), landing())
    pen.own(run)
    pen.write(run, owned(), e.IntegrationLost(step=COMMIT, visit=1), landing())
    unlanded = e.IntegrationRefused(step=COMMIT, visit=1, reason="The branch has moved.")
    ended = e.RunFailed(outcome=outcome(OutcomeKind.REJECTED))
    pen.write(run, unlanded, failed(COMMIT), ended)


def write_cancelled(pen: Pen) -> None:
    """A run that is stopped while it works, with a timer still set."""
    run = "golden-c"
    pen.write(run, birth(run), actor=USER)
    pen.own(run)
    deadline = e.TimerSet(timer=DEADLINE, due=BEGIN + timedelta(hours=2), parks=False)
    pen.write(run, owned(), started(run), deadline, entered(PLAN), *begun(PLAN))
    pen.write(run, e.CancelRequested(reason=artifact("enough")), actor=USER)
    stopped = e.AttemptCancelled(step=PLAN, visit=1, attempt=1)
    pen.write(run, stopped, e.RunCancelled(outcome=outcome(OutcomeKind.CANCELLED)))


def write_signalled(pen: Pen) -> None:
    """A run that waits for a signal, hears it, and is stopped when it waits again."""
    run = "golden-signal"
    pen.write(run, birth(run), actor=USER)
    pen.own(run)
    awaited = e.SignalAwaited(step=PLAN, visit=1, signal="message")
    pen.write(run, owned(), started(run), entered(PLAN), awaited, e.RunWaiting(reason="a message"))
    pen.write(run, e.SignalReceived(signal="message"), actor=USER)
    heard = e.SignalHeard(step=PLAN, visit=1)
    pen.write(run, e.RunContinued(), heard, awaited, e.RunWaiting(reason="a message"))
    pen.write(run, e.CancelRequested(reason=None), actor=USER)
    pen.write(run, e.RunCancelled(outcome=outcome(OutcomeKind.CANCELLED)))


def write_session(pen: Pen) -> None:
    """A session with members, messages and tasks, from its beginning to its end."""
    run = RunId("golden-signal")
    pen.write_shared(
        session_stream(SessionId("golden")),
        s.SessionOpened(
            team="blue", pipeline="spec-only", requirement=artifact("wanted"), folder="/session"
        ),
        s.MemberAdded(member="writer", role=MemberRole.WORKER, token="0" * 64),
        s.MemberAdded(
            member="reader", role=MemberRole.OBSERVER, token="1" * 64, awaits_delivery=True
        ),
        s.TokenDelivered(member="reader"),
        s.TaskAdded(task="DRAFT-001", subject=artifact("brief"), owner="writer"),
        s.TaskAdded(task="CHECKPOINT-001", subject=artifact("look"), blocked_by=("DRAFT-001",)),
        s.ResidentStarted(run=run),
        s.TaskMoved(task="DRAFT-001", status=TaskStatus.IN_PROGRESS, owner="writer", by="writer"),
        s.FileImported(path="artifacts/brief.md", artifact=artifact("brief text")),
        s.FileSynced(
            folder="/session", path=".msg/messages.jsonl", content="0" * 64, size=120, messages=1
        ),
        s.MessageLogged(
            number=1,
            sender="writer",
            to="coordinator",
            kind="state_update",
            body=artifact("said"),
            state=artifact("standing"),
            key="import:1",
        ),
        s.TaskMoved(task="DRAFT-001", status=TaskStatus.COMPLETED, owner="writer", by="writer"),
        s.CallRefused(member="writer", call="task_create", reason="A worker may not add task."),
        s.MemberRemoved(member="writer"),
        s.ResidentStopped(run=run),
        s.SessionClosed(),
    )


def write_checkpoints(pen: Pen) -> None:
    """A resident supervisor, from its first word to its last, and one without a session."""
    run = "golden-supervisor"
    pen.write(run, birth(run, driver="checkpoint", workflow="checkpoint"), actor=USER)
    pen.own(run)
    made = snapshot("watched")
    pen.write(run, owned(), started(run), entered(c.SESSION), *c.reading(), *c.hearing())
    pen.write(run, entered(c.FIRST), *c.troubled(), entered(c.FIRST, 2), *c.checking())
    pen.write(run, *c.reporting(), c.asking(made), e.RunWaiting(reason="an approval"))
    pen.write(run, e.RunContinued(), *c.postponing(), e.RunWaiting(reason="an approval"))
    pen.write(run, c.overriding(made.tree), actor=USER)
    pen.write(run, e.RunContinued(), *c.ending(), entered(c.SESSION, 2), *c.leaving())
    pen.write(run, e.RunCompleted(outcome=outcome(OutcomeKind.DONE)))
    lost = "golden-unwatched"
    pen.write(lost, birth(lost, driver="checkpoint", workflow="checkpoint"), actor=USER)
    pen.own(lost)
    pen.write(lost, owned(), started(lost), entered(c.SESSION), *c.unwatched())
    pen.write(lost, failed(c.SESSION), e.RunFailed(outcome=outcome(OutcomeKind.BLOCKED)))


def write_team(pen: Pen) -> None:
    """A team from its beginning to its end, and the runs that watch over it."""
    pen.write_shared(StreamId("team:golden"), *team_events.facts())
    run = "golden-watch"
    pen.write(run, birth(run, driver="team", workflow="team"), actor=USER)
    pen.own(run)
    home = team_events.WATCH
    pen.write(run, owned(), started(run), entered(home), *team_events.run_facts())
    pen.write(run, passed(home), e.RunCompleted(outcome=outcome(OutcomeKind.DONE)))
    lost = "golden-teamless"
    pen.write(lost, birth(lost, driver="team", workflow="team"), actor=USER)
    pen.own(lost)
    pen.write(lost, owned(), started(lost), entered(home), *team_events.teamless())
    pen.write(lost, failed(home), e.RunFailed(outcome=outcome(OutcomeKind.BLOCKED)))


def write_loop(pen: Pen) -> None:
    """A loop: it is scoped, planned, done, looked after and reported, after some trouble."""
    run = "golden-loop"
    pen.write(run, birth(run, driver="loop", workflow="loop"), actor=USER)
    pen.own(run)
    pen.write(run, owned(), started(run), entered(loop.SCOPE), *loop.scoping())
    pen.write(run, passed(loop.SCOPE), entered(loop.PLANNER), *loop.asking())
    pen.write(run, *loop.planning())
    pen.write(run, passed(loop.PLANNER), entered(loop.IMPLEMENTOR), *loop.working())
    pen.write(run, passed(loop.IMPLEMENTOR), entered(loop.QA), *loop.judging())
    pen.write(run, failed(loop.QA), entered(loop.MARK), *loop.marking())
    pen.write(run, passed(loop.MARK), entered(loop.SUPERVISORS), *loop.summing())
    pen.write(run, *loop.looking())
    pen.write(run, passed(loop.SUPERVISORS), entered(loop.ASSESSOR), *loop.assessing())
    pen.write(run, passed(loop.ASSESSOR), entered(loop.REPORT), *loop.reporting())
    pen.write(run, passed(loop.REPORT), e.RunCompleted(outcome=outcome(OutcomeKind.DONE)))
    pen.write_shared(StreamId("thread:golden"), *loop.threads())
    pen.write_shared(StreamId("directives:project"), *loop.wishes())


def write_feature(pen: Pen) -> None:
    """A feature with interfaces and one component, which is merged after some trouble."""
    run = "golden-feature"
    pen.write(run, birth(run, driver="feature", workflow="feature"), actor=USER)
    pen.own(run)
    pen.write(run, owned(), started(run), entered(feature.INTERFACES), feature.planned())
    pen.write(run, *feature.locking())
    locked = passed(feature.INTERFACES)
    pen.write(run, locked, entered(feature.COMPONENT), *feature.building())
    pen.write(run, *feature.looking(), *feature.merging(), *feature.undoing())
    for step, facts in (
        (feature.PROJECTS, feature.gathering()),
        (feature.PUBLISHED, feature.publishing()),
    ):
        pen.write(run, entered(step), *facts, passed(step))
    pen.write(run, passed(feature.COMPONENT), entered(feature.CHECK), *feature.planning())
    pen.write(run, passed(feature.CHECK), e.RunCompleted(outcome=outcome(OutcomeKind.DONE)))
    pen.write_shared(StreamId(f"landing:{run}"), *feature.landing(RunId(run)))


def write_blocked(pen: Pen) -> None:
    """A run whose tests cannot work on the files that it starts from."""
    run = "golden-x"
    pen.write(run, birth(run), actor=USER)
    pen.own(run)
    begun = e.BaselineStarted(step=PLAN, visit=1, gate="test", base=BASE.sha)
    pen.write(run, owned(), started(run), entered(PLAN), begun)
    pen.own(run)
    pen.write(run, owned(), e.BaselineLost(step=PLAN, visit=1, gate="test"), begun)
    broken = e.BaselineEnded(
        step=PLAN,
        visit=1,
        gate="test",
        health=Health.BROKEN,
        reason="cannot work here: there is no such program.",
        output=artifact("baseline output"),
        feedback=artifact("baseline told"),
        tests=3,
        results=artifact("baseline results"),
    )
    pen.write(run, broken, failed(PLAN), e.RunFailed(outcome=outcome(OutcomeKind.BLOCKED)))


def write_family(pen: Pen) -> None:
    """A parent with a permit, a timer and a child that it stops."""
    run, child = "golden-p", RunId("golden-d")
    pen.write(run, birth(run), actor=USER)
    pen.own(run)
    pen.write(run, owned(), started(run), e.PermitRequested(permit="heavy", limit=1))
    taken = PermitTaken(permit="heavy", run=RunId(run))
    pen.write(run, e.PermitGranted(permit="heavy"), project=taken)
    begin = e.ChildStarted(step=PLAN, visit=1, child=child)
    first = birth(child, parent=RunId(run), root=RunId(run))
    pause = e.TimerSet(timer=TimerName("pause"), due=BEGIN + timedelta(seconds=5), parks=True)
    pen.write(run, begin, pause, golden_d=first)
    pen.own(child)
    gate = e.GateStarted(step=TEST, visit=1, gate="test", snapshot=commit("gated"))
    pen.write(child, owned(), started(child), entered(TEST), gate)
    fired = e.TimerFired(timer=TimerName("pause"))
    pen.write(run, fired, e.ChildCancelRequested(child=child))
    cancelled = outcome(OutcomeKind.CANCELLED)
    stopped = e.GateCancelled(step=TEST, visit=1, gate="test")
    pen.write(child, stopped, e.RunCancelled(outcome=cancelled))
    reported = e.ChildEnded(child=child, status=RunStatus.CANCELLED, outcome=cancelled)
    freed = PermitFreed(permit="heavy", run=RunId(run))
    pen.write(run, reported, e.PermitReleased(permit="heavy"), project=freed)
    erased = ArtifactErased(artifact=artifact("words"), reason=artifact("a key"))
    ended = e.RunCompleted(outcome=outcome(OutcomeKind.DONE), degraded=True)
    pen.write(run, ended, project=erased)


def write_fork(pen: Pen) -> None:
    """A fork that goes on under another definition, is blocked, and fails with work under way."""
    run = "golden-f"
    fork = ForkPoint(run=RunId("golden-a"), version=8)
    pen.write(run, birth(run, fork=fork, sandbox="none"), actor=USER)
    pen.own(run)
    migrated = e.DefinitionMigrated(
        previous=artifact("definition"), definition=artifact("new definition")
    )
    pen.write(run, owned(), started(run), migrated, entered(REVIEW))
    pen.write(run, *worked(REVIEW, "BLOCKED", meaning=Meaning.BLOCK))
    question = e.ApprovalRequested(
        step=REVIEW,
        visit=1,
        reason=ApprovalReason.BLOCKED,
        tree=tree("asked"),
        commit=commit("asked"),
        question=artifact("feedback review 1 1"),
    )
    pen.write(run, question, e.RunWaiting(reason="an approval"))
    given = e.ApprovalGiven(step=REVIEW, visit=1, tree=tree("asked"), note=None)
    pen.write(run, given, actor=USER)
    pen.write(run, e.RunContinued(), *begun(REVIEW, attempt=2))
    pen.write(run, e.RunFailed(outcome=outcome(OutcomeKind.LIMITS_EXCEEDED)))


def write_guarded(pen: Pen) -> None:
    """A run whose worker is not believed, whose review goes in circles, and that is published."""
    run = "golden-g"
    issue = IssueLink(tracker="github", reference="#12", url="https://forge.example/issues/12")
    pen.write(run, birth(run, issue=issue), actor=USER)
    pen.own(run)
    pen.write(run, owned(), started(run), entered(IMPLEMENT), *worked(IMPLEMENT, "SUCCESS"))
    pen.write(run, passed(IMPLEMENT), entered(GUARD), *refuted(), failed(GUARD))
    objects = replace(
        answered(REVIEW, Meaning.REJECT, "REJECTED"),
        concerns=(Concern(file="0123456789ab", words=(7, 11)),),
    )
    rests = e.StepQuarantined(step=REVIEW, visit=1, reason="Round and round.")
    pen.write(run, entered(REVIEW), *begun(REVIEW), objects, rests, failed(REVIEW))
    landed = e.IntegrationLanded(step=COMMIT, visit=1, commit=commit("landed"))
    pen.write(run, entered(COMMIT), landing(), landed, passed(COMMIT), entered(PUBLISH))
    opening = e.PullRequestStarted(
        step=PUBLISH, visit=1, branch="ai/golden", commit=commit("landed")
    )
    pen.write(run, opening, e.PullRequestLost(step=PUBLISH, visit=1))
    no = e.PullRequestRefused(step=PUBLISH, visit=1, reason="No.", detail=artifact("detail"))
    pen.write(run, opening, no)
    url = "https://forge.example/pull/1"
    pen.write(run, opening, e.PullRequestOpened(step=PUBLISH, visit=1, url=url), *looked_at())
    pen.write(run, passed(PUBLISH))
    pen.write(run, e.RunCompleted(outcome=outcome(OutcomeKind.DONE)))


def looked_at() -> Iterator[Event]:
    look = e.PullRequestLookStarted(step=PUBLISH, visit=1, commit=commit("landed"))
    yield from (look, e.PullRequestLookLost(step=PUBLISH, visit=1))
    detail = artifact("too many questions")
    yield look
    yield e.PullRequestUnseen(
        step=PUBLISH, visit=1, reason="Later.", detail=detail, is_passing=True
    )
    yield look
    yield e.PullRequestSeen(
        step=PUBLISH,
        visit=1,
        standing=e.PullRequestStanding.OBJECTED,
        report=artifact("objections"),
        passed=2,
        remarks=("R_1",),
        noted=1,
    )


def refuted() -> Iterator[Event]:
    yield e.GateStarted(step=GUARD, visit=1, gate="claims", snapshot=commit("gated"))
    yield e.ClaimsRefuted(
        step=GUARD,
        visit=1,
        attempt=1,
        role="coder",
        cli="agent",
        files=1,
        tests=2,
        commits=0,
        report=artifact("report"),
    )
    yield e.GateEnded(
        step=GUARD,
        visit=1,
        gate="claims",
        verdict=Verdict.FAILED,
        reason="3 things were found.",
        output=None,
        key="0123",
        tests=5,
        findings=3,
        report=artifact("report"),
        feedback=artifact("told"),
        complexity=Complexity.MEDIUM,
    )


def write_spender(pen: Pen) -> None:
    """A run that asks before it spends, is refused, tries less, and skips what nobody can do."""
    run = "golden-s"
    name = RunId(run)
    pen.write(run, birth(run), actor=USER)
    pen.own(run)
    asked = e.LaunchRequested(
        step=PLAN,
        visit=1,
        attempt=1,
        role="planner",
        cli="agent",
        budgets={Scope.DAY: Amount(money=Decimal("5.5"), time=timedelta(hours=2))},
        wish=Amount(tokens=1000),
    )
    pen.write(run, owned(), started(run), entered(PLAN), asked)
    key, breaker = EffectKey(f"{run}/plan/1/1/worker/1"), "plan/planner/agent"
    amount = Amount(money=Decimal("1.375"), tokens=1000, attempts=1)
    reserved = BudgetReserved(key=key, run=name, accounts=("day:2030-01-01",), amount=amount)
    allowed = e.LaunchAllowed(step=PLAN, visit=1, attempt=1, amount=amount)
    pen.write(run, allowed, project=reserved)
    pen.write(run, *begun(PLAN))
    used = Amount(money=Decimal("0.07"), tokens=120, time=timedelta(seconds=3), attempts=1)
    settled = BudgetSettled(key=key, run=name, used=used)
    pen.write(run, answered(PLAN, Meaning.REFINE, "NEEDS_REFINEMENT"), project=settled)
    counted = FailureCounted(breaker=breaker, run=name, at=BEGIN)
    until = BEGIN + timedelta(minutes=5)
    refused = e.LaunchRefused(
        step=PLAN, visit=1, attempt=2, kind=OutcomeKind.CIRCUIT_OPEN, reason="No.", until=until
    )
    pen.write(run, replace(asked, attempt=2), refused, project=counted)
    pen.write(
        run, replace(asked, attempt=2), project=TrialStarted(breaker=breaker, run=name, at=until)
    )
    pen.write(run, replace(allowed, attempt=2), project=BreakerClosed(breaker=breaker, run=name))
    simpler = e.AttemptStarted(
        step=PLAN,
        visit=1,
        attempt=2,
        role="planner",
        cli="agent",
        start=BASE.sha,
        level=Level.SIMPLIFIED,
        is_told=False,
        turn=1,
        breaker=BreakerPolicy(failures=2),
    )
    pen.write(run, simpler, e.AttemptLost(step=PLAN, visit=1, attempt=2, kept=None))
    again = replace(asked, attempt=3)
    pen.write(run, again, e.LaunchWithdrawn(step=PLAN, visit=1, attempt=3))
    skipped = e.StepSkipped(step=PLAN, visit=1, reason="Nobody is there.")
    ended = e.RunCompleted(outcome=outcome(OutcomeKind.DONE))
    pen.write(run, skipped, ended, project=AccountsClosed(run=name))


def write_kanban(pen: Pen) -> None:
    """A run on a kanban: its files are read and written back, after some trouble with both."""
    run = "golden-kanban"
    permit = "kanban:tasks/0-kanban.md"
    taken = PermitTaken(permit=permit, run=RunId(run))
    first = birth(run, driver="kanban", workflow="kanban")
    pen.write(run, first, e.PermitGranted(permit=permit), actor=USER, project=taken)
    pen.own(run)
    pen.write(run, owned(), started(run), entered(KANBAN), *read_in_the_end())
    pen.write(run, passed(KANBAN), entered(IMPLEMENT), *begun(IMPLEMENT))
    refused = e.WriteRefused(step=IMPLEMENT, visit=1, attempt=1, paths=("tasks/0-kanban.md",))
    left = e.FilesLeftOut(
        step=IMPLEMENT, visit=1, attempt=1, paths=("dump.bin",), count=1, reason="It is large."
    )
    pen.write(run, refused, left, answered(IMPLEMENT, Meaning.PASS, "ok"), passed(IMPLEMENT))
    pen.write(run, entered(SAVE), *saved_in_the_end(), passed(SAVE))
    freed = PermitFreed(permit=permit, run=RunId(run))
    pen.write(run, e.RunFailed(outcome=outcome(OutcomeKind.LIMITS_EXCEEDED)), project=freed)


def write_task(pen: Pen) -> None:
    """A task whose work lands when a person completes it, once the signature can be made."""
    run = "golden-task"
    numbered = TaskNumbered(run=RunId(run), number=1)
    pen.write(run, birth(run), actor=USER, project=numbered)
    pen.own(run)
    question = e.ApprovalRequested(
        step=COMMIT,
        visit=1,
        reason=ApprovalReason.COMPLETION,
        tree=tree("asked"),
        commit=commit("asked"),
        question=None,
    )
    pen.write(run, owned(), started(run), entered(COMMIT), question)
    pen.write(run, e.RunWaiting(reason="an approval"))
    given = e.ApprovalGiven(step=COMMIT, visit=1, tree=tree("asked"), note=None)
    pen.write(run, given, actor=USER)
    refused = e.IntegrationRefused(
        step=COMMIT, visit=1, reason="No.", detail=artifact("no key"), lacks_signature=True
    )
    pen.write(run, e.RunContinued(), landing(), refused, question)
    pen.write(run, e.RunWaiting(reason="an approval"))
    pen.write(run, given, actor=USER)
    landed = e.IntegrationLanded(step=COMMIT, visit=1, commit=commit("landed"), tree=tree("asked"))
    pen.write(run, e.RunContinued(), landing(), landed, passed(COMMIT))
    pen.write(run, e.RunCompleted(outcome=outcome(OutcomeKind.DONE)))


def read_in_the_end() -> Iterator[Event]:
    reading = k.KanbanReadStarted(step=KANBAN, visit=1, file="tasks/0-kanban.md")
    yield from (reading, k.KanbanReadLost(step=KANBAN, visit=1))
    report = artifact("mistakes")
    yield from (reading, k.KanbanUnreadable(step=KANBAN, visit=1, reason="No.", report=report))
    yield reading
    yield k.KanbanRead(
        step=KANBAN,
        visit=1,
        snapshot=snapshot("read"),
        tip=commit("tip"),
        phase=Phase.EXECUTE,
        sub_phase="review",
        current="tasks/1-look.md",
        role=Agent.ARCHITECT,
        tasks=("tasks/1-look.md",),
        open=("tasks/1-look.md",),
        files=(k.ImportedFile(path="tasks/1-look.md", artifact=artifact("look")),),
    )


def saved_in_the_end() -> Iterator[Event]:
    saving = k.KanbanSaveStarted(step=SAVE, visit=1, start=commit("read"), snapshot=commit("made"))
    yield from (saving, k.KanbanSaveLost(step=SAVE, visit=1))
    detail = artifact("why not")
    yield from (saving, k.KanbanSaveRefused(step=SAVE, visit=1, reason="No.", detail=detail))
    yield from (saving, k.KanbanSaved(step=SAVE, visit=1, rest=snapshot("rest")))


def write_announced(pen: Pen) -> None:
    """A run that tells people about its change, after some trouble with that."""
    run = "golden-n"
    pen.write(run, birth(run), actor=USER)
    pen.own(run)
    telling = e.NotificationStarted(
        step=COMMIT,
        visit=1,
        tree=tree("asked"),
        channels=("slack", "desktop"),
        severity=NoticeSeverity.WARNING,
        about=NoticeState.OBJECTION,
    )
    pen.write(run, owned(), started(run), entered(COMMIT), telling)
    pen.own(run)
    pen.write(run, owned(), e.NotificationLost(step=COMMIT, visit=1), telling)
    pen.write(run, e.NotificationFailed(step=COMMIT, visit=1, reason="No channel took it."))
    told = e.NotificationDelivered(
        step=COMMIT, visit=1, channels=("slack",), at=BEGIN, failed=("desktop",)
    )
    pen.write(run, telling, told, landing())
    landed = e.IntegrationLanded(step=COMMIT, visit=1, commit=commit("landed"))
    done = e.RunCompleted(outcome=outcome(OutcomeKind.DONE))
    pen.write(run, landed, passed(COMMIT), done, project=owed(run, "completed"))
    later = "golden-o"
    pen.write(later, birth(later), actor=USER)
    pen.own(later)
    pen.write(later, owned(), started(later), entered(APPROVE), *asked())
    for fact in told_in_the_end(run):
        pen.write(later, owned(), project=fact)
    pen.write(later, e.RunFailed(outcome=outcome(OutcomeKind.REJECTED)))


def owed(run: str, key: str) -> NoticeOwed:
    return NoticeOwed(
        key=f"{run}/{key}",
        run=RunId(run),
        about=NoticeState.COMPLETED,
        severity=NoticeSeverity.INFO,
        channels=("slack", "tui"),
        words=artifact("words of a notice"),
    )


def told_in_the_end(run: str) -> Iterator[Event]:
    name = RunId(run)
    done = f"{run}/completed"
    yield NoticeTaken(key=done, run=name, process=PROCESS)
    yield NoticeDelivered(
        key=done, run=name, channels=("tui",), failed=("slack",), reason="It did not answer."
    )
    yield owed(run, "approval")
    yield NoticeFailed(key=f"{run}/approval", run=name, reason="No channel took it.")
    yield owed(run, "blocked")
    yield NoticeDropped(key=f"{run}/blocked", run=name)


def assessed() -> e.ChangeAssessed:
    return e.ChangeAssessed(
        step=COMMIT,
        visit=1,
        tree=tree("asked"),
        commit=commit("asked"),
        assessment=CRITICAL,
        facts=(Fact(name="changes_encryption", value=True), Fact(name="file_count", value=2)),
        shown=artifact("shown"),
    )


def write_approved_by_two(pen: Pen) -> None:
    """A run whose change needs two people, who say much about it first."""
    run = "golden-votes"
    pen.write(run, birth(run), actor=USER)
    pen.own(run)
    assessing = e.AssessmentStarted(
        step=COMMIT, visit=1, tree=tree("asked"), commit=commit("asked")
    )
    pen.write(run, owned(), started(run), entered(COMMIT), assessing)
    pen.own(run)
    pen.write(run, owned(), e.AssessmentLost(step=COMMIT, visit=1), assessing)
    question = replace(asked_at_commit(), assessment=CRITICAL)
    pen.write(run, assessed(), question, e.RunWaiting(reason="an approval"))
    comment = e.CommentMade(
        step=COMMIT,
        visit=1,
        number=1,
        tree=tree("asked"),
        file="keys.py",
        line=7,
        text=artifact("why"),
        person="ann",
    )
    vote = e.ApprovalCounted(step=COMMIT, visit=1, tree=tree("asked"), person="ann")
    pen.write(run, comment, vote, actor=USER)
    edit = e.ChangeEdited(
        step=COMMIT,
        visit=1,
        replaced=tree("asked"),
        tree=tree("edited"),
        commit=commit("edited"),
        person="bob",
    )
    pen.write(run, edit, actor=USER)
    pen.write(run, e.RunContinued(), question)
    lapsed = e.ApprovalLapsed(step=COMMIT, visit=1, tree=tree("asked"))
    pen.write(run, lapsed, landing())
    landed = e.IntegrationLanded(step=COMMIT, visit=1, commit=commit("landed"))
    pen.write(run, landed, passed(COMMIT), e.RunCompleted(outcome=outcome(OutcomeKind.DONE)))


def asked_at_commit() -> e.ApprovalRequested:
    return e.ApprovalRequested(
        step=COMMIT,
        visit=1,
        reason=ApprovalReason.RISK,
        tree=tree("asked"),
        commit=commit("asked"),
        question=artifact("shown"),
    )


CRITICAL = Assessment(
    level=RiskLevel.CRITICAL,
    action=ApprovalAction.REQUIRE_MULTI_APPROVAL,
    because=("changes_encryption",),
    approvers=("security_team", "tech_lead"),
    needs=2,
)


class Alone:
    """A world with one process and no anchor."""

    def current(self) -> Process:
        return PROCESS

    def is_alive(self, process: Process) -> bool:
        return process == PROCESS

    def read(self) -> AnchorPoint | None:
        return None

    def write(self, point: AnchorPoint) -> None:
        """Keep nothing."""


WRITERS = (
    write_completed,
    write_failed,
    write_cancelled,
    write_family,
    write_blocked,
    write_fork,
    write_spender,
    write_guarded,
    write_kanban,
    write_announced,
    write_approved_by_two,
    write_task,
    write_signalled,
    write_session,
    write_checkpoints,
    write_team,
    write_loop,
    write_feature,
)


def write(version: str, target: Path) -> None:
    """Write the history of a version, and the definition of its runs, into a directory."""
    clock, world = StillClock(), Alone()
    with tempfile.TemporaryDirectory() as directory:
        ledger = open_ledger(Path(directory), clock=clock, processes=world, anchor=world)
        pen = Pen(ledger, clock)
        for write in WRITERS:
            write(pen)
        write_history(ledger.connection, target / f"{version}.jsonl")
        ledger.close()
    (target / f"{version}.definition.json").write_bytes(to_json(definition()) + b"\n")


def main(version: str) -> None:
    import supervisor_ai.bootstrap.projects  # noqa: F401 - registers the drivers

    if version in FROZEN.read_text():
        sys.exit(f"The history of {version!r} is frozen. Record into the next version.")
    write(version, Path(__file__).parent)


if __name__ == "__main__":
    main(sys.argv[1])

"""The facts of a loop, each of them once: from its scope to its report."""

from collections.abc import Iterator
from decimal import Decimal

from supervisor_ai.domain.ids import ArtifactHash, CommitSha, StepName
from supervisor_ai.domain.run.event_kinds.directives import AnsweredDirective, DirectivesAnswered
from supervisor_ai.domain.run.event_kinds.placed import RunEvent
from supervisor_ai.domain.run.values import Usage
from supervisor_ai.drivers.loop import events as k
from supervisor_ai.drivers.loop.kinds import PlannerAction
from supervisor_ai.drivers.quality import events as q
from supervisor_ai.drivers.quality.directives import (
    Directive,
    DirectivePriority,
    DirectiveResponse,
    DirectiveType,
    DropReason,
    NewDirective,
)
from supervisor_ai.drivers.quality.standing_facts import (
    StandingDirectiveAdded,
    StandingDirectiveDropped,
    StandingFact,
)
from supervisor_ai.drivers.quality.supervisors import RunOutcome
from supervisor_ai.drivers.quality.threads import (
    ThreadDeleted,
    ThreadFact,
    ThreadStateSaved,
    ThreadValue,
    ThreadWrite,
    ThreadWritesSaved,
)

SCOPE, PLANNER, IMPLEMENTOR, QA, MARK, SUPERVISORS, ASSESSOR, REPORT = STEPS = (
    StepName("scope_agent"),
    StepName("task_planner"),
    StepName("loop_implementor"),
    StepName("qa"),
    StepName("mark_complete"),
    StepName("run_supervisors"),
    StepName("assessor"),
    StepName("report"),
)
_AT = CommitSha("a" * 40)


def kept(name: str) -> ArtifactHash:
    """Name an artifact."""
    return ArtifactHash(name.ljust(64, "0"))


def scoping() -> Iterator[RunEvent]:
    """Find a remit with two milestones."""
    yield k.ScopeTaken(
        step=SCOPE,
        visit=1,
        attempt=1,
        remit=kept("remit"),
        milestones=(kept("first"), kept("second")),
    )


def planning() -> Iterator[RunEvent]:
    """Plan a task, and answer a directive."""
    wanted = Directive(
        number=1,
        type=DirectiveType.FUNCTIONAL,
        priority=DirectivePriority.CRITICAL,
        source="person",
        text=kept("wanted"),
        since=0,
    )
    yield q.DirectiveAdded(step=PLANNER, visit=1, directive=wanted)
    answer = k.DirectiveAnswer(number=1, response=DirectiveResponse.ADDRESSED, note=kept("answer"))
    yield k.TaskPlanned(
        step=PLANNER,
        visit=1,
        attempt=1,
        action=PlannerAction.IMPLEMENT,
        task=kept("task"),
        carry_forward=(kept("later"),),
        answers=(answer,),
        does=(1,),
    )


def asking() -> Iterator[RunEvent]:
    """Ask first, once with an answer and once without, and answer what the project wants."""
    yield k.QuestionsAsked(step=PLANNER, visit=1, attempt=1, questions=(kept("why"),))
    yield k.ResearchTaken(step=PLANNER, visit=1, slot=2, attempt=1, answers=kept("because"))
    yield k.ResearchMissed(step=PLANNER, visit=1, slot=2, reason="Its model cannot be had now.")
    reply = AnsweredDirective(number=1, response="explained", note=kept("note"))
    yield DirectivesAnswered(step=PLANNER, visit=1, attempt=1, answers=(reply,))


def summing() -> Iterator[RunEvent]:
    """Sum up what is long over, and once not."""
    yield k.SummaryTaken(step=SUPERVISORS, visit=1, slot=4, attempt=1, tasks=4, summary=kept("sum"))
    yield k.SummaryMissed(step=SUPERVISORS, visit=1, slot=4, tasks=8, reason="Not now.")


def wishes() -> Iterator[StandingFact]:
    """Want something done in the project, and then not any more."""
    yield StandingDirectiveAdded(
        type=DirectiveType.CLEANUP, priority=DirectivePriority.LOW, text=kept("tidy"), since=3
    )
    yield StandingDirectiveDropped(number=1)


def working() -> Iterator[RunEvent]:
    """Report files that are not there."""
    yield k.WorkTaken(step=IMPLEMENTOR, visit=1, attempt=1, problem=kept("missing"))


def judging() -> Iterator[RunEvent]:
    """Do not accept the work."""
    yield k.QaTaken(step=QA, visit=1, attempt=1, feedback=kept("sloppy"))
    yield k.TaskSetBack(
        step=QA, visit=1, task=1, found_by=k.SetbackSource.QA, feedback=kept("sloppy")
    )


def marking() -> Iterator[RunEvent]:
    """Mark the task."""
    yield k.TaskMarked(
        step=MARK,
        visit=1,
        task=1,
        outcome=k.TaskOutcome.DONE,
        attempts=2,
        qa_failures=1,
        commit=_AT,
    )


def looking() -> Iterator[RunEvent]:
    """Find something, and drop what is too old."""
    wanted = NewDirective(
        type=DirectiveType.CLEANUP, priority=DirectivePriority.LOW, text=kept("tidy")
    )
    yield q.FindingsTaken(
        step=SUPERVISORS,
        visit=1,
        attempt=1,
        outcome=RunOutcome.REVIEWED,
        directives=(wanted,),
        updated=("docs/knowledge/conventions/files.md",),
        refused=("docs/knowledge/conventions/bad.md",),
        reviews=1,
        novel=1,
        total=2,
    )
    given = Directive(
        number=2,
        type=DirectiveType.CLEANUP,
        priority=DirectivePriority.LOW,
        source="code_style",
        text=kept("tidy"),
        since=1,
    )
    yield q.SupervisorRan(
        step=SUPERVISORS,
        visit=1,
        supervisor="code_style",
        title="Code Style Supervisor",
        outcome=RunOutcome.REVIEWED,
        after=1,
        commit=_AT,
        directives=(given,),
        updated=("docs/knowledge/conventions/files.md",),
        refused=("docs/knowledge/conventions/bad.md",),
        reviews=1,
        novel=1,
        total=2,
        is_converging=True,
        findings=kept("findings"),
        reason="",
        usage=Usage(tokens_in=5_000, tokens_out=1_000, cost=Decimal("0.03")),
    )
    yield q.StockStarted(step=SUPERVISORS, visit=1, commit=_AT)
    yield q.StockLost(step=SUPERVISORS, visit=1)
    yield q.StockStarted(step=SUPERVISORS, visit=1, commit=_AT)
    yield q.StockTaken(
        step=SUPERVISORS,
        visit=1,
        commit=_AT,
        commits=3,
        setbacks=1,
        records=(q.StandingRecord(supervisor="code_style", since=1, commit=_AT),),
        pending=(given,),
        newest=2,
        answers=(
            q.StandingAnswer(number=1, response=DirectiveResponse.EXPLAINED, note=kept("done")),
        ),
        tasks=(kept("task"),),
    )
    yield q.DirectiveDropped(step=SUPERVISORS, visit=1, number=2, reason=DropReason.AGED)


def assessing() -> Iterator[RunEvent]:
    """Look at the way so far."""
    yield k.AssessmentTaken(step=ASSESSOR, visit=1, attempt=1, hint=kept("hint"))


def reporting() -> Iterator[RunEvent]:
    """Lose the report once, then write it."""
    begun = k.WorkReportStarted(step=REPORT, visit=1)
    yield from (begun, k.WorkReportLost(step=REPORT, visit=1), begun)
    yield k.WorkReportWritten(step=REPORT, visit=1, report=kept("report"))


def threads() -> Iterator[ThreadFact]:
    """Save the states of a graph, lose a step, and let nobody go on."""
    yield ThreadStateSaved(
        namespace="",
        state="1f0",
        parent=None,
        head=kept("head"),
        about=kept("about"),
        values=(
            ThreadValue(channel="number", version="1", text=kept("number")),
            ThreadValue(channel="said", version="1", text=None),
        ),
    )
    write = ThreadWrite(index=0, channel="number", text=kept("write"))
    yield ThreadWritesSaved(namespace="", state="1f0", task="t1", path="", writes=(write,))
    yield ThreadDeleted()

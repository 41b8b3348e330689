"""The facts of a loop, each of them once: from its scope to its report."""

from collections.abc import Iterator

from supervisor_ai.domain.ids import ArtifactHash, CommitSha, StepName
from supervisor_ai.domain.run.event_kinds.placed import RunEvent
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
from supervisor_ai.drivers.quality.supervisors import RunOutcome

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

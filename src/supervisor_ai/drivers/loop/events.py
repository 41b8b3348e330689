"""The facts of a loop: what its roles said that decides something, and what became of tasks."""

from enum import StrEnum
from typing import ClassVar, Final

from msgspec import Struct

from supervisor_ai.domain.ids import ArtifactHash, CommitSha
from supervisor_ai.domain.run.event_kinds.placed import (
    OperationEnded,
    OperationStarted,
    RunEvent,
    StepNote,
)
from supervisor_ai.drivers.loop.kinds import PlannerAction
from supervisor_ai.drivers.quality.directives import DirectiveResponse
from supervisor_ai.drivers.quality.events import QUALITY_EVENTS, AnswerTaken


class TaskOutcome(StrEnum):
    """What became of a task."""

    DONE = "done"
    SKIPPED = "skipped"
    FAILED = "failed"
    """It was tried as often as it may be."""
    ABORTED = "aborted"


class SetbackSource(StrEnum):
    """Who found that a task is not done."""

    WORKER = "worker"
    FILES = "files"
    GATES = "gates"
    QA = "qa"
    PERSON = "person"


class DirectiveAnswer(Struct, frozen=True, kw_only=True):
    """What the planner said to a directive."""

    number: int
    response: DirectiveResponse
    note: ArtifactHash | None = None


class ScopeTaken(AnswerTaken, frozen=True, kw_only=True):
    """What is to be achieved, and by which milestones."""

    remit: ArtifactHash
    milestones: tuple[ArtifactHash, ...]
    """Each with its sketches of areas, as JSON."""


class TaskPlanned(AnswerTaken, frozen=True, kw_only=True):
    """What the planner wants done next."""

    action: PlannerAction
    task: ArtifactHash
    """The task in words; at the end of a milestone, why it is done."""
    carry_forward: tuple[ArtifactHash, ...] = ()
    answers: tuple[DirectiveAnswer, ...] = ()
    does: tuple[int, ...] = ()
    """The directives that the task carries out."""
    keeps: tuple[int, ...] | None = None
    """The planned directives that stay planned; None: from a time when an answer settled them."""


class WorkTaken(AnswerTaken, frozen=True, kw_only=True):
    """What an implementor reports, held against the files that it left."""

    problem: ArtifactHash | None = None
    """What is missing or empty of the files that it reports; None: nothing."""


class QaTaken(AnswerTaken, frozen=True, kw_only=True):
    """What QA says about the work."""

    feedback: ArtifactHash


class AssessmentTaken(AnswerTaken, frozen=True, kw_only=True):
    """What the assessor says about the way so far."""

    hint: ArtifactHash


class QuestionsAsked(AnswerTaken, frozen=True, kw_only=True):
    """Whoever scopes or plans wants to know something first."""

    questions: tuple[ArtifactHash, ...]


class ResearchTaken(AnswerTaken, frozen=True, kw_only=True):
    """What was asked is answered."""

    answers: ArtifactHash


class ResearchMissed(StepNote, frozen=True, kw_only=True):
    """Nobody could answer what was asked; who asked goes on with what is known."""

    reason: str


class SummaryTaken(AnswerTaken, frozen=True, kw_only=True):
    """What is long over was summed up."""

    tasks: int
    """How many tasks it is about, the oldest first."""
    summary: ArtifactHash


class SummaryMissed(StepNote, frozen=True, kw_only=True):
    """Nobody could sum up what is long over; its titles stand for it."""

    tasks: int
    reason: str


class TaskSetBack(StepNote, frozen=True, kw_only=True):
    """The task is not done yet."""

    task: int
    found_by: SetbackSource
    feedback: ArtifactHash
    """What is wrong."""


class TaskMarked(StepNote, frozen=True, kw_only=True):
    """A task is over."""

    task: int
    outcome: TaskOutcome
    attempts: int
    """How often somebody worked on it."""
    qa_failures: int
    commit: CommitSha | None = None
    """Where it is on the run's branch; None: nothing was changed."""


class WorkReportStarted(OperationStarted, frozen=True, kw_only=True):
    """The report of the whole work is about to be written."""

    operation: ClassVar = "work_report"

    def lost(self) -> "WorkReportLost":  # type: ignore[explicit-override]
        """State that its owner died before there was an outcome."""
        return WorkReportLost(step=self.step, visit=self.visit, slot=self.slot)


class WorkReportWritten(OperationEnded, frozen=True, kw_only=True):
    """The report of the whole work."""

    ends: ClassVar = WorkReportStarted

    report: ArtifactHash


class WorkReportLost(OperationEnded, frozen=True, kw_only=True):
    """Its owner died; writing again is harmless."""

    ends: ClassVar = WorkReportStarted


LOOP_EVENTS: Final[tuple[type[RunEvent], ...]] = (
    ScopeTaken,
    TaskPlanned,
    WorkTaken,
    QaTaken,
    AssessmentTaken,
    QuestionsAsked,
    ResearchTaken,
    ResearchMissed,
    SummaryTaken,
    SummaryMissed,
    TaskSetBack,
    TaskMarked,
    WorkReportStarted,
    WorkReportWritten,
    WorkReportLost,
    *QUALITY_EVENTS,
)

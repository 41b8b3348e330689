"""The nodes of the loop, and the kinds of steps and answers that only loops have."""

from enum import StrEnum
from typing import Final

from supervisor_ai.domain.run.answers import AnswerWord, Meaning
from supervisor_ai.domain.run.definition import StepWord


class LoopNode(StrEnum):
    """A node of the loop; each is a step of the run."""

    SCOPE_AGENT = "scope_agent"
    TASK_PLANNER = "task_planner"
    IMPLEMENTOR = "implementor"
    QA = "qa"
    MARK_COMPLETE = "mark_complete"
    MARK_FAILED = "mark_failed"
    RUN_SUPERVISORS = "run_supervisors"
    ASSESSOR = "assessor"
    POLISH = "polish"
    REPORT = "report"


BOOKKEEPING: Final = StepWord("bookkeeping")
"""A node at which nobody is asked: the loop itself decides."""
SUPERVISION: Final = StepWord("supervisors")
"""The quality supervisors look, one after the other."""


class PlannerAction(StrEnum):
    """What the task planner wants done next."""

    IMPLEMENT = "implement"
    SKIP = "skip"
    ABORT = "abort"
    MILESTONE_DONE = "milestone_done"


class WorkStatus(StrEnum):
    """How an implementor says that its task came out."""

    SUCCESS = "SUCCESS"
    PARTIAL = "PARTIAL"
    FAILED = "FAILED"
    BLOCKED = "BLOCKED"


class QaVerdict(StrEnum):
    """What QA says about the work."""

    PASS = "pass"  # noqa: S105 - a verdict, not a password
    FAIL = "fail"


class AssessmentVerdict(StrEnum):
    """How the work stands to the remit."""

    ALIGNED = "aligned"
    MINOR_DRIFT = "minor_drift"
    MAJOR_DIVERGENCE = "major_divergence"
    MILESTONE_COMPLETE = "milestone_complete"


SCOPED: Final = "SCOPED"
OF_SCOPE: Final = AnswerWord("scope")
OF_PLANNER: Final = AnswerWord("next_task")
OF_WORK: Final = AnswerWord("work")
OF_QA: Final = AnswerWord("qa")
OF_ASSESSOR: Final = AnswerWord("assessment")
OF_RESEARCH: Final = AnswerWord("research")
OF_SUMMARY: Final = AnswerWord("work_summary")
RESEARCHER: Final = "loop_researcher"
SUMMARIZER: Final = "loop_summarizer"

SCOPE_MEANINGS: Final[dict[str, Meaning]] = {SCOPED: Meaning.PASS}
PLANNER_MEANINGS: Final[dict[str, Meaning]] = dict.fromkeys(PlannerAction, Meaning.PASS)
# What somebody cannot do climbs to whoever can plan otherwise, and nobody waits for it.
WORK_MEANINGS: Final[dict[str, Meaning]] = dict.fromkeys(WorkStatus, Meaning.PASS)
QA_MEANINGS: Final[dict[str, Meaning]] = {
    QaVerdict.PASS: Meaning.PASS,
    QaVerdict.FAIL: Meaning.REJECT,
}
ASSESSOR_MEANINGS: Final[dict[str, Meaning]] = {
    **dict.fromkeys(AssessmentVerdict, Meaning.PASS),
    AssessmentVerdict.MAJOR_DIVERGENCE: Meaning.REJECT,
}
RESEARCH_MEANINGS: Final[dict[str, Meaning]] = {"ANSWERED": Meaning.PASS}
SUMMARY_MEANINGS: Final[dict[str, Meaning]] = {"SUMMED": Meaning.PASS}

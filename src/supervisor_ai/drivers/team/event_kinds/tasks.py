"""The facts of a team's tasks: who does them, how they are reviewed, and what holds them up."""

from typing import ClassVar

from supervisor_ai.domain.ids import ArtifactHash
from supervisor_ai.drivers.team.event_kinds.fact import TaskFact
from supervisor_ai.drivers.team.staffing.complexity import TeamComplexity
from supervisor_ai.drivers.team.staffing.roles import TeamRole
from supervisor_ai.drivers.team.text.report import ActionType, AlertSeverity, AlertType
from supervisor_ai.drivers.team.words import LoopAdvice, ReassignmentReason, Strategy


class TaskOpened(TaskFact, frozen=True, kw_only=True):
    """There is something to do."""

    word: ClassVar = "TASK_ADDED"
    speaks: ClassVar = True

    subject: ArtifactHash
    complexity: TeamComplexity
    files: tuple[str, ...] = ()
    needs: tuple[str, ...] = ()
    """The capabilities that it asks for."""


class TaskClaimed(TaskFact, frozen=True, kw_only=True):
    """Somebody does it."""

    word: ClassVar = "CLAIM"
    is_progress: ClassVar = True

    files: tuple[str, ...] = ()


class TaskSubmitted(TaskFact, frozen=True, kw_only=True):
    """It waits for reviewers."""

    word: ClassVar = "IN_REVIEW"
    speaks: ClassVar = True
    is_progress: ClassVar = True

    files: tuple[str, ...] = ()


class TaskApproved(TaskFact, frozen=True, kw_only=True):
    """One of those who have to agree does."""

    word: ClassVar = "APPROVED"
    speaks: ClassVar = True
    is_progress: ClassVar = True

    role: TeamRole


class TaskSentBack(TaskFact, frozen=True, kw_only=True):
    """A reviewer wants something changed; a new revision begins."""

    word: ClassVar = "CHANGES_REQUESTED"
    speaks: ClassVar = True
    is_progress: ClassVar = True

    role: TeamRole
    issue: str
    """What is wrong, in a word by which it is known again."""


class TaskReopened(TaskFact, frozen=True, kw_only=True):
    """Its owner went on before the review was over; a new revision begins."""

    word: ClassVar = "REOPENED"
    is_progress: ClassVar = True


class TaskClosed(TaskFact, frozen=True, kw_only=True):
    """It is done, and all who have to agree did."""

    word: ClassVar = "DONE"
    speaks: ClassVar = True
    is_progress: ClassVar = True


class TaskStuck(TaskFact, frozen=True, kw_only=True):
    """Its owner gets no further."""

    word: ClassVar = "STUCK"
    speaks: ClassVar = True
    alert: ClassVar = AlertType.STUCK
    severity: ClassVar = AlertSeverity.WARN
    action: ClassVar = ActionType.ESCALATE

    attempt: int
    reason: str = ""
    """Why, in the owner's words."""


class WaitImpossible(TaskFact, frozen=True, kw_only=True):
    """Nobody on the roster can agree to it; waiting would never end."""

    word: ClassVar = "IMPOSSIBLE_WAIT"
    speaks: ClassVar = True
    alert: ClassVar = AlertType.STUCK
    severity: ClassVar = AlertSeverity.CRITICAL
    action: ClassVar = ActionType.ESCALATE

    missing: tuple[TeamRole, ...]


class LoopSuspected(TaskFact, frozen=True, kw_only=True):
    """Its review goes round in circles; it is quarantined, and nothing else is."""

    word: ClassVar = "LOOP_SUSPECTED"
    speaks: ClassVar = True
    alert: ClassVar = AlertType.LOOP_SUSPECTED
    severity: ClassVar = AlertSeverity.WARN
    action: ClassVar = ActionType.ESCALATE

    rounds: int
    issue: str
    advice: LoopAdvice


class DuplicateClaimFound(TaskFact, frozen=True, kw_only=True):
    """Two claim it; their claims are frozen."""

    word: ClassVar = "DUPLICATE_TASK_KEY"
    speaks: ClassVar = True
    alert: ClassVar = AlertType.DUPLICATE_TASK_KEY
    severity: ClassVar = AlertSeverity.WARN
    action: ClassVar = ActionType.ESCALATE

    claimants: tuple[str, ...]
    """The first is who should keep it."""


class OverlapFound(TaskFact, frozen=True, kw_only=True):
    """It touches files of another task in work; both are frozen."""

    word: ClassVar = "OVERLAP_SCOPE"
    speaks: ClassVar = True
    alert: ClassVar = AlertType.OVERLAP_SCOPE
    severity: ClassVar = AlertSeverity.WARN
    action: ClassVar = ActionType.ESCALATE

    other: str
    """The other task."""
    canonical: str
    """The task whose owner should go on."""
    files: tuple[str, ...]


class TaskResumed(TaskFact, frozen=True, kw_only=True):
    """What held it up is settled; it goes on where it stood."""

    word: ClassVar = "TASK_RELEASED"
    speaks: ClassVar = True


class TaskReassigned(TaskFact, frozen=True, kw_only=True):
    """It is somebody's from now on, as the Lead said; a new revision begins."""

    word: ClassVar = "OWNERSHIP_MAP"
    speaks: ClassVar = True

    owner: str


class TaskWithdrawn(TaskFact, frozen=True, kw_only=True):
    """Nobody does it any more."""

    word: ClassVar = "TASK_CANCELLED"
    speaks: ClassVar = True


class TaskEscalated(TaskFact, frozen=True, kw_only=True):
    """This one task is reviewed as a heavier one; the Lead staffs it."""

    word: ClassVar = "ESCALATE TO MEDIUM"
    speaks: ClassVar = True

    reason: str = ""


class ReassignmentProposed(TaskFact, frozen=True, kw_only=True):
    """Somebody else should do it; the Lead decides."""

    word: ClassVar = "REASSIGN_PROPOSAL"
    speaks: ClassVar = True
    alert: ClassVar = AlertType.STUCK
    severity: ClassVar = AlertSeverity.WARN
    action: ClassVar = ActionType.REASSIGN_PROPOSAL

    owner: str
    reason: ReassignmentReason
    strategy: Strategy
    candidate: str
    """Who could do it; nothing: nobody who is there."""

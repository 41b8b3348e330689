"""The machine of a team's task: claimed, reviewed, done, and all that can hold it up."""

from datetime import datetime
from enum import StrEnum
from typing import Final

from msgspec import Struct, field

from supervisor_ai.domain.envelope import Event
from supervisor_ai.domain.flow import Flow, step
from supervisor_ai.domain.ids import ArtifactHash
from supervisor_ai.domain.structs import replace
from supervisor_ai.drivers.team.event_kinds import tasks as t
from supervisor_ai.drivers.team.event_kinds.fact import TaskFact
from supervisor_ai.drivers.team.staffing.complexity import TeamComplexity
from supervisor_ai.drivers.team.staffing.roles import TeamRole


class TeamTaskStatus(StrEnum):
    """Where a task stands, in the words of state.md."""

    PENDING = "PENDING"
    IN_PROGRESS = "IN_PROGRESS"
    IN_REVIEW = "IN_REVIEW"
    STUCK = "STUCK"
    STUCK_ESCALATED = "STUCK_ESCALATED"
    """Nobody on the roster can agree to it."""
    LOOP_SUSPECTED = "LOOP_SUSPECTED"
    DUPLICATE_TASK_KEY = "DUPLICATE_TASK_KEY"
    OVERLAP_SCOPE = "OVERLAP_SCOPE"
    DONE = "DONE"
    CANCELLED = "CANCELLED"


_S = TeamTaskStatus
TERMINAL: Final = frozenset({_S.DONE, _S.CANCELLED})
IN_WORK: Final = frozenset({_S.IN_PROGRESS, _S.IN_REVIEW})
"""Somebody works on it, and what it touches is taken."""
HELD: Final = frozenset(
    {_S.STUCK, _S.STUCK_ESCALATED, _S.LOOP_SUSPECTED, _S.DUPLICATE_TASK_KEY, _S.OVERLAP_SCOPE}
)
"""It waits for a decision, and goes on where it stood."""
_OPEN: Final = frozenset(_S) - TERMINAL


def _from(statuses: frozenset[TeamTaskStatus], kind: type, to: TeamTaskStatus) -> Flow[_S]:
    return {(status, kind): to for status in statuses}


TASK_FLOW: Final[Flow[TeamTaskStatus]] = {
    (_S.PENDING, t.TaskClaimed): _S.IN_PROGRESS,
    (_S.IN_PROGRESS, t.TaskSubmitted): _S.IN_REVIEW,
    (_S.IN_REVIEW, t.TaskApproved): _S.IN_REVIEW,
    (_S.IN_REVIEW, t.TaskSentBack): _S.IN_PROGRESS,
    (_S.IN_REVIEW, t.TaskClosed): _S.DONE,
    (_S.IN_REVIEW, t.TaskReopened): _S.IN_PROGRESS,
    **_from(IN_WORK, t.TaskStuck, _S.STUCK),
    (_S.IN_REVIEW, t.WaitImpossible): _S.STUCK_ESCALATED,
    **_from(IN_WORK, t.LoopSuspected, _S.LOOP_SUSPECTED),
    **_from(IN_WORK, t.DuplicateClaimFound, _S.DUPLICATE_TASK_KEY),
    **_from(IN_WORK, t.OverlapFound, _S.OVERLAP_SCOPE),
    # It goes on where it stood, which the fold knows.
    **_from(HELD, t.TaskResumed, _S.IN_PROGRESS),
    **_from(_OPEN, t.TaskReassigned, _S.IN_PROGRESS),
    **_from(_OPEN, t.TaskWithdrawn, _S.CANCELLED),
    **{(status, t.TaskEscalated): status for status in _OPEN},
    **{(status, t.ReassignmentProposed): status for status in _OPEN},
}


class TeamTask(Struct, frozen=True, kw_only=True):
    """A task and where it stands."""

    task: str
    subject: ArtifactHash
    complexity: TeamComplexity
    status: TeamTaskStatus = TeamTaskStatus.PENDING
    rev: int = 1
    """Counts rounds: every review that sends back and every new owner begin another."""
    owner: str = ""
    resumes: TeamTaskStatus = TeamTaskStatus.IN_PROGRESS
    """Where it goes on when what holds it up is settled."""
    files: tuple[str, ...] = ()
    needs: tuple[str, ...] = ()
    is_escalated: bool = False
    approvals: dict[TeamRole, str] = field(default_factory=dict)
    """Who agreed to this revision, by role."""
    issues: tuple[str, ...] = ()
    """What reviewers sent it back for, round by round."""
    fruitless: int = 0
    """How many rounds in a row brought no approval."""
    stuck: int = 0
    claimants: tuple[str, ...] = ()
    other: str = ""
    """The task with which it overlaps."""
    proposal: t.ReassignmentProposed | None = None
    seen: dict[str, int] = field(default_factory=dict)
    """The newest revision for which each word was taken."""
    moved_at: datetime | None = None

    @property
    def is_open(self) -> bool:
        """Tell whether it is neither done nor cancelled."""
        return self.status not in TERMINAL


def opened(event: t.TaskOpened) -> TeamTask:
    """Begin a task."""
    return TeamTask(
        task=event.task,
        subject=event.subject,
        complexity=event.complexity,
        files=event.files,
        needs=event.needs,
        moved_at=event.at,
    )


def evolve(task: TeamTask, event: TaskFact) -> TeamTask:
    """Fold a fact about a task."""
    before = task.status
    status = step(TASK_FLOW, before, event)
    if isinstance(event, t.TaskResumed):
        status = task.resumes
    resumes = before if status in HELD and before in IN_WORK else task.resumes
    task = replace(task, status=status, resumes=resumes, moved_at=event.at)
    task = replace(task, seen={**task.seen, event.word: event.rev})
    return _changed(task, event)


def _changed(task: TeamTask, event: Event) -> TeamTask:  # noqa: C901 - one case per fact
    match event:
        case t.TaskClaimed(actor=actor, files=files):
            return replace(task, owner=actor, files=files or task.files)
        case t.TaskSubmitted(files=files):
            return replace(task, files=files or task.files)
        case t.TaskApproved(role=role, actor=actor):
            return replace(task, approvals={**task.approvals, role: actor}, fruitless=0)
        case t.TaskSentBack(issue=issue):
            return replace(
                task,
                rev=task.rev + 1,
                issues=(*task.issues, issue)[-10:],
                approvals={},
                fruitless=task.fruitless + (0 if task.approvals else 1),
            )
        case t.TaskReopened():
            return replace(task, rev=task.rev + 1, approvals={})
        case t.TaskStuck():
            return replace(task, stuck=task.stuck + 1)
        case t.DuplicateClaimFound(claimants=claimants):
            return replace(task, claimants=claimants)
        case t.OverlapFound(other=other):
            return replace(task, other=other)
        case t.TaskResumed():
            # A new round, so that what is told again is not taken for what was told before.
            return replace(task, rev=task.rev + 1, claimants=(), other="", issues=(), fruitless=0)
        case t.TaskReassigned(owner=owner):
            return replace(
                task,
                owner=owner,
                rev=task.rev + 1,
                approvals={},
                issues=(),
                fruitless=0,
                stuck=0,
                claimants=(),
                other="",
                proposal=None,
            )
        case t.TaskEscalated():
            return replace(task, is_escalated=True)
        case t.ReassignmentProposed():
            return replace(task, proposal=event)
        case _:
            return task


def overlap(one: tuple[str, ...], other: tuple[str, ...]) -> tuple[str, ...]:
    """Return which files of one scope lie in another; a folder ends with a slash."""
    return tuple(path for path in one if any(_meet(path, there) for there in other))


def _meet(one: str, other: str) -> bool:
    if one == other:
        return True
    short, long = sorted((one, other), key=len)
    return short.endswith("/") and long.startswith(short)

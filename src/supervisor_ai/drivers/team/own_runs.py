"""What the stream of a run of our own means for its team: steps become events of members.

The cursor is a fact like any other, in the same append as what it led to: what was followed once is
never followed twice, and what could not be taken yet is followed later.
"""

from collections.abc import Sequence
from datetime import timedelta
from typing import Final

from msgspec import Struct

from supervisor_ai.domain.envelope import Event
from supervisor_ai.domain.ids import RunId
from supervisor_ai.domain.run import events as k
from supervisor_ai.domain.run.answers import Meaning
from supervisor_ai.drivers.team.decide import decide
from supervisor_ai.drivers.team.decisions import roster
from supervisor_ai.drivers.team.decisions.admission import LEAD
from supervisor_ai.drivers.team.decisions.approvals import need_of
from supervisor_ai.drivers.team.decisions.turn import TeamTurn
from supervisor_ai.drivers.team.event_kinds import roster as r
from supervisor_ai.drivers.team.event_kinds.liveness import ActivityNoted
from supervisor_ai.drivers.team.event_kinds.roster import FollowStatus
from supervisor_ai.drivers.team.event_kinds.tasks import TaskReopened
from supervisor_ai.drivers.team.machines.liveness import HEARTBEAT_EVERY
from supervisor_ai.drivers.team.machines.task import TeamTask, TeamTaskStatus
from supervisor_ai.drivers.team.machines.teardown import TeardownStatus
from supervisor_ai.drivers.team.sent import SentEvent
from supervisor_ai.drivers.team.staffing.own_workers import RunCrew
from supervisor_ai.drivers.team.staffing.roles import REVIEWERS, TeamRole
from supervisor_ai.drivers.team.state import TeamState
from supervisor_ai.drivers.team.words import IdleStage, SentWord, WaitReason

FROZEN: Final = frozenset(
    {
        TeamTaskStatus.LOOP_SUSPECTED,
        TeamTaskStatus.DUPLICATE_TASK_KEY,
        TeamTaskStatus.OVERLAP_SCOPE,
    }
)
"""No further attempt of its run begins, and nothing of it lands, before the Lead has decided."""
_STANDING: Final = frozenset({TeardownStatus.NONE, TeardownStatus.TEARDOWN_FAILED_SAFE})
_REASON: Final = 200
_BUSY: Final = 0.01
"""The share of its time in which a process has to compute to count as active."""


class SeenEvent(Struct, frozen=True, kw_only=True):
    """A fact of a run, with what its artifacts say as far as a team wants to know it."""

    place: int
    event: Event
    files: tuple[str, ...] = ()
    """What a plan says will be touched."""
    issue: str = ""
    """What a reviewer objects to."""


class Observed(Struct, frozen=True, kw_only=True):
    """What a worker of ours was seen doing since it was noted last."""

    member: str
    output: int
    cpu: timedelta
    elapsed: timedelta
    changes: int
    """How many files it changed since."""
    files: tuple[str, ...]
    """All that it has changed in this attempt."""

    @property
    def has_progress(self) -> bool:
        """Tell whether something came of it."""
        return self.output > 0 or self.changes > 0

    @property
    def is_active(self) -> bool:
        """Tell whether its processes did anything at all."""
        return self.has_progress or self.cpu > self.elapsed * _BUSY


def can_follow(state: TeamState) -> bool:
    """Tell whether facts of runs can be taken now; under a lock they wait."""
    return state.reconcile.is_open and state.ownership.is_active and not state.teardown.freezes


def join_problem(state: TeamState, crew: RunCrew, turn: TeamTurn) -> str | None:
    """Say why somebody of a run cannot take part now; None: all can, or do already."""
    for role in crew.joining:
        name = crew.member(role)
        if state.member(name) is not None:
            continue
        ruling = roster.join(turn, name, role, run=crew.run)
        if not ruling.accepted:
            return ruling.reason
    return None


def follow(turn: TeamTurn, crew: RunCrew, seen: Sequence[SeenEvent]) -> None:
    """Let facts of a run follow, as far as they can be taken now."""
    if not can_follow(turn.state):
        return
    known = turn.state.followed(crew.run)
    upto = 0 if known is None else known.upto
    status = FollowStatus.WORKING if known is None else known.status
    before, is_taken = len(turn.facts), False
    for it in seen:
        if not _take(turn, crew, it):
            break
        status, upto = _ENDS.get(type(it.event), status), it.place
        is_taken = is_taken or isinstance(it.event, HEARD)
    status = _settle(turn, crew, status)
    if is_taken or len(turn.facts) > before:
        turn.add(r.RunFollowed(**turn.by(), run=crew.run, upto=upto, status=status))


HEARD: Final = (
    *(k.AttemptStarted, k.AttemptSucceeded, k.AttemptFailed, k.AttemptCancelled, k.AttemptLost),
    *(k.RunWaiting, k.RunCompleted, k.RunFailed, k.RunCancelled),
)
"""The facts of a run that mean something to its team."""
_ENDS: Final = {
    k.RunCompleted: FollowStatus.COMPLETED,
    k.RunFailed: FollowStatus.LEFT,
    k.RunCancelled: FollowStatus.LEFT,
}


def _take(turn: TeamTurn, crew: RunCrew, seen: SeenEvent) -> bool:
    """Take one fact of a run; False: its time has not come."""
    match seen.event:
        case k.AttemptStarted(role=role):
            return _begin(turn, crew, crew.roles.get(role))
        case k.AttemptSucceeded(role=role, meaning=meaning):
            _answered(turn, crew, crew.roles.get(role), meaning, seen)
            _rest(turn, crew)
        case k.AttemptFailed() | k.AttemptCancelled() | k.AttemptLost() | k.RunWaiting():
            _rest(turn, crew)
        case k.RunCompleted():
            _submit(turn, crew)
        case k.RunFailed(outcome=outcome):
            _about(turn, crew, SentWord.STUCK, issue=" ".join(outcome.reason.split())[:_REASON])
        case k.RunCancelled():
            _about(turn, crew, SentWord.TASK_CANCELLED, by=LEAD)
        case _:
            pass
    return True


def _begin(turn: TeamTurn, crew: RunCrew, role: TeamRole | None) -> bool:
    """Let a worker begin: everybody of its run takes part, and its task is somebody's."""
    if role is None:
        return True
    trial = TeamTurn(turn.state, turn.now)
    if join_problem(turn.state, crew, trial) is not None:
        return False
    for fact in trial.facts:
        turn.add(fact)
    _open(turn, crew)
    member, task = crew.member(role), turn.state.task(crew.run)
    if task is not None and member == crew.owner:
        _work(turn, crew, task)
    elif task is not None and role in REVIEWERS:
        _submit(turn, crew)
    _note(turn, member, WaitReason.CODING)
    return True


def _open(turn: TeamTurn, crew: RunCrew) -> None:
    """Make the run a task of the team; who starts it for the team speaks as the Lead."""
    if crew.owner is None or turn.state.task(crew.run) is not None:
        return
    _send(turn, LEAD, SentWord.TASK_ADDED, crew.run, subject=crew.subject)


def _work(turn: TeamTurn, crew: RunCrew, task: TeamTask) -> None:
    """Let the owner work: it claims what is nobody's, and takes back what waits for a review."""
    if task.status is TeamTaskStatus.PENDING:
        planner = turn.state.member(crew.member(TeamRole.RESEARCHER))
        files = () if planner is None else planner.files
        _about(turn, crew, SentWord.CLAIM, files=files)
    elif task.status is TeamTaskStatus.IN_REVIEW and task.owner == crew.owner:
        turn.add(TaskReopened(**turn.by(task.owner), task=task.task, rev=task.rev))


def _answered(
    turn: TeamTurn, crew: RunCrew, role: TeamRole | None, meaning: Meaning, seen: SeenEvent
) -> None:
    """Take an answer: a reviewer's is a verdict, anybody else's is progress."""
    if role is None or turn.state.member(crew.member(role)) is None:
        return
    member = crew.member(role)
    if meaning is Meaning.BLOCK and member == crew.owner:
        _about(turn, crew, SentWord.STUCK)
    elif role in REVIEWERS or role is TeamRole.TECH_LEAD:
        word = SentWord.APPROVED if meaning is Meaning.PASS else SentWord.CHANGES_REQUESTED
        _about(turn, crew, word, by=member, issue=seen.issue or "review")
    else:
        turn.add(
            ActivityNoted(
                **turn.by(member),
                wait=WaitReason.WAITING_ACK,
                has_progress=True,
                files=seen.files,
            )
        )


def _submit(turn: TeamTurn, crew: RunCrew) -> None:
    task = turn.state.task(crew.run)
    if task is not None and task.status is TeamTaskStatus.IN_PROGRESS:
        _about(turn, crew, SentWord.IN_REVIEW)


def _settle(turn: TeamTurn, crew: RunCrew, status: FollowStatus) -> FollowStatus:
    """Close the task of a completed run where all have agreed; let everybody of it leave."""
    task = turn.state.task(crew.run)
    if status is FollowStatus.COMPLETED and task is not None and task.is_open:
        _approve(turn, crew, task)
        _about(turn, crew, SentWord.DONE)
        task = turn.state.task(crew.run)
    is_over = status is FollowStatus.COMPLETED and (task is None or not task.is_open)
    if not is_over and status is not FollowStatus.LEFT:
        return status
    if turn.state.teardown.status in _STANDING:
        # Who is asked to stop stays on the roster, so that its end is its acknowledgement.
        for role in crew.joining:
            if turn.state.member(crew.member(role)) is not None:
                roster.leave(turn, crew.member(role))
    return FollowStatus.LEFT


def _approve(turn: TeamTurn, crew: RunCrew, task: TeamTask) -> None:
    """Repeat what the run's own reviewers said: a run that completes has passed its reviews."""
    if task.status is not TeamTaskStatus.IN_REVIEW:
        return
    for role in need_of(turn.state, task).still_open(task.approvals):
        if role in crew.roles.values():
            _about(turn, crew, SentWord.APPROVED, by=crew.member(role))


def _rest(turn: TeamTurn, crew: RunCrew) -> None:
    """Let an owner without a process wait for its run: nobody is late who does not run."""
    task = turn.state.task(crew.run)
    if crew.owner is not None and (task is None or task.status is not TeamTaskStatus.IN_REVIEW):
        _note(turn, crew.owner, WaitReason.WAITING_ACK)


def _note(turn: TeamTurn, name: str, wait: WaitReason) -> None:
    """Note what a member is at, where it was at something else."""
    member = turn.state.member(name)
    if member is not None and member.wait is not wait:
        turn.add(ActivityNoted(**turn.by(name), wait=wait))


def _about(
    turn: TeamTurn,
    crew: RunCrew,
    word: SentWord,
    *,
    by: str | None = None,
    files: tuple[str, ...] = (),
    issue: str = "",
) -> None:
    """Let a member of the run, or the Lead, say something about the run's task."""
    sender = by or crew.owner
    if sender is not None and turn.state.task(crew.run) is not None:
        _send(turn, sender, word, crew.run, files=files, issue=issue)


def _send(turn: TeamTurn, sender: str, word: SentWord, run: RunId, **more: object) -> None:
    """Decide an event as if it had been sent; what cannot be taken changes nothing."""
    task = turn.state.task(run)
    sent = SentEvent(
        event=word,
        sender=sender,
        actor=sender,
        task_id=run,
        rev=None if task is None else task.rev,
        epoch=turn.state.ownership.epoch,
        **more,  # type: ignore[arg-type]
    )
    ruling = decide(turn.state, sent, turn.now)
    for fact in ruling.facts:
        turn.add(fact)


def observe(turn: TeamTurn, seen: Observed) -> None:
    """Note what a worker really does: where it changes something, or once a minute."""
    member = turn.state.member(seen.member)
    if member is None or not seen.is_active or not can_follow(turn.state):
        return
    is_news = (
        member.stage is not IdleStage.NONE,
        bool(set(seen.files) - set(member.files)),
        turn.now - member.last_activity_at >= HEARTBEAT_EVERY,
    )
    if not any(is_news):
        return
    word = SentWord.PROGRESS if seen.has_progress else SentWord.HEARTBEAT
    sent = SentEvent(
        event=word,
        sender=seen.member,
        actor=seen.member,
        epoch=turn.state.ownership.epoch,
        files=seen.files,
    )
    for fact in decide(turn.state, sent, turn.now).facts:
        turn.add(fact)


def hold_reason(state: TeamState, crew: RunCrew, now: TeamTurn) -> str | None:
    """Say why no further worker of a run may start; None: it may."""
    return landing_hold(state, crew) or join_problem(state, crew, now)


def landing_hold(state: TeamState, crew: RunCrew) -> str | None:
    """Say why nothing of a run may land; None: it may. Of a team that ends nobody decides."""
    task = state.task(crew.run)
    if task is not None and task.status in FROZEN and task.owner == crew.owner:
        return f"task {crew.run} is {task.status.value} until the Lead has decided"
    if can_follow(state) or state.teardown.freezes:
        return None
    why = state.ownership.status.value if state.reconcile.is_open else state.lock.word
    return f"the state of the team cannot be written now ({why})"

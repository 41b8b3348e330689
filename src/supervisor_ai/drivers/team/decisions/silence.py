"""What is done about silence at a look: ping, nudge, escalation, replacement proposal."""

from datetime import datetime, timedelta
from typing import Final

from msgspec import Struct

from supervisor_ai.drivers.team.decisions.approvals import need_of
from supervisor_ai.drivers.team.decisions.reassignment import NO_RESPONSES, propose
from supervisor_ai.drivers.team.decisions.turn import TeamTurn
from supervisor_ai.drivers.team.event_kinds import liveness as e
from supervisor_ai.drivers.team.machines.liveness import (
    GRACE,
    LOOK_EVERY,
    THRESHOLDS,
    TeamMember,
    Threshold,
    may_tell,
)
from supervisor_ai.drivers.team.machines.task import IN_WORK, TeamTask, TeamTaskStatus
from supervisor_ai.drivers.team.staffing.roles import TeamRole
from supervisor_ai.drivers.team.state import TeamState
from supervisor_ai.drivers.team.words import IdleStage, ReassignmentReason, WaitReason

_LEAD: Final = (TeamRole.LEAD.value,)
_APART: Final = LOOK_EVERY - timedelta(seconds=1)
"""Two looks that are nearer to each other see one breach."""


class Silence(Struct, frozen=True, kw_only=True):
    """How long a member is silent, about what, and who can do something about it."""

    member: TeamMember
    task: str
    elapsed: timedelta
    threshold: Threshold
    to: tuple[str, ...]
    is_review: bool = False


def check_silence(turn: TeamTurn) -> None:
    """Look at every member once; each goes one stage further at most."""
    asked = reviews_asked(turn.state)
    for member in tuple(turn.state.roster()):
        found = silence_of(turn.state, member, asked, turn.now)
        if found is not None:
            _respond(turn, found)


def reviews_asked(state: TeamState) -> dict[str, TeamTask]:
    """Return which task waits for whose review the longest, by the names of members."""
    asked: dict[str, TeamTask] = {}
    waiting = [it for it in state.open_tasks() if it.status is TeamTaskStatus.IN_REVIEW]
    for task in sorted(waiting, key=lambda it: (str(it.moved_at), it.task)):
        for name in reviewers_of(state, task):
            asked.setdefault(name, task)
    return asked


def reviewers_of(state: TeamState, task: TeamTask) -> tuple[str, ...]:
    """Name the members whose approval a task waits for."""
    waits = need_of(state, task).still_open(task.approvals)
    return tuple(
        it.name
        for it in state.roster()
        if it.role in waits and it.name != task.owner and it.serves(task.task)
    )


def silence_of(
    state: TeamState, member: TeamMember, asked: dict[str, TeamTask], now: datetime
) -> Silence | None:
    """Measure the silence of a member; None: it has nothing to do, or is too new to be late."""
    threshold = THRESHOLDS.get((member.role, member.wait))
    if threshold is None or now - member.joined_at < GRACE or _is_at_rest(member):
        return None
    watched = state.watched_since or now
    reviewed = asked.get(member.name)
    if reviewed is not None:
        since = max(member.last_activity_at, reviewed.moved_at or now, watched)
        return Silence(
            member=member,
            task=reviewed.task,
            elapsed=now - since,
            threshold=threshold,
            to=(member.name,),
            is_review=True,
        )
    return _own_work(state, member, threshold, now)


def _is_at_rest(member: TeamMember) -> bool:
    """Tell whether a worker of ours has no process, because its run is at something else."""
    return member.run is not None and member.wait is WaitReason.WAITING_ACK


def _own_work(
    state: TeamState, member: TeamMember, threshold: Threshold, now: datetime
) -> Silence | None:
    mine = [task for name in member.tasks if (task := state.task(name)) is not None]
    active = [task for task in mine if task.status in IN_WORK]
    if not active:
        return None
    task, is_review = active[-1], member.wait is WaitReason.WAITING_REVIEW
    # Who waits for a review may say so every minute: the wait itself is what takes too long.
    last = member.wait_since if is_review else member.last_activity_at
    to = reviewers_of(state, task) if is_review else (member.name,)
    return Silence(
        member=member,
        task=task.task,
        elapsed=now - max(last, state.watched_since or now),
        threshold=threshold,
        to=to,
        is_review=is_review,
    )


def _respond(turn: TeamTurn, found: Silence) -> None:
    stage, elapsed, threshold = found.member.stage, found.elapsed, found.threshold
    match stage:
        case IdleStage.NONE if elapsed >= threshold.ping:
            turn.add(e.MemberPinged(**turn.by(), **_staged(turn, found, "PING")))
        case IdleStage.PINGED if elapsed >= threshold.nudge:
            turn.add(e.MemberNudged(**turn.by(), **_staged(turn, found, "NUDGE")))
        case IdleStage.NUDGED if elapsed >= threshold.escalate and _is_confirmed(turn, found):
            turn.add(e.MemberEscalated(**turn.by(), **_to_lead(found)))
            _repeated(turn, found)
        case IdleStage.ESCALATED if elapsed >= threshold.replace and _is_confirmed(turn, found):
            turn.add(e.ReplacementProposed(**turn.by(), **_to_lead(found)))
        case _:
            return


def _is_confirmed(turn: TeamTurn, found: Silence) -> bool:
    """Demand two breaches in a row, a look apart, and no fresh progress."""
    member = found.member
    if turn.now - member.last_progress_at < found.threshold.ping:
        return False
    if member.breached_at is not None and member.breaches:
        return turn.now - member.breached_at >= _APART
    turn.add(e.BreachNoted(**turn.by(), member=member.name, task=found.task, elapsed=found.elapsed))
    return False


def _repeated(turn: TeamTurn, found: Silence) -> None:
    """Propose another owner where silence is repeated."""
    member = turn.state.member(found.member.name)
    task = turn.state.task(found.task)
    if member is None or task is None or task.owner != member.name:
        return
    if member.escalations >= NO_RESPONSES:
        propose(turn, task, ReassignmentReason.NO_RESPONSE)


def _staged(turn: TeamTurn, found: Silence, word: str) -> e.StagedFields:
    """Address a message to whom it may still be sent; to nobody: the stage alone counts."""
    people = (member for name in found.to if (member := turn.state.member(name)) is not None)
    to = tuple(it.name for it in people if may_tell(it, word, found.task, turn.now))
    return e.StagedFields(
        member=found.member.name,
        task=found.task,
        elapsed=found.elapsed,
        to=to,
        is_quiet=not to,
        is_review=found.is_review,
    )


def _to_lead(found: Silence) -> e.StagedFields:
    return e.StagedFields(
        member=found.member.name,
        task=found.task,
        elapsed=found.elapsed,
        to=_LEAD,
        is_quiet=False,
        is_review=found.is_review,
    )

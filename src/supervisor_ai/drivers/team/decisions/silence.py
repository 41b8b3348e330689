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
    TeamMember,
    Threshold,
    may_tell,
    threshold_of,
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

    @property
    def silent(self) -> tuple[str, ...]:
        """Name those for whose review the member waits; nobody: it is silent itself."""
        return self.to if self.is_review and self.member.name not in self.to else ()


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
    is_new = now - member.joined_at < GRACE
    threshold = _threshold(state, member, member.wait)
    if threshold is None or is_new or _is_at_rest(member):
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
    return _own_work(state, member, now)


def _threshold(state: TeamState, member: TeamMember, wait: WaitReason) -> Threshold | None:
    return threshold_of(member.role, wait, {} if state.created is None else state.created.sla)


def _is_at_rest(member: TeamMember) -> bool:
    """Tell whether a worker of ours has no process, because its run is at something else."""
    return member.run is not None and member.wait is WaitReason.WAITING_ACK


def awaited_review(state: TeamState, member: TeamMember) -> TeamTask | None:
    """Return the task for whose review a member waits; None: nobody owes it one."""
    if member.wait is not WaitReason.WAITING_REVIEW:
        return None
    mine = (task for name in member.tasks if (task := state.task(name)) is not None)
    asked = [it for it in mine if it.status is TeamTaskStatus.IN_REVIEW and reviewers_of(state, it)]
    return asked[-1] if asked else None


def _own_work(state: TeamState, member: TeamMember, now: datetime) -> Silence | None:
    mine = [task for name in member.tasks if (task := state.task(name)) is not None]
    reviewed, active = awaited_review(state, member), [it for it in mine if it.status in IN_WORK]
    wait = WaitReason.CODING if reviewed is None else WaitReason.WAITING_REVIEW
    threshold = _threshold(state, member, wait)
    if not active or threshold is None:
        return None
    task = reviewed or active[-1]
    # Who waits for a review may say so every minute: the wait itself is what takes too long.
    last = member.last_activity_at if reviewed is None else member.wait_since
    since = max(last, task.moved_at or last, state.watched_since or now)
    return Silence(
        member=member,
        task=task.task,
        elapsed=now - since,
        threshold=threshold,
        to=(member.name,) if reviewed is None else reviewers_of(state, task),
        is_review=reviewed is not None,
    )


def _respond(turn: TeamTurn, found: Silence) -> None:
    stage, elapsed, threshold = found.member.stage, found.elapsed, found.threshold
    match stage:
        case IdleStage.NONE if elapsed >= threshold.ping:
            turn.add(e.MemberPinged(**turn.by(), **_staged(turn, found, "PING")))
        case IdleStage.PINGED if elapsed >= threshold.nudge:
            turn.add(e.MemberNudged(**turn.by(), **_staged(turn, found, "NUDGE")))
        case IdleStage.NUDGED if _is_confirmed(turn, found, threshold.escalate):
            turn.add(e.MemberEscalated(**turn.by(), **_to_lead(found)))
            _repeated(turn, found)
        case IdleStage.ESCALATED if _is_confirmed(turn, found, threshold.replace):
            turn.add(e.ReplacementProposed(**turn.by(), **_to_lead(found)))
        case _:
            return


def _is_confirmed(turn: TeamTurn, found: Silence, limit: timedelta) -> bool:
    """Demand two breaches of a limit in a row, a look apart, and no fresh progress."""
    member = found.member
    is_fresh = turn.now - member.last_progress_at < found.threshold.ping
    if found.elapsed < limit or is_fresh:
        return False
    if member.breached_at is not None and found.elapsed - (turn.now - member.breached_at) >= limit:
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
        silent=found.silent,
    )


def _to_lead(found: Silence) -> e.StagedFields:
    return e.StagedFields(
        member=found.member.name,
        task=found.task,
        elapsed=found.elapsed,
        to=_LEAD,
        is_quiet=False,
        is_review=found.is_review,
        silent=found.silent,
    )

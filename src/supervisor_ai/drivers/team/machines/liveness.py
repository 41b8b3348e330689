"""How silence is dealt with: the stages, the seed's thresholds, and the limits of what is said."""

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Final

from msgspec import Struct, field

from supervisor_ai.domain.envelope import Event
from supervisor_ai.domain.flow import Flow, step
from supervisor_ai.domain.ids import RunId
from supervisor_ai.domain.structs import replace
from supervisor_ai.drivers.team.event_kinds import liveness as e
from supervisor_ai.drivers.team.staffing.roles import REVIEWERS, TeamRole
from supervisor_ai.drivers.team.words import IdleStage, WaitReason

_S = IdleStage
LIVENESS_FLOW: Final[Flow[IdleStage]] = {
    (_S.NONE, e.BreachNoted): _S.NONE,
    (_S.NONE, e.MemberPinged): _S.PINGED,
    (_S.PINGED, e.MemberNudged): _S.NUDGED,
    (_S.PINGED, e.BreachNoted): _S.PINGED,
    (_S.NUDGED, e.BreachNoted): _S.NUDGED,
    (_S.NUDGED, e.MemberEscalated): _S.ESCALATED,
    (_S.ESCALATED, e.BreachNoted): _S.ESCALATED,
    (_S.ESCALATED, e.ReplacementProposed): _S.REPLACEMENT_PROPOSED,
    **{(stage, e.IdleCleared): _S.NONE for stage in _S if stage is not _S.NONE},
}


class Threshold(Struct, frozen=True, kw_only=True):
    """After how long a silence what is done."""

    ping: timedelta
    escalate: timedelta
    replace: timedelta

    @property
    def nudge(self) -> timedelta:
        """Halfway between the ping and the escalation."""
        return (self.ping + self.escalate) / 2


def _minutes(ping: int, escalate: int, replaced: int) -> Threshold:
    return Threshold(
        ping=timedelta(minutes=ping),
        escalate=timedelta(minutes=escalate),
        replace=timedelta(minutes=replaced),
    )


_CODING: Final = _minutes(15, 45, 60)
_WAITING: Final = _minutes(20, 35, 50)
_REVIEWER: Final = _minutes(10, 20, 30)
_TECH_LEAD: Final = _minutes(12, 25, 40)
THRESHOLDS: Final[Mapping[tuple[TeamRole, WaitReason], Threshold]] = {
    **{(TeamRole.CODER, wait): _CODING for wait in WaitReason},
    (TeamRole.CODER, WaitReason.WAITING_REVIEW): _WAITING,
    **{(TeamRole.RESEARCHER, wait): _CODING for wait in WaitReason},
    **{(role, wait): _REVIEWER for role in REVIEWERS for wait in WaitReason},
    **{(TeamRole.TECH_LEAD, wait): _TECH_LEAD for wait in WaitReason},
}
"""The seed's, by role and by what a member is at; Lead and supervisor have none."""
SLA_NAMES: Final = ("coder", "waiting_review", "researcher", "reviewer", "tech-lead")
"""Whose thresholds a team can set; `waiting_review` is a coder who waits for a review."""


def threshold_of(
    role: TeamRole, wait: WaitReason, own: Mapping[str, tuple[timedelta, ...]]
) -> Threshold | None:
    """Return the thresholds of a team for a member; None: it is never late."""
    usual = THRESHOLDS.get((role, wait))
    is_waiting = role is TeamRole.CODER and wait is WaitReason.WAITING_REVIEW
    name = "reviewer" if role in REVIEWERS else "waiting_review" if is_waiting else role.value
    if usual is None or name not in own:
        return usual
    ping, escalate, replaced = own[name]
    return Threshold(ping=ping, escalate=escalate, replace=replaced)


GRACE: Final = timedelta(minutes=7)
"""Nobody is late so soon after joining."""
LOOK_EVERY: Final = timedelta(minutes=1)
HEARTBEAT_EVERY: Final = timedelta(minutes=1)
"""A heartbeat in between is accepted, and nothing is written."""
COOLDOWN: Final = timedelta(minutes=20)
BURST_WINDOW: Final = timedelta(hours=1)
BURST: Final = 2


class ToldMessage(Struct, frozen=True, kw_only=True):
    """A message that a member got from the supervisor."""

    kind: str
    task: str
    at: datetime
    stamp: datetime
    """What was known of the member then: when it was heard of last."""


class TeamMember(Struct, frozen=True, kw_only=True):
    """Somebody on the roster, and when it was heard of."""

    name: str
    role: TeamRole
    joined_at: datetime
    capabilities: tuple[str, ...] = ()
    run: RunId | None = None
    last_activity_at: datetime
    last_progress_at: datetime
    wait: WaitReason = WaitReason.CODING
    wait_since: datetime
    stage: IdleStage = IdleStage.NONE
    breached_at: datetime | None = None
    escalations: int = 0
    """How often it had to be escalated; what is repeated is a reason to let others do it."""
    said: tuple[ToldMessage, ...] = ()
    """What it was told in the last hour."""
    files: tuple[str, ...] = ()
    """What it was seen touching."""
    tasks: tuple[str, ...] = field(default_factory=tuple)
    """What it owns and is not done."""

    def serves(self, task: str) -> bool:
        """Tell whether it may have to do with a task: a worker of ours serves its own run alone."""
        return self.run is None or self.run == task


def evolve(member: TeamMember, event: Event) -> TeamMember:
    """Fold what is done about a member's silence."""
    member = replace(member, stage=step(LIVENESS_FLOW, member.stage, event))
    match event:
        case e.BreachNoted(at=at):
            return replace(member, breached_at=at)
        case e.MemberEscalated():
            return replace(member, escalations=member.escalations + 1)
        case _:
            return member


def told(member: TeamMember, kind: str, task: str, at: datetime) -> TeamMember:
    """Remember that a member was told something; what is older than an hour counts no more."""
    newer = tuple(it for it in member.said if at - it.at < BURST_WINDOW)
    said = ToldMessage(kind=kind, task=task, at=at, stamp=member.last_activity_at)
    return replace(member, said=(*newer, said)[-2 * BURST :])


def may_tell(member: TeamMember, kind: str, task: str, now: datetime) -> bool:
    """Tell whether the limits allow one more message: cooldown, burst, and no identical one."""
    recent = [it for it in member.said if now - it.at < BURST_WINDOW]
    same = [it for it in member.said if it.kind == kind]
    is_cool = all(now - it.at >= COOLDOWN for it in same)
    is_new = all((it.task, it.stamp) != (task, member.last_activity_at) for it in same)
    return len(recent) < BURST and is_cool and is_new

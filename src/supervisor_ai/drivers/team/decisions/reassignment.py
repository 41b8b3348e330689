"""When somebody else should do a task, and how; the Lead decides."""

from collections.abc import Mapping
from typing import Final

from supervisor_ai.drivers.team.decisions.turn import TeamTurn
from supervisor_ai.drivers.team.event_kinds import tasks as t
from supervisor_ai.drivers.team.machines.liveness import TeamMember
from supervisor_ai.drivers.team.machines.task import TeamTask
from supervisor_ai.drivers.team.words import IdleStage, ReassignmentReason, Strategy

STUCK_ATTEMPTS: Final = 2
NO_RESPONSES: Final = 2
"""So many escalations of one member are repeated silence."""
_USUAL: Final[Mapping[ReassignmentReason, Strategy]] = {
    ReassignmentReason.STUCK_TWICE: Strategy.SPLIT,
    ReassignmentReason.NO_RESPONSE: Strategy.SAME_ROLE,
    ReassignmentReason.CAPABILITY_MISMATCH: Strategy.SPECIALIST,
}
"""What is proposed where nobody who is there could do it at once."""


def propose(turn: TeamTurn, task: TeamTask, reason: ReassignmentReason) -> None:
    """Propose once for each reason that somebody else does a task."""
    if task.proposal is not None and task.proposal.reason is reason:
        return
    candidate = _candidate(turn, task)
    is_stuck = reason is ReassignmentReason.STUCK_TWICE
    strategy = Strategy.SAME_ROLE if candidate and is_stuck else _USUAL[reason]
    turn.add(
        t.ReassignmentProposed(
            **turn.by(),
            task=task.task,
            rev=task.rev,
            owner=task.owner,
            reason=reason,
            strategy=strategy,
            candidate=candidate,
        )
    )


def _candidate(turn: TeamTurn, task: TeamTask) -> str:
    """Name who has the owner's role, what the task asks for, and the least to do."""
    owner = turn.state.member(task.owner)
    fit = [
        it
        for it in turn.state.roster()
        if owner is not None and it.role is owner.role and it.name != owner.name
        if is_capable(it, task) and it.stage is IdleStage.NONE
    ]
    fit.sort(key=lambda it: (len(it.tasks), it.name))
    return fit[0].name if fit else ""


def is_capable(member: TeamMember, task: TeamTask) -> bool:
    """Tell whether a member has all that a task asks for."""
    return set(task.needs) <= set(member.capabilities)

"""Whose approval a task needs, and whether the roster can give it."""

from supervisor_ai.drivers.team.decisions.turn import TeamTurn
from supervisor_ai.drivers.team.event_kinds import tasks as t
from supervisor_ai.drivers.team.machines.task import TeamTask, TeamTaskStatus
from supervisor_ai.drivers.team.staffing.approvals import ApprovalNeed, approval_need, tier_of
from supervisor_ai.drivers.team.state import TeamState


def need_of(state: TeamState, task: TeamTask) -> ApprovalNeed:
    """Return who has to agree to a task; nobody agrees to what is its own."""
    others = frozenset(
        it.role for it in state.roster() if it.name != task.owner and it.serves(task.task)
    )
    tier = tier_of(task.complexity, is_escalated=task.is_escalated)
    return approval_need(tier, active=others)


def check_roster(turn: TeamTurn, task: TeamTask) -> None:
    """Say at once when a task waits for somebody who is not there; let it go on when it does not.

    A wait that can never end is reported as STUCK, and no time is spent on it.
    """
    missing = need_of(turn.state, task).missing
    stamp = turn.by()
    if task.status is TeamTaskStatus.IN_REVIEW and missing:
        turn.add(t.WaitImpossible(**stamp, task=task.task, rev=task.rev, missing=missing))
    elif task.status is TeamTaskStatus.STUCK_ESCALATED and not missing:
        turn.add(t.TaskResumed(**stamp, task=task.task, rev=task.rev))


def check_all_rosters(turn: TeamTurn) -> None:
    """Look at every task again after the roster has changed."""
    for task in turn.state.open_tasks():
        check_roster(turn, task)

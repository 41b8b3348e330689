"""Two who do the same: double claims, and scopes that meet."""

from supervisor_ai.drivers.team.decisions.turn import TeamTurn
from supervisor_ai.drivers.team.event_kinds import tasks as t
from supervisor_ai.drivers.team.machines.task import IN_WORK, TeamTask, TeamTaskStatus, overlap
from supervisor_ai.drivers.team.sent import Ruling, SentEvent


def freeze_double_claim(turn: TeamTurn, task: TeamTask, sent: SentEvent) -> Ruling:
    """Freeze both claims of one task; the first is recommended to the Lead."""
    claimants = tuple(dict.fromkeys((task.owner, *task.claimants, sent.sender)))
    turn.add(t.DuplicateClaimFound(**turn.by(), task=task.task, rev=task.rev, claimants=claimants))
    told = f"{task.owner} has claimed task {task.task}: the Lead says who goes on."
    return Ruling(accepted=False, event="DUPLICATE_TASK_KEY", reason=told, facts=tuple(turn.facts))


def scope_of(turn: TeamTurn, task: TeamTask) -> tuple[str, ...]:
    """Return what a task touches: what was claimed, and what its owner was seen touching."""
    owner = turn.state.member(task.owner)
    seen = owner.files if owner is not None and owner.tasks[-1:] == (task.task,) else ()
    return tuple(dict.fromkeys((*task.files, *seen)))


def freeze_overlaps(turn: TeamTurn, task: TeamTask) -> bool:
    """Freeze a task and another one in work by somebody else that touches the same files."""
    scope = scope_of(turn, task)
    for other in turn.state.open_tasks():
        if other.status not in IN_WORK or other.owner == task.owner:
            continue
        met = overlap(scope, scope_of(turn, other))
        if met:
            _freeze(turn, task, other, met)
            return True
    return False


def _freeze(turn: TeamTurn, task: TeamTask, other: TeamTask, met: tuple[str, ...]) -> None:
    # Who was there first should go on.
    for one, two in ((task, other), (other, task)):
        turn.add(
            t.OverlapFound(
                **turn.by(),
                task=one.task,
                rev=one.rev,
                other=two.task,
                canonical=other.task,
                files=met[:20],
            )
        )


def release_rivals(turn: TeamTurn, done: TeamTask) -> None:
    """Let a task go on that was frozen because of another, once that one is out of the way."""
    for task in turn.state.open_tasks():
        if task.status is TeamTaskStatus.OVERLAP_SCOPE and task.other == done.task:
            turn.add(t.TaskResumed(**turn.by(), task=task.task, rev=task.rev))

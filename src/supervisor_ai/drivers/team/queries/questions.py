"""What the Lead is asked now: the one question of a team that comes first."""

from collections.abc import Iterable, Iterator

from supervisor_ai.drivers.team.decisions.silence import awaited_review, reviewers_of
from supervisor_ai.drivers.team.machines.ownership import OwnershipStatus
from supervisor_ai.drivers.team.machines.reconcile import LockStatus
from supervisor_ai.drivers.team.machines.task import TeamTask, TeamTaskStatus
from supervisor_ai.drivers.team.machines.tool_register import ToolStatus
from supervisor_ai.drivers.team.staffing.roles import SPECIALISTS
from supervisor_ai.drivers.team.state import TeamState
from supervisor_ai.drivers.team.words import IdleStage


def decision_request(state: TeamState) -> str | None:
    """Say what waits for the Lead, the most urgent first; None: nothing does."""
    asked = list(questions(state))
    if not asked:
        return None
    more = f" ({len(asked) - 1} more to decide)" if len(asked) > 1 else ""
    return f"{asked[0]}{more}"


def in_order(tasks: Iterable[TeamTask]) -> list[TeamTask]:
    """Put tasks in the order in which people count them: 2 before 10."""
    return sorted(tasks, key=lambda it: (len(it.task), it.task))


def questions(state: TeamState) -> Iterator[str]:
    """Name everything that waits for the Lead, the most urgent first."""
    yield from _of_state(state)
    teardown = state.teardown
    if teardown.candidate_at is not None and not teardown.is_forced and teardown.is_waiting:
        yield f"FORCED_FINALIZE_ACK: end the team without {', '.join(teardown.missing)}?"
    tasks = in_order(state.open_tasks())
    for task in tasks:
        yield from _of_task(state, task)
    for tool in state.tools.values():
        if tool.status in {ToolStatus.REPORTED, ToolStatus.SYSTEMIC}:
            yield f"TOOL_UNAVAILABLE {tool.tool}: skip, retry or proceed with a caveat?"
    late: dict[str, None] = {}
    for member in state.roster():
        if member.stage is IdleStage.REPLACEMENT_PROPOSED:
            asked = awaited_review(state, member)
            silent = (member.name,) if asked is None else reviewers_of(state, asked)
            late |= dict.fromkeys(silent)
    yield from (f"Replace {name}, who does not answer?" for name in late)
    for task in tasks:
        if task.is_escalated and not state.active_roles().issuperset(SPECIALISTS):
            yield f"Spawn specialized reviewers for task #{task.task}?"


def _of_state(state: TeamState) -> Iterator[str]:
    if state.ownership.status is OwnershipStatus.DISPUTED:
        rivals = " or --owner ".join(state.ownership.rivals)
        asked = f"who owns epoch {state.ownership.offered}?"
        yield f"SPLIT_BRAIN_DETECTED: {asked} ARBITRATION --owner {rivals}"
    if state.lock is LockStatus.AWAITING_ACK:
        plan = state.reconcile.plan
        touched = ", ".join(f"#{it}" for it in plan.tasks) if plan is not None else ""
        yield f"RECONCILE_ACK: roll back the edit of state.md that touches {touched or 'no task'}?"
    if state.lock is LockStatus.FROZEN:
        yield "STATE_FROZEN: settle the conflict in the state of the team."


def _of_task(state: TeamState, task: TeamTask) -> Iterator[str]:
    name = f"task #{task.task}"
    match task.status:
        case TeamTaskStatus.DUPLICATE_TASK_KEY:
            yield f"ARBITRATION: who goes on with {name}, {' or '.join(task.claimants)}?"
        case TeamTaskStatus.OVERLAP_SCOPE:
            other = state.task(task.other)
            is_open = other is not None and other.status is TeamTaskStatus.OVERLAP_SCOPE
            if is_open and task.task < task.other:
                both = f"{name} and task #{task.other}"
                yield f"ARBITRATION: {both} touch the same files; which goes on?"
        case TeamTaskStatus.LOOP_SUSPECTED:
            yield f"{name} loops: clarify acceptance criteria, swap owner, or ask the Tech Lead?"
        case TeamTaskStatus.STUCK_ESCALATED:
            yield f"IMPOSSIBLE_WAIT: nobody on the roster can approve {name}."
        case _ if task.proposal is not None:
            found = task.proposal
            who = f" to {found.candidate}" if found.candidate else ""
            yield f"Reassign {name}{who} ({found.reason.value}, {found.strategy.value})?"
        case TeamTaskStatus.STUCK:
            yield f"{name} is stuck: release it, reassign it, or cancel it?"
        case _:
            return

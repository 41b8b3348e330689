"""What comes of what owners, reviewers and the Lead say about a task."""

from typing import Final

from supervisor_ai.drivers.team.decisions.activity import clear_silence
from supervisor_ai.drivers.team.decisions.admission import no_task, role_of
from supervisor_ai.drivers.team.decisions.approvals import check_roster, need_of
from supervisor_ai.drivers.team.decisions.overlaps import (
    freeze_double_claim,
    freeze_overlaps,
    release_rivals,
)
from supervisor_ai.drivers.team.decisions.reassignment import (
    STUCK_ATTEMPTS,
    is_capable,
    propose,
)
from supervisor_ai.drivers.team.decisions.turn import TeamTurn, refuse
from supervisor_ai.drivers.team.event_kinds import tasks as t
from supervisor_ai.drivers.team.machines.task import HELD, IN_WORK, TeamTask, TeamTaskStatus
from supervisor_ai.drivers.team.sent import NO_TEXT, Ruling, SentEvent
from supervisor_ai.drivers.team.staffing.complexity import TeamComplexity
from supervisor_ai.drivers.team.staffing.roles import TeamRole
from supervisor_ai.drivers.team.words import LoopAdvice, ReassignmentReason, RefusalCode

SAME_ISSUE: Final = 3
"""So many rounds with one and the same issue are a loop."""
FRUITLESS: Final = 4
"""So many rounds in a row without one approval are a loop, whatever the issues are called."""
MOST_TASKS: Final = 2000


def find(turn: TeamTurn, sent: SentEvent) -> TeamTask | Ruling:
    """Return the task of an event at its current revision, or why the event is refused.

    What was taken before is taken again without a trace: idempotency by task, revision and type.
    """
    task = turn.state.task(sent.task_id or "")
    if task is None:
        told = no_task(turn.state, sent.task_id or "")
        return refuse(sent, RefusalCode.NOT_POSSIBLE, told)
    is_again = task.seen.get(sent.event) == sent.rev and task.owner == sent.sender
    if is_again:
        return turn.accept(sent.event, "It was taken before.")
    if sent.rev != task.rev:
        told = f"Task {task.task} is at rev {task.rev}; the event is about rev {sent.rev}."
        return refuse(sent, RefusalCode.STALE_REV, told)
    return task


def add_task(turn: TeamTurn, sent: SentEvent) -> Ruling:
    """Put a task into the state; the same one twice is one."""
    name = sent.task_id or ""
    known = turn.state.task(name)
    if known is not None and known.subject == sent.subject:
        return turn.accept(sent.event, "It was taken before.")
    if known is not None:
        return refuse(sent, RefusalCode.NOT_POSSIBLE, f"There is another task {name!r} already.")
    if sum(1 for _ in turn.state.all_tasks()) >= MOST_TASKS:
        return refuse(sent, RefusalCode.NOT_POSSIBLE, f"A team has {MOST_TASKS} tasks at most.")
    created = turn.state.created
    usual = TeamComplexity.SIMPLE if created is None else created.complexity
    turn.add(
        t.TaskOpened(
            **turn.by(sent.sender),
            task=name,
            rev=1,
            subject=sent.subject or NO_TEXT,
            complexity=sent.complexity or usual,
            files=sent.files,
            needs=sent.needs,
        )
    )
    return turn.accept(sent.event)


def claim(turn: TeamTurn, sent: SentEvent) -> Ruling:
    """Let a member do a task; a second claim freezes both."""
    task = turn.state.task(sent.task_id or "")
    is_own = task is not None and task.owner == sent.sender and task.status in IN_WORK
    if task is not None and is_own and sent.rev == task.rev:
        return turn.accept(sent.event, "It was taken before.")
    found = find(turn, sent)
    if isinstance(found, Ruling):
        return found
    if found.owner and found.owner != sent.sender and found.status in IN_WORK:
        return freeze_double_claim(turn, found, sent)
    if found.status is not TeamTaskStatus.PENDING:
        return _not_now(sent, found)
    turn.add(
        t.TaskClaimed(**turn.by(sent.sender), task=found.task, rev=found.rev, files=sent.files)
    )
    claimed = _again(turn, found)
    member = turn.state.member(sent.sender)
    if member is not None and not is_capable(member, claimed):
        propose(turn, claimed, ReassignmentReason.CAPABILITY_MISMATCH)
    if freeze_overlaps(turn, _again(turn, found)):
        return turn.accept("OVERLAP_SCOPE", "It touches files of a task in work: frozen.")
    return turn.accept(sent.event)


def submit(turn: TeamTurn, sent: SentEvent) -> Ruling:
    """Let a task wait for its reviewers, if there are any."""
    found = _owned(turn, sent, TeamTaskStatus.IN_PROGRESS)
    if isinstance(found, Ruling):
        return found
    turn.add(
        t.TaskSubmitted(**turn.by(sent.sender), task=found.task, rev=found.rev, files=sent.files)
    )
    if freeze_overlaps(turn, _again(turn, found)):
        return turn.accept("OVERLAP_SCOPE", "It touches files of a task in work: frozen.")
    check_roster(turn, _again(turn, found))
    if _again(turn, found).status is TeamTaskStatus.STUCK_ESCALATED:
        missing = ", ".join(need_of(turn.state, found).missing)
        return turn.accept("IMPOSSIBLE_WAIT", f"Nobody on the roster is {missing}: STUCK.")
    return turn.accept(sent.event)


def close(turn: TeamTurn, sent: SentEvent) -> Ruling:
    """Close a task, never without its required approvals."""
    found = _owned(turn, sent, TeamTaskStatus.IN_REVIEW)
    if isinstance(found, Ruling):
        return found
    waits = need_of(turn.state, found).still_open(found.approvals)
    if waits:
        told = f"Task {found.task} waits for the approval of {', '.join(waits)}."
        return refuse(sent, RefusalCode.NOT_POSSIBLE, told)
    turn.add(t.TaskClosed(**turn.by(sent.sender), task=found.task, rev=found.rev))
    release_rivals(turn, found)
    return turn.accept(sent.event)


def stuck(turn: TeamTurn, sent: SentEvent) -> Ruling:
    """Tell the Lead that an owner gets no further; the second time, propose another."""
    found = _owned(turn, sent, *IN_WORK)
    if isinstance(found, Ruling):
        return found
    turn.add(
        t.TaskStuck(
            **turn.by(sent.sender),
            task=found.task,
            rev=found.rev,
            attempt=found.stuck + 1,
            reason=sent.issue,
        )
    )
    task = _again(turn, found)
    if task.stuck >= STUCK_ATTEMPTS:
        propose(turn, task, ReassignmentReason.STUCK_TWICE)
    return turn.accept(sent.event)


def suspect_loop(turn: TeamTurn, sent: SentEvent) -> Ruling:
    """Quarantine a task whose owner says that its review goes round in circles."""
    found = _owned(turn, sent, *IN_WORK)
    if isinstance(found, Ruling):
        return found
    _quarantine(turn, found, sent.issue or (found.issues[-1] if found.issues else ""))
    return turn.accept("LOOP_SUSPECTED", "The task is quarantined; nothing else is.")


def impossible_wait(turn: TeamTurn, sent: SentEvent) -> Ruling:
    """Check whether a wait can never end; the roster says so, not the member."""
    found = find(turn, sent)
    if isinstance(found, Ruling):
        return found
    if found.status is TeamTaskStatus.IN_PROGRESS and need_of(turn.state, found).missing:
        return refuse(sent, RefusalCode.NOT_POSSIBLE, f"Task {found.task} is not in review.")
    check_roster(turn, found)
    if not turn.facts:
        return refuse(sent, RefusalCode.NOT_POSSIBLE, "All who have to agree are on the roster.")
    return turn.accept(sent.event, "STUCK: the roster cannot give the approvals.")


def approve(turn: TeamTurn, sent: SentEvent) -> Ruling:
    """Note the approval of a role."""
    found = _reviewed(turn, sent)
    if isinstance(found, Ruling):
        return found
    role = role_of(turn.state, sent.sender) or TeamRole.UNIFIED_REVIEWER
    if found.approvals.get(role) == sent.sender:
        return turn.accept(sent.event, "It was taken before.")
    turn.add(t.TaskApproved(**turn.by(sent.sender), task=found.task, rev=found.rev, role=role))
    clear_silence(turn, found.owner)
    return turn.accept(sent.event)


def send_back(turn: TeamTurn, sent: SentEvent) -> Ruling:
    """Let an owner change something, unless that goes round in circles."""
    found = _reviewed(turn, sent)
    if isinstance(found, Ruling):
        return found
    role = role_of(turn.state, sent.sender) or TeamRole.UNIFIED_REVIEWER
    turn.add(
        t.TaskSentBack(
            **turn.by(sent.sender),
            task=found.task,
            rev=found.rev,
            role=role,
            issue=sent.issue,
        )
    )
    clear_silence(turn, found.owner)
    task = _again(turn, found)
    if task.issues.count(sent.issue) >= SAME_ISSUE or task.fruitless >= FRUITLESS:
        _quarantine(turn, task, sent.issue)
        return turn.accept("LOOP_SUSPECTED", "The task is quarantined; nothing else is.")
    return turn.accept(sent.event)


def escalate(turn: TeamTurn, sent: SentEvent) -> Ruling:
    """Let one task be reviewed as a heavier one; the Lead staffs it."""
    found = find(turn, sent)
    if isinstance(found, Ruling):
        return found
    if found.is_escalated or not found.is_open:
        return turn.accept(sent.event, "It was taken before.")
    stamp = turn.by(sent.sender)
    turn.add(t.TaskEscalated(**stamp, task=found.task, rev=found.rev, reason=sent.issue))
    check_roster(turn, _again(turn, found))
    return turn.accept(sent.event, "The Lead decides about more reviewers.")


def release(turn: TeamTurn, sent: SentEvent) -> Ruling:
    """Let a task go on that was quarantined, stuck or frozen, as the Lead says."""
    found = find(turn, sent)
    if isinstance(found, Ruling):
        return found
    if found.status not in HELD:
        return _not_now(sent, found)
    turn.add(t.TaskResumed(**turn.by(sent.sender), task=found.task, rev=found.rev))
    task = _again(turn, found)
    if task.status in IN_WORK and freeze_overlaps(turn, task):
        return turn.accept("OVERLAP_SCOPE", "It still touches files of a task in work.")
    check_roster(turn, _again(turn, found))
    return turn.accept(sent.event)


def reassign(turn: TeamTurn, sent: SentEvent) -> Ruling:
    """Give a task to somebody, as the Lead says, and publish whose it is."""
    found = find(turn, sent)
    if isinstance(found, Ruling):
        return found
    member = turn.state.member(sent.owner or "")
    if member is None or not found.is_open:
        told = f"Task {found.task} cannot become {sent.owner!r}'s."
        return refuse(sent, RefusalCode.NOT_POSSIBLE, told)
    turn.add(
        t.TaskReassigned(**turn.by(sent.sender), task=found.task, rev=found.rev, owner=member.name)
    )
    if freeze_overlaps(turn, _again(turn, found)):
        return turn.accept("OVERLAP_SCOPE", "It touches files of a task in work: frozen.")
    return turn.accept(sent.event, f"Task {found.task} is {member.name}'s.")


def withdraw(turn: TeamTurn, sent: SentEvent) -> Ruling:
    """Take a task out of the work, as the Lead says."""
    found = find(turn, sent)
    if isinstance(found, Ruling):
        return found
    if not found.is_open:
        return _not_now(sent, found)
    turn.add(t.TaskWithdrawn(**turn.by(sent.sender), task=found.task, rev=found.rev))
    release_rivals(turn, found)
    return turn.accept(sent.event)


def arbitrate_task(turn: TeamTurn, sent: SentEvent) -> Ruling:
    """Let one owner go on after a double claim or an overlap, as the Lead says."""
    found = find(turn, sent)
    if isinstance(found, Ruling):
        return found
    match found.status:
        case TeamTaskStatus.DUPLICATE_TASK_KEY if sent.owner in found.claimants:
            kept = t.TaskResumed(**turn.by(sent.sender), task=found.task, rev=found.rev)
            if sent.owner == found.owner:
                turn.add(kept)
                return turn.accept(sent.event, f"Task {found.task} stays {found.owner}'s.")
            return reassign(turn, sent)
        case TeamTaskStatus.OVERLAP_SCOPE if sent.owner == found.owner:
            # Only this path goes on: the other task stays frozen until this one is done.
            turn.add(t.TaskResumed(**turn.by(sent.sender), task=found.task, rev=found.rev))
            return turn.accept(sent.event, f"Task {found.task} goes on.")
        case _:
            told = f"{sent.owner!r} cannot go on with task {found.task}."
            return refuse(sent, RefusalCode.NOT_POSSIBLE, told)


def _again(turn: TeamTurn, task: TeamTask) -> TeamTask:
    """Return a task as it stands after what follows already."""
    return turn.state.task(task.task) or task


def _owned(turn: TeamTurn, sent: SentEvent, *statuses: TeamTaskStatus) -> TeamTask | Ruling:
    """Return a task of the sender that stands where the event makes sense."""
    found = find(turn, sent)
    if isinstance(found, Ruling):
        return found
    if found.owner != sent.sender:
        told = f"Task {found.task} is {found.owner or 'nobody'}'s, not {sent.sender}'s."
        return refuse(sent, RefusalCode.NOT_POSSIBLE, told)
    return found if found.status in statuses else _not_now(sent, found)


def _reviewed(turn: TeamTurn, sent: SentEvent) -> TeamTask | Ruling:
    """Return a task in review that somebody else owns."""
    found = find(turn, sent)
    if isinstance(found, Ruling):
        return found
    if found.owner == sent.sender:
        return refuse(sent, RefusalCode.NOT_POSSIBLE, "Nobody reviews what is its own.")
    return found if found.status is TeamTaskStatus.IN_REVIEW else _not_now(sent, found)


def _not_now(sent: SentEvent, task: TeamTask) -> Ruling:
    told = f"Task {task.task} is {task.status.value}: {sent.event} is not possible."
    return refuse(sent, RefusalCode.NOT_POSSIBLE, told)


def _quarantine(turn: TeamTurn, task: TeamTask, issue: str) -> None:
    """Mark a loop, and recommend one of three ways out of it."""
    same = task.issues.count(issue)
    if same >= SAME_ISSUE:
        advice = LoopAdvice.CLARIFY
    else:
        advice = LoopAdvice.SWAP if task.stuck else LoopAdvice.TECH_LEAD
    turn.add(
        t.LoopSuspected(
            **turn.by(),
            task=task.task,
            rev=task.rev,
            rounds=len(task.issues),
            issue=issue,
            advice=advice,
        )
    )

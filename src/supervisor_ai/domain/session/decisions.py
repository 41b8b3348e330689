"""What may happen in a session: every call leads to facts, or is refused with the reason."""

import re
from typing import Final

from msgspec import Struct

from supervisor_ai.domain.errors import Conflict, Denied, InvalidInput, NotFound
from supervisor_ai.domain.ids import ArtifactHash
from supervisor_ai.domain.session import events as s
from supervisor_ai.domain.session.members import (
    COORDINATOR,
    EVERYBODY,
    SUPERVISOR,
    Member,
    MemberPermission,
    MemberRole,
)
from supervisor_ai.domain.session.session import SessionState
from supervisor_ai.domain.session.tasks import CHECKPOINT_MOVES, TASK_MOVES, SessionTask, TaskStatus

_WORD: Final = re.compile(r"[A-Za-z][A-Za-z0-9_.-]{0,63}", re.ASCII)
_MOST_TASKS: Final = 1000
_MOST_MEMBERS: Final = 1000


def check_word(what: str, word: str) -> str:
    """Refuse a name that is no name."""
    if _WORD.fullmatch(word) is None:
        raise InvalidInput(
            f"{word[:80]!r} is no {what}.",
            hint="A letter, then letters, digits, '_', '.' or '-', 64 characters at most.",
        )
    return word


class Draft(Struct, frozen=True, kw_only=True):
    """A message whose texts are kept already."""

    sender: str
    to: str
    kind: str
    body: ArtifactHash
    state: ArtifactHash | None = None
    key: str = ""


def require(member: Member, permission: MemberPermission) -> None:
    """Refuse what is not on the member's list."""
    if not member.may(permission):
        raise Denied(
            f"A {member.role.value} may not {permission.value.replace('_', ' ')}.",
            hint="Ask the coordinator.",
        )


def log_message(session: SessionState, member: Member, draft: Draft) -> s.MessageLogged | None:
    """Say something; None: it was said before."""
    require_open(session)
    permission = MemberPermission.BROADCAST if draft.to == EVERYBODY else MemberPermission.LOG
    require(member, permission)
    for what, word in (("sender", draft.sender), ("recipient", draft.to), ("type", draft.kind)):
        check_word(what, word)
    _check_voice(session, member, draft)
    if draft.key and session.number_of(draft.key) is not None:
        return None
    return s.MessageLogged(
        number=session.messages + 1,
        sender=draft.sender,
        to=draft.to,
        kind=draft.kind,
        body=draft.body,
        state=draft.state,
        key=draft.key,
    )


def _check_voice(session: SessionState, member: Member, draft: Draft) -> None:
    is_supervisor = member.role is MemberRole.SUPERVISOR
    reaches_all = session.opened is not None and session.opened.reaches_all
    if is_supervisor and draft.to != COORDINATOR and not reaches_all:
        raise Denied("The supervisor speaks to the coordinator only.")
    # A coordinator may pass on what outside agents say, but nobody else's word is the supervisor's.
    is_own = draft.sender == member.name or member.role is MemberRole.COORDINATOR
    if not is_own or (draft.sender == SUPERVISOR) != is_supervisor:
        raise Denied(f"{member.name!r} does not speak as {draft.sender!r}.")


def add_task(session: SessionState, member: Member, task: s.TaskAdded) -> s.TaskAdded | None:
    """Add something to do; None: it is there already, as it is asked for."""
    require_open(session)
    require(member, MemberPermission.ADD_TASK)
    check_word("task", task.task)
    for name in task.blocked_by:
        _find(session, name)
    if task.owner:
        check_word("owner", task.owner)
    known = session.tasks.get(task.task)
    if known is not None:
        _require_same(known, task)
        return None
    if len(session.tasks) >= _MOST_TASKS:
        raise Conflict(f"A session has {_MOST_TASKS} tasks at most.")
    return task


def _require_same(known: SessionTask, task: s.TaskAdded) -> None:
    if (known.subject, known.blocked_by) != (task.subject, task.blocked_by):
        raise Conflict(
            f"There is a task {task.task!r} already, and it is another one.",
            hint="Give it a name of its own.",
        )


def move_task(
    session: SessionState,
    member: Member,
    name: str,
    *,
    status: TaskStatus | None,
    owner: str | None,
) -> s.TaskMoved | None:
    """Let a task stand elsewhere, or be somebody else's; None: it stands there already."""
    require_open(session)
    require(member, MemberPermission.MOVE_TASK)
    task = _find(session, name)
    _check_mover(member, task, owner)
    target = status or task.status
    if (task.status, target) not in (CHECKPOINT_MOVES if task.is_checkpoint else TASK_MOVES):
        raise Conflict(f"Task {name!r} is {task.status.value}, and cannot become {target.value}.")
    if target is TaskStatus.IN_PROGRESS:
        _require_unblocked(session, task)
    holder = check_word("owner", owner) if owner else task.owner
    if (target, holder) == (task.status, task.owner):
        return None
    return s.TaskMoved(task=name, status=target, owner=holder, by=member.name)


def _check_mover(member: Member, task: SessionTask, owner: str | None) -> None:
    if task.is_checkpoint != (member.role is MemberRole.SUPERVISOR):
        whose = "the supervisor's" if task.is_checkpoint else "not the supervisor's"
        raise Denied(f"Task {task.task!r} is {whose} to move.")
    if member.role is not MemberRole.WORKER:
        return
    if task.owner not in {"", member.name} or owner not in {None, "", member.name}:
        raise Denied(
            f"Task {task.task!r} is not for {member.name!r} to move or to hand on.",
            hint="The coordinator assigns tasks.",
        )


def _require_unblocked(session: SessionState, task: SessionTask) -> None:
    done = TaskStatus.COMPLETED
    waits = [name for name in task.blocked_by if session.tasks[name].status is not done]
    if waits:
        raise Conflict(f"Task {task.task!r} waits for {', '.join(waits)}.")


def reset_task(session: SessionState, name: str) -> s.TaskMoved | None:
    """Let a checkpoint whose supervisor died be done from its beginning; None: it was not begun."""
    task = _find(session, name)
    if task.status is not TaskStatus.IN_PROGRESS:
        return None
    return s.TaskMoved(task=name, status=TaskStatus.PENDING, owner=task.owner, by=COORDINATOR)


def add_member(
    session: SessionState, name: str, role: MemberRole, token: str, *, awaits_delivery: bool = False
) -> s.MemberAdded:
    """Let somebody take part; a token that may have been lost on its way gives way to a new one."""
    require_open(session)
    check_member(name, role)
    known = session.members.get(name)
    if known is not None and not (known.awaits_delivery and known.role is role):
        raise Conflict(f"{name!r} takes part already.", hint="Remove it first, or choose a name.")
    if len(session.members) >= _MOST_MEMBERS:
        raise Conflict(f"A session has {_MOST_MEMBERS} members at most.")
    return s.MemberAdded(member=name, role=role, token=token, awaits_delivery=awaits_delivery)


def deliver_token(session: SessionState, name: str, token: str) -> tuple[s.TokenDelivered, ...]:
    """Remember, once, that a token is where it is to be; refuse one that another has replaced."""
    known = session.members.get(name)
    if known is None or known.token != token:
        raise Conflict(f"The token of {name!r} is void: there was another call at the same time.")
    is_news = known.awaits_delivery and not session.is_closed
    return (s.TokenDelivered(member=name),) if is_news else ()


def check_member(name: str, role: MemberRole) -> str:
    """Refuse a name by which a member would speak for another role."""
    check_word("member", name)
    is_supervisor = (name == SUPERVISOR) == (role is MemberRole.SUPERVISOR)
    is_coordinator = name != COORDINATOR or role is MemberRole.COORDINATOR
    if not (is_supervisor and is_coordinator) or name == EVERYBODY:
        raise InvalidInput(f"{name!r} cannot be the name of a {role.value}.")
    return name


def remove_member(session: SessionState, name: str) -> s.MemberRemoved:
    """Let somebody take part no longer."""
    if name not in session.members:
        raise NotFound(f"{name!r} does not take part.")
    return s.MemberRemoved(member=name)


def _find(session: SessionState, name: str) -> SessionTask:
    found = session.tasks.get(name)
    if found is None:
        raise NotFound(f"The session has no task {name[:80]!r}.")
    return found


def require_open(session: SessionState) -> None:
    """Refuse to add to a session that is not there or is closed."""
    if session.opened is None:
        raise NotFound("There is no such session.", hint="Make one: supervisor session new")
    if session.is_closed:
        raise Conflict("The session is closed.", hint="Open a new one: supervisor session new")

"""The calls of the bus and of a session's tasks."""

from collections.abc import Callable, Mapping
from enum import StrEnum
from typing import Final

from msgspec import UNSET, Struct, UnsetType, field

from supervisor_ai.control.sessions.bus import USUAL, Bus, BusStatus, Post
from supervisor_ai.control.sessions.calls import Call, CallTable, Room
from supervisor_ai.control.sessions.tasks import NewTask, SessionTaskView
from supervisor_ai.domain.errors import InvalidInput
from supervisor_ai.domain.session.members import COORDINATOR, MemberPermission
from supervisor_ai.domain.session.tasks import TaskStatus

_USUAL_TYPE: Final = "message"


class BusOperation(StrEnum):
    """What can be asked of the bus."""

    LOG = "log"
    READ = "read"
    LIST = "list"
    STATUS = "status"
    BROADCAST = "broadcast"
    GET_STATE = "get_state"
    DELETE = "delete"
    CLEAR = "clear"


class TeamMessage(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What `team_msg` takes; which of it counts depends on the operation."""

    operation: BusOperation
    session_id: str | UnsetType = UNSET
    """Named by those who know one session each; it has to be that one."""
    id: str | UnsetType = UNSET
    sender: str | None = field(name="from", default=None)
    to: str | None = None
    type: str | None = None
    summary: str = ""
    data: dict[str, object] | None = None
    last: int = USUAL
    role: str | None = None


def team_message(room: Room, asked: TeamMessage) -> object:
    """Do what is asked of the bus."""
    if asked.session_id is not UNSET and asked.session_id != room.session:
        raise InvalidInput(f"This is session {room.session!r}, not {asked.session_id[:80]!r}.")
    return _OPERATIONS[asked.operation](room.bus, asked)


def _post(asked: TeamMessage) -> Post:
    return Post(
        kind=asked.type or _USUAL_TYPE,
        summary=asked.summary,
        data=asked.data,
        to=asked.to or COORDINATOR,
        sender=asked.sender,
    )


def _read(bus: Bus, asked: TeamMessage) -> object:
    if asked.id is UNSET:
        raise InvalidInput("The operation 'read' needs the id of a message.", hint="id: MSG-001")
    return {"message": bus.read(asked.id).record()}


def _list(bus: Bus, asked: TeamMessage) -> object:
    found = bus.list(last=asked.last, sender=asked.sender, to=asked.to, kind=asked.type)
    return {"messages": [it.record() for it in found]}


_OPERATIONS: Final[Mapping[BusOperation, Callable[[Bus, TeamMessage], object]]] = {
    BusOperation.LOG: lambda bus, asked: {"message": bus.log(_post(asked)).record()},
    BusOperation.BROADCAST: lambda bus, asked: {"message": bus.broadcast(_post(asked)).record()},
    BusOperation.READ: _read,
    BusOperation.LIST: _list,
    BusOperation.STATUS: lambda bus, _: {"status": shown_status(bus.status())},
    BusOperation.GET_STATE: lambda bus, asked: {"state": bus.get_state(asked.role)},
    BusOperation.DELETE: lambda bus, _: bus.delete(),
    BusOperation.CLEAR: lambda bus, _: bus.clear(),
}


def shown_status(status: BusStatus) -> dict[str, object]:
    """Return how much was said as every door shows it."""
    return {
        "messages": status.messages,
        "by_sender": status.by_sender,
        "tasks": status.tasks,
        "newest": None if status.newest is None else status.newest.record(),
    }


class NoParameters(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What a call takes that takes nothing."""


class TaskUpdate(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, rename="camel"):
    """What `task_update` takes, in the words of agents' own task tools."""

    task_id: str
    status: TaskStatus | None = None
    owner: str | None = None


class TaskCreate(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, rename="camel"):
    """What `task_create` takes."""

    task_id: str
    subject: str
    owner: str = ""
    blocked_by: tuple[str, ...] = ()


def shown_task(task: SessionTaskView) -> dict[str, object]:
    """Return a task as every door shows it."""
    return {
        "id": task.id,
        "subject": task.subject,
        "status": task.status.value,
        "owner": task.owner,
        "blocked_by": list(task.blocked_by),
    }


def _list_tasks(room: Room, asked: NoParameters) -> object:
    del asked
    return {"tasks": [shown_task(task) for task in room.tasks.list()]}


def _update_task(room: Room, asked: TaskUpdate) -> object:
    moved = room.tasks.update(asked.task_id, status=asked.status, owner=asked.owner)
    return {"task": shown_task(moved)}


def _create_task(room: Room, asked: TaskCreate) -> object:
    wanted = NewTask(
        task=asked.task_id,
        subject=asked.subject,
        owner=asked.owner,
        blocked_by=asked.blocked_by,
    )
    return {"task": shown_task(room.tasks.add(wanted)[0])}


CALLS: Final = CallTable(
    calls=(
        Call(
            name="team_msg",
            help="Say something to a member or to all, and read what was said and how all stand",
            permission=MemberPermission.READ,
            form=TeamMessage,
            act=team_message,
        ),
        Call(
            name="task_list",
            help="List the tasks of the session: pending, in_progress, completed",
            permission=MemberPermission.READ,
            form=NoParameters,
            act=_list_tasks,
        ),
        Call(
            name="task_update",
            help="Claim a task, complete it, or hand it on",
            permission=MemberPermission.MOVE_TASK,
            form=TaskUpdate,
            act=_update_task,
        ),
        Call(
            name="task_create",
            help="Add a task to the session",
            permission=MemberPermission.ADD_TASK,
            form=TaskCreate,
            act=_create_task,
        ),
    )
)

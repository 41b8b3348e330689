"""The task tools of a session, where it is a team's: they show and move the tasks of the team."""

from collections.abc import Callable, Mapping
from typing import Any, Final

from supervisor_ai.control.sessions import member_calls as shared
from supervisor_ai.control.sessions.calls import Call, Room
from supervisor_ai.control.sessions.member_calls import NoParameters, TaskCreate, TaskUpdate
from supervisor_ai.domain.errors import InvalidInput
from supervisor_ai.domain.session.tasks import TaskStatus
from supervisor_ai.domain.structs import replace
from supervisor_ai.drivers.team.commands.callers import is_team, speaker
from supervisor_ai.drivers.team.commands.send import EventForm, filled, send_event
from supervisor_ai.drivers.team.commands.team_desk import TeamDesk
from supervisor_ai.drivers.team.queries.status import TeamTaskLine, status_of
from supervisor_ai.drivers.team.words import SentWord

_STATUSES: Final = {
    "PENDING": TaskStatus.PENDING,
    "DONE": TaskStatus.COMPLETED,
    "CANCELLED": TaskStatus.COMPLETED,
}
"""What the others are: in progress."""
_MOVES: Final[Mapping[TaskStatus | None, SentWord]] = {
    TaskStatus.IN_PROGRESS: SentWord.CLAIM,
    TaskStatus.COMPLETED: SentWord.DONE,
    None: SentWord.STAFFING_DECISION,
}


def _list(room: Room, asked: NoParameters) -> object:
    del asked
    teams = TeamDesk(desk=room.desk)
    found = status_of(teams.state(room.session), teams.desk.text)
    return {"tasks": [] if found is None else list(map(_shown, found.tasks))}


def _shown(task: TeamTaskLine) -> dict[str, object]:
    return {
        "id": task.id,
        "subject": task.subject,
        "status": _STATUSES.get(task.status, TaskStatus.IN_PROGRESS).value,
        "owner": task.owner or "",
        "blocked_by": [],
        "team_status": task.status,
        "rev": task.rev,
        "waits_for": list(task.waits_for),
        "files": list(task.files),
    }


def _update(room: Room, asked: TaskUpdate) -> object:
    """Claim a task, close it, or give it to somebody, by the team's own events."""
    if asked.status not in _MOVES or (asked.status is None and not asked.owner):
        raise InvalidInput(
            "A task of a team is claimed (in_progress) or closed (completed) by this tool.",
            hint="Everything else is a line: STUCK: task N. Why",
        )
    form = EventForm(event=_MOVES[asked.status], task_id=asked.task_id, owner=asked.owner)
    return _sent(room, form)


def _create(room: Room, asked: TaskCreate) -> object:
    form = EventForm(event=SentWord.TASK_ADDED, task_id=asked.task_id, subject=asked.subject)
    return _sent(room, form)


def _sent(room: Room, form: EventForm) -> object:
    teams, sender = TeamDesk(desk=room.desk), speaker(room)
    whole = filled(teams.state(room.session), form, sender)
    return send_event(teams, room.session, sender, whole, room.caller.actor)


def _in_team(name: str, act: Callable[[Room, Any], object]) -> Call:
    """Let a call of all sessions do something else where the session is a team's."""
    usual = next(it for it in shared.CALLS.calls if it.name == name)
    return replace(
        usual, act=lambda room, it: act(room, it) if is_team(room) else usual.act(room, it)
    )


TASK_CALLS: Final = (
    _in_team("task_list", _list),
    _in_team("task_update", _update),
    _in_team("task_create", _create),
)

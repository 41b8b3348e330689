"""The calls about a team that members of its session can make."""

from typing import Final

from msgspec import to_builtins

from supervisor_ai.control.sessions.calls import Call, CallTable, Room
from supervisor_ai.control.sessions.member_calls import NoParameters
from supervisor_ai.domain.errors import NotFound
from supervisor_ai.domain.session.members import COORDINATOR, MemberPermission
from supervisor_ai.drivers.team.commands.lines import send_line
from supervisor_ai.drivers.team.commands.send import EventForm, send_event
from supervisor_ai.drivers.team.commands.team_desk import TeamDesk
from supervisor_ai.drivers.team.decisions.admission import LEAD
from supervisor_ai.drivers.team.queries.status import status_of


class LineForm(NoParameters, frozen=True, kw_only=True):
    """What `team_line` takes."""

    text: str


def sender_of(room: Room) -> str:
    """Say as whom a caller speaks in the team; the user of this machine is the Lead."""
    name = room.caller.member.name
    return LEAD if name == COORDINATOR else name


def _teams(room: Room) -> TeamDesk:
    # What is sent here is shown in state.md by the run that watches over the team.
    return TeamDesk(desk=room.desk)


def _send(room: Room, asked: EventForm) -> object:
    sender = sender_of(room)
    return to_builtins(send_event(_teams(room), room.session, sender, asked, room.caller.actor))


def _line(room: Room, asked: LineForm) -> object:
    sender, actor = sender_of(room), room.caller.actor
    return to_builtins(send_line(_teams(room), room.session, sender, asked.text, actor))


def _status(room: Room, asked: NoParameters) -> object:
    del asked
    found = status_of(_teams(room).state(room.session), room.desk.text)
    if found is None:
        raise NotFound(f"Session {room.session!r} is no team.")
    return {"team": to_builtins(found)}


CALLS: Final = CallTable(
    calls=(
        Call(
            name="team_send",
            help="Send an event of the team's contract; it is accepted or refused with the reason",
            permission=MemberPermission.LOG,
            form=EventForm,
            act=_send,
        ),
        Call(
            name="team_line",
            help="Send an event as a line of text, such as DONE: task 3, claiming task 4",
            permission=MemberPermission.LOG,
            form=LineForm,
            act=_line,
        ),
        Call(
            name="team_status",
            help="Show how the team stands: owner, epoch, lock, roster, tasks, alerts",
            permission=MemberPermission.READ,
            form=NoParameters,
            act=_status,
        ),
    )
)

"""Members of a session that make calls: as whom they speak, what they have not read."""

from typing import Final

from supervisor_ai.control.ports.sessions import MessageFilter
from supervisor_ai.control.sessions.bus import message_of
from supervisor_ai.control.sessions.calls import Json, Room
from supervisor_ai.domain.errors import Denied
from supervisor_ai.domain.session.members import COORDINATOR, EVERYBODY, MemberRole
from supervisor_ai.drivers.team.commands.send import EventForm, send_event
from supervisor_ai.drivers.team.commands.team_desk import TeamDesk
from supervisor_ai.drivers.team.decisions.admission import LEAD, role_of
from supervisor_ai.drivers.team.decisions.turn import TeamTurn
from supervisor_ai.drivers.team.event_kinds.roster import MessagesRead
from supervisor_ai.drivers.team.machines.teardown import TeardownStatus
from supervisor_ai.drivers.team.staffing.roles import TeamRole
from supervisor_ai.drivers.team.words import SentWord

_MOST: Final = 20
"""So many messages come with an answer; the others with the next."""


def is_team(room: Room) -> bool:
    """Tell whether the session of a call is that of a team that is still there."""
    state = TeamDesk(desk=room.desk).view(room.session).refresh()
    return state.created is not None and state.teardown.status is not TeardownStatus.TEAM_DELETED


def attend(room: Room, is_told: bool) -> tuple[Json, ...]:  # noqa: FBT001 - the table says it so
    """Note that a member was heard of; return the messages that it was not shown before."""
    if not is_team(room):
        return ()
    teams, member = TeamDesk(desk=room.desk), room.caller.member
    if teams.state(room.session).member(member.name) is not None:
        beat = EventForm(event=SentWord.HEARTBEAT, actor=member.name)
        send_event(teams, room.session, member.name, beat, room.caller.actor)
    return unread(room) if is_told else ()


def unread(room: Room) -> tuple[Json, ...]:
    """Return the oldest messages that a member was not shown, and note that it was."""
    found = news_of(room)
    if found:
        teams, name = TeamDesk(desk=room.desk), room.caller.member.name
        upto = max(found)
        teams.view(room.session).add(
            lambda state: (MessagesRead(**TeamTurn(state, teams.desk.now()).by(name), upto=upto),),
            room.caller.actor,
        )
    return tuple(found.values())


def news_of(room: Room) -> dict[int, Json]:
    """Find by their numbers what others said to a member or to all."""
    desk, me = room.desk, room.caller.member
    after = TeamDesk(desk=desk).view(room.session).refresh().read.get(me.name, 0)
    if desk.view(room.session).refresh().messages <= after:
        return {}
    places = {me.name, me.voice, EVERYBODY}
    asked = (MessageFilter(last=1 << 30, to=to, after=after) for to in places)
    rows = [row for it in asked for row in desk.queries.messages(room.session, it)]
    new = sorted((row for row in rows if row.sender != me.voice), key=lambda row: row.number)
    return {row.number: message_of(desk, row).record() for row in new[:_MOST]}


def speaker(room: Room) -> str:
    """Say as whom a caller speaks; who coordinates for the user of this machine is the Lead."""
    member = room.caller.member
    if member.name == LEAD and member.role is not MemberRole.COORDINATOR:
        # The name is given with a token of the session; it gives nobody the Lead's word.
        raise Denied(
            f"A {member.role.value} does not speak as {LEAD!r}.", hint="Take another name."
        )
    return LEAD if member.name == COORDINATOR else member.name


def require_lead(room: Room) -> str:
    """Return as whom the Lead speaks; refuse everybody else, whatever the session lets them do."""
    name = speaker(room)
    if role_of(TeamDesk(desk=room.desk).state(room.session), name) is not TeamRole.LEAD:
        raise Denied(
            f"{name!r} does not lead team {room.session!r}.",
            hint=f"The Lead can, or a person: supervisor team join {room.session} NAME --role lead",
        )
    return name

"""As whom a member of a session speaks in its team, and who of them leads it."""

from supervisor_ai.control.sessions.calls import Room
from supervisor_ai.domain.errors import Denied
from supervisor_ai.domain.session.members import COORDINATOR, MemberRole
from supervisor_ai.drivers.team.commands.team_desk import TeamDesk
from supervisor_ai.drivers.team.decisions.admission import LEAD, role_of
from supervisor_ai.drivers.team.staffing.roles import TeamRole


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

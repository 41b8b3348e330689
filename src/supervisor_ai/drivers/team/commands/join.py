"""Who joins a team gets a token for its session; who leaves loses it."""

from msgspec import Struct

from supervisor_ai.control.sessions.members import Members
from supervisor_ai.domain.envelope import Actor
from supervisor_ai.domain.errors import Conflict, InvalidInput, NotFound
from supervisor_ai.domain.ids import RunId
from supervisor_ai.domain.session.decisions import check_word
from supervisor_ai.domain.session.members import MemberRole
from supervisor_ai.drivers.team.commands.delivery import deliver
from supervisor_ai.drivers.team.commands.projection import project_state
from supervisor_ai.drivers.team.commands.team_desk import TeamDesk, no_letters
from supervisor_ai.drivers.team.decisions import roster
from supervisor_ai.drivers.team.decisions.turn import TeamTurn
from supervisor_ai.drivers.team.sent import TeamAnswer, answer_of
from supervisor_ai.drivers.team.staffing.roles import TeamRole

_MOST_CAPABILITIES = 20


class WantedMember(Struct, frozen=True, kw_only=True):
    """Who is to take part."""

    name: str
    role: TeamRole
    capabilities: tuple[str, ...] = ()
    run: RunId | None = None


class JoinedMember(Struct, frozen=True, kw_only=True):
    """Who takes part, with the token, which is shown once and kept nowhere."""

    member: str
    role: TeamRole
    token: str


def join_team(teams: TeamDesk, name: str, wanted: WantedMember, actor: Actor) -> JoinedMember:
    """Let somebody take part, when its turn has come and there is a place."""
    _check(wanted)
    session = teams.created(name).session
    members = Members(teams.desk, session, actor)
    turn = TeamTurn(teams.state(name), teams.desk.now())
    tried = roster.join(turn, wanted.name, wanted.role, run=wanted.run)
    _require(tried.reason, is_done=tried.accepted)
    if wanted.name in teams.desk.view(session).refresh().members:
        # Somebody of that name is gone from the team, or a crash came between the two.
        members.remove(wanted.name)
    token = members.add(wanted.name, _session_role(wanted.role))
    ruling = teams.rule(
        name,
        lambda state: roster.join(
            TeamTurn(state, teams.desk.now()),
            wanted.name,
            wanted.role,
            wanted.capabilities,
            wanted.run,
        ),
        actor,
        no_letters,
    )
    if not ruling.accepted:
        members.remove(wanted.name)
    _require(ruling.reason, is_done=ruling.accepted)
    deliver(teams, name)
    project_state(teams, name, actor)
    return JoinedMember(member=wanted.name, role=wanted.role, token=token)


def leave_team(teams: TeamDesk, name: str, member: str, actor: Actor) -> TeamAnswer:
    """Let somebody take part no longer; leaving twice is harmless."""
    state = teams.state(name)
    if state.member(member) is None and member not in state.left:
        raise NotFound(f"{member[:80]!r} is no member of team {name!r}.")
    ruling = teams.rule(
        name,
        lambda now: roster.leave(TeamTurn(now, teams.desk.now()), member),
        actor,
        no_letters,
    )
    _require(ruling.reason, is_done=ruling.accepted)
    session = teams.created(name).session
    if member in teams.desk.view(session).refresh().members:
        Members(teams.desk, session, actor).remove(member)
    deliver(teams, name)
    project_state(teams, name, actor)
    return answer_of(ruling)


def _check(wanted: WantedMember) -> None:
    check_word("member", wanted.name)
    for word in wanted.capabilities:
        check_word("capability", word)
    if len(wanted.capabilities) > _MOST_CAPABILITIES:
        raise InvalidInput(f"A member has {_MOST_CAPABILITIES} capabilities at most.")
    if wanted.role is TeamRole.SUPERVISOR:
        raise InvalidInput(
            "The supervisor of a team is no member with a token.",
            hint="It is the run that `supervisor team serve` drives.",
        )


def _require(problem: str, *, is_done: bool) -> None:
    if not is_done:
        raise Conflict(problem, hint="See how the team stands: supervisor team status")


def _session_role(role: TeamRole) -> MemberRole:
    return MemberRole.COORDINATOR if role is TeamRole.LEAD else MemberRole.WORKER

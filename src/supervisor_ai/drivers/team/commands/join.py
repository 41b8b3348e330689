"""Who joins a team gets a token for its session; who leaves loses it."""

from msgspec import Struct

from supervisor_ai.control.sessions.members import Members
from supervisor_ai.domain.envelope import Actor
from supervisor_ai.domain.errors import Conflict, InvalidInput, NotFound
from supervisor_ai.domain.ids import RunId
from supervisor_ai.domain.session.decisions import check_member, check_word, require_open
from supervisor_ai.domain.session.members import MemberRole
from supervisor_ai.drivers.team.commands.delivery import deliver
from supervisor_ai.drivers.team.commands.projection import project_state
from supervisor_ai.drivers.team.commands.team_desk import TeamDesk, no_letters
from supervisor_ai.drivers.team.decisions import roster
from supervisor_ai.drivers.team.decisions.turn import TeamTurn
from supervisor_ai.drivers.team.sent import Ruling, TeamAnswer, answer_of
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
    session, role = teams.created(name).session, _session_role(wanted.role)
    members = Members(teams.desk, session, actor)
    if not _awaits_token(teams, name, wanted):
        turn = TeamTurn(teams.state(name), teams.desk.now())
        tried = roster.join(turn, wanted.name, wanted.role, run=wanted.run)
        _require(name, tried.reason, is_done=tried.accepted)
        require_open(teams.desk.view(session).refresh())
        check_member(wanted.name, role)
        ruling = _add_to_roster(teams, name, wanted, actor)
        # The same call at the same time may have been first.
        is_done = ruling.accepted or _awaits_token(teams, name, wanted)
        _require(name, ruling.reason, is_done=is_done)
        known = teams.desk.view(session).refresh().members.get(wanted.name)
        if ruling.accepted and known is not None and not known.awaits_delivery:
            members.remove(wanted.name)  # somebody of that name is gone from the team
        deliver(teams, name)
        project_state(teams, name, actor)
    # Last: until it has been shown, the same call gives another.
    token = members.add(wanted.name, role, awaits_delivery=True)
    return JoinedMember(member=wanted.name, role=wanted.role, token=token)


def confirm_token(teams: TeamDesk, name: str, joined: JoinedMember, actor: Actor) -> None:
    """Remember that a token was shown; raises Conflict where another has replaced it."""
    session = teams.created(name).session
    Members(teams.desk, session, actor).deliver(joined.member, joined.token)


def _awaits_token(teams: TeamDesk, name: str, wanted: WantedMember) -> bool:
    """Tell whether exactly this member joined, and its token may have been lost."""
    there = teams.state(name).member(wanted.name)
    known = None if there is None else (there.role, there.capabilities, there.run)
    if known != (wanted.role, wanted.capabilities, wanted.run):
        return False
    session = teams.desk.view(teams.created(name).session).refresh()
    member = session.members.get(wanted.name)
    # A worker of our own never has a token; whoever has none else was killed before it was made.
    return wanted.run is None if member is None else member.awaits_delivery


def _add_to_roster(teams: TeamDesk, name: str, wanted: WantedMember, actor: Actor) -> Ruling:
    return teams.rule(
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
    _require(name, ruling.reason, is_done=ruling.accepted)
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


def _require(name: str, problem: str, *, is_done: bool) -> None:
    if not is_done:
        raise Conflict(problem, hint=f"See how the team stands: supervisor team status {name}")


def _session_role(role: TeamRole) -> MemberRole:
    return MemberRole.COORDINATOR if role is TeamRole.LEAD else MemberRole.WORKER

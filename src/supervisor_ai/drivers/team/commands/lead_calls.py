"""The calls about a team that only who leads it can make."""

import asyncio
from concurrent.futures import ThreadPoolExecutor
from typing import Final

from msgspec import Struct, to_builtins

from supervisor_ai.control.commands.run_start import submit
from supervisor_ai.control.sessions.calls import Call, Room
from supervisor_ai.control.sessions.member_calls import NoParameters
from supervisor_ai.domain.errors import InvalidInput
from supervisor_ai.domain.session.members import MemberPermission
from supervisor_ai.drivers.team.commands.callers import require_lead
from supervisor_ai.drivers.team.commands.create import WantedTeam, create_team
from supervisor_ai.drivers.team.commands.join import JoinedMember, WantedMember, join_team
from supervisor_ai.drivers.team.commands.reconcile import check_state
from supervisor_ai.drivers.team.commands.serve import prepare_watch
from supervisor_ai.drivers.team.commands.team_desk import TeamDesk
from supervisor_ai.drivers.team.commands.teardown import begin_teardown, delete_team
from supervisor_ai.drivers.team.queries.status import status_of
from supervisor_ai.drivers.team.sent import TeamAnswer
from supervisor_ai.drivers.team.staffing.complexity import TeamComplexity
from supervisor_ai.drivers.team.staffing.roles import TeamRole

_PLACE: Final = (".claude", "teams")


class NewTeamForm(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What `team_create` takes; where its folder is, is not an agent's to choose."""

    name: str
    complexity: TeamComplexity
    requirement: str = ""


class NewMemberForm(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What `team_join` takes."""

    member: str
    role: TeamRole
    capabilities: tuple[str, ...] = ()


def _teams(room: Room) -> TeamDesk:
    opens = room.project.folders
    return TeamDesk(desk=room.desk, folders=None if opens is None else opens())


def _create(room: Room, asked: NewTeamForm) -> object:
    teams = _teams(room)
    wanted = WantedTeam(
        name=asked.name,
        directory=str(room.project.preflight.checkout.joinpath(*_PLACE, asked.name)),
        requirement=asked.requirement,
        complexity=asked.complexity,
    )
    create_team(teams, wanted, room.caller.actor)
    return {"team": to_builtins(status_of(teams.state(asked.name), teams.desk.text))}


def _join(room: Room, asked: NewMemberForm) -> JoinedMember:
    if asked.role is TeamRole.LEAD:
        raise InvalidInput(
            "Nobody who leads makes somebody else lead.", hint="A person can: supervisor team join"
        )
    require_lead(room)
    wanted = WantedMember(name=asked.member, role=asked.role, capabilities=asked.capabilities)
    return join_team(_teams(room), room.session, wanted, room.caller.actor)


def _reconcile(room: Room, asked: NoParameters) -> TeamAnswer:
    del asked
    require_lead(room)
    return check_state(_teams(room), room.session, room.caller.actor)


def _tear_down(room: Room, asked: NoParameters) -> TeamAnswer:
    """Begin the end, and no more: who does not answer is waited for, as on the command line."""
    del asked
    by = require_lead(room)
    return begin_teardown(_teams(room), room.session, room.caller.actor, by=by)


def _delete(room: Room, asked: NoParameters) -> TeamAnswer:
    del asked
    by = require_lead(room)
    return delete_team(_teams(room), room.session, room.caller.actor, by=by)


def _serve(room: Room, asked: NoParameters) -> object:
    """Queue the resident run; whoever serves the project drives it."""
    del asked
    require_lead(room)
    project = room.project
    prepared = prepare_watch(project.preflight, _teams(room), room.session)
    with ThreadPoolExecutor(max_workers=1) as beside:
        # The loop in which the call is made goes on with others' calls only when this is done.
        queued = beside.submit(lambda: asyncio.run(submit(project, prepared, queued=True)))
        return {"run": queued.result()}


def _lead(name: str, words: str, form: type[Struct], act: object) -> Call:
    permission = MemberPermission.LEAD_TEAM
    return Call(name=name, help=words, permission=permission, form=form, act=act)  # type: ignore[arg-type]


LEAD_CALLS: Final = (
    _lead("team_create", "As the Lead, make another team with its folder", NewTeamForm, _create),
    _lead(
        "team_join",
        "As the Lead, let somebody take part; the token is shown once",
        NewMemberForm,
        _join,
    ),
    _lead(
        "team_reconcile",
        "As the Lead, compare state.md with the ledger, and put it right",
        NoParameters,
        _reconcile,
    ),
    _lead(
        "team_teardown",
        "As the Lead, ask everybody to stop; forced only by team_ack of finalize",
        NoParameters,
        _tear_down,
    ),
    _lead("team_delete", "As the Lead, delete a team that is ready for it", NoParameters, _delete),
    _lead(
        "team_serve",
        "As the Lead, queue the resident supervisor of the team for `supervisor serve`",
        NoParameters,
        _serve,
    ),
)

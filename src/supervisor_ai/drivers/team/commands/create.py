"""Making a team: its session, its stream and its folder."""

from collections.abc import Mapping
from datetime import timedelta

from msgspec import Struct, field
from msgspec.json import encode

from supervisor_ai.control.ports.session_files import SessionFolders
from supervisor_ai.control.sessions.desk import NewSession, new_session, opened_fact
from supervisor_ai.domain.envelope import Actor
from supervisor_ai.domain.errors import Conflict, InvalidInput
from supervisor_ai.domain.ids import SessionId
from supervisor_ai.domain.session.decisions import check_word
from supervisor_ai.domain.session.events import SessionOpened
from supervisor_ai.domain.session.session import SessionState
from supervisor_ai.drivers.team.commands.projection import project_state
from supervisor_ai.drivers.team.commands.team_desk import TeamDesk
from supervisor_ai.drivers.team.decisions.turn import TeamTurn
from supervisor_ai.drivers.team.event_kinds.roster import TeamCreated
from supervisor_ai.drivers.team.machines.liveness import SLA_NAMES, Threshold
from supervisor_ai.drivers.team.staffing.complexity import TeamComplexity
from supervisor_ai.drivers.team.staffing.spawn_order import MOST_CODERS
from supervisor_ai.drivers.team.state import TeamState
from supervisor_ai.drivers.team.stream import PIPELINE
from supervisor_ai.drivers.team.text.messages import templates_of
from supervisor_ai.tools.text import duration


class WantedTeam(Struct, frozen=True, kw_only=True):
    """What a person says about a new team."""

    name: str
    directory: str
    """Where its folder is: state.md and DECISIONS.md."""
    requirement: str = ""
    complexity: TeamComplexity = TeamComplexity.SIMPLE
    most_coders: int = MOST_CODERS
    messages: Mapping[str, str] = field(default_factory=dict)
    """Its own words, by the names of messages."""
    sla: tuple[str, ...] = ()
    """Its own thresholds of silence, such as `coder=10m/20m/30m`."""


def create_team(teams: TeamDesk, wanted: WantedTeam, actor: Actor) -> str:
    """Make a team; its name must be new, as a team and as a session."""
    check_word("team", wanted.name)
    if wanted.most_coders < 1:
        raise InvalidInput(f"A team needs one coder at least, not {wanted.most_coders}.")
    if teams.view(wanted.name).refresh().created is not None:
        raise Conflict(f"There is a team {wanted.name!r} already.", hint="Choose another name.")
    own, sla = templates_of(wanted.messages).own, dict(map(_sla, wanted.sla))
    messages = teams.desk.keep(encode(own).decode()) if own else None
    folder = _folders(teams).choose(wanted.name, wanted.directory)
    _open_session(teams, wanted, actor)

    def decide(state: TeamState) -> tuple[TeamCreated, ...]:
        if state.created is not None:
            return ()
        return (
            TeamCreated(
                **TeamTurn(state, teams.desk.now()).by("lead"),
                team=wanted.name,
                session=SessionId(wanted.name),
                complexity=wanted.complexity,
                folder=folder,
                most_coders=wanted.most_coders,
                messages=messages,
                sla=sla,
            ),
        )

    teams.view(wanted.name).add(decide, actor)
    shelf = teams.shelf(wanted.name)
    if shelf is not None:
        shelf.furnish(wanted.name)
    project_state(teams, wanted.name, actor)
    return wanted.name


def _sla(given: str) -> tuple[str, tuple[timedelta, ...]]:
    name, _, times = given.partition("=")
    try:
        limits = tuple(map(duration, times.split("/")))
    except ValueError:
        limits = ()
    rising = tuple(sorted({timedelta(), *limits}))[1:]
    if name not in SLA_NAMES or len(limits) != len(Threshold.__struct_fields__) or limits != rising:
        raise InvalidInput(
            f"{given[:80]!r} says nothing about silence: expected WHO=PING/ESCALATE/REPLACE, "
            "three times that rise.",
            hint=f"Example: coder=10m/20m/30m. WHO is one of {', '.join(SLA_NAMES)}.",
        )
    return name, limits


def _folders(teams: TeamDesk) -> SessionFolders:
    if teams.folders is None:
        raise InvalidInput("A team is made where files can be written.")
    return teams.folders


def _open_session(teams: TeamDesk, wanted: WantedTeam, actor: Actor) -> None:
    """Open the session of a team; one that a crash left without its team is taken up again."""
    name = SessionId(wanted.name)
    new = NewSession(
        name=name,
        team=wanted.name,
        pipeline=PIPELINE,
        requirement=wanted.requirement or wanted.name,
        supervision=False,
        reaches_all=True,
    )
    opened = opened_fact(teams.desk, new)

    def decide(session: SessionState) -> tuple[SessionOpened, ...]:
        if session.opened is not None and session.opened.reaches_all and not session.is_closed:
            return ()
        return (new_session(session, name, opened),)

    teams.desk.view(name).add(decide, actor)

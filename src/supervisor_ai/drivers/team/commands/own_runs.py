"""Runs of our own that work for a team: their streams are read, and what they say is taken."""

from collections.abc import Iterator

from msgspec import DecodeError, Struct
from msgspec.json import decode

from supervisor_ai.control.registered_kinds import answer_meanings
from supervisor_ai.control.slices import definition_of
from supervisor_ai.domain.envelope import Actor, Envelope
from supervisor_ai.domain.errors import NotFound
from supervisor_ai.domain.ids import ArtifactHash, RunId, run_stream
from supervisor_ai.domain.run.answers import Meaning
from supervisor_ai.domain.run.definition import Role
from supervisor_ai.domain.run.events import AttemptSucceeded, RunSubmitted
from supervisor_ai.domain.terminal import plain
from supervisor_ai.drivers.team.commands.projection import project_state
from supervisor_ai.drivers.team.commands.send import publish
from supervisor_ai.drivers.team.commands.team_desk import TeamDesk
from supervisor_ai.drivers.team.decisions.turn import TeamTurn
from supervisor_ai.drivers.team.event_kinds.fact import TeamFact
from supervisor_ai.drivers.team.event_kinds.roster import FollowStatus, RunFollowed
from supervisor_ai.drivers.team.machines import shelves
from supervisor_ai.drivers.team.own_runs import HEARD, SeenEvent, can_follow, follow
from supervisor_ai.drivers.team.staffing.own_workers import RunCrew, team_role
from supervisor_ai.drivers.team.staffing.roles import TeamRole
from supervisor_ai.drivers.team.state import TeamState

_ISSUE = 200
_MOST_FILES = 200
_PATH = 300


def roles_of(roles: "tuple[Role, ...]") -> dict[str, TeamRole]:
    """Say what the roles of a run are in a team."""
    return {it.name: team_role(it, answer_meanings(it.answer).values()) for it in roles}


def crew_of(teams: TeamDesk, run: RunId) -> RunCrew:
    """Find out who works in a run, by what it has pinned."""
    birth = next(iter(teams.desk.log.read(run_stream(run), upto=1))).event
    if not isinstance(birth, RunSubmitted):
        raise NotFound(f"There is no run {run!r}.")
    pinned = teams.desk.documents.load(birth.definition, definition_of(birth.driver))
    steps = pinned.workflow.steps.values()
    crew = dict.fromkeys(name for step in steps for name in step.crew)
    known = tuple(pinned.roles[name] for name in crew if name in pinned.roles)
    return RunCrew(run=run, subject=birth.task, roles=roles_of(known))


def follow_run(teams: TeamDesk, name: str, run: RunId, actor: Actor) -> None:
    """Take what is new in a run's stream; twice is the same as once."""
    if not is_behind(teams, teams.state(name), run):
        return
    crew, made = crew_of(teams, run), list[TeamFact]()

    def facts(state: TeamState) -> tuple[TeamFact, ...]:
        turn = TeamTurn(state, teams.desk.now())
        follow(turn, crew, tuple(_seen(teams, it) for it in _news(teams, state, run)))
        made[:] = turn.facts
        return tuple(made)

    teams.view(name).add(facts, actor)
    publish(teams, name, tuple(made), actor)
    if any(isinstance(it, RunFollowed) and it.status is not FollowStatus.WORKING for it in made):
        # Nobody may come after it to show what its last moment brought.
        project_state(teams, name, actor)


def follow_runs(teams: TeamDesk, name: str, actor: Actor) -> None:
    """Take what is new in the streams of all runs that work for a team."""
    for run in runs_behind(teams, name):
        follow_run(teams, name, run, actor)


def runs_behind(teams: TeamDesk, name: str) -> tuple[RunId, ...]:
    """Name the runs of which there is something to take."""
    state = teams.state(name)
    working = [it.run for it in shelves.values(state.runs) if it.status is not FollowStatus.LEFT]
    return tuple(run for run in working if is_behind(teams, state, run))


def is_behind(teams: TeamDesk, state: TeamState, run: RunId) -> bool:
    """Tell whether something of a run can be taken that was not."""
    known = state.followed(run)
    if not can_follow(state) or (known is not None and known.status is FollowStatus.LEFT):
        return False
    if any(isinstance(it.event, HEARD) for it in _news(teams, state, run)):
        return True
    if known is None or known.status is not FollowStatus.COMPLETED:
        return False
    turn = TeamTurn(state, teams.desk.now())
    follow(turn, crew_of(teams, run), ())
    return bool(turn.facts)


def _news(teams: TeamDesk, state: TeamState, run: RunId) -> Iterator[Envelope]:
    known = state.followed(run)
    return teams.desk.log.read(run_stream(run), after=0 if known is None else known.upto)


class _PlannedFiles(Struct, frozen=True, kw_only=True):
    """What a plan says of files; whatever else it says is for others."""

    file_targets: list[str] | None = None


def _seen(teams: TeamDesk, envelope: Envelope) -> SeenEvent:
    event = envelope.event
    if not isinstance(event, AttemptSucceeded):
        return SeenEvent(place=envelope.version, event=event)
    is_refused = event.meaning is Meaning.REJECT
    return SeenEvent(
        place=envelope.version,
        event=event,
        files=() if is_refused else _planned(teams, event.answer),
        issue=_issue(teams, event.feedback) if is_refused else "",
    )


def _planned(teams: TeamDesk, answer: ArtifactHash) -> tuple[str, ...]:
    """Read which files a plan names; an answer without any names none."""
    try:
        found = decode(teams.desk.text(answer), type=_PlannedFiles).file_targets or ()
    except DecodeError:
        return ()
    return tuple(" ".join(plain(it).split())[:_PATH] for it in found[:_MOST_FILES])


def _issue(teams: TeamDesk, feedback: ArtifactHash) -> str:
    """Read the first thing that a reviewer objects to; else what it says at all."""
    lines = [" ".join(plain(it).split()) for it in teams.desk.text(feedback).splitlines()]
    listed = (it.removeprefix("- ") for it in lines if it.startswith("- "))
    return next(listed, next(filter(None, lines), ""))[:_ISSUE]

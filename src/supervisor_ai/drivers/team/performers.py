"""Who does what the run of a team asks for, each deed such that doing it again is harmless."""

from collections.abc import Mapping
from functools import partial
from typing import cast

from supervisor_ai.control.ports.session_files import SessionFolders
from supervisor_ai.control.sessions.desk import desk_of
from supervisor_ai.domain.envelope import Actor, ActorKind
from supervisor_ai.domain.session import events as s
from supervisor_ai.domain.session.session import SessionState
from supervisor_ai.drivers.team.commands.team_desk import TeamDesk
from supervisor_ai.drivers.team.commands.upkeep import is_due, is_over, tend, wait_of
from supervisor_ai.drivers.team.residence import effects as d
from supervisor_ai.drivers.team.residence import run_events as e
from supervisor_ai.engine.effects.performer import performer
from supervisor_ai.engine.world import Operation, Performers


def _desk(operation: Operation, folders: SessionFolders) -> TeamDesk:
    return TeamDesk(desk=desk_of(operation.world), folders=folders)


def _actor(operation: Operation) -> Actor:
    return Actor(kind=ActorKind.RUNTIME, id=operation.run, via="engine", verified=True)


async def begin_watch(
    effect: d.BeginWatch, operation: Operation, folders: SessionFolders
) -> e.WatchBegun | e.TeamNotFound:
    """Let what is said to the supervisor wake this run from now on."""
    teams = _desk(operation, folders)
    created = teams.view(effect.team).refresh().created
    if created is None or is_over(teams, effect.team):
        return e.TeamNotFound(step=effect.step, visit=effect.visit, slot=effect.slot)

    def decide(session: SessionState) -> tuple[s.SessionEvent, ...]:
        is_mine = session.resident == operation.run
        return () if is_mine else (s.ResidentStarted(run=operation.run),)

    teams.desk.view(created.session).add(decide, _actor(operation))
    return e.WatchBegun(step=effect.step, visit=effect.visit, slot=effect.slot)


async def look_at_team(
    effect: d.LookAtTeam, operation: Operation, folders: SessionFolders
) -> e.TeamSeen:
    """See whether time has brought something."""
    teams = _desk(operation, folders)
    over = is_over(teams, effect.team)
    return e.TeamSeen(
        step=effect.step,
        visit=effect.visit,
        slot=effect.slot,
        is_due=not over and is_due(teams, effect.team),
        is_over=over,
        wait=wait_of(teams, effect.team),
    )


async def tend_team(
    effect: d.TendTeam, operation: Operation, folders: SessionFolders
) -> e.TeamTended:
    """Record, say and show what time has brought."""
    tended = tend(_desk(operation, folders), effect.team, _actor(operation))
    return e.TeamTended(
        step=effect.step,
        visit=effect.visit,
        slot=effect.slot,
        words=tended.words,
        messages=tended.messages,
        wait=tended.wait,
    )


async def end_watch(
    effect: d.EndWatch, operation: Operation, folders: SessionFolders
) -> e.WatchEnded:
    """Listen no more."""
    teams = _desk(operation, folders)
    session = teams.created(effect.team).session

    def decide(now: SessionState) -> tuple[s.SessionEvent, ...]:
        is_mine = now.resident == operation.run
        return (s.ResidentStopped(run=operation.run),) if is_mine else ()

    teams.desk.view(session).add(decide, _actor(operation))
    return e.WatchEnded(step=effect.step, visit=effect.visit, slot=effect.slot)


def team_performers(folders: SessionFolders) -> Performers:
    """Register who performs each effect of a resident run."""
    return {
        **performer(d.BeginWatch, partial(begin_watch, folders=folders)),
        **performer(d.LookAtTeam, partial(look_at_team, folders=folders)),
        **performer(d.TendTeam, partial(tend_team, folders=folders)),
        **performer(d.EndWatch, partial(end_watch, folders=folders)),
    }


def make_performers(ports: Mapping[str, object]) -> Performers:
    """Make who performs the driver's effects with the adapters of its ports."""
    return team_performers(cast("SessionFolders", ports["folders"]))

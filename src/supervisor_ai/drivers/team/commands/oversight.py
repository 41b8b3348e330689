"""Teams watch over workers of our own runs: they are members, and what they do is seen."""

from collections.abc import Mapping
from contextlib import suppress
from datetime import datetime, timedelta
from typing import Final, cast

from msgspec import Struct

from supervisor_ai.control.ports.session_files import SessionFolders
from supervisor_ai.control.sessions.desk import SessionDesk
from supervisor_ai.domain.envelope import Actor, ActorKind
from supervisor_ai.domain.errors import Conflict, InvalidInput, NotFound, SupervisorError
from supervisor_ai.domain.ids import RunId, StreamId
from supervisor_ai.domain.run.definition import Role
from supervisor_ai.drivers.team.commands.own_runs import crew_of, follow_run, roles_of
from supervisor_ai.drivers.team.commands.send import publish
from supervisor_ai.drivers.team.commands.team_desk import TeamDesk
from supervisor_ai.drivers.team.commands.teardown import finish_teardown
from supervisor_ai.drivers.team.decisions.turn import TeamTurn
from supervisor_ai.drivers.team.event_kinds.fact import TeamFact
from supervisor_ai.drivers.team.machines.teardown import TeardownStatus
from supervisor_ai.drivers.team.own_runs import Observed, hold_reason, landing_hold, observe
from supervisor_ai.drivers.team.staffing.own_workers import RunCrew, has_reviewer
from supervisor_ai.drivers.team.staffing.roles import TeamRole
from supervisor_ai.drivers.team.state import TeamState
from supervisor_ai.engine.ports.oversight import OverseenWorker, WorkerActivity

_ACTOR: Final = Actor(kind=ActorKind.SERVICE, id="supervisor", via="team", verified=True)
_STANDING: Final = frozenset({TeardownStatus.NONE, TeardownStatus.TEARDOWN_FAILED_SAFE})


class _Noted(Struct, frozen=True, kw_only=True):
    """What was noted of a worker last."""

    attempt: int
    activity: WorkerActivity
    at: datetime


class TeamOversight:
    """Lets the workers of runs be members of the team that their runs name."""

    def __init__(self, teams: TeamDesk) -> None:
        self._teams = teams
        self._crews: dict[RunId, RunCrew] = {}
        self._noted: dict[tuple[RunId, str, int], _Noted] = {}

    def require(self, overseer: StreamId, roles: tuple[Role, ...]) -> tuple[str, ...]:
        """Refuse a run whose workers could never take part."""
        name = team_of(overseer)
        state = self._teams.state(name)
        if state.teardown.status not in _STANDING:
            raise Conflict(
                f"Team {name!r} ends: {state.teardown.status.value}.",
                hint="Leave --team out, or make another team.",
            )
        if not state.ownership.is_active:
            raise Conflict(
                f"The state of team {name!r} was not handed over: nobody joins yet.",
                hint=f"supervisor team handoff {name}, then supervisor team ack {name}",
            )
        own = tuple(roles_of(roles).values())
        others = tuple(it.role for it in state.roster() if it.run is None)
        if TeamRole.CODER in own and not has_reviewer((*own, *others)):
            raise Conflict(
                f"Nobody in team {name!r} reviews, and no step of this run does.",
                hint=f"Let somebody: supervisor team join {name} rev --role unified-reviewer",
            )
        return self._cautions(state, own)

    @staticmethod
    def _cautions(state: TeamState, own: tuple[TeamRole, ...]) -> tuple[str, ...]:
        coders = sum(1 for it in state.roster() if it.role is TeamRole.CODER)
        most = state.created.most_coders if state.created else coders + 1
        if TeamRole.CODER not in own or coders < most:
            return ()
        return (f"the team has {coders} coders, which is its most: the run waits for a place",)

    def follow(self, overseer: StreamId, run: RunId) -> None:
        """Take note of what is new in a run's stream; what cannot be taken now waits."""
        name = team_of(overseer)
        with suppress(SupervisorError):
            follow_run(self._teams, name, run, _ACTOR)
            if self._teams.state(name).teardown.is_waiting:
                finish_teardown(self._teams, name, _ACTOR)

    def hold(self, worker: OverseenWorker) -> str | None:
        """Say why a worker has to wait; None: it may start."""
        name = team_of(worker.overseer)
        state = self._teams.state(name)
        if state.teardown.status not in _STANDING:
            raise InvalidInput(
                f"Team {name!r} ends, so no worker starts for it any more.",
                hint=f"See how it stands: supervisor team status {name}",
            )
        self.follow(worker.overseer, worker.run)
        state = self._teams.state(name)
        reason = hold_reason(state, self._crew(worker.run), TeamTurn(state, self._teams.desk.now()))
        return _with_place(reason, name)

    def hold_landing(self, overseer: StreamId, run: RunId) -> str | None:
        """Say why what a run has made may not land yet; None: it may."""
        name = team_of(overseer)
        self.follow(overseer, run)
        return _with_place(landing_hold(self._teams.state(name), self._crew(run)), name)

    def saw(self, worker: OverseenWorker, activity: WorkerActivity) -> None:
        """Note what a worker really does, where it is worth it."""
        crew, now = self._crew(worker.run), self._teams.desk.now()
        role = crew.roles.get(worker.role)
        if role is None:
            return
        place = (worker.run, worker.role, worker.slot)
        known = self._noted.get(place)
        before = known if known is not None and known.attempt == worker.attempt else None
        seen = _since(crew.member(role), before, activity, now)
        if self._observe(team_of(worker.overseer), seen) or before is None:
            self._noted[place] = _Noted(attempt=worker.attempt, activity=activity, at=now)

    def _observe(self, name: str, seen: Observed) -> bool:
        made = list[TeamFact]()

        def facts(state: TeamState) -> tuple[TeamFact, ...]:
            turn = TeamTurn(state, self._teams.desk.now())
            observe(turn, seen)
            made[:] = turn.facts
            return tuple(made)

        with suppress(SupervisorError):
            self._teams.view(name).add(facts, _ACTOR)
            publish(self._teams, name, tuple(made), _ACTOR)
        return bool(made)

    def _crew(self, run: RunId) -> RunCrew:
        if run not in self._crews:
            self._crews[run] = crew_of(self._teams, run)
        return self._crews[run]


def _with_place(reason: str | None, name: str) -> str | None:
    return None if reason is None else f"{reason} (supervisor team status {name})"


def _since(member: str, before: _Noted | None, activity: WorkerActivity, now: datetime) -> Observed:
    """Compare what a worker has done with what was noted of it."""
    earlier = WorkerActivity(output=0, cpu=timedelta(), files={})
    known = earlier if before is None else before.activity
    changed = [it for it, stamp in activity.files.items() if known.files.get(it) != stamp]
    used = (activity.cpu or timedelta()) - (known.cpu or timedelta())
    return Observed(
        member=member,
        output=activity.output - known.output,
        cpu=used,
        elapsed=timedelta() if before is None else now - before.at,
        changes=len(changed),
        files=tuple(activity.files),
    )


def team_of(overseer: StreamId) -> str:
    """Return the name of the team that a stream is of."""
    kind, _, name = overseer.partition(":")
    if kind != "team" or not name:
        raise NotFound(f"{overseer!r} is no team.")
    return name


def open_oversight(desk: SessionDesk, ports: Mapping[str, object]) -> TeamOversight:
    """Let teams watch over the workers of a project's runs."""
    folders = cast("SessionFolders", ports["folders"])
    return TeamOversight(TeamDesk(desk=desk, folders=folders))

"""The team driver: the resident run that watches over one team."""

from collections.abc import Callable, Mapping
from typing import Final

from supervisor_ai.domain.envelope import Event
from supervisor_ai.domain.ids import TimerName
from supervisor_ai.domain.run import events as k
from supervisor_ai.domain.run.effects import CancelTimer, Effect, SetTimer
from supervisor_ai.domain.run.events import RunSubmitted
from supervisor_ai.domain.run.run import Decision, Ending, Run
from supervisor_ai.domain.run.status import Outcome, OutcomeKind, RunStatus
from supervisor_ai.domain.structs import replace
from supervisor_ai.drivers.moves import definition as steps
from supervisor_ai.drivers.moves.state import Visit, current_visit
from supervisor_ai.drivers.moves.steps import stop
from supervisor_ai.drivers.team.residence import effects as d
from supervisor_ai.drivers.team.residence.definition import TEAM_STEP, TeamDefinition
from supervisor_ai.drivers.team.residence.lifecycle import WatchStage
from supervisor_ai.drivers.team.residence.memory import WatchMemory, evolve


class TeamDriver:
    """Looks at a team each minute, tends it where there is something to do, and leaves last."""

    name: Final = "team"
    state_type: Final = WatchMemory
    definition_type: Final = TeamDefinition

    def begin(self, birth: RunSubmitted, definition: TeamDefinition) -> WatchMemory:
        """Return the state before anything happened."""
        return WatchMemory(flow=steps.begin(birth, definition), team=definition.team)

    def evolve(self, state: WatchMemory, event: Event) -> WatchMemory:
        """Fold one recorded fact into the state."""
        return evolve(state, event)

    def fork(self, state: WatchMemory) -> WatchMemory:
        """Return the state that a fork begins with: it has to become the supervisor first."""
        return WatchMemory(flow=steps.fork(state.flow), team=state.team)

    def migrate(self, state: WatchMemory, definition: TeamDefinition) -> WatchMemory:
        """Go on under another definition."""
        return replace(state, flow=steps.migrate(state.flow, definition))

    def migration_problems(self, state: WatchMemory, definition: TeamDefinition) -> tuple[str, ...]:
        """List why the run cannot go on under another definition."""
        problems = steps.migration_problems(state.flow, definition)
        if definition.team == state.team:
            return problems
        return (*problems, "A supervisor stays with its team.")

    def decide(self, run: Run, state: WatchMemory) -> Decision:
        """Say what happens next; nothing while something is under way."""
        if state.flow.visit is None:
            return _enter(state)
        if run.open:
            return Decision()
        return _DECIDERS[state.stage](run, state, current_visit(state.flow))


Decide = Callable[[Run, WatchMemory, Visit], Decision]


def _enter(state: WatchMemory) -> Decision:
    """Come to the step in which the run stays."""
    return Decision(
        events=(
            k.StepEntered(
                step=TEAM_STEP,
                visit=state.flow.record(TEAM_STEP).visits + 1,
                start=state.flow.head.commit,
                feedback=(),
            ),
        )
    )


def _begin(run: Run, state: WatchMemory, visit: Visit) -> Decision:
    del run
    return _do(d.BeginWatch(step=visit.step, visit=visit.number, team=state.team))


def _look(run: Run, state: WatchMemory, visit: Visit) -> Decision:
    """Look; a timer that a call was faster than is forgotten first."""
    left = tuple(CancelTimer(timer=timer) for timer in run.timers)
    look = d.LookAtTeam(step=visit.step, visit=visit.number, team=state.team, again=state.wait)
    return _do(*left, look)


def _tend(run: Run, state: WatchMemory, visit: Visit) -> Decision:
    del run
    return _do(d.TendTeam(step=visit.step, visit=visit.number, team=state.team))


def _rest(run: Run, state: WatchMemory, visit: Visit) -> Decision:
    """Wait for the next look; who was called meanwhile waits a moment only."""
    del visit
    if run.timers:
        return Decision()
    timer = TimerName(f"look/{state.looks}")
    after = state.wait * 0 if state.is_called else state.wait
    return _do(SetTimer(timer=timer, after=after, parks=True))


def _leave(run: Run, state: WatchMemory, visit: Visit) -> Decision:
    del run
    return _do(d.EndWatch(step=visit.step, visit=visit.number, team=state.team))


def _fail(run: Run, state: WatchMemory, visit: Visit) -> Decision:
    del run
    reason = f"There is no team {state.team!r} that can be watched over."
    return stop(state.flow.at(visit.step), visit, OutcomeKind.BLOCKED, reason)


def _end(run: Run, state: WatchMemory, visit: Visit) -> Decision:
    del run
    outcome = Outcome(kind=OutcomeKind.DONE, reason=f"Team {state.team!r} was deleted.")
    passed = k.StepPassed(step=visit.step, visit=visit.number)
    return Decision(events=(passed,), ending=Ending(status=RunStatus.COMPLETED, outcome=outcome))


def _do(*effects: Effect) -> Decision:
    return Decision(effects=effects)


_DECIDERS: Final[Mapping[WatchStage, Decide]] = {
    WatchStage.BEGIN: _begin,
    WatchStage.LOOK: _look,
    WatchStage.TEND: _tend,
    WatchStage.REST: _rest,
    WatchStage.LEAVE: _leave,
    WatchStage.UNSTARTED: _fail,
    WatchStage.ENDED: _end,
}

"""Members that are workers of our own runs: a teardown stops their runs, and waits for it."""

from collections.abc import Iterator

from supervisor_ai.domain.envelope import Actor
from supervisor_ai.domain.ids import LetterKey, RunId, run_stream
from supervisor_ai.domain.run.events import RunCancelled, RunCompleted, RunFailed
from supervisor_ai.domain.run.inbox_commands import Cancel, InboxCommand
from supervisor_ai.drivers.team.commands.team_desk import TeamDesk
from supervisor_ai.drivers.team.decisions.turn import TeamTurn
from supervisor_ai.drivers.team.event_kinds.fact import TeamFact
from supervisor_ai.drivers.team.event_kinds.teardown import ShutdownAcknowledged, TeardownBegun
from supervisor_ai.drivers.team.state import TeamState
from supervisor_ai.drivers.team.stream import team_stream

_ENDINGS = (RunCompleted, RunFailed, RunCancelled)


def stop_workers(
    teams: TeamDesk, state: TeamState, facts: tuple[TeamFact, ...], actor: Actor
) -> tuple[InboxCommand, ...]:
    """Cancel the runs of our own workers, in the transaction that begins the end."""
    name = "" if state.created is None else state.created.team
    begun = [fact for fact in facts if isinstance(fact, TeardownBegun)]
    return tuple(
        InboxCommand(
            key=LetterKey(f"{team_stream(name)}/teardown-{begin.attempt}/{run}"),
            run=run,
            command=Cancel(),
            actor=actor,
            sent_at=teams.desk.now(),
        )
        for begin in begun
        for _, run in _workers(state)
    )


def _workers(state: TeamState) -> Iterator[tuple[str, RunId]]:
    return ((it.name, it.run) for it in state.roster() if it.run is not None)


def _is_ended(teams: TeamDesk, run: RunId) -> bool:
    """Tell whether a run is over: the engine has ended its processes before it says so."""
    return any(isinstance(it.event, _ENDINGS) for it in teams.desk.log.read(run_stream(run)))


def living_workers(teams: TeamDesk, state: TeamState) -> tuple[str, ...]:
    """Name the members whose runs are not over."""
    return tuple(name for name, run in _workers(state) if not _is_ended(teams, run))


def unacknowledged_ends(teams: TeamDesk, state: TeamState) -> tuple[str, ...]:
    """Name the members whose runs are over and whose acknowledgement is still waited for."""
    if not state.teardown.is_waiting or not state.reconcile.is_open:
        return ()
    living = living_workers(teams, state)
    missing = state.teardown.missing
    return tuple(name for name, _ in _workers(state) if name in missing and name not in living)


def acknowledge_ends(teams: TeamDesk, name: str, actor: Actor) -> None:
    """Acknowledge for our own workers that they stopped: a process that is gone says nothing."""

    def decide(state: TeamState) -> tuple[TeamFact, ...]:
        turn = TeamTurn(state, teams.desk.now())
        for member in unacknowledged_ends(teams, state):
            turn.add(ShutdownAcknowledged(**turn.by(member)))
        return tuple(turn.facts)

    teams.view(name).add(decide, actor)

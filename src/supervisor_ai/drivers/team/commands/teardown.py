"""The end of a team: asked for by the Lead, finished by whoever looks, deleted last."""

from typing import Final

from supervisor_ai.control.sessions.desk import close_session
from supervisor_ai.domain.envelope import Actor
from supervisor_ai.domain.ids import ArtifactHash
from supervisor_ai.drivers.team.commands.delivery import deliver
from supervisor_ai.drivers.team.commands.own_workers import (
    acknowledge_ends,
    living_workers,
    stop_workers,
)
from supervisor_ai.drivers.team.commands.projection import project_state
from supervisor_ai.drivers.team.commands.team_desk import TeamDesk
from supervisor_ai.drivers.team.commands.wakes import wake_resident
from supervisor_ai.drivers.team.decisions import teardown
from supervisor_ai.drivers.team.decisions.admission import LEAD
from supervisor_ai.drivers.team.decisions.turn import TeamTurn
from supervisor_ai.drivers.team.event_kinds.fact import TeamFact
from supervisor_ai.drivers.team.machines.teardown import TeardownStatus
from supervisor_ai.drivers.team.queries.post_mortem import post_mortem
from supervisor_ai.drivers.team.sent import TeamAnswer, answer_of
from supervisor_ai.drivers.team.state import TeamState

REPORT: Final = "TEARDOWN.md"


def begin_teardown(teams: TeamDesk, name: str, actor: Actor, *, by: str = LEAD) -> TeamAnswer:
    """Ask everybody to stop; beginning twice is harmless."""
    ruling = teams.rule(
        name,
        lambda state: teardown.begin(TeamTurn(state, teams.desk.now()), by),
        actor,
        lambda state, facts: (
            *wake_resident(teams, state, facts, actor),
            *stop_workers(teams, state, facts, actor),
        ),
    )
    deliver(teams, name)
    finish_teardown(teams, name, actor)
    project_state(teams, name, actor)
    return answer_of(ruling)


def is_ready_to_finish(teams: TeamDesk, state: TeamState) -> bool:
    """Tell whether only the report is missing; no process of our own may be left behind."""
    return teardown.is_due_to_finish(state) and not living_workers(teams, state)


def finish_teardown(teams: TeamDesk, name: str, actor: Actor) -> bool:
    """Persist the report and let the team be ready, where only that is missing."""
    acknowledge_ends(teams, name, actor)
    state = teams.state(name)
    if not is_ready_to_finish(teams, state):
        return False
    facts = [fact for _, fact in teams.facts(name)]
    text = post_mortem(state, facts, teams.desk.now())
    report = teams.desk.keep(text)
    shelf = teams.shelf(name)
    if shelf is not None:
        shelf.put(REPORT, text)
    teams.view(name).add(lambda now: _finished(teams, now, report), actor)
    deliver(teams, name)
    return True


def _finished(teams: TeamDesk, state: TeamState, report: ArtifactHash) -> tuple[TeamFact, ...]:
    turn = TeamTurn(state, teams.desk.now())
    teardown.finish(turn, report)
    return tuple(turn.facts)


def delete_team(teams: TeamDesk, name: str, actor: Actor, *, by: str = LEAD) -> TeamAnswer:
    """Let a team that is ready be gone: its session closes, its facts and its files stay."""
    ruling = teams.rule(
        name,
        lambda state: teardown.delete(TeamTurn(state, teams.desk.now()), by),
        actor,
        lambda state, facts: wake_resident(teams, state, facts, actor),
    )
    if teams.state(name).teardown.status is TeardownStatus.TEAM_DELETED:
        project_state(teams, name, actor)
        close_session(teams.desk, teams.created(name).session, actor)
    return answer_of(ruling)

"""What the resident does at a look: what time has brought, recorded, said and shown."""

from datetime import timedelta

from msgspec import Struct

from supervisor_ai.domain.envelope import Actor
from supervisor_ai.drivers.team.commands.decision_notes import is_due_to_note, note_decisions
from supervisor_ai.drivers.team.commands.delivery import deliver
from supervisor_ai.drivers.team.commands.own_runs import follow_runs, runs_behind
from supervisor_ai.drivers.team.commands.own_workers import unacknowledged_ends
from supervisor_ai.drivers.team.commands.projection import is_page_due, project_state
from supervisor_ai.drivers.team.commands.team_desk import TeamDesk
from supervisor_ai.drivers.team.commands.teardown import finish_teardown, is_ready_to_finish
from supervisor_ai.drivers.team.decisions.look import look, next_look
from supervisor_ai.drivers.team.event_kinds.fact import TeamFact
from supervisor_ai.drivers.team.machines.teardown import TeardownStatus
from supervisor_ai.drivers.team.state import TeamState


class Tended(Struct, frozen=True, kw_only=True):
    """What was done at a look."""

    words: tuple[str, ...]
    messages: int
    wait: timedelta


def is_over(teams: TeamDesk, name: str) -> bool:
    """Tell whether a team is gone."""
    return teams.state(name).teardown.status is TeardownStatus.TEAM_DELETED


def is_due(teams: TeamDesk, name: str) -> bool:
    """Tell whether there is something to do for a team; nothing is changed."""
    state = teams.state(name)
    if look(state, teams.desk.now()) or is_due_to_note(state) or runs_behind(teams, name):
        return True
    if is_ready_to_finish(teams, state) or unacknowledged_ends(teams, state):
        return True
    return state.speaking > state.delivered or is_page_due(teams, name)


def wait_of(teams: TeamDesk, name: str) -> timedelta:
    """Say after how long a team is looked at again."""
    return next_look(teams.state(name), teams.desk.now())


def tend(teams: TeamDesk, name: str, actor: Actor) -> Tended:
    """Do what there is to do; done twice, it is done once."""
    words: list[str] = []
    follow_runs(teams, name, actor)

    def decide(state: TeamState) -> tuple[TeamFact, ...]:
        facts = look(state, teams.desk.now())
        words[:] = [fact.word for fact in facts]
        return facts

    teams.view(name).add(decide, actor)
    said = 0 if is_over(teams, name) else deliver(teams, name)
    finish_teardown(teams, name, actor)
    note_decisions(teams, name, actor)
    project_state(teams, name, actor)
    return Tended(words=tuple(words), messages=said, wait=wait_of(teams, name))

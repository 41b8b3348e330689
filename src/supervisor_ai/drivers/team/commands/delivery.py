"""What the supervisor has to say is said on the bus: each message once, whoever says it."""

from typing import Final

from supervisor_ai.control.sessions.bus import Bus, Post
from supervisor_ai.control.sessions.members import resident
from supervisor_ai.domain.envelope import Actor, ActorKind
from supervisor_ai.domain.session.members import COORDINATOR
from supervisor_ai.drivers.team.commands.team_desk import TeamDesk
from supervisor_ai.drivers.team.decisions.notices import LEAD, TeamNotice, notices_of
from supervisor_ai.drivers.team.decisions.turn import TeamTurn
from supervisor_ai.drivers.team.event_kinds.fact import TeamFact
from supervisor_ai.drivers.team.event_kinds.roster import MessagesDelivered
from supervisor_ai.drivers.team.state import TeamState
from supervisor_ai.drivers.team.text.messages import without_secrets

_SUPERVISOR: Final = Actor(kind=ActorKind.SERVICE, id="supervisor", via="team", verified=True)
_LONGEST: Final = 1_900


def deliver(teams: TeamDesk, name: str) -> int:
    """Say what facts lead to that nobody has said yet; return how many messages there were.

    A message has the name of its fact as its key: who dies between saying and noting it says it
    again, and the bus takes it once.
    """
    state = teams.state(name)
    last, said = state.delivered, 0
    if state.created is None or state.speaking <= last:
        return 0
    templates = teams.templates(name)
    bus = Bus(teams.desk, state.created.session, resident(_SUPERVISOR))
    for place, fact in teams.facts(name, after=state.delivered):
        if not fact.speaks:
            continue
        for number, notice in enumerate(notices_of(state, fact, templates)):
            bus.log(_post(teams, notice, f"team:{name}/{place}.{number}"))
            said += 1
        last = place
    if last > state.delivered:
        _note(teams, name, last)
    return said


def _note(teams: TeamDesk, name: str, last: int) -> None:
    def decide(state: TeamState) -> tuple[TeamFact, ...]:
        if state.delivered >= last:
            return ()
        return (MessagesDelivered(**TeamTurn(state, teams.desk.now()).by(), upto=last),)

    teams.view(name).add(decide, _SUPERVISOR)


def _post(teams: TeamDesk, notice: TeamNotice, key: str) -> Post:
    more = "" if notice.more is None else f"\n{teams.desk.text(notice.more)}"
    text = without_secrets(teams.desk.redactor.redact, f"{notice.text}{more}")
    return Post(
        kind=notice.kind,
        summary=text[:_LONGEST],
        data=dict(notice.values),
        to=COORDINATOR if notice.to == LEAD else notice.to,
        key=key,
    )

"""A turn: the facts that follow from one event or one look, each seen by the next."""

from datetime import datetime, timedelta
from typing import Final, TypedDict

from supervisor_ai.drivers.team.event_kinds.fact import TeamFact
from supervisor_ai.drivers.team.sent import Ruling, SentEvent
from supervisor_ai.drivers.team.state import TeamState, evolve
from supervisor_ai.drivers.team.words import SUPERVISOR, RefusalCode

_TICK: Final = timedelta(microseconds=1)


class Stamp(TypedDict):
    """What every fact of a team carries."""

    at: datetime
    actor: str
    epoch: int


class TeamTurn:
    """Collects facts; the state is always as if they were recorded."""

    def __init__(self, state: TeamState, now: datetime) -> None:
        self.state = state
        self.now = now
        self.facts: list[TeamFact] = []

    def by(self, actor: str = SUPERVISOR) -> Stamp:
        """Stamp the next fact; time never goes back, nor stands still, whatever the clock does."""
        latest = self.state.latest
        at = self.now if latest is None else max(self.now, latest + _TICK)
        return Stamp(at=at, actor=actor, epoch=self.state.ownership.epoch)

    def add(self, fact: TeamFact) -> None:
        """Let a fact follow."""
        self.state = evolve(self.state, fact)
        self.facts.append(fact)

    def accept(self, event: str, reason: str = "") -> Ruling:
        """Take what was sent."""
        return Ruling(accepted=True, event=event, reason=reason, facts=tuple(self.facts))


def refuse(sent: SentEvent, code: RefusalCode, reason: str) -> Ruling:
    """Refuse what was sent; nothing follows from it."""
    return Ruling(accepted=False, event=sent.event, code=code, reason=reason)

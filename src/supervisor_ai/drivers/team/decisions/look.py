"""What time alone brings in a team: the look that is taken each minute, pure."""

from datetime import datetime, timedelta
from typing import Final

from supervisor_ai.drivers.team.decisions.ownership import acknowledge
from supervisor_ai.drivers.team.decisions.silence import check_silence
from supervisor_ai.drivers.team.decisions.teardown import check_teardown
from supervisor_ai.drivers.team.decisions.turn import TeamTurn
from supervisor_ai.drivers.team.event_kinds.fact import TeamFact
from supervisor_ai.drivers.team.event_kinds.ownership import HandoffMissed
from supervisor_ai.drivers.team.machines.liveness import LOOK_EVERY
from supervisor_ai.drivers.team.machines.ownership import OwnershipStatus
from supervisor_ai.drivers.team.machines.teardown import ROUND, TeardownStatus
from supervisor_ai.drivers.team.sent import SentEvent
from supervisor_ai.drivers.team.state import TeamState
from supervisor_ai.drivers.team.words import SUPERVISOR, SentWord

HANDOFF_EXPECTED: Final = timedelta(minutes=1)
"""How long after its beginning a team may be without a hand-off."""


def look(state: TeamState, now: datetime) -> tuple[TeamFact, ...]:
    """Say which facts the passing of time leads to; a second look at once leads to none."""
    if state.created is None or state.teardown.status is TeardownStatus.TEAM_DELETED:
        return ()
    if not state.reconcile.is_open:
        # Nothing operational is written under the lock, whatever time it is.
        return ()
    turn = TeamTurn(state, now)
    _check_handoff(turn)
    if turn.state.ownership.is_active and state.teardown.status is TeardownStatus.NONE:
        check_silence(turn)
    check_teardown(turn)
    return tuple(turn.facts)


def _check_handoff(turn: TeamTurn) -> None:
    """Acknowledge a hand-off, or say that none came (rules 3, 4 and 10)."""
    owned, created = turn.state.ownership, turn.state.created
    if owned.status is OwnershipStatus.HANDING_OFF:
        sent = SentEvent(
            event=SentWord.STATE_OWNERSHIP_ACK,
            sender=SUPERVISOR,
            actor=SUPERVISOR,
            epoch=owned.offered,
        )
        acknowledge(turn, sent)
    is_waiting = owned.status is OwnershipStatus.BOOTSTRAP and not owned.is_missed
    if created is not None and is_waiting and turn.now - created.at >= HANDOFF_EXPECTED:
        turn.add(HandoffMissed(**turn.by()))


def next_look(state: TeamState, now: datetime) -> timedelta:
    """Say after how long to look again: sooner where a round of a teardown ends.

    After the rounds the Lead has the word, perhaps for hours: nothing is gained by looking sooner.
    """
    teardown = state.teardown
    is_counting = teardown.is_waiting and teardown.missing and teardown.candidate_at is None
    if not is_counting or teardown.round_at is None:
        return LOOK_EVERY
    left = teardown.round_at + ROUND - now
    return min(max(left, timedelta(seconds=1)), LOOK_EVERY)

"""Letters to the run that watches over a team, when it has something to do before its next look."""

from typing import Final

from supervisor_ai.control.sessions.bus import MESSAGE
from supervisor_ai.domain.envelope import Actor
from supervisor_ai.domain.ids import LetterKey
from supervisor_ai.domain.run.inbox_commands import InboxCommand, Signal
from supervisor_ai.drivers.team.commands.team_desk import TeamDesk
from supervisor_ai.drivers.team.event_kinds import ownership, reconcile, teardown
from supervisor_ai.drivers.team.event_kinds.fact import TeamFact
from supervisor_ai.drivers.team.state import TeamState

_URGENT: Final = (
    ownership.OwnershipHandedOff,
    ownership.SplitBrainDetected,
    reconcile.ReconcileLockExited,
    teardown.TeardownBegun,
    teardown.ShutdownAcknowledged,
    teardown.FinalizeApproved,
    teardown.TeamDeleted,
)


def wake_resident(
    teams: TeamDesk, state: TeamState, facts: tuple[TeamFact, ...], actor: Actor
) -> tuple[InboxCommand, ...]:
    """Wake the resident run with the facts that it has to act on, in their transaction."""
    urgent = [fact for fact in facts if isinstance(fact, _URGENT)]
    if not urgent or state.created is None:
        return ()
    resident = teams.desk.view(state.created.session).refresh().resident
    if resident is None:
        return ()
    letter = InboxCommand(
        key=LetterKey(f"team:{state.created.team}/{state.index}"),
        run=resident,
        command=Signal(signal=MESSAGE),
        actor=actor,
        sent_at=teams.desk.now(),
    )
    return (letter,)

"""Hand-off and acknowledgement: rules 1 to 11 of the seed."""

from supervisor_ai.drivers.team.decisions.admission import role_of
from supervisor_ai.drivers.team.decisions.turn import TeamTurn, refuse
from supervisor_ai.drivers.team.event_kinds import ownership as o
from supervisor_ai.drivers.team.event_kinds import reconcile as r
from supervisor_ai.drivers.team.machines.ownership import OwnershipStatus
from supervisor_ai.drivers.team.sent import Ruling, SentEvent
from supervisor_ai.drivers.team.staffing.roles import TeamRole
from supervisor_ai.drivers.team.words import SUPERVISOR, RefusalCode


def hand_off(turn: TeamTurn, sent: SentEvent) -> Ruling:
    """Take a hand-off with a higher epoch than any before (rules 2 and 3)."""
    owned, epoch = turn.state.ownership, sent.epoch or 0
    if epoch > max(owned.epoch, owned.offered):
        turn.add(o.OwnershipHandedOff(**turn.by(sent.sender), offered=epoch))
        return turn.accept(sent.event, "Nobody writes until the supervisor acknowledges.")
    if epoch < owned.offered:
        told = f"Epoch {epoch} is over: {owned.offered} was handed over already."
        return refuse(sent, RefusalCode.STALE_EPOCH, told)
    if sent.sender != owned.offered_by:
        return _split(turn, (owned.offered_by, sent.sender))
    if not owned.duplicates:
        # ToldMessage once for each epoch: who repeats it a thousand times fills no ledger.
        turn.add(o.HandoffDuplicated(**turn.by(sent.sender), offered=epoch))
    return turn.accept("HANDOFF_DUPLICATE", f"Epoch {epoch} was handed over already.")


def acknowledge(turn: TeamTurn, sent: SentEvent) -> Ruling:
    """Let the supervisor own the state from the epoch on that was handed over (rule 4)."""
    owned, epoch = turn.state.ownership, sent.epoch or 0
    if epoch != owned.offered or epoch == 0:
        told = f"Epoch {epoch} was not handed over; {owned.offered} was."
        return refuse(sent, RefusalCode.STALE_EPOCH, told)
    if owned.status is OwnershipStatus.HANDING_OFF:
        turn.add(o.OwnershipAcknowledged(**turn.by(sent.sender), offered=epoch))
        return turn.accept(sent.event, f"{sent.sender}@{epoch} owns the state.")
    if sent.sender != owned.owner:
        return _split(turn, (owned.owner, sent.sender))
    return turn.accept(sent.event, f"{owned.shown_owner} owns the state already.")


def _split(turn: TeamTurn, owners: tuple[str, ...]) -> Ruling:
    """Stop everything when two own the state in one epoch (rule 11)."""
    turn.add(o.SplitBrainDetected(**turn.by(), owners=tuple(sorted(set(owners)))))
    turn.add(r.ReconcileLockEntered(**turn.by(), reason=r.LockReason.SPLIT_BRAIN))
    told = f"{' and '.join(owners)} own one epoch: the Lead has to say which. {_asked(owners)}"
    return Ruling(
        accepted=False,
        event="SPLIT_BRAIN_DETECTED",
        code=RefusalCode.RECONCILE_LOCK,
        reason=told,
        facts=tuple(turn.facts),
    )


def _asked(rivals: tuple[str, ...]) -> str:
    return f"Answer: ARBITRATION --owner {' or --owner '.join(rivals)}."


def arbitrate_owner(turn: TeamTurn, sent: SentEvent) -> Ruling:
    """End a split brain as the Lead says: who owns the state, or which Lead's hand-off counts."""
    owned = turn.state.ownership
    if owned.status is not OwnershipStatus.DISPUTED:
        return refuse(sent, RefusalCode.NOT_POSSIBLE, "No ownership is in dispute.")
    owner = sent.owner or SUPERVISOR
    is_supervisor = role_of(turn.state, owner) is TeamRole.SUPERVISOR
    if not is_supervisor and owner not in owned.rivals:
        told = f"{owner!r} is none of those who own one epoch. {_asked(owned.rivals)}"
        return refuse(sent, RefusalCode.NOT_POSSIBLE, told)
    holder, chosen = (owner, "") if is_supervisor else (SUPERVISOR, owner)
    turn.add(o.OwnershipArbitrated(**turn.by(sent.sender), owner=holder, chosen=chosen))
    turn.add(r.ReconcileLockExited(**turn.by(), end=r.LockEnd.LEAD_RESOLVED))
    return turn.accept(sent.event, f"{turn.state.ownership.shown_owner} owns the state.")

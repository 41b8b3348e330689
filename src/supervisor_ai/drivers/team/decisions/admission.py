"""Whether an event may be decided at all: who sends it, with what, and who may write now."""

from collections.abc import Mapping
from typing import Final

from supervisor_ai.drivers.team.decisions.bridge import BRIDGE
from supervisor_ai.drivers.team.decisions.turn import refuse
from supervisor_ai.drivers.team.machines.ownership import OwnershipStatus
from supervisor_ai.drivers.team.machines.reconcile import LockStatus
from supervisor_ai.drivers.team.machines.teardown import TeardownStatus
from supervisor_ai.drivers.team.sent import Ruling, SentEvent
from supervisor_ai.drivers.team.staffing.roles import TeamRole
from supervisor_ai.drivers.team.state import TeamState
from supervisor_ai.drivers.team.words import SUPERVISOR, RefusalCode, SentWord

LEAD: Final = "lead"
"""As whom the user of this machine speaks; no member can have this name."""
RESERVED: Final = frozenset({LEAD, SUPERVISOR, "coordinator", "all"})
_OWN_EPOCH: Final = frozenset({SentWord.STATE_OWNERSHIP_HANDOFF, SentWord.STATE_OWNERSHIP_ACK})
"""Events that name the epoch that is to be, not the one that is."""
_UNDER_LOCK: Final = frozenset({SentWord.RECONCILE_ACK, SentWord.ARBITRATION})
"""The Lead's words that end a lock; nothing else is taken while it holds."""
_ANY_TIME: Final = frozenset({SentWord.HEARTBEAT, SentWord.REQUEST})
"""What writes nothing operational."""
_AT_THE_END: Final = frozenset(
    {SentWord.SHUTDOWN_ACK, SentWord.FORCED_FINALIZE_ACK, SentWord.FORCED_FINALIZE_REFUSED}
)

_TASKS_SHOWN: Final = 20


def role_of(state: TeamState, sender: str) -> TeamRole | None:
    """Return what a sender is in the team; None: nobody."""
    if sender == LEAD:
        return TeamRole.LEAD
    if sender == SUPERVISOR:
        return TeamRole.SUPERVISOR
    member = state.member(sender)
    return None if member is None else member.role


def admit(state: TeamState, sent: SentEvent) -> Ruling | None:
    """Refuse what may not be decided; None: it may."""
    checks = (_who, _fields, _end, _lock, _ownership, _epoch)
    found = (check(state, sent) for check in checks)
    return next((refused for refused in found if refused is not None), None)


def _who(state: TeamState, sent: SentEvent) -> Ruling | None:
    role = role_of(state, sent.sender)
    if state.created is None or role is None:
        told = f"{sent.sender!r} is no member of this team."
        return refuse(sent, RefusalCode.UNKNOWN_MEMBER, told)
    row = BRIDGE[sent.event]
    if role not in row.producers:
        may = ", ".join(row.producers)
        told = f"{sent.event} comes from {may}; {sent.sender!r} is {role.value}."
        return refuse(sent, RefusalCode.WRONG_PRODUCER, told)
    return None


def no_task(state: TeamState, task: str) -> str:
    """Say that there is no such task, and which ones there are."""
    names = sorted(it.task for it in state.all_tasks() if it.is_open)
    more = ", …" if len(names) > _TASKS_SHOWN else ""
    there = f"open tasks: {', '.join(names[:_TASKS_SHOWN])}{more}" if names else "no task is open"
    return f"There is no task {task!r}; {there}."


def _fields(state: TeamState, sent: SentEvent) -> Ruling | None:
    missing = [name for name in BRIDGE[sent.event].needs if getattr(sent, name) in {None, ""}]
    if missing == ["rev"] and state.task(sent.task_id or "") is None:
        # Who asks for the current revision has no other mistake to mend.
        return refuse(sent, RefusalCode.NOT_POSSIBLE, no_task(state, sent.task_id or ""))
    if missing:
        told = f"{sent.event} needs {', '.join(missing)}."
        return refuse(sent, RefusalCode.MISSING_FIELDS, told)
    if sent.actor != sent.sender:
        told = f"{sent.sender!r} does not speak as {sent.actor!r}."
        return refuse(sent, RefusalCode.WRONG_ACTOR, told)
    return None


def _end(state: TeamState, sent: SentEvent) -> Ruling | None:
    teardown = state.teardown
    settles = sent.event in _UNDER_LOCK and not state.reconcile.is_open
    if not teardown.freezes or settles or sent.event in _ANY_TIME:
        return None
    is_late_ack = sent.event in _AT_THE_END and teardown.status is TeardownStatus.READY_TO_DELETE
    if is_late_ack:
        return Ruling(accepted=True, event=sent.event, reason="The team is ready to be deleted.")
    told = f"The team ends: {teardown.status.value}."
    return refuse(sent, RefusalCode.TEARDOWN, told)


_LOCKS: Final[Mapping[LockStatus, RefusalCode]] = {
    LockStatus.DIVERGED: RefusalCode.RECONCILE_LOCK,
    LockStatus.LOCKED: RefusalCode.RECONCILE_LOCK,
    LockStatus.AWAITING_ACK: RefusalCode.RECONCILE_LOCK,
    LockStatus.FROZEN: RefusalCode.STATE_FROZEN,
}


def _lock(state: TeamState, sent: SentEvent) -> Ruling | None:
    code = _LOCKS.get(state.lock)
    if code is None or sent.event in _UNDER_LOCK | _ANY_TIME:
        return None
    told = f"{code.value} holds: nothing operational is written until the Lead has settled it."
    return refuse(sent, code, told)


def _ownership(state: TeamState, sent: SentEvent) -> Ruling | None:
    free = _OWN_EPOCH | _ANY_TIME | _UNDER_LOCK
    match state.ownership.status:
        case OwnershipStatus.ACTIVE:
            return None
        case _ if sent.event in free:
            return None
        case OwnershipStatus.HANDING_OFF:
            offered = state.ownership.offered
            told = f"The hand-off of epoch {offered} is not acknowledged: nobody writes."
            return refuse(sent, RefusalCode.WRITE_LOCK, told)
        case _:
            told = "The state was not handed over to the supervisor: nobody writes."
            return refuse(sent, RefusalCode.HANDOFF_MISSING, told)


def _epoch(state: TeamState, sent: SentEvent) -> Ruling | None:
    epoch = state.ownership.epoch
    if sent.event in _OWN_EPOCH or sent.epoch in {None, epoch}:
        return None
    told = f"The event is of epoch {sent.epoch}; epoch {epoch} is active."
    return refuse(sent, RefusalCode.STALE_EPOCH, told)

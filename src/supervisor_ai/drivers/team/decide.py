"""What comes of an event that a member sends: one function, pure."""

from collections.abc import Callable, Mapping
from datetime import datetime, timedelta
from typing import Final

from supervisor_ai.domain.structs import replace
from supervisor_ai.drivers.team.decisions import (
    activity,
    ownership,
    reconcile,
    tasks,
    teardown,
    tools,
)
from supervisor_ai.drivers.team.decisions.admission import admit, role_of
from supervisor_ai.drivers.team.decisions.turn import TeamTurn
from supervisor_ai.drivers.team.event_kinds.roster import EventRefused
from supervisor_ai.drivers.team.machines import shelves
from supervisor_ai.drivers.team.sent import Ruling, SentEvent
from supervisor_ai.drivers.team.state import TeamState
from supervisor_ai.drivers.team.words import RefusalCode, SentWord

Decide = Callable[[TeamTurn, SentEvent], Ruling]

_RECORDED: Final = frozenset(
    {
        *(RefusalCode.STALE_EPOCH, RefusalCode.WRONG_PRODUCER, RefusalCode.MISSING_FIELDS),
        *(RefusalCode.WRONG_ACTOR, RefusalCode.RECONCILE_LOCK, RefusalCode.STATE_FROZEN),
        RefusalCode.OUT_OF_SCOPE,
    }
)
"""The refusals that the seed wants to be traceable."""
_MOST_REFUSALS: Final = 5
_WINDOW: Final = timedelta(minutes=10)


def _arbitrate(turn: TeamTurn, sent: SentEvent) -> Ruling:
    if sent.task_id is None:
        return ownership.arbitrate_owner(turn, sent)
    return tasks.arbitrate_task(turn, sent)


DECIDERS: Final[Mapping[SentWord, Decide]] = {
    SentWord.STATE_OWNERSHIP_HANDOFF: ownership.hand_off,
    SentWord.STATE_OWNERSHIP_ACK: ownership.acknowledge,
    SentWord.ESCALATE_TO_MEDIUM: tasks.escalate,
    SentWord.TOOL_UNAVAILABLE: tools.report_tool,
    SentWord.FORCED_FINALIZE_ACK: teardown.approve_finalize,
    SentWord.FORCED_FINALIZE_REFUSED: teardown.refuse_finalize,
    SentWord.ARBITRATION: _arbitrate,
    SentWord.RECONCILE_ACK: reconcile.acknowledge_rollback,
    SentWord.STAFFING_DECISION: tasks.reassign,
    SentWord.TASK_RELEASED: tasks.release,
    SentWord.TASK_CANCELLED: tasks.withdraw,
    SentWord.TOOL_DECISION: tools.decide_tool,
    SentWord.TOOL_RESOLVED: tools.resolve_tool,
    SentWord.TASK_ADDED: tasks.add_task,
    SentWord.CLAIM: tasks.claim,
    SentWord.IN_REVIEW: tasks.submit,
    SentWord.DONE: tasks.close,
    SentWord.STUCK: tasks.stuck,
    SentWord.REVIEW_LOOP: tasks.suspect_loop,
    SentWord.IMPOSSIBLE_WAIT: tasks.impossible_wait,
    SentWord.APPROVED: tasks.approve,
    SentWord.CHANGES_REQUESTED: tasks.send_back,
    SentWord.PROGRESS: activity.progress,
    SentWord.HEARTBEAT: activity.heartbeat,
    SentWord.SHUTDOWN_ACK: teardown.acknowledge_shutdown,
    SentWord.ARCHITECTURE_QUESTION: tools.route_architecture,
    SentWord.SECURITY_INCIDENT: tools.route_incident,
    SentWord.REQUEST: tools.refuse_request,
}
"""Who decides about which event."""


def decide(state: TeamState, sent: SentEvent, now: datetime) -> Ruling:
    """Say whether an event is taken, in which words, and which facts follow from it."""
    turn = TeamTurn(state, now)
    refused = admit(state, sent)
    ruling = DECIDERS[sent.event](turn, sent) if refused is None else refused
    if ruling.accepted and ruling.facts:
        activity.clear_silence(turn, sent.sender, sent.event)
        return replace(ruling, facts=tuple(turn.facts))
    if ruling.accepted or ruling.facts:
        return ruling
    return _recorded(turn, sent, ruling)


def _recorded(turn: TeamTurn, sent: SentEvent, ruling: Ruling) -> Ruling:
    """Record a refusal that has to be traceable; of a flood, the beginning is enough."""
    if ruling.code not in _RECORDED or role_of(turn.state, sent.sender) is None:
        return ruling
    window = shelves.get(turn.state.refusals, sent.sender)
    is_over = window is None or turn.now - window.since >= _WINDOW
    count = 1 if window is None or is_over else window.count + 1
    if count > _MOST_REFUSALS:
        return ruling
    stamp = turn.by(sent.sender)
    turn.add(EventRefused(**stamp, sent=sent.event, code=ruling.code, count=count))
    return replace(ruling, facts=tuple(turn.facts))

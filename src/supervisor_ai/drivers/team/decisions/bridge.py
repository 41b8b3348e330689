"""The bridge contract as a table: who may send what, to whom it goes, and what follows.

The first rows are the seed's, in its order. What is not here cannot be sent.
"""

from collections.abc import Mapping
from typing import Final

from msgspec import Struct

from supervisor_ai.drivers.team.staffing.roles import REVIEWERS, TeamRole
from supervisor_ai.drivers.team.words import SentWord

_LEAD: Final = (TeamRole.LEAD,)
_SUPERVISOR: Final = (TeamRole.SUPERVISOR,)
OWNERS: Final = (TeamRole.CODER, TeamRole.RESEARCHER)
_APPROVERS: Final = (*REVIEWERS, TeamRole.TECH_LEAD)
_MEMBERS: Final = tuple(it for it in TeamRole if it not in {TeamRole.LEAD, TeamRole.SUPERVISOR})
_ANYBODY: Final = tuple(TeamRole)


class BridgeRow(Struct, frozen=True, kw_only=True):
    """One event of the contract."""

    event: str
    producers: tuple[TeamRole, ...]
    consumers: tuple[str, ...]
    route: str
    """Who hands it on to whom."""
    next_step: str
    write_owner: TeamRole = TeamRole.SUPERVISOR
    """Who alone writes what comes of it."""
    needs: tuple[str, ...] = ()
    """The fields without which it is refused."""


def _to_supervisor(
    event: SentWord, producers: tuple[TeamRole, ...], needs: tuple[str, ...], next_step: str
) -> BridgeRow:
    return BridgeRow(
        event=event,
        producers=producers,
        consumers=("supervisor",),
        route="source -> supervisor",
        next_step=next_step,
        needs=needs,
    )


_ACTOR: Final = ("actor",)
_EPOCH: Final = ("actor", "epoch")
_TASK: Final = ("task_id", "rev", "actor", "epoch")

SEED_ROWS: Final = (
    BridgeRow(
        event=SentWord.STATE_OWNERSHIP_HANDOFF,
        producers=_LEAD,
        consumers=("supervisor",),
        route="lead -> supervisor",
        next_step="Validate the epoch and emit STATE_OWNERSHIP_ACK(epoch)",
        needs=_EPOCH,
    ),
    BridgeRow(
        event=SentWord.STATE_OWNERSHIP_ACK,
        producers=_SUPERVISOR,
        consumers=("lead",),
        route="supervisor -> lead",
        next_step="Activate supervisor@epoch and unlock operational writes",
        needs=_EPOCH,
    ),
    BridgeRow(
        event=SentWord.ESCALATE_TO_MEDIUM,
        producers=(TeamRole.UNIFIED_REVIEWER, TeamRole.CODER),
        consumers=("supervisor", "lead"),
        route="source -> supervisor -> lead",
        next_step="Route the escalation to the Lead and await the staffing decision",
        needs=_TASK,
    ),
    BridgeRow(
        event="SPLIT_BRAIN_DETECTED",
        producers=_SUPERVISOR,
        consumers=("lead",),
        route="supervisor -> lead",
        next_step="Enter RECONCILE_LOCK and request the Lead's arbitration",
    ),
    BridgeRow(
        event="FORCED_FINALIZE_CANDIDATE",
        producers=_SUPERVISOR,
        consumers=("lead",),
        route="supervisor -> lead",
        next_step="Request an explicit FORCED_FINALIZE_ACK of the Lead",
    ),
    BridgeRow(
        event=SentWord.FORCED_FINALIZE_ACK,
        producers=_LEAD,
        consumers=("supervisor",),
        route="lead -> supervisor",
        next_step="Finalize by force and go towards READY_TO_DELETE",
        needs=_EPOCH,
    ),
    BridgeRow(
        event=SentWord.TOOL_UNAVAILABLE,
        producers=_ANYBODY,
        consumers=("supervisor", "lead"),
        route="source -> supervisor -> lead",
        next_step="Record it and route it to the Lead: skip, retry or proceed with a caveat",
        needs=("tool", "task_id", "actor", "epoch"),
    ),
)
"""The seed's own, row by row."""

_OURS: Final = (
    _to_supervisor(
        SentWord.TASK_ADDED, _LEAD, ("task_id", "subject", *_EPOCH), "Put it into the state"
    ),
    _to_supervisor(SentWord.CLAIM, OWNERS, _TASK, "Note the owner, or freeze a second claim"),
    _to_supervisor(SentWord.IN_REVIEW, OWNERS, _TASK, "Wait for the required approvals"),
    _to_supervisor(SentWord.DONE, OWNERS, _TASK, "Close it if all required approvals are there"),
    _to_supervisor(SentWord.STUCK, OWNERS, _TASK, "Tell the Lead; propose another owner"),
    _to_supervisor(SentWord.REVIEW_LOOP, OWNERS, _TASK, "Quarantine it and tell the Lead"),
    _to_supervisor(
        SentWord.IMPOSSIBLE_WAIT, (*OWNERS, *_APPROVERS), _TASK, "Check the roster; escalate"
    ),
    _to_supervisor(SentWord.APPROVED, _APPROVERS, _TASK, "Note the approval of the role"),
    _to_supervisor(
        SentWord.CHANGES_REQUESTED, _APPROVERS, ("issue", *_TASK), "Send it back; look for a loop"
    ),
    _to_supervisor(SentWord.PROGRESS, _MEMBERS, _EPOCH, "Note the progress"),
    _to_supervisor(SentWord.HEARTBEAT, _ANYBODY, _ACTOR, "Note the activity"),
    _to_supervisor(SentWord.SHUTDOWN_ACK, _MEMBERS, _ACTOR, "Count the acknowledgement"),
    _to_supervisor(SentWord.ARBITRATION, _LEAD, ("owner", *_EPOCH), "Let one owner go on"),
    _to_supervisor(SentWord.RECONCILE_ACK, _LEAD, _EPOCH, "Apply the rollback and unlock"),
    _to_supervisor(
        SentWord.STAFFING_DECISION, _LEAD, ("owner", *_TASK), "Publish the new ownership map"
    ),
    _to_supervisor(SentWord.TASK_RELEASED, _LEAD, _TASK, "Let it go on where it stood"),
    _to_supervisor(SentWord.TASK_CANCELLED, _LEAD, _TASK, "Take it out of the work"),
    _to_supervisor(
        SentWord.TOOL_DECISION, _LEAD, ("tool", "decision", *_EPOCH), "Tell who missed the tool"
    ),
    _to_supervisor(SentWord.TOOL_RESOLVED, _ANYBODY, ("tool", *_EPOCH), "Close the trouble"),
    _to_supervisor(SentWord.FORCED_FINALIZE_REFUSED, _LEAD, _EPOCH, "End in TEARDOWN_FAILED_SAFE"),
    BridgeRow(
        event=SentWord.ARCHITECTURE_QUESTION,
        producers=_ANYBODY,
        consumers=("tech-lead",),
        route="source -> supervisor -> tech-lead",
        next_step="Hand it on with the operational context; decide nothing",
        needs=("subject", *_EPOCH),
    ),
    BridgeRow(
        event=SentWord.SECURITY_INCIDENT,
        producers=_ANYBODY,
        consumers=("lead",),
        route="source -> supervisor -> lead",
        next_step="Tell the Lead at once; no limit holds it back",
        needs=("subject", *_EPOCH),
    ),
    BridgeRow(
        event=SentWord.REQUEST,
        producers=_ANYBODY,
        consumers=("supervisor",),
        route="source -> supervisor",
        next_step="Refuse, and say what the supervisor can do instead",
        needs=("request", "actor"),
    ),
)

BRIDGE: Final[Mapping[str, BridgeRow]] = {row.event: row for row in (*SEED_ROWS, *_OURS)}
"""Every event of the contract by its name."""

"""The words of a team: what members can send, how they wait, and where things stand."""

from enum import StrEnum
from typing import Final


class SentWord(StrEnum):
    """What a member can send; anything else does not exist."""

    STATE_OWNERSHIP_HANDOFF = "STATE_OWNERSHIP_HANDOFF"
    STATE_OWNERSHIP_ACK = "STATE_OWNERSHIP_ACK"
    ESCALATE_TO_MEDIUM = "ESCALATE TO MEDIUM"
    TOOL_UNAVAILABLE = "TOOL_UNAVAILABLE"
    FORCED_FINALIZE_ACK = "FORCED_FINALIZE_ACK"
    FORCED_FINALIZE_REFUSED = "FORCED_FINALIZE_REFUSED"
    ARBITRATION = "ARBITRATION"
    """The Lead says who goes on after a split brain, a double claim or an overlap."""
    RECONCILE_ACK = "RECONCILE_ACK"
    STAFFING_DECISION = "STAFFING_DECISION"
    """The Lead says whose a task is from now on."""
    TASK_RELEASED = "TASK_RELEASED"
    """The Lead lets a task go on that was quarantined or stuck."""
    TASK_CANCELLED = "TASK_CANCELLED"
    TOOL_DECISION = "TOOL_DECISION"
    TOOL_RESOLVED = "TOOL_RESOLVED"
    TASK_ADDED = "TASK_ADDED"
    CLAIM = "CLAIM"
    IN_REVIEW = "IN_REVIEW"
    DONE = "DONE"
    STUCK = "STUCK"
    REVIEW_LOOP = "REVIEW_LOOP"
    IMPOSSIBLE_WAIT = "IMPOSSIBLE_WAIT"
    APPROVED = "APPROVED"
    CHANGES_REQUESTED = "CHANGES_REQUESTED"
    PROGRESS = "PROGRESS"
    HEARTBEAT = "HEARTBEAT"
    SHUTDOWN_ACK = "SHUTDOWN_ACK"
    ARCHITECTURE_QUESTION = "ARCHITECTURE_QUESTION"
    """Goes on to the Tech Lead: the supervisor decides nothing about it."""
    SECURITY_INCIDENT = "SECURITY_INCIDENT"
    REQUEST = "REQUEST"
    """Asks the supervisor to do something itself; it never does."""


class WaitReason(StrEnum):
    """What a member is at."""

    CODING = "coding"
    WAITING_REVIEW = "waiting_review"
    BLOCKED = "blocked"
    WAITING_ACK = "waiting_ack"


class IdleStage(StrEnum):
    """How far a silent member was dealt with."""

    NONE = "none"
    PINGED = "pinged"
    NUDGED = "nudged"
    ESCALATED = "escalated"
    REPLACEMENT_PROPOSED = "replacement_proposed"


class RefusalCode(StrEnum):
    """Why an event is not taken."""

    UNKNOWN_MEMBER = "UNKNOWN_MEMBER"
    WRONG_ACTOR = "WRONG_ACTOR"
    WRONG_PRODUCER = "WRONG_PRODUCER"
    MISSING_FIELDS = "MISSING_FIELDS"
    STALE_EPOCH = "STALE_EPOCH"
    STALE_REV = "STALE_REV"
    WRITE_LOCK = "WRITE_LOCK"
    HANDOFF_MISSING = "HANDOFF_MISSING"
    RECONCILE_LOCK = "RECONCILE_LOCK"
    STATE_FROZEN = "STATE_FROZEN"
    TEARDOWN = "TEARDOWN"
    NOT_POSSIBLE = "NOT_POSSIBLE"
    OUT_OF_SCOPE = "OUT_OF_SCOPE"


class ToolDecision(StrEnum):
    """What the Lead says about a tool that is not there."""

    SKIP = "skip"
    RETRY = "retry"
    CAVEAT = "proceed_with_caveat"


class ReassignmentReason(StrEnum):
    """Why somebody else should do a task."""

    STUCK_TWICE = "stuck_twice"
    NO_RESPONSE = "no_response"
    CAPABILITY_MISMATCH = "capability_mismatch"


class Strategy(StrEnum):
    """How a task could be done by others."""

    SAME_ROLE = "same_role_replacement"
    SPLIT = "split_task"
    SPECIALIST = "specialist_routing"


class LoopAdvice(StrEnum):
    """What the Lead can do about a review that goes round in circles."""

    CLARIFY = "clarify_acceptance_criteria"
    SWAP = "swap_owner"
    TECH_LEAD = "schedule_tech_lead_checkpoint"


SUPERVISOR: Final = "supervisor"
"""Who writes the operational state, as members and files name it."""

"""What the Lead should look at now: an alert begins with a fact and ends with another."""

from datetime import datetime
from typing import Final

from msgspec import Struct

from supervisor_ai.drivers.team.event_kinds import (
    decisions,
    liveness,
    ownership,
    reconcile,
    tasks,
    teardown,
    tools,
)
from supervisor_ai.drivers.team.event_kinds.fact import TaskFact, TeamFact
from supervisor_ai.drivers.team.text.report import AlertSeverity, AlertType

_MOST: Final = 200
"""Of a flood, the newest are shown."""


class OpenAlert(Struct, frozen=True, kw_only=True):
    """Something that is not settled."""

    severity: AlertSeverity
    type: AlertType
    subject: str
    """What it is about: a task, a member, a tool; nothing: the whole team."""
    task: str
    owner: str
    since: datetime


Alerts = dict[str, OpenAlert]
"""What is not settled, by type and subject."""

_OF_STATE: Final = frozenset(
    {
        *(AlertType.SPLIT_BRAIN_DETECTED, AlertType.STATE_DIVERGENCE),
        *(AlertType.RECONCILE_CONFLICT, AlertType.SNAPSHOT_NOT_FOUND),
        *(AlertType.SNAPSHOT_CONFLICT, AlertType.RECONCILE_LOCK_ENTER),
    }
)
_OF_HANDOFF: Final = frozenset({AlertType.HANDOFF_MISSING, AlertType.HANDOFF_DUPLICATE})
_OF_TEARDOWN: Final = frozenset({AlertType.TEARDOWN_BLOCKED, AlertType.FORCED_FINALIZE_CANDIDATE})
_OF_NOTES: Final = frozenset(
    {AlertType.DECISIONS_SCOPE_VIOLATION, AlertType.DECISIONS_MARKER_MISSING}
)
_IDLE: Final = frozenset({AlertType.IDLE_BREACH, AlertType.REVIEW_SLA_BREACH})
_SETTLES_TASK: Final = (
    tasks.TaskResumed,
    tasks.TaskReassigned,
    tasks.TaskClosed,
    tasks.TaskWithdrawn,
)


def alert_type(fact: TeamFact) -> AlertType | None:
    """Say which alert a fact is; a review that is late is one of its own."""
    if fact.alert is AlertType.IDLE_BREACH and getattr(fact, "is_review", False):
        return AlertType.REVIEW_SLA_BREACH
    return fact.alert


def subject_of(fact: TeamFact) -> str:
    """Name what a fact is about, as alerts are told apart by it."""
    if silent := getattr(fact, "silent", ()):
        return ", ".join(silent)
    for name in ("member", "tool", "task"):
        found = getattr(fact, name, None)
        if isinstance(found, str):
            return found
    return ""


def after_fact(alerts: Alerts, fact: TeamFact, owner: str) -> Alerts:
    """Return what is not settled after a fact; the same object where nothing changed."""
    left = _settled(alerts, fact)
    kind = alert_type(fact)
    if kind is None or kind is AlertType.RECONCILE_LOCK_EXIT:
        return left
    subject, task = subject_of(fact), getattr(fact, "task", "")
    key = f"{kind}:{subject}"
    since = left[key].since if key in left else fact.at
    opened = OpenAlert(
        severity=fact.severity, type=kind, subject=subject, task=task, owner=owner, since=since
    )
    kept = {name: it for name, it in left.items() if name != key}
    if len(kept) >= _MOST:
        kept = dict(list(kept.items())[1:])
    return {**kept, key: opened}


def _settled(alerts: Alerts, fact: TeamFact) -> Alerts:
    if not alerts:
        return alerts
    kinds, subject = _settles(fact)
    gone = {
        name
        for name, it in alerts.items()
        if (it.type in kinds and subject in {None, it.subject}) or _is_answered(it, fact)
    }
    return {name: it for name, it in alerts.items() if name not in gone} if gone else alerts


def _is_answered(alert: OpenAlert, fact: TeamFact) -> bool:
    """Tell whether the review came that an alert is about."""
    if alert.type is not AlertType.REVIEW_SLA_BREACH or not isinstance(fact, TaskFact):
        return False
    by_all = isinstance(fact, (tasks.TaskSentBack, tasks.TaskReopened, *_SETTLES_TASK))
    by_one = isinstance(fact, tasks.TaskApproved) and fact.actor in alert.subject.split(", ")
    return alert.task == fact.task and (by_all or by_one)


def _settles(fact: TeamFact) -> tuple[frozenset[AlertType], str | None]:
    """Say which alerts a fact ends, and about what; None: whatever they are about."""
    match fact:
        case liveness.IdleCleared(member=member):
            return _IDLE, member
        case tools.ToolResolved(tool=tool) | tools.ToolDecided(tool=tool):
            return frozenset({AlertType.TOOL_UNAVAILABLE}), tool
        case decisions.DecisionsNoted():
            return _OF_NOTES, None
        case ownership.OwnershipAcknowledged():
            return _OF_HANDOFF, None
        case reconcile.ReconcileLockExited():
            return _OF_STATE, None
        case teardown.TeardownBegun() | teardown.TeardownReady():
            return _OF_TEARDOWN, None
        case teardown.TeardownFailed():
            return frozenset({AlertType.FORCED_FINALIZE_CANDIDATE}), None
        case TaskFact(task=task) if isinstance(fact, _SETTLES_TASK):
            return frozenset(AlertType) - _IDLE, task
        case _:
            return frozenset(), None

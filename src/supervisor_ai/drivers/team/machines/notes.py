"""Which facts are noted in DECISIONS.md, and where: trouble, and how the Lead decided it."""

from typing import Final

from supervisor_ai.drivers.team.event_kinds import decisions as d
from supervisor_ai.drivers.team.event_kinds import ownership, reconcile, tasks, teardown, tools
from supervisor_ai.drivers.team.event_kinds.fact import TeamFact
from supervisor_ai.drivers.team.text.notes import DecisionsMarker
from supervisor_ai.drivers.team.text.report import AlertSeverity

_ABOUT_NOTES: Final = (d.DecisionsNoted, d.DecisionsScopeViolated, d.DecisionsMarkerMissed)
_DECIDED: Final = (
    ownership.OwnershipArbitrated,
    reconcile.ReconcileLockExited,
    tasks.TaskEscalated,
    tasks.TaskReassigned,
    tasks.TaskResumed,
    tasks.TaskWithdrawn,
    teardown.FinalizeApproved,
    teardown.TeardownReady,
    tools.ToolDecided,
)


def marker_of(fact: TeamFact) -> DecisionsMarker | None:
    """Say where a fact is noted; None: nowhere."""
    if isinstance(fact, _ABOUT_NOTES):
        return None
    if isinstance(fact, _DECIDED):
        return DecisionsMarker.NOTES
    is_trouble = fact.alert is not None and fact.severity is not AlertSeverity.INFO
    return DecisionsMarker.ESCALATIONS if is_trouble else None

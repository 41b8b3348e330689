"""All facts of a team's stream."""

from typing import Final

from supervisor_ai.drivers.team.event_kinds import (
    decisions,
    liveness,
    ownership,
    reconcile,
    roster,
    tasks,
    teardown,
    tools,
)
from supervisor_ai.drivers.team.event_kinds.fact import TeamFact

TEAM_EVENTS: Final[tuple[type[TeamFact], ...]] = (
    *(roster.TeamCreated, roster.MemberJoined, roster.MemberLeft),
    *(roster.EventRefused, roster.MessagesDelivered, roster.MessagesRead, roster.RunFollowed),
    *(ownership.OwnershipHandedOff, ownership.OwnershipAcknowledged),
    *(ownership.HandoffDuplicated, ownership.HandoffMissed),
    *(ownership.SplitBrainDetected, ownership.OwnershipArbitrated),
    *(liveness.ActivityNoted, liveness.BreachNoted, liveness.MemberPinged),
    *(liveness.MemberNudged, liveness.MemberEscalated, liveness.ReplacementProposed),
    liveness.IdleCleared,
    *(tasks.TaskOpened, tasks.TaskClaimed, tasks.TaskSubmitted, tasks.TaskApproved),
    *(tasks.TaskSentBack, tasks.TaskClosed, tasks.TaskStuck, tasks.WaitImpossible),
    *(tasks.LoopSuspected, tasks.DuplicateClaimFound, tasks.OverlapFound, tasks.TaskResumed),
    *(tasks.TaskReassigned, tasks.TaskWithdrawn, tasks.TaskEscalated),
    *(tasks.ReassignmentProposed, tasks.TaskReopened),
    *(tools.ToolReported, tools.ToolFoundSystemic, tools.ToolDecided, tools.ToolResolved),
    tools.MatterRouted,
    *(reconcile.SnapshotTaken, reconcile.StateDiverged, reconcile.ReconcileLockEntered),
    *(reconcile.SnapshotNotFound, reconcile.SnapshotConflicted, reconcile.RollbackPlanned),
    *(reconcile.ReconcileConflicted, reconcile.ReconcileLockExited),
    *(teardown.TeardownBegun, teardown.ShutdownRequested, teardown.AcksAwaited),
    *(teardown.ShutdownAcknowledged, teardown.AckRetried, teardown.TeardownBlocked),
    *(teardown.FinalizeProposed, teardown.FinalizeApproved, teardown.TeardownReported),
    *(teardown.TeardownReady, teardown.TeardownFailed, teardown.TeamDeleted),
    *(decisions.DecisionsNoted, decisions.DecisionsScopeViolated),
    decisions.DecisionsMarkerMissed,
)
"""Every kind, each once."""

"""The facts of a run's stream."""

from supervisor_ai.domain.run.event_kinds.attempts import (
    AttemptCancelled,
    AttemptFailed,
    AttemptLost,
    AttemptStarted,
    AttemptSucceeded,
    ContextPacked,
    LaunchAllowed,
    LaunchRefused,
    LaunchRequested,
    LaunchWithdrawn,
    PromptSent,
)
from supervisor_ai.domain.run.event_kinds.gates import (
    ClaimsRefuted,
    GateCancelled,
    GateEnded,
    GateLost,
    GateStarted,
)
from supervisor_ai.domain.run.event_kinds.integration import (
    IntegrationLanded,
    IntegrationLost,
    IntegrationRefused,
    IntegrationStarted,
    PullRequestLost,
    PullRequestOpened,
    PullRequestRefused,
    PullRequestStarted,
)
from supervisor_ai.domain.run.event_kinds.kanban import (
    ImportedFile,
    KanbanRead,
    KanbanReadLost,
    KanbanReadStarted,
    KanbanSaved,
    KanbanSaveLost,
    KanbanSaveRefused,
    KanbanSaveStarted,
    KanbanUnreadable,
)
from supervisor_ai.domain.run.event_kinds.life import (
    CancelRequested,
    CommandRefused,
    DefinitionMigrated,
    RunCancelled,
    RunCompleted,
    RunContinued,
    RunFailed,
    RunOwned,
    RunStarted,
    RunSubmitted,
    RunWaiting,
)
from supervisor_ai.domain.run.event_kinds.people import (
    ApprovalGiven,
    ApprovalRefused,
    ApprovalRequested,
)
from supervisor_ai.domain.run.event_kinds.placed import PlacedEvent
from supervisor_ai.domain.run.event_kinds.sharing import (
    ChildCancelRequested,
    ChildEnded,
    ChildStarted,
    PermitGranted,
    PermitReleased,
    PermitRequested,
    TimerCancelled,
    TimerFired,
    TimerSet,
)
from supervisor_ai.domain.run.event_kinds.steps import (
    StepEntered,
    StepFailed,
    StepPassed,
    StepQuarantined,
    StepSkipped,
)
from supervisor_ai.domain.run.event_kinds.surroundings import (
    EgressRefused,
    FilesLeftOut,
    SetupEnded,
    WriteRefused,
)

RunEvent = (
    RunSubmitted
    | RunStarted
    | RunOwned
    | RunWaiting
    | RunContinued
    | RunCompleted
    | RunFailed
    | RunCancelled
    | CancelRequested
    | CommandRefused
    | DefinitionMigrated
    | StepEntered
    | StepPassed
    | StepFailed
    | StepSkipped
    | StepQuarantined
    | LaunchRequested
    | LaunchAllowed
    | LaunchRefused
    | LaunchWithdrawn
    | AttemptStarted
    | ContextPacked
    | PromptSent
    | AttemptSucceeded
    | AttemptFailed
    | AttemptCancelled
    | AttemptLost
    | SetupEnded
    | EgressRefused
    | WriteRefused
    | FilesLeftOut
    | GateStarted
    | GateEnded
    | GateLost
    | GateCancelled
    | ClaimsRefuted
    | ApprovalRequested
    | ApprovalGiven
    | ApprovalRefused
    | IntegrationStarted
    | IntegrationLanded
    | IntegrationRefused
    | IntegrationLost
    | PullRequestStarted
    | PullRequestOpened
    | PullRequestRefused
    | PullRequestLost
    | KanbanReadStarted
    | KanbanRead
    | KanbanUnreadable
    | KanbanReadLost
    | KanbanSaveStarted
    | KanbanSaved
    | KanbanSaveRefused
    | KanbanSaveLost
    | TimerSet
    | TimerFired
    | TimerCancelled
    | PermitRequested
    | PermitGranted
    | PermitReleased
    | ChildStarted
    | ChildCancelRequested
    | ChildEnded
)

AttemptEnd = AttemptSucceeded | AttemptFailed | AttemptCancelled | AttemptLost
"""How an attempt can end."""

__all__ = [
    "ApprovalGiven",
    "ApprovalRefused",
    "ApprovalRequested",
    "AttemptCancelled",
    "AttemptEnd",
    "AttemptFailed",
    "AttemptLost",
    "AttemptStarted",
    "AttemptSucceeded",
    "CancelRequested",
    "ChildCancelRequested",
    "ChildEnded",
    "ChildStarted",
    "ClaimsRefuted",
    "CommandRefused",
    "ContextPacked",
    "DefinitionMigrated",
    "EgressRefused",
    "FilesLeftOut",
    "GateCancelled",
    "GateEnded",
    "GateLost",
    "GateStarted",
    "ImportedFile",
    "IntegrationLanded",
    "IntegrationLost",
    "IntegrationRefused",
    "IntegrationStarted",
    "KanbanRead",
    "KanbanReadLost",
    "KanbanReadStarted",
    "KanbanSaveLost",
    "KanbanSaveRefused",
    "KanbanSaveStarted",
    "KanbanSaved",
    "KanbanUnreadable",
    "LaunchAllowed",
    "LaunchRefused",
    "LaunchRequested",
    "LaunchWithdrawn",
    "PermitGranted",
    "PermitReleased",
    "PermitRequested",
    "PlacedEvent",
    "PromptSent",
    "PullRequestLost",
    "PullRequestOpened",
    "PullRequestRefused",
    "PullRequestStarted",
    "RunCancelled",
    "RunCompleted",
    "RunContinued",
    "RunEvent",
    "RunFailed",
    "RunOwned",
    "RunStarted",
    "RunSubmitted",
    "RunWaiting",
    "SetupEnded",
    "StepEntered",
    "StepFailed",
    "StepPassed",
    "StepQuarantined",
    "StepSkipped",
    "TimerCancelled",
    "TimerFired",
    "TimerSet",
    "WriteRefused",
]

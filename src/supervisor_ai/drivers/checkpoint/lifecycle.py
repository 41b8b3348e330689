"""The life of a resident supervisor: the table of its stages.

init → ready → idle → (wake → claim → load → check → report → complete → publish → accumulate →
notify → idle)* → shutdown. A stage names what is to be done next; each but `idle`, `blocked` and
`ended` has one operation. What goes wrong is told to the coordinator and ends in `idle`: after
`init` nothing but a wish to shut down ends a supervisor. A block waits for a person; what is said
meanwhile is heard and answered, and no checkpoint is made until the person has decided.
"""

from enum import StrEnum
from typing import Final

from supervisor_ai.domain.envelope import Event
from supervisor_ai.domain.flow import Flow, step
from supervisor_ai.domain.run.events import (
    ApprovalGiven,
    ApprovalLapsed,
    ApprovalRefused,
    ApprovalRequested,
)
from supervisor_ai.drivers.checkpoint import events as k


class Stage(StrEnum):
    """Where a resident supervisor stands."""

    INIT = "init"
    READY = "ready"
    IDLE = "idle"
    WAKE = "wake"
    CLAIM = "claim"
    LOAD = "load"
    CHECK = "check"
    JUDGE = "judge"
    """The part of checking that needs a worker, or notes that there is none."""
    REPORT = "report"
    COMPLETE = "complete"
    PUBLISH = "publish"
    ACCUMULATE = "accumulate"
    NOTIFY = "notify"
    BLOCKED = "blocked"
    """A person decides whether the pipeline goes on."""
    HEAR = "hear"
    """What was said while a person decides is read."""
    POSTPONE = "postpone"
    """A checkpoint was asked for while a person decides about another one."""
    OBJECT = "object"
    """What was said while a person decides cannot be followed."""
    SETTLE = "settle"
    ERROR = "error"
    SHUTDOWN = "shutdown"
    UNSTARTED = "unstarted"
    """There is no session to watch over."""
    ENDED = "ended"


def _decided(*stages: Stage) -> Flow[Stage]:
    """Stay where a person decides meanwhile; what was decided is remembered."""
    return {(it, kind): it for it in stages for kind in (ApprovalGiven, ApprovalRefused)}


def _deed(stage: Stage, started: type[Event], lost: type[Event]) -> Flow[Stage]:
    """Stay where the operation of a stage begins, and where its owner dies."""
    return {(stage, started): stage, (stage, lost): stage}


LIFECYCLE: Final[Flow[Stage]] = {
    **_deed(Stage.INIT, k.SessionReadStarted, k.SessionReadLost),
    (Stage.INIT, k.SessionRead): Stage.READY,
    (Stage.INIT, k.SessionUnreadable): Stage.UNSTARTED,
    **_deed(Stage.READY, k.ReadyStarted, k.ReadyLost),
    (Stage.READY, k.ReadyTold): Stage.IDLE,
    (Stage.IDLE, k.BusReadStarted): Stage.WAKE,
    (Stage.WAKE, k.BusReadLost): Stage.IDLE,
    (Stage.WAKE, k.NothingHeard): Stage.IDLE,
    (Stage.WAKE, k.MessageRefused): Stage.ERROR,
    (Stage.WAKE, k.ShutdownTaken): Stage.SHUTDOWN,
    (Stage.WAKE, k.RequestTaken): Stage.CLAIM,
    **_deed(Stage.CLAIM, k.ClaimStarted, k.ClaimLost),
    (Stage.CLAIM, k.CheckpointClaimed): Stage.LOAD,
    (Stage.CLAIM, k.ClaimRefused): Stage.ERROR,
    **_deed(Stage.LOAD, k.ContextLoadStarted, k.ContextLoadLost),
    (Stage.LOAD, k.ContextLoaded): Stage.CHECK,
    (Stage.LOAD, k.ContextUnreadable): Stage.ERROR,
    **_deed(Stage.CHECK, k.ChecksStarted, k.ChecksLost),
    (Stage.CHECK, k.ChecksJudged): Stage.JUDGE,
    **_deed(Stage.JUDGE, k.JudgementStarted, k.JudgementLost),
    (Stage.JUDGE, k.JudgementsWeighed): Stage.REPORT,
    **_deed(Stage.REPORT, k.ReportStarted, k.ReportLost),
    (Stage.REPORT, k.ReportWritten): Stage.COMPLETE,
    **_deed(Stage.COMPLETE, k.CompletionStarted, k.CompletionLost),
    (Stage.COMPLETE, k.CheckpointCompleted): Stage.PUBLISH,
    (Stage.COMPLETE, k.CheckpointHeld): Stage.PUBLISH,
    **_deed(Stage.PUBLISH, k.PublicationStarted, k.PublicationLost),
    (Stage.PUBLISH, k.StatePublished): Stage.ACCUMULATE,
    **_deed(Stage.ACCUMULATE, k.AccumulationStarted, k.AccumulationLost),
    (Stage.ACCUMULATE, k.ContextAccumulated): Stage.NOTIFY,
    **_deed(Stage.NOTIFY, k.CoordinatorReportStarted, k.CoordinatorReportLost),
    (Stage.NOTIFY, k.CoordinatorTold): Stage.IDLE,
    (Stage.NOTIFY, k.BlockTold): Stage.BLOCKED,
    **_deed(Stage.BLOCKED, ApprovalRequested, ApprovalLapsed),
    **_decided(Stage.BLOCKED, Stage.HEAR, Stage.POSTPONE, Stage.OBJECT),
    (Stage.BLOCKED, k.BusReadStarted): Stage.HEAR,
    (Stage.HEAR, k.BusReadLost): Stage.BLOCKED,
    (Stage.HEAR, k.NothingHeard): Stage.BLOCKED,
    (Stage.HEAR, k.RequestTaken): Stage.POSTPONE,
    (Stage.HEAR, k.MessageRefused): Stage.OBJECT,
    (Stage.HEAR, k.ShutdownTaken): Stage.SHUTDOWN,
    **_deed(Stage.POSTPONE, k.PostponementStarted, k.PostponementLost),
    (Stage.POSTPONE, k.RequestPostponed): Stage.BLOCKED,
    **_deed(Stage.OBJECT, k.ErrorReportStarted, k.ErrorReportLost),
    (Stage.OBJECT, k.ErrorTold): Stage.BLOCKED,
    (Stage.BLOCKED, k.SettlementStarted): Stage.SETTLE,
    (Stage.SETTLE, k.SettlementLost): Stage.BLOCKED,
    (Stage.SETTLE, k.BlockSettled): Stage.IDLE,
    **_deed(Stage.ERROR, k.ErrorReportStarted, k.ErrorReportLost),
    (Stage.ERROR, k.ErrorTold): Stage.IDLE,
    **_deed(Stage.SHUTDOWN, k.ShutdownStarted, k.ShutdownLost),
    (Stage.SHUTDOWN, k.ShutdownAnswered): Stage.ENDED,
    # Who decides about a block while its supervisor ends comes too late.
    **_decided(Stage.SHUTDOWN, Stage.ENDED),
}
_MOVING: Final = tuple({kind for _, kind in LIFECYCLE})


def advance(stage: Stage, event: Event) -> Stage:
    """Follow a fact of the run; those that are no part of the lifecycle change nothing."""
    return step(LIFECYCLE, stage, event) if isinstance(event, _MOVING) else stage

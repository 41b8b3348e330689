"""What the approval policy leads to: a change lands when its level of risk has what it demands."""

from typing import Final

from supervisor_ai.domain.ids import CommitSha, StepName, TimerName
from supervisor_ai.domain.notices import NoticeSeverity, NoticeState
from supervisor_ai.domain.quiet_hours import end_of_quiet, end_of_wait
from supervisor_ai.domain.run import events as e
from supervisor_ai.domain.run.answers import AnswerKind
from supervisor_ai.domain.run.approvals.policy import ApprovalAction, ApprovalPolicy, Assessment
from supervisor_ai.domain.run.definition import Step
from supervisor_ai.domain.run.effects import (
    AssessChange,
    CancelTimer,
    ContextItem,
    Notify,
    RequestApproval,
    SetTimer,
)
from supervisor_ai.domain.run.run import Decision, Run
from supervisor_ai.domain.run.values import ApprovalReason
from supervisor_ai.domain.structs import replace
from supervisor_ai.drivers.moves.state import Visit, WorkflowState
from supervisor_ai.drivers.moves.steps import perform, question

OBJECTIONS: Final = TimerName("objections")


def decide_objections(run: Run) -> Decision | None:
    """Say what follows from the time in which anybody may object; None: nothing."""
    if OBJECTIONS not in run.timers and OBJECTIONS not in run.fired:
        return None
    asked = run.approval
    is_timed = asked is not None and _lets_pass(asked)
    if asked is not None and is_timed and OBJECTIONS in run.fired:
        nobody = e.ApprovalLapsed(
            step=asked.step, visit=asked.visit, slot=asked.slot, tree=asked.tree
        )
        return Decision(events=(nobody,))
    if OBJECTIONS in run.timers and not is_timed:
        return Decision(effects=(CancelTimer(timer=OBJECTIONS),))
    return None


def _lets_pass(asked: e.ApprovalRequested) -> bool:
    found = asked.assessment
    return found is not None and found.action is ApprovalAction.NOTIFY_AND_TIMEOUT


def clear_landing(
    run: Run, state: WorkflowState, at: Step, visit: Visit, since: CommitSha
) -> Decision | None:
    """Say what has to happen before the files may land; None: nothing, they may."""
    policy, clearance = state.definition.approvals, state.clearance
    if policy is None or clearance.cleared == state.head.tree:
        return None
    assessed = clearance.assessed
    if assessed is None or assessed.tree != state.head.tree:
        return perform(run, state, _assessment(state, at, visit, since, policy))
    found = assessed.assessment
    if found.action is not ApprovalAction.NOTIFY_AND_TIMEOUT:
        return perform(run, state, _question(state, at, assessed, found))
    return _tell(run, state, at, visit, assessed)


def _assessment(
    state: WorkflowState, at: Step, visit: Visit, since: CommitSha, policy: ApprovalPolicy
) -> AssessChange:
    return AssessChange(
        step=at.name,
        visit=visit.number,
        tree=state.head.tree,
        commit=state.head.commit,
        since=since,
        policy=policy,
        coverage=state.clearance.coverage,
        verdicts=state.clearance.verdicts,
        reviews=_reviews(state),
    )


def _reviews(state: WorkflowState) -> tuple[ContextItem, ...]:
    """Name what reviewers said last, each by step and role."""
    found = ((name, StepName(name.partition("/")[0])) for name in state.answers)
    return tuple(
        ContextItem(title=name, artifact=state.answers[name])
        for name, step in found
        if state.role(step).answer == AnswerKind.REVIEW
    )


def _question(
    state: WorkflowState, at: Step, assessed: e.ChangeAssessed, found: Assessment
) -> RequestApproval:
    asked = question(state, at, ApprovalReason.RISK, assessed.shown)
    return replace(asked, assessment=found)


def _tell(
    run: Run, state: WorkflowState, at: Step, visit: Visit, assessed: e.ChangeAssessed
) -> Decision:
    """Let people hear of the change and object.

    Somebody must agree where nobody could be told, and to files that somebody has objected to.
    """
    found, told = assessed.assessment, state.clearance.told
    match told:
        case _ if assessed.tree in state.clearance.objected:
            return perform(run, state, _agreed_question(state, at, assessed))
        case None if (quiet := _held_back(run, state, assessed)) is not None:
            return quiet
        case None:
            return perform(run, state, _notice(run, at, visit, assessed))
        case e.NotificationDelivered(at=moment):
            due = end_of_wait(moment, found.timeout, state.definition.quiet_hours)
            wait = SetTimer(timer=OBJECTIONS, at=due, parks=True)
            return perform(run, state, _question(state, at, assessed, found), wait)
        case _:
            return perform(run, state, _agreed_question(state, at, assessed))


def _agreed_question(state: WorkflowState, at: Step, assessed: e.ChangeAssessed) -> RequestApproval:
    """Ask for somebody's yes where silence is not enough."""
    stricter = replace(assessed.assessment, action=ApprovalAction.REQUIRE_APPROVAL)
    return _question(state, at, assessed, stricter)


def _held_back(run: Run, state: WorkflowState, assessed: e.ChangeAssessed) -> Decision | None:
    """Let nobody be disturbed in quiet hours; None: it is not quiet, or not any more."""
    timer, at = TimerName(f"notice/{assessed.tree[:12]}"), assessed.at
    if timer in run.timers:
        return Decision()
    due = None if at is None else end_of_quiet(at, state.definition.quiet_hours)
    if due == at or timer in run.fired:
        return None
    return perform(run, state, SetTimer(timer=timer, at=due, parks=True))


def _notice(run: Run, at: Step, visit: Visit, assessed: e.ChangeAssessed) -> Notify:
    found = assessed.assessment
    return Notify(
        step=at.name,
        visit=visit.number,
        tree=assessed.tree,
        channels=found.channels,
        severity=NoticeSeverity.WARNING,
        about=NoticeState.OBJECTION,
        task=run.birth.task,
        wait=found.timeout,
    )

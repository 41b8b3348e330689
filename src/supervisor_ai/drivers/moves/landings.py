"""What leaves the run: a commit on its branch, and a pull request for it."""

from supervisor_ai.domain.run import events as e
from supervisor_ai.domain.run.definition import Step
from supervisor_ai.domain.run.effects import Integrate, OpenPullRequest
from supervisor_ai.domain.run.run import Decision, Run
from supervisor_ai.domain.run.status import OutcomeKind
from supervisor_ai.domain.run.values import ApprovalReason
from supervisor_ai.drivers.moves.attempts import base_of
from supervisor_ai.drivers.moves.state import Visit, WorkflowState
from supervisor_ai.drivers.moves.steps import (
    pass_step,
    perform,
    question,
    rejected_by_person,
    stop,
)


def decide_commit(run: Run, state: WorkflowState, at: Step, visit: Visit) -> Decision:
    """Put the work on the run's branch."""
    base = base_of(run.birth)
    match state.news:
        case e.IntegrationLanded():
            return pass_step(run, state, at)
        case e.IntegrationRefused(reason=reason):
            return stop(at, visit, OutcomeKind.REJECTED, reason)
        case e.ApprovalRefused():
            return rejected_by_person(state, at, state.news)
        case _ if at.human_approval and not visit.is_signed_off:
            return perform(run, state, question(state, at))
        case _ if state.head.tree == base.tree:
            return pass_step(run, state, at)
        case _:
            landing = Integrate(
                step=at.name,
                visit=visit.number,
                snapshot=state.head.commit,
                branch=run.birth.branch or "",
                base=base.sha,
                expected=state.landed,
                task=run.birth.task,
            )
            return perform(run, state, landing)


def decide_pull_request(run: Run, state: WorkflowState, at: Step, visit: Visit) -> Decision:
    """Ask others to look at what has landed; where that fails, somebody does it by hand.

    Their yes is worth another try: what stood in the way may be gone, and theirs is found.
    """
    is_by_hand = ApprovalReason.PULL_REQUEST in visit.approved
    match state.news:
        case e.PullRequestOpened():
            return pass_step(run, state, at)
        case e.PullRequestRefused() if is_by_hand:
            return pass_step(run, state, at)
        case e.PullRequestRefused(detail=detail):
            return perform(run, state, question(state, at, ApprovalReason.PULL_REQUEST, detail))
        case e.ApprovalRefused():
            return rejected_by_person(state, at, state.news)
        case _ if state.landed is None:
            return pass_step(run, state, at)
        case _ if at.human_approval and not visit.is_signed_off:
            return perform(run, state, question(state, at))
        case _:
            opening = OpenPullRequest(
                step=at.name,
                visit=visit.number,
                branch=run.birth.branch or "",
                commit=state.landed,
                target=base_of(run.birth).ref,
                task=run.birth.task,
            )
            return perform(run, state, opening)

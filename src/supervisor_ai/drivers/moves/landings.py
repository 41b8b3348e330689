"""What leaves the run: a commit on its branch."""

from supervisor_ai.domain.run import events as e
from supervisor_ai.domain.run.answers import AnswerKind
from supervisor_ai.domain.run.definition import Step
from supervisor_ai.domain.run.effects import CommitStyle, Integrate
from supervisor_ai.domain.run.run import Decision, Run
from supervisor_ai.domain.run.status import OutcomeKind
from supervisor_ai.domain.run.values import ApprovalReason
from supervisor_ai.drivers.moves.approvals import clear_landing
from supervisor_ai.drivers.moves.attempts import answers_of, base_of
from supervisor_ai.drivers.moves.state import Visit, WorkflowState, current_visit
from supervisor_ai.drivers.moves.steps import (
    needs_sign_off,
    pass_step,
    perform,
    question,
    rejected_by_person,
    stop,
)


def decide_commit(run: Run, state: WorkflowState, at: Step, visit: Visit) -> Decision:
    """Put the work on the run's branch, once it has what it needs for that."""
    base = base_of(run.birth)
    is_change = state.head.tree != base.tree
    match state.news:
        case e.IntegrationLanded():
            return pass_step(run, state, at)
        case e.IntegrationRefused():
            return _refused(run, state, at, state.news)
        case e.ApprovalRefused():
            return rejected_by_person(state, at, state.news)
        case _ if is_change and (asked := clear_landing(run, state, at, visit, base.sha)):
            return asked
        case _ if needs_sign_off(state, at):
            return perform(run, state, question(state, at))
        case _ if not is_change:
            return pass_step(run, state, at)
        case _ if not state.definition.git.auto_commit and not visit.is_completed:
            return perform(run, state, question(state, at, ApprovalReason.COMPLETION))
        case _:
            landing = Integrate(
                step=at.name,
                visit=visit.number,
                snapshot=state.head.commit,
                branch=run.birth.branch or "",
                base=base.sha,
                expected=state.landed,
                task=run.birth.task,
                style=commit_style(state),
                is_signed=state.definition.git.sign_commits,
            )
            return perform(run, state, landing)


def _refused(run: Run, state: WorkflowState, at: Step, news: e.IntegrationRefused) -> Decision:
    """Wait where a person can take away what is in the way; else the run ends."""
    if not state.definition.git.auto_commit:
        return perform(run, state, question(state, at, ApprovalReason.COMPLETION, news.detail))
    if news.lacks_signature:
        return perform(run, state, question(state, at, ApprovalReason.LANDING, news.detail))
    return stop(at, current_visit(state), OutcomeKind.REJECTED, news.reason)


def commit_style(state: WorkflowState) -> CommitStyle:
    """Describe the commit as the plan says; where a person completes the task, in any case so."""
    plans = answers_of(state, AnswerKind.PLAN)
    return CommitStyle(plans=plans, is_conventional=not state.definition.git.auto_commit)

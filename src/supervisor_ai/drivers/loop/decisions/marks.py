"""The nodes at which nobody is asked: a task is marked, the rest is polished, the end is told."""

from supervisor_ai.domain.run import events as e
from supervisor_ai.domain.run.definition import Step
from supervisor_ai.domain.run.effects import Integrate
from supervisor_ai.domain.run.run import Decision, Ending, Run
from supervisor_ai.domain.run.status import Outcome, OutcomeKind, RunStatus
from supervisor_ai.domain.run.values import ApprovalReason
from supervisor_ai.drivers.loop import events as k
from supervisor_ai.drivers.loop.book import LoopBook
from supervisor_ai.drivers.loop.decisions.outcomes import (
    drops_of_end,
    drops_of_polish,
    failure_of,
    polish_word,
)
from supervisor_ai.drivers.loop.decisions.ways import leave, set_back
from supervisor_ai.drivers.loop.decisions.wishes import dropped
from supervisor_ai.drivers.loop.effects import WriteWorkReport
from supervisor_ai.drivers.loop.kinds import PlannerAction
from supervisor_ai.drivers.loop.routes import NodeOutcome
from supervisor_ai.drivers.loop.rules import LoopRules
from supervisor_ai.drivers.loop.state import LoopState
from supervisor_ai.drivers.moves.approvals import clear_landing
from supervisor_ai.drivers.moves.attempts import base_of
from supervisor_ai.drivers.moves.state import Visit
from supervisor_ai.drivers.moves.steps import perform, question, stop


def decide_completion(run: Run, state: LoopState, at: Step, visit: Visit) -> Decision:
    """Put what was done for the task on the branch as one commit, and mark it."""
    is_skip = state.book.task_planner_action is PlannerAction.SKIP
    is_change = state.flow.head.tree != state.kept.tree
    match state.flow.news:
        case e.IntegrationRefused(lacks_signature=True, detail=detail):
            asked = question(state.flow, at, ApprovalReason.LANDING, detail)
            return perform(run, state.flow, asked)
        case e.IntegrationRefused(reason=reason):
            return stop(at, visit, OutcomeKind.REJECTED, reason)
        case e.ApprovalRefused(note=note):
            return set_back(state, visit, k.SetbackSource.PERSON, note)
        case _ if is_skip:
            return _mark(state, visit, k.TaskOutcome.SKIPPED)
        case _ if state.landed is not None or not is_change:
            return _mark(state, visit, k.TaskOutcome.DONE)
        case _ if clearing := clear_landing(run, state.flow, at, visit, state.kept.commit):
            return clearing
        case _:
            return perform(run, state.flow, _landing(run, state, at, visit))


def _landing(run: Run, state: LoopState, at: Step, visit: Visit) -> Integrate:
    return Integrate(
        step=at.name,
        visit=visit.number,
        snapshot=state.flow.head.commit,
        branch=run.birth.branch or "",
        base=base_of(run.birth).sha,
        expected=state.flow.landed,
        task=state.book.task.text,
        is_signed=state.flow.definition.git.sign_commits,
    )


def decide_failure(run: Run, state: LoopState, at: Step, visit: Visit) -> Decision:
    """Give a task up; what was done for it is not kept on the branch."""
    del run, at
    return _mark(state, visit, failure_of(state.book))


def _mark(state: LoopState, visit: Visit, outcome: k.TaskOutcome) -> Decision:
    task = state.book.task
    fact = k.TaskMarked(
        step=visit.step,
        visit=visit.number,
        task=task.number,
        outcome=outcome,
        attempts=task.attempts,
        qa_failures=task.failures,
        commit=state.landed.commit if state.landed else None,
    )
    return leave(state, visit, NodeOutcome.MARKED, (fact,))


def decide_polish(run: Run, state: LoopState, at: Step, visit: Visit) -> Decision:
    """Work off the cleanup that is left, as far as that is bounded; then drop the rest."""
    del run, at
    word = polish_word(state.book, state.rules)
    drops = () if word is NodeOutcome.LEFT else drops_of_polish(state.book)
    return leave(state, visit, word, dropped(visit, drops))


def decide_report(run: Run, state: LoopState, at: Step, visit: Visit) -> Decision:
    """Write down what the work came to, and end."""
    if not isinstance(state.flow.news, k.WorkReportWritten):
        report = WriteWorkReport(step=at.name, visit=visit.number, book=state.book)
        return perform(run, state.flow, report)
    facts = dropped(visit, drops_of_end(state.book))
    passed = e.StepPassed(step=visit.step, visit=visit.number)
    return Decision(events=(*facts, passed), ending=ending_of(state.book, state.rules))


def ending_of(book: LoopBook, rules: LoopRules) -> Ending:
    """Say how a loop ends: its remit is complete, or it has used up its tasks."""
    reached, all_of_them = book.active_milestone_index, len(book.milestones)
    told = f"{_count(book.completed, 'task')} completed, {reached} of {all_of_them} milestones"
    if book.is_complete:
        outcome = Outcome(kind=OutcomeKind.DONE, reason=f"The remit is complete: {told}.")
        return Ending(status=RunStatus.COMPLETED, outcome=outcome)
    limit = _count(rules.max_tasks, "task")
    reason = f"The remit is not complete after {limit}: {told}."
    outcome = Outcome(kind=OutcomeKind.LIMITS_EXCEEDED, reason=reason)
    return Ending(status=RunStatus.FAILED, outcome=outcome)


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"

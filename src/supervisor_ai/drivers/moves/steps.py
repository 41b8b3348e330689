"""What any step can lead to: it is passed, sent back, put before a person, or the end."""

from typing import Final

from supervisor_ai.domain.ids import ArtifactHash, StepName, TimerName
from supervisor_ai.domain.run import events as e
from supervisor_ai.domain.run.answers import AnswerKind
from supervisor_ai.domain.run.definition import MAX_RETRIES, Step, StepKind
from supervisor_ai.domain.run.effects import (
    CancelTimer,
    Effect,
    OperationEffect,
    RequestApproval,
    SetTimer,
)
from supervisor_ai.domain.run.failures.degradation import is_degraded
from supervisor_ai.domain.run.run import Decision, Ending, Run
from supervisor_ai.domain.run.status import Outcome, OutcomeKind, RunStatus
from supervisor_ai.domain.run.values import ApprovalReason, Feedback, FeedbackKind, ReasonWord
from supervisor_ai.domain.structs import replace
from supervisor_ai.drivers.moves.results import levels, summary
from supervisor_ai.drivers.moves.state import Visit, WorkflowState, current_visit, evolve

DEADLINE: Final = TimerName("deadline")
_NOBODY_MENDS: Final = frozenset({ApprovalReason.PULL_REQUEST, ApprovalReason.PULL_REQUEST_UNSEEN})
"""A pull request that cannot be opened or seen is nobody's to mend."""
_AT_WORK: Final = (e.LaunchRequested, e.OperationStarted)


def perform(run: Run, state: WorkflowState, *effects: Effect) -> Decision:
    """Do what was decided; the time that people and usage limits take is not the run's."""
    limit, works = state.definition.limits.workflow_timeout, any(map(_is_work, effects))
    if works and limit is not None and DEADLINE not in run.timers:
        return Decision(effects=(SetTimer(timer=DEADLINE, after=limit), *effects))
    is_idle = not works and not any(isinstance(at, _AT_WORK) for at in run.open.values())
    if is_idle and any(map(_is_wait, effects)) and DEADLINE in run.timers:
        return Decision(effects=(CancelTimer(timer=DEADLINE), *effects))
    return Decision(effects=effects)


def _is_work(effect: Effect) -> bool:
    return isinstance(effect, OperationEffect)


def _is_wait(effect: Effect) -> bool:
    return isinstance(effect, RequestApproval) or (isinstance(effect, SetTimer) and effect.parks)


def question(
    state: WorkflowState,
    at: Step,
    reason: ReasonWord = ApprovalReason.HUMAN_GATE,
    words: ArtifactHash | None = None,
) -> RequestApproval:
    """Ask a person about the files as they are now."""
    return RequestApproval(
        step=at.name,
        visit=current_visit(state).number,
        reason=reason,
        tree=state.head.tree,
        commit=state.head.commit,
        question=words,
    )


def quarantine(
    run: Run, state: WorkflowState, at: Step, why: str, asked: RequestApproval
) -> Decision:
    """Let a step rest that gets nowhere by itself, until a person has decided."""
    rests = e.StepQuarantined(step=at.name, visit=asked.visit, reason=why)
    return then(rests, perform(run, state, asked))


def pass_step(run: Run, state: WorkflowState, at: Step) -> Decision:
    """Go on, once a person has agreed where one has to."""
    visit = current_visit(state)
    if needs_sign_off(state, at):
        return perform(run, state, question(state, at))
    return go_on(state, at, e.StepPassed(step=at.name, visit=visit.number))


def needs_sign_off(state: WorkflowState, at: Step) -> bool:
    """Tell whether a person still has to agree because the step says so.

    Where the policy has asked people about the very files that land, they are not asked again.
    """
    is_signed = current_visit(state).is_signed_off
    if at.kind == StepKind.COMMIT:
        is_signed = is_signed or state.clearance.is_signed(state.head.tree)
    return at.human_approval and not is_signed


def go_on(state: WorkflowState, at: Step, fact: e.StepPassed | e.StepSkipped) -> Decision:
    """Leave a step for the next one, or for the end."""
    if not (at.terminal or at.next is None):
        return then(fact, enter(state, at.next, ()))
    return complete(state, fact)


def complete(
    state: WorkflowState, fact: e.StepPassed | e.StepSkipped, happened: str = ""
) -> Decision:
    """End the run with what was asked; `happened` says what else there is to say about it."""
    state = evolve(state, fact)
    reason = " ".join(filter(None, (summary(state), happened)))
    outcome = Outcome(kind=OutcomeKind.DONE, reason=reason)
    ending = Ending(
        status=RunStatus.COMPLETED, outcome=outcome, degraded=is_degraded(levels(state))
    )
    return Decision(events=(fact,), ending=ending)


def rejected_by_person(
    state: WorkflowState, at: Step, news: e.ApprovalRefused, *more: Feedback
) -> Decision:
    """Go back with a person's words, and with what people said about single lines."""
    is_mended = current_visit(state).question not in _NOBODY_MENDS
    target = at.on_reject or at.on_fail or (mender(state, at) if is_mended else None)
    told = (*objections(state, at, news), *more)
    return send_back(state, at, target, told, OutcomeKind.REJECTED)


def objections(state: WorkflowState, at: Step, news: e.ApprovalRefused) -> tuple[Feedback, ...]:
    """Let a worker hear a person's words, and what people said about single lines."""
    said = Feedback(kind=FeedbackKind.PERSON, source=at.name, artifact=news.note)
    return (said, *map(_commented, state.clearance.comments))


def _commented(comment: e.CommentMade) -> Feedback:
    return Feedback(
        kind=FeedbackKind.COMMENT,
        source=f"{comment.number} {comment.at}",
        artifact=comment.text,
        side=comment.side,
        quote=comment.quote,
    )


def mender(state: WorkflowState, at: Step) -> StepName | None:
    """Name who does it again as the person wants it, where the workflow does not say it.

    That is the step itself if it makes something, else where the last review sends back to, else
    the last step that made something.
    """
    if _makes(state, at):
        return at.name
    names, known = list(state.steps), state.definition.workflow.steps
    earlier = [known[it] for it in reversed(names[: names.index(at.name)]) if it in known]
    reviewed = (it.on_reject for it in earlier if it.kind == StepKind.ROLE and it.on_reject)
    made = (it.name for it in earlier if _makes(state, it))
    return next(reviewed, None) or next(made, None)


def _makes(state: WorkflowState, at: Step) -> bool:
    return at.kind == StepKind.ROLE and state.role(at.name).answer != AnswerKind.REVIEW


def send_back(
    state: WorkflowState,
    at: Step,
    target: StepName | None,
    feedback: tuple[Feedback, ...],
    kind: OutcomeKind,
) -> Decision:
    """Let an earlier step mend what is wrong, as long as that may go on."""
    visit = current_visit(state)
    reason = f"Step {at.name!r} did not pass."
    if target is None:
        return stop(at, visit, kind, f"{reason} The workflow names no step to go back to.")
    if is_exhausted(state, at):
        times = state.record(at.name).setbacks + 1
        return stop(at, visit, kind, f"Step {at.name!r} did not pass {times} times.")
    failed = e.StepFailed(step=at.name, visit=visit.number, reason=reason)
    return then(failed, enter(state, target, feedback))


def is_exhausted(state: WorkflowState, at: Step) -> bool:
    """Tell whether a step has failed so often that it may not go back once more."""
    limit = _first(at.max_retries, state.definition.limits.step_max_retries, MAX_RETRIES)
    return state.record(at.name).setbacks + 1 > limit


def enter(state: WorkflowState, name: StepName, feedback: tuple[Feedback, ...]) -> Decision:
    """Come to a step."""
    limit = state.definition.limits.workflow_max_steps
    if state.visits >= limit:
        return fail(OutcomeKind.LIMITS_EXCEEDED, f"The run visited {limit} steps without an end.")
    entered = e.StepEntered(
        step=name,
        visit=state.record(name).visits + 1,
        start=state.head.commit,
        feedback=feedback,
    )
    return Decision(events=(entered,))


def then(first: e.RunEvent, decision: Decision) -> Decision:
    """Put a fact before what follows from it."""
    return replace(decision, events=(first, *decision.events))


def stop(at: Step, visit: Visit, kind: OutcomeKind, reason: str) -> Decision:
    """End the run because of a step."""
    failed = e.StepFailed(step=at.name, visit=visit.number, reason=reason)
    return then(failed, fail(kind, reason))


def fail(kind: OutcomeKind, reason: str) -> Decision:
    """End the run without what was asked."""
    outcome = Outcome(kind=kind, reason=reason)
    return Decision(ending=Ending(status=RunStatus.FAILED, outcome=outcome))


def _first(*values: int | None) -> int:
    return next(value for value in values if value is not None)

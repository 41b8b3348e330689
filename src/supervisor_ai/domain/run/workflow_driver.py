"""The workflow driver: what happens next to one task."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Final, assert_never

from supervisor_ai.domain.envelope import Event
from supervisor_ai.domain.ids import StepName, TimerName
from supervisor_ai.domain.run import events as e
from supervisor_ai.domain.run import workflow
from supervisor_ai.domain.run.answers import AnswerKind
from supervisor_ai.domain.run.attempting import base_of
from supervisor_ai.domain.run.definition import MAX_RETRIES, Definition, Step, StepKind
from supervisor_ai.domain.run.degradation import is_degraded
from supervisor_ai.domain.run.effects import (
    AnyEffect,
    CancelTimer,
    Integrate,
    RequestApproval,
    RunGate,
    RunWorker,
    SetTimer,
)
from supervisor_ai.domain.run.facts import ApprovalReason, Feedback, FeedbackKind, Snapshot
from supervisor_ai.domain.run.results import levels, summary
from supervisor_ai.domain.run.run import Decision, Ending, Run
from supervisor_ai.domain.run.slot_moves import Part, Result, decide_slot
from supervisor_ai.domain.run.slots import under
from supervisor_ai.domain.run.status import Outcome, OutcomeKind, RunStatus, Verdict
from supervisor_ai.domain.run.workflow import Visit, WorkflowState

_AT_WORK: Final = (e.LaunchRequested, e.AttemptStarted, e.GateStarted, e.IntegrationStarted)
DEADLINE: Final = TimerName("deadline")


class WorkflowDriver:
    """Takes one task through a state machine of steps."""

    name: Final = "workflow"
    fold_version: Final = 3
    state_type: Final = WorkflowState
    definition_type: Final = Definition

    def begin(self, birth: e.RunSubmitted, definition: Definition) -> WorkflowState:
        """Return the state before anything happened."""
        base = base_of(birth)
        head = Snapshot(commit=base.sha, tree=base.tree)
        return WorkflowState(definition=definition, head=head)

    def evolve(self, state: WorkflowState, event: Event) -> WorkflowState:
        """Fold one recorded fact into the state."""
        return workflow.evolve(state, event)

    def fork(self, state: WorkflowState) -> WorkflowState:
        """Return the state that a fork of the run begins with: its branch is its own."""
        return replace(state, landed=None)

    def migrate(self, state: WorkflowState, definition: Definition) -> WorkflowState:
        """Go on under another definition."""
        visit = state.visit
        if visit is not None:
            slots = tuple(under(slot, definition.clis) for slot in visit.slots)
            visit = replace(visit, slots=slots)
        return replace(state, definition=definition, visit=visit)

    def migration_problems(self, state: WorkflowState, definition: Definition) -> tuple[str, ...]:
        """List why the run cannot go on under another definition."""
        steps = definition.workflow.steps
        missing = (
            f"Step {name!r} has been visited, but the new definition has no such step."
            for name, record in state.steps.items()
            if record.visits and name not in steps
        )
        return (*missing, *_changed_kind(state, definition))

    def decide(self, run: Run, state: WorkflowState) -> Decision:
        """Say what happens next."""
        if DEADLINE in run.fired:
            limit = state.definition.limits.workflow_timeout
            return _fail(OutcomeKind.LIMITS_EXCEEDED, f"The run took longer than {limit}.")
        if state.visit is None:
            return _enter(state, state.definition.workflow.initial_step, ())
        if run.status is RunStatus.WAITING and DEADLINE in run.timers:
            return Decision(effects=(CancelTimer(timer=DEADLINE),))
        at = state.at(state.visit.step)
        if at.kind is StepKind.ROLE:
            return _decide_crew(run, state, at, state.visit)
        if run.open:
            return Decision()
        match at.kind:
            case StepKind.GATE:
                return _decide_gate(run, state, at, state.visit)
            case StepKind.HUMAN:
                return _decide_human(run, state, at)
            case StepKind.COMMIT:
                return _decide_commit(run, state, at, state.visit)
            case _:
                assert_never(at.kind)


def _changed_kind(state: WorkflowState, definition: Definition) -> tuple[str, ...]:
    """Say so when what the run does now would be something else under the definition."""
    step = definition.workflow.steps.get(state.visit.step) if state.visit else None
    if step is None:
        return ()
    now = state.at(step.name)
    if step.kind is not now.kind:
        return (
            f"The run is at step {step.name!r}, which is of kind {now.kind.value!r} and would be "
            f"of kind {step.kind.value!r}.",
        )
    if len(step.crew) != len(now.crew):
        return (f"The run is at step {step.name!r}, which other roles would do.",)
    return ()


def _decide_crew(run: Run, state: WorkflowState, at: Step, visit: Visit) -> Decision:
    """Let all roles of a step work side by side; the step is over when all of them are."""
    if isinstance(state.news, e.ApprovalRefused):
        return _rejected_by_person(state, at, state.news)
    numbers = range(1, len(at.crew) + 1)
    found = [decide_slot(run, state, at, visit.slot(number)) for number in numbers]
    results = [each for each in found if isinstance(each, Result)]
    for result in results:
        if result.part is Part.FAILED:
            return _stop(at, visit, result.kind, result.reason)
    effects = [effect for each in found if not isinstance(each, Result) for effect in each]
    if effects:
        return _perform(run, state, *_one_question(effects))
    if len(results) < len(found):
        return Decision()
    return _conclude(run, state, at, visit, results)


def _one_question(effects: list[AnyEffect]) -> Iterator[AnyEffect]:
    """Let a person be asked one thing at a time."""
    is_asked = False
    for effect in effects:
        is_question = isinstance(effect, RequestApproval)
        if not (is_question and is_asked):
            yield effect
        is_asked = is_asked or is_question


def _conclude(
    run: Run, state: WorkflowState, at: Step, visit: Visit, results: list[Result]
) -> Decision:
    """Say what the parts of a step come to together."""
    counted = [result for result in results if result.part is not Part.SKIPPED]
    if not counted and at.human_approval and not visit.is_approved:
        return _ask(run, state, at)
    if not counted:
        reason = "; ".join(dict.fromkeys(result.reason for result in results))
        skipped = e.StepSkipped(step=at.name, visit=visit.number, reason=reason)
        return _go_on(state, at, skipped)
    passed = sum(result.part is Part.PASSED for result in counted)
    if passed >= min(at.needed or len(counted), len(counted)):
        return _pass(run, state, at)
    back = tuple(result.feedback for result in counted if result.feedback is not None)
    return _send_back(state, at, at.on_reject, back, OutcomeKind.REJECTED)


def _decide_gate(run: Run, state: WorkflowState, at: Step, visit: Visit) -> Decision:
    match state.news:
        case e.GateEnded(verdict=Verdict.PASSED | Verdict.WARNED) | e.ApprovalGiven():
            return _pass(run, state, at)
        case e.ApprovalRefused():
            return _rejected_by_person(state, at, state.news)
        case e.GateEnded(verdict=Verdict.FAILED, gate=gate, output=output) if output is not None:
            back = Feedback(kind=FeedbackKind.GATE, source=gate, artifact=output)
            return _send_back(state, at, at.on_fail, (back,), OutcomeKind.GATE_FAILED)
        case e.GateEnded(gate=gate, reason=reason):
            reason = f"Gate {gate!r} could not run: {reason}"
            return _stop(at, visit, OutcomeKind.GATE_FAILED, reason)
        case _:
            gate_effect = RunGate(
                step=at.name,
                visit=visit.number,
                gate=state.definition.gates[at.gate or ""],
                snapshot=state.head.commit,
                sandbox=state.definition.sandbox,
                workspace=state.definition.workspace,
                output_bytes=state.definition.limits.output_bytes,
            )
            return _perform(run, state, gate_effect)


def _decide_human(run: Run, state: WorkflowState, at: Step) -> Decision:
    match state.news:
        case e.ApprovalGiven():
            return _pass(run, state, at)
        case e.ApprovalRefused():
            return _rejected_by_person(state, at, state.news)
        case _:
            return _ask(run, state, at)


def _ask(run: Run, state: WorkflowState, at: Step) -> Decision:
    asked = RequestApproval(
        step=at.name,
        visit=workflow.current_visit(state).number,
        reason=ApprovalReason.HUMAN_GATE,
        tree=state.head.tree,
        commit=state.head.commit,
        question=None,
    )
    return _perform(run, state, asked)


def _rejected_by_person(state: WorkflowState, at: Step, news: e.ApprovalRefused) -> Decision:
    back = Feedback(kind=FeedbackKind.PERSON, source=at.name, artifact=news.note)
    # What judges nothing is done again, as the person wants it.
    itself = at.name if at.kind is StepKind.ROLE and not _judges(state, at) else None
    target = at.on_reject or at.on_fail or itself
    return _send_back(state, at, target, (back,), OutcomeKind.REJECTED)


def _judges(state: WorkflowState, at: Step) -> bool:
    return state.role(at.name).answer is AnswerKind.REVIEW


def _decide_commit(run: Run, state: WorkflowState, at: Step, visit: Visit) -> Decision:
    base = base_of(run.birth)
    match state.news:
        case e.IntegrationLanded():
            return _pass(run, state, at)
        case e.IntegrationRefused(reason=reason):
            return _stop(at, visit, OutcomeKind.REJECTED, reason)
        case e.ApprovalRefused():
            return _rejected_by_person(state, at, state.news)
        case _ if at.human_approval and not visit.is_approved:
            return _ask(run, state, at)
        case _ if state.head.tree == base.tree:
            return _pass(run, state, at)
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
            return _perform(run, state, landing)


def _perform(run: Run, state: WorkflowState, *effects: AnyEffect) -> Decision:
    """Do what was decided; the time that people and usage limits take is not the run's."""
    limit, works = state.definition.limits.workflow_timeout, any(map(_is_work, effects))
    if works and limit is not None and DEADLINE not in run.timers:
        return Decision(effects=(SetTimer(timer=DEADLINE, after=limit), *effects))
    is_idle = not works and not any(isinstance(at, _AT_WORK) for at in run.open.values())
    if is_idle and any(map(_is_wait, effects)) and DEADLINE in run.timers:
        return Decision(effects=(CancelTimer(timer=DEADLINE), *effects))
    return Decision(effects=effects)


def _is_work(effect: AnyEffect) -> bool:
    return isinstance(effect, RunWorker | RunGate | Integrate)


def _is_wait(effect: AnyEffect) -> bool:
    return isinstance(effect, RequestApproval) or (isinstance(effect, SetTimer) and effect.parks)


def _pass(run: Run, state: WorkflowState, at: Step) -> Decision:
    visit = workflow.current_visit(state)
    if at.human_approval and not visit.is_approved:
        return _ask(run, state, at)
    return _go_on(state, at, e.StepPassed(step=at.name, visit=visit.number))


def _go_on(state: WorkflowState, at: Step, fact: e.StepPassed | e.StepSkipped) -> Decision:
    """Leave a step for the next one, or for the end."""
    if not (at.terminal or at.next is None):
        return _then(fact, _enter(state, at.next, ()))
    state = workflow.evolve(state, fact)
    outcome = Outcome(kind=OutcomeKind.DONE, reason=summary(state))
    ending = Ending(
        status=RunStatus.COMPLETED, outcome=outcome, degraded=is_degraded(levels(state))
    )
    return Decision(events=(fact,), ending=ending)


def _send_back(
    state: WorkflowState,
    at: Step,
    target: StepName | None,
    feedback: tuple[Feedback, ...],
    kind: OutcomeKind,
) -> Decision:
    visit = workflow.current_visit(state)
    setbacks = state.record(at.name).setbacks + 1
    limit = _first(at.max_retries, state.definition.limits.step_max_retries, MAX_RETRIES)
    reason = f"Step {at.name!r} did not pass."
    if target is None:
        return _stop(at, visit, kind, f"{reason} The workflow names no step to go back to.")
    if setbacks > limit:
        return _stop(at, visit, kind, f"Step {at.name!r} did not pass {setbacks} times.")
    failed = e.StepFailed(step=at.name, visit=visit.number, reason=reason)
    return _then(failed, _enter(state, target, feedback))


def _enter(state: WorkflowState, name: StepName, feedback: tuple[Feedback, ...]) -> Decision:
    limit = state.definition.limits.workflow_max_steps
    if state.visits >= limit:
        return _fail(OutcomeKind.LIMITS_EXCEEDED, f"The run visited {limit} steps without an end.")
    entered = e.StepEntered(
        step=name,
        visit=state.record(name).visits + 1,
        start=state.head.commit,
        feedback=feedback,
    )
    return Decision(events=(entered,))


def _then(first: e.RunEvent, decision: Decision) -> Decision:
    return replace(decision, events=(first, *decision.events))


def _stop(at: Step, visit: Visit, kind: OutcomeKind, reason: str) -> Decision:
    failed = e.StepFailed(step=at.name, visit=visit.number, reason=reason)
    return _then(failed, _fail(kind, reason))


def _fail(kind: OutcomeKind, reason: str) -> Decision:
    outcome = Outcome(kind=kind, reason=reason)
    return Decision(ending=Ending(status=RunStatus.FAILED, outcome=outcome))


def _first(*values: int | None) -> int:
    return next(value for value in values if value is not None)

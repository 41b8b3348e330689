"""The workflow driver: what happens next to one task."""

from dataclasses import replace
from typing import Final, assert_never

from supervisor_ai.domain.envelope import Event
from supervisor_ai.domain.ids import ArtifactHash, StepName, TimerName
from supervisor_ai.domain.run import events as e
from supervisor_ai.domain.run import workflow
from supervisor_ai.domain.run.answers import Meaning
from supervisor_ai.domain.run.attempting import (
    attempt,
    base_of,
    last_approach,
    told_approach,
    usual_approach,
)
from supervisor_ai.domain.run.definition import Definition, Step, StepKind
from supervisor_ai.domain.run.degradation import is_degraded
from supervisor_ai.domain.run.effects import (
    AnyEffect,
    CancelTimer,
    Integrate,
    RequestApproval,
    RunGate,
    SetTimer,
)
from supervisor_ai.domain.run.facts import ApprovalReason, Feedback, FeedbackKind, Snapshot
from supervisor_ai.domain.run.loops import Loop, find_loop
from supervisor_ai.domain.run.results import levels, summary
from supervisor_ai.domain.run.retries import Move, MoveKind
from supervisor_ai.domain.run.run import Decision, Ending, Run
from supervisor_ai.domain.run.setbacks import (
    BadNews,
    move_after,
    next_agent,
    rest_timer,
    simpler_level,
    timer_of,
)
from supervisor_ai.domain.run.status import Outcome, OutcomeKind, RunStatus, Verdict
from supervisor_ai.domain.run.workflow import Approach, Visit, WorkflowState

_TELLING: Final = frozenset({MoveKind.RETRY_WITH_FEEDBACK, MoveKind.DEGRADE})
"""After these the worker hears what was wrong; the other moves are no fault of its own."""
DEADLINE: Final = TimerName("deadline")


class WorkflowDriver:
    """Takes one task through a state machine of steps."""

    name: Final = "workflow"
    fold_version: Final = 2
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
        return replace(state, definition=definition)

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
        if run.open:
            return Decision()
        at = state.at(state.visit.step)
        match at.kind:
            case StepKind.ROLE:
                return _decide_role(run, state, at, state.visit)
            case StepKind.GATE:
                return _decide_gate(run, state, at, state.visit)
            case StepKind.HUMAN:
                return _decide_human(run, state, at, state.visit)
            case StepKind.COMMIT:
                return _decide_commit(run, state, at, state.visit)
            case _:
                assert_never(at.kind)


def _changed_kind(state: WorkflowState, definition: Definition) -> tuple[str, ...]:
    """Say so when what the run does now would be something else under the definition."""
    step = definition.workflow.steps.get(state.visit.step) if state.visit else None
    if step is None or step.kind is state.at(step.name).kind:
        return ()
    now = state.at(step.name).kind.value
    return (
        f"The run is at step {step.name!r}, which is of kind {now!r} and would be of kind "
        f"{step.kind.value!r}.",
    )


def _decide_role(run: Run, state: WorkflowState, at: Step, visit: Visit) -> Decision:
    if visit.refusal is not None:
        return _follow_refusal(run, state, at, visit.refusal)
    loop = _loop(state, at)
    if loop is not None:
        return _stop(at, visit, OutcomeKind.LOOP_DETECTED, loop.reason)
    match state.news:
        case e.AttemptFailed():
            return _follow_setback(run, state, at, state.news)
        case e.AttemptSucceeded(meaning=Meaning.PASS):
            return _pass(state, at)
        case e.AttemptSucceeded(meaning=Meaning.REFINE | Meaning.FAIL):
            return _follow_setback(run, state, at, state.news)
        case e.AttemptSucceeded(meaning=Meaning.REJECT, feedback=feedback):
            back = Feedback(kind=FeedbackKind.REVIEW, source=at.name, artifact=feedback)
            return _send_back(state, at, at.on_reject, back, OutcomeKind.REJECTED)
        case e.AttemptSucceeded(meaning=Meaning.BLOCK, feedback=feedback):
            return _ask_about(run, state, at, feedback)
        case e.ApprovalRefused():
            reason = f"Step {at.name!r} is blocked, and a person decided not to go on."
            return _stop(at, visit, OutcomeKind.BLOCKED, reason)
        case _:
            return _attempt(run, state, at, usual_approach(state, at))


def _loop(state: WorkflowState, at: Step) -> Loop | None:
    """Tell whether the attempt that just succeeded came to where others had come before."""
    if not isinstance(state.news, e.AttemptSucceeded) or state.news.meaning is Meaning.BLOCK:
        return None
    return find_loop(state.record(at.name).trail, state.definition.loops)


def _decide_gate(run: Run, state: WorkflowState, at: Step, visit: Visit) -> Decision:
    match state.news:
        case e.GateEnded(verdict=Verdict.PASSED | Verdict.WARNED):
            return _pass(state, at)
        case e.GateEnded(verdict=Verdict.FAILED, gate=gate, output=output) if output is not None:
            back = Feedback(kind=FeedbackKind.GATE, source=gate, artifact=output)
            return _send_back(state, at, at.on_fail, back, OutcomeKind.GATE_FAILED)
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


def _decide_human(run: Run, state: WorkflowState, at: Step, visit: Visit) -> Decision:
    match state.news:
        case e.ApprovalGiven():
            return _pass(state, at)
        case e.ApprovalRefused(note=note):
            back = Feedback(kind=FeedbackKind.PERSON, source=at.name, artifact=note)
            return _send_back(state, at, at.on_reject, back, OutcomeKind.REJECTED)
        case _:
            asked = RequestApproval(
                step=at.name,
                visit=visit.number,
                reason=ApprovalReason.HUMAN_GATE,
                tree=state.head.tree,
                commit=state.head.commit,
                question=None,
            )
            return _ask(run, asked)


def _decide_commit(run: Run, state: WorkflowState, at: Step, visit: Visit) -> Decision:
    base = base_of(run.birth)
    match state.news:
        case e.IntegrationLanded():
            return _pass(state, at)
        case e.IntegrationRefused(reason=reason):
            return _stop(at, visit, OutcomeKind.REJECTED, reason)
        case _ if state.head.tree == base.tree:
            return _pass(state, at)
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


def _attempt(run: Run, state: WorkflowState, at: Step, way: Approach) -> Decision:
    return _perform(run, state, attempt(run, state, at, way))


def _perform(run: Run, state: WorkflowState, effect: AnyEffect) -> Decision:
    limit = state.definition.limits.workflow_timeout
    if limit is None or DEADLINE in run.timers:
        return Decision(effects=(effect,))
    return Decision(effects=(SetTimer(timer=DEADLINE, after=limit), effect))


def _ask(run: Run, effect: RequestApproval) -> Decision:
    """Ask a person; the time that people take is not the run's."""
    if DEADLINE in run.timers:
        return Decision(effects=(CancelTimer(timer=DEADLINE), effect))
    return Decision(effects=(effect,))


def _follow_setback(run: Run, state: WorkflowState, at: Step, news: BadNews) -> Decision:
    visit, move = workflow.current_visit(state), move_after(run, state, at, news)
    way = last_approach(state, at)
    way = told_approach(state, at, way) if move.kind in _TELLING else replace(way, is_told=False)
    match move.kind:
        case MoveKind.RETRY_SAME | MoveKind.RETRY_WITH_FEEDBACK | MoveKind.PARK:
            return _try_later(run, state, at, move, way)
        case MoveKind.FAIL_OVER:
            following = next_agent(state.role(at.name), visit) or way.cli
            return _attempt(run, state, at, replace(way, cli=following))
        case MoveKind.DEGRADE:
            simpler = simpler_level(at, visit) or way.level
            return _attempt(run, state, at, replace(way, level=simpler))
        case MoveKind.SKIP:
            skipped = e.StepSkipped(step=at.name, visit=visit.number, reason=_why(news))
            return _go_on(state, at, skipped)
        case MoveKind.ESCALATE:
            return _ask_about(run, state, at, news.feedback)
        case _:
            tries = f"Step {at.name!r} failed {visit.failures} times; the last time: {_why(news)}"
            return _stop(at, visit, OutcomeKind.WORKER_FAILED, tries)


def _try_later(run: Run, state: WorkflowState, at: Step, move: Move, way: Approach) -> Decision:
    """Begin the next attempt, once the time for it has come."""
    timer = timer_of(move, at, workflow.current_visit(state))
    if timer in run.timers:
        return Decision()
    if timer in run.fired or (move.until is None and not move.after):
        return _attempt(run, state, at, way)
    return _wait(run, SetTimer(timer=timer, after=move.after, at=move.until, parks=_parks(move)))


def _parks(move: Move) -> bool:
    return move.kind is MoveKind.PARK


def _wait(run: Run, timer: SetTimer) -> Decision:
    """Wait for a time; the run's own time stands still while it only waits."""
    if timer.parks and DEADLINE in run.timers:
        return Decision(effects=(CancelTimer(timer=DEADLINE), timer))
    return Decision(effects=(timer,))


def _follow_refusal(run: Run, state: WorkflowState, at: Step, refusal: e.LaunchRefused) -> Decision:
    """Go on with another agent, or later, or not at all, where an attempt may not start."""
    visit, way = workflow.current_visit(state), usual_approach(state, at)
    following = next_agent(state.role(at.name), visit)
    if refusal.kind is OutcomeKind.CIRCUIT_OPEN and following is not None:
        return _attempt(run, state, at, replace(way, cli=following))
    if refusal.until is None or not state.definition.parking.is_allowed:
        return _stop(at, visit, refusal.kind, refusal.reason)
    timer = rest_timer(at, visit, refusal)
    if timer in run.timers:
        return Decision()
    if timer in run.fired:
        return _attempt(run, state, at, way)
    return _wait(run, SetTimer(timer=timer, at=refusal.until, parks=True))


def _why(news: BadNews) -> str:
    return news.reason if isinstance(news, e.AttemptFailed) else f"The worker answered {news.said}."


def _ask_about(run: Run, state: WorkflowState, at: Step, question: ArtifactHash) -> Decision:
    """Ask a person what a worker cannot solve by itself."""
    asked = RequestApproval(
        step=at.name,
        visit=workflow.current_visit(state).number,
        reason=ApprovalReason.BLOCKED,
        tree=state.head.tree,
        commit=state.head.commit,
        question=question,
    )
    return _ask(run, asked)


def _pass(state: WorkflowState, at: Step) -> Decision:
    visit = workflow.current_visit(state)
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
    feedback: Feedback,
    kind: OutcomeKind,
) -> Decision:
    visit = workflow.current_visit(state)
    setbacks = state.record(at.name).setbacks + 1
    limit = _first(at.max_retries, state.definition.limits.step_max_retries)
    reason = f"Step {at.name!r} did not pass."
    if target is None:
        return _stop(at, visit, kind, f"{reason} The workflow names no step to go back to.")
    if setbacks > limit:
        return _stop(at, visit, kind, f"Step {at.name!r} did not pass {setbacks} times.")
    failed = e.StepFailed(step=at.name, visit=visit.number, reason=reason)
    return _then(failed, _enter(state, target, (feedback,)))


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

"""The workflow driver: what happens next to one task."""

from dataclasses import replace
from typing import Final, assert_never

from supervisor_ai.domain.envelope import Event
from supervisor_ai.domain.errors import InternalError
from supervisor_ai.domain.ids import ArtifactHash, StepName, TimerName
from supervisor_ai.domain.run import events as e
from supervisor_ai.domain.run import workflow
from supervisor_ai.domain.run.answers import Meaning
from supervisor_ai.domain.run.definition import Definition, Step, StepKind
from supervisor_ai.domain.run.effects import (
    AnyEffect,
    CancelTimer,
    ContextItem,
    Integrate,
    RequestApproval,
    RunGate,
    RunWorker,
    SetTimer,
)
from supervisor_ai.domain.run.facts import ApprovalReason, Base, Feedback, FeedbackKind, Snapshot
from supervisor_ai.domain.run.retries import Move, MoveKind
from supervisor_ai.domain.run.run import Decision, Ending, Run
from supervisor_ai.domain.run.setbacks import BadNews, agent, move_after, next_agent, timer_of
from supervisor_ai.domain.run.status import Outcome, OutcomeKind, RunStatus, Verdict
from supervisor_ai.domain.run.workflow import Visit, WorkflowState

DEADLINE: Final = TimerName("deadline")


class WorkflowDriver:
    """Takes one task through a state machine of steps."""

    name: Final = "workflow"
    fold_version: Final = 1
    state_type: Final = WorkflowState
    definition_type: Final = Definition

    def begin(self, birth: e.RunSubmitted, definition: Definition) -> WorkflowState:
        """Return the state before anything happened."""
        base = _base(birth)
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
            return _perform(run, state, _worker(run, state, at, visit))


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
    base = _base(run.birth)
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


def _worker(
    run: Run, state: WorkflowState, at: Step, visit: Visit, *, is_told: bool = True
) -> RunWorker:
    definition = state.definition
    role = definition.roles[at.role or ""]
    return RunWorker(
        step=at.name,
        visit=visit.number,
        attempt=visit.attempts + 1,
        role=role,
        cli=definition.clis[agent(role, visit)],
        start=visit.start,
        base=_base(run.birth).sha,
        task=run.birth.task,
        timeout=at.timeout or role.timeout or definition.limits.step_timeout,
        output_bytes=definition.limits.output_bytes,
        sandbox=definition.sandbox,
        workspace=definition.workspace,
        tokens=definition.limits.attempt_tokens,
        feedback=visit.feedback + ((visit.retry,) if visit.retry and is_told else ()),
        context=tuple(
            ContextItem(title=name, artifact=answer)
            for name, answer in state.answers.items()
            if name != at.name
        ),
    )


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
    visit, role = workflow.current_visit(state), state.definition.roles[at.role or ""]
    move = move_after(run, state, at, news)
    match move.kind:
        case MoveKind.RETRY_SAME | MoveKind.RETRY_WITH_FEEDBACK | MoveKind.PARK:
            return _try_later(run, state, at, move)
        case MoveKind.FAIL_OVER:
            again = _worker(run, state, at, visit, is_told=False)
            following = state.definition.clis[next_agent(role, visit) or ""]
            return _perform(run, state, replace(again, cli=following))
        case MoveKind.ESCALATE:
            return _ask_about(run, state, at, news.feedback)
        case _:
            tries = f"Step {at.name!r} failed {visit.failures} times; the last time: {_why(news)}"
            return _stop(at, visit, OutcomeKind.WORKER_FAILED, tries)


def _try_later(run: Run, state: WorkflowState, at: Step, move: Move) -> Decision:
    """Begin the next attempt, once the time for it has come."""
    visit = workflow.current_visit(state)
    timer = timer_of(move, at, visit)
    if timer in run.timers:
        return Decision()
    if timer in run.fired or (move.until is None and not move.after):
        is_told = move.kind is MoveKind.RETRY_WITH_FEEDBACK
        return _perform(run, state, _worker(run, state, at, visit, is_told=is_told))
    parks = move.kind is MoveKind.PARK
    wait = SetTimer(timer=timer, after=move.after, at=move.until, parks=parks)
    if parks and DEADLINE in run.timers:
        return Decision(effects=(CancelTimer(timer=DEADLINE), wait))
    return Decision(effects=(wait,))


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
    passed = e.StepPassed(step=at.name, visit=visit.number)
    if at.terminal or at.next is None:
        outcome = Outcome(kind=OutcomeKind.DONE, reason="Every step passed.")
        ending = Ending(status=RunStatus.COMPLETED, outcome=outcome)
        return Decision(events=(passed,), ending=ending)
    return _then(passed, _enter(state, at.next, ()))


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


def _base(birth: e.RunSubmitted) -> Base:
    if birth.base is None:
        raise InternalError("A workflow run needs a base commit, and this one has none.")
    return birth.base


def _first(*values: int | None) -> int:
    return next(value for value in values if value is not None)

"""What a kanban leads to: its files are read, followed, and given back."""

from supervisor_ai.domain.ids import ArtifactHash, StepName
from supervisor_ai.domain.run import events as e
from supervisor_ai.domain.run.definition import Step
from supervisor_ai.domain.run.effects import Integrate
from supervisor_ai.domain.run.run import Decision, Ending, Run
from supervisor_ai.domain.run.status import Outcome, OutcomeKind, RunStatus
from supervisor_ai.domain.run.values import ApprovalReason, Feedback, ReasonWord
from supervisor_ai.domain.structs import replace
from supervisor_ai.drivers.kanban import events as k
from supervisor_ai.drivers.kanban.board.kanban import Phase
from supervisor_ai.drivers.kanban.board.roles import determine_role
from supervisor_ai.drivers.kanban.effects import ReadKanban, SaveKanban
from supervisor_ai.drivers.kanban.kinds import UNREADABLE, AnswerStatus
from supervisor_ai.drivers.kanban.orders import with_orders
from supervisor_ai.drivers.kanban.state import LAND_TASK, MANAGER, READING, KanbanState
from supervisor_ai.drivers.moves.approvals import clear_landing
from supervisor_ai.drivers.moves.attempts import base_of
from supervisor_ai.drivers.moves.crews import decide_crew
from supervisor_ai.drivers.moves.gates import decide_gates
from supervisor_ai.drivers.moves.state import Visit
from supervisor_ai.drivers.moves.steps import (
    enter,
    go_on,
    objections,
    perform,
    question,
    stop,
    then,
)


def decide_reading(run: Run, state: KanbanState, at: Step, visit: Visit) -> Decision:
    """Find out what the files say, and follow them; a person mends what cannot be read."""
    match state.news:
        case k.KanbanRead():
            return _follow(state, at, visit, state.news)
        case k.KanbanUnreadable(report=report):
            return _ask(run, state, at, UNREADABLE, report)
        case e.ApprovalRefused():
            reason = "The kanban cannot be read, and a person decided not to go on."
            return stop(at, visit, OutcomeKind.BLOCKED, reason)
        case _:
            return perform(run, state.flow, _reading(run, state, at, visit))


def _reading(run: Run, state: KanbanState, at: Step, visit: Visit) -> ReadKanban:
    return ReadKanban(
        step=at.name,
        visit=visit.number,
        place=state.policy.place,
        branch=run.birth.branch or "",
        base=state.kept.commit,
        landed=state.flow.landed,
    )


def _follow(state: KanbanState, at: Step, visit: Visit, read: k.KanbanRead) -> Decision:
    passed = e.StepPassed(step=at.name, visit=visit.number)
    if read.current is None or read.phase is Phase.COMPLETE:
        outcome = Outcome(kind=OutcomeKind.DONE, reason=f"The kanban is complete{_tally(read)}.")
        return Decision(
            events=(passed,), ending=Ending(status=RunStatus.COMPLETED, outcome=outcome)
        )
    most = state.policy.max_iterations
    if visit.number > most:
        reason = f"The kanban is not complete after {_count(most, 'iteration')}."
        return stop(at, visit, OutcomeKind.LIMITS_EXCEEDED, reason)
    if state.pending in read.tasks:
        return then(passed, enter(state.flow, MANAGER, visit.feedback))
    agent = determine_role(read.role)
    return then(passed, enter(state.flow, StepName(agent.value.lower()), visit.feedback))


def _tally(read: k.KanbanRead) -> str:
    told = ", ".join(f"{number} {state.value}" for state, number in read.states.items())
    return f": {told}" if told else ""


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def decide_agent(run: Run, state: KanbanState, at: Step, visit: Visit) -> Decision:
    """Let an agent act; what it did counts only where it says that it is done."""
    slot, is_ok = visit.slot(1), state.flow.record(at.name).verdict == AnswerStatus.OK
    if at.name == MANAGER and isinstance(slot.news, e.ApprovalGiven):
        return _reconcile_again(state, at, visit, slot.retry)
    if at.name != MANAGER and not is_ok:
        # Nothing of its code is kept, so there is nothing for gates to look at.
        at = replace(at, next=LAND_TASK)
    return _ordered(state, decide_crew(run, state.flow, at, visit))


def decide_checks(run: Run, state: KanbanState, at: Step, visit: Visit) -> Decision:
    """Let the gates look at what was done for the task, and not at all that the run has done."""
    return _ordered(state, decide_gates(run, state.flow, at, visit))


def _ordered(state: KanbanState, decision: Decision) -> Decision:
    told = tuple(with_orders(state, effect) for effect in decision.effects)
    return replace(decision, effects=told)


def _reconcile_again(state: KanbanState, at: Step, visit: Visit, said: Feedback | None) -> Decision:
    """Let the Manager see what a person has changed meanwhile, and hear what they say."""
    reason = "A person has answered, and may have changed the files."
    failed = e.StepFailed(step=at.name, visit=visit.number, reason=reason)
    return then(failed, _begin_again(state, (said,) if said else ()))


def _begin_again(state: KanbanState, feedback: tuple[Feedback, ...]) -> Decision:
    """Look at the files anew; where there are none yet, create them anew."""
    first = state.flow.definition.workflow.initial_step
    return enter(state.flow, READING if state.reading else first, feedback)


def decide_landing(run: Run, state: KanbanState, at: Step, visit: Visit) -> Decision:
    """Put what was made where the files live; where that is refused, a person decides."""
    passed = e.StepPassed(step=at.name, visit=visit.number)
    match state.news:
        case e.IntegrationLanded() if at.name == LAND_TASK and _is_shared(state):
            return then(passed, enter(state.flow, READING, ()))
        case e.IntegrationLanded():
            return go_on(state.flow, at, passed)
        case e.IntegrationRefused(detail=detail) | k.KanbanSaveRefused(detail=detail):
            return _ask(run, state, at, ApprovalReason.LANDING, detail)
        case e.ApprovalRefused():
            reason = "A person wants it done again, with the files as they are now."
            failed = e.StepFailed(step=at.name, visit=visit.number, reason=reason)
            return then(failed, _begin_again(state, objections(state.flow, at, state.news)))
        case _ if asked := _clearing(run, state, at, visit):
            return asked
        case _ if state.saved is not None and state.saved.rest.tree != state.rest:
            landing = replace(_landing(run, state, at, visit), snapshot=state.saved.rest.commit)
            return perform(run, state.flow, landing)
        case _ if state.flow.head.tree == state.kept.tree:
            return go_on(state.flow, at, passed)
        case _ if state.policy.place.directory is not None:
            return perform(run, state.flow, _saving(run, state, at, visit))
        case _:
            return perform(run, state.flow, _landing(run, state, at, visit))


def _clearing(run: Run, state: KanbanState, at: Step, visit: Visit) -> Decision | None:
    """Let the work for a task have what the policy demands; the files of the kanban need none."""
    if at.name != LAND_TASK or state.flow.head.tree == state.kept.tree:
        return None
    return clear_landing(run, state.flow, at, visit, state.kept.commit)


def _is_shared(state: KanbanState) -> bool:
    """Tell whether others have been at the branch; what they did is read before it is believed."""
    return state.kept.tree != state.flow.head.tree


def _landing(run: Run, state: KanbanState, at: Step, visit: Visit) -> Integrate:
    return Integrate(
        step=at.name,
        visit=visit.number,
        snapshot=state.flow.head.commit,
        branch=run.birth.branch or "",
        base=base_of(run.birth).sha,
        expected=state.flow.landed,
        task=run.birth.task,
        subject=_subject(state, at),
    )


def _subject(state: KanbanState, at: Step) -> str:
    if state.reading is None:
        return f"Create {state.policy.place.file}"
    if at.name == LAND_TASK:
        return f"Work on {state.current}"
    return f"Reconcile {state.pending or state.current}"


def _saving(run: Run, state: KanbanState, at: Step, visit: Visit) -> SaveKanban:
    return SaveKanban(
        step=at.name,
        visit=visit.number,
        place=state.policy.place,
        start=state.kept.commit,
        snapshot=state.flow.head.commit,
        base=state.flow.landed or base_of(run.birth).sha,
    )


def _ask(
    run: Run, state: KanbanState, at: Step, reason: ReasonWord, words: ArtifactHash | None
) -> Decision:
    return perform(run, state.flow, question(state.flow, at, reason, words))

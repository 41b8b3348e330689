"""The next attempt at a step: by whom, how much of the task, knowing what, and at what cost."""

from typing import Final

from supervisor_ai.domain.errors import InternalError
from supervisor_ai.domain.ids import ArtifactHash, StepName
from supervisor_ai.domain.knowledge.selection import KnowledgeScope
from supervisor_ai.domain.run import events as e
from supervisor_ai.domain.run.answers import AnswerKind, AnswerWord
from supervisor_ai.domain.run.definition import Definition, Role, Step
from supervisor_ai.domain.run.effects import ContextItem, RunWorker
from supervisor_ai.domain.run.gates import Health
from supervisor_ai.domain.run.launches import wish
from supervisor_ai.domain.run.run import Run
from supervisor_ai.domain.run.spending.budgets import Amount
from supervisor_ai.domain.run.spending.prices import CostCap, dearest
from supervisor_ai.domain.run.status import FailureCategory
from supervisor_ai.domain.run.values import Base, Feedback, FeedbackKind
from supervisor_ai.domain.run.writable import Writable
from supervisor_ai.domain.structs import replace
from supervisor_ai.drivers.moves.slots import Approach, Slot
from supervisor_ai.drivers.moves.state import Visit, WorkflowState, current_visit

_ABOUT_THE_ANSWER: Final = frozenset({FailureCategory.PARSING, FailureCategory.VALIDATION})


def usual_approach(state: WorkflowState, at: Step, slot: Slot) -> Approach:
    """Say how the next attempt is made if nothing speaks for another way.

    One that was lost, or that only waits for permission to start, is made as it was meant.
    """
    before = last_approach(state, at, slot)
    if slot.is_asked or isinstance(slot.news, e.AttemptLost):
        return before
    return told_approach(state, at, slot, before)


def last_approach(state: WorkflowState, at: Step, slot: Slot) -> Approach:
    """Say how the last attempt of the visit was made; the first one begins with the role's own."""
    return slot.approach or Approach(cli=state.role(at.name, slot.number).cli)


def told_approach(state: WorkflowState, at: Step, slot: Slot, before: Approach) -> Approach:
    """Let the next attempt know what was wrong, and what its role said itself before."""
    return replace(before, is_told=True, turn=next_turn(state, at, slot))


def next_turn(state: WorkflowState, at: Step, slot: Slot) -> int:
    """Number the continuation of the role's own answers that comes next; 0 where there is none."""
    record, most = state.record(at.name), state.role(at.name, slot.number).continuations
    may_go_on = len(at.crew) == 1 and bool(record.said) and record.turns < most
    return record.turns + 1 if may_go_on else 0


def attempt(run: Run, state: WorkflowState, at: Step, slot: Slot, way: Approach) -> RunWorker:
    """Describe the next attempt; what it may spend is known once it has permission to start."""
    definition, visit = state.definition, current_visit(state)
    role = state.role(at.name, slot.number)
    timeout = at.timeout or role.timeout or definition.limits.step_timeout
    own = Amount(tokens=definition.limits.attempt_tokens, time=timeout)
    effect = RunWorker(
        step=at.name,
        visit=visit.number,
        slot=slot.number,
        attempt=slot.attempts + 1,
        role=role,
        cli=definition.clis[way.cli],
        start=visit.start,
        base=base_of(run.birth).sha,
        task=run.birth.task,
        timeout=timeout,
        output_bytes=definition.limits.output_bytes,
        sandbox=definition.sandbox,
        workspace=definition.workspace,
        tokens=definition.limits.attempt_tokens,
        level=way.level,
        is_told=way.is_told,
        turn=way.turn,
        turns=state.record(at.name).said if way.turn else (),
        breaker=definition.breaker,
        budgets=definition.budgets,
        wish=wish(definition.budgets, own),
        prices=definition.prices,
        feedback=(*_red_before(state, role), *_feedback(visit, slot, way)),
        left_out=_left_out(state, at, slot, way),
        nonce=_nonce(slot, way),
        plans=answers_of(state, AnswerKind.PLAN),
        instructions=at.instructions,
        context=_context(state, at),
        session=definition.session,
        knowledge=_known(state),
        writable=_writable(definition, role),
        hears_directives=definition.hears_directives and _acts(role),
        answers_directives=role.answer == AnswerKind.PLAN,
    )
    return _within_leave(effect, slot)


def _known(state: WorkflowState) -> KnowledgeScope:
    origin = state.knowledge
    return KnowledgeScope(commit=origin.base, looks=origin.looks) if origin else KnowledgeScope()


def _acts(role: Role) -> bool:
    """Tell whether a role plans or writes, and is told of the project besides its task."""
    is_told = role.knowledge is not None
    return is_told and (role.can_edit or role.answer == AnswerKind.PLAN)


def _writable(definition: Definition, role: Role) -> Writable | None:
    """Keep from whoever may write what nobody in this run writes."""
    if not definition.read_only or not role.can_edit:
        return None
    return Writable(everywhere=True, paths=dict.fromkeys(definition.read_only, False))


def base_of(birth: e.RunSubmitted) -> Base:
    """Return the commit that a run starts from."""
    if birth.base is None:
        raise InternalError("A workflow run needs a base commit, and this one has none.")
    return birth.base


def _feedback(visit: Visit, slot: Slot, way: Approach) -> tuple[Feedback, ...]:
    told = slot.retry if way.is_told else slot.told
    return visit.feedback if told is None else (*visit.feedback, told)


def _red_before(state: WorkflowState, role: Role) -> tuple[Feedback, ...]:
    """Let whoever writes know what did not pass before, so that nobody takes it for new."""
    return tuple(
        Feedback(kind=FeedbackKind.BASELINE, source=found.gate, artifact=found.feedback)
        for found in state.baselines.values()
        if role.writes and found.health is Health.RED and found.feedback is not None
    )


def _left_out(state: WorkflowState, at: Step, slot: Slot, way: Approach) -> e.FilesLeftOut | None:
    """Say which files went missing to whoever leaves files behind."""
    if not state.role(at.name, slot.number).writes:
        return None
    record = state.record(at.name)
    return (record.left_out if way.is_told else record.told_of).get(slot.number)


def _nonce(slot: Slot, way: Approach) -> str:
    """Repeat the last nonce where an answer is asked for again in exactly the same words."""
    is_bad_answer = (
        isinstance(slot.news, e.AttemptFailed) and slot.news.category in _ABOUT_THE_ANSWER
    )
    return slot.nonce if slot.is_asked or (is_bad_answer and not way.is_told) else ""


def _context(state: WorkflowState, at: Step) -> tuple[ContextItem, ...]:
    return tuple(
        ContextItem(title=name, artifact=answer)
        for name, answer in state.answers.items()
        if name.partition("/")[0] != at.name
    )


def answers_of(state: WorkflowState, kind: AnswerWord) -> tuple[ArtifactHash, ...]:
    """Name the earlier answers of a kind, such as plans."""
    steps = {name: StepName(name.partition("/")[0]) for name in state.answers}
    return tuple(
        state.answers[name] for name, step in steps.items() if state.role(step).answer == kind
    )


def _within_leave(effect: RunWorker, slot: Slot) -> RunWorker:
    """Bind an attempt to what it is permitted to spend; that is for one agent only."""
    way, leave = slot.approach, slot.leave
    if leave is None or way is None or way.cli != effect.cli.name:
        return effect
    amount = leave.amount
    return replace(
        effect,
        has_leave=True,
        timeout=min(effect.timeout, amount.time or effect.timeout),
        tokens=effect.tokens if amount.tokens is None else amount.tokens,
        cost_cap=_cost_cap(effect, amount),
    )


def _cost_cap(effect: RunWorker, amount: Amount) -> CostCap | None:
    """Bound the money where it is known what the agent's tokens cost."""
    price = dearest(effect.prices, effect.cli.known_models, effect.cli.adapter)
    if amount.money is None or price is None:
        return None
    return CostCap(limit=amount.money, price=price)

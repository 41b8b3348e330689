"""What a worker is told: the task, what others said, and what it is shown of the repository."""

from collections.abc import Sequence
from typing import Final

from supervisor_ai.domain.run.answers import AnswerKind
from supervisor_ai.domain.run.context_plan import ContextPlan, SourceKind
from supervisor_ai.domain.run.effects import ContextItem, RunWorker
from supervisor_ai.domain.run.events import ContextPacked, FilesLeftOut
from supervisor_ai.domain.run.failures.degradation import INSTRUCTIONS
from supervisor_ai.domain.run.values import FeedbackKind
from supervisor_ai.domain.structs import replace
from supervisor_ai.engine.effects.knowledge import tell_knowledge
from supervisor_ai.engine.ports.context import PackRequest
from supervisor_ai.engine.ports.knowledge import StandingDirective
from supervisor_ai.engine.ports.workers import PromptRequest, Told
from supervisor_ai.engine.world import Operation

_TOLD_CHARACTERS: Final = 20_000


async def write_prompt(
    effect: RunWorker, operation: Operation, wanted: Sequence[StandingDirective] = ()
) -> str:
    """Bring together what the worker is told, without secrets.

    `wanted` is what the project's quality supervisors want done.
    """
    world, plan = operation.world, effect.role.context
    items = tuple(item for item in effect.context if not _is_packed(plan, effect, item))
    request = PromptRequest(
        role=effect.role,
        task=_task(effect, operation),
        step=effect.step,
        attempt=effect.attempt,
        feedback=_feedback(effect, operation),
        context=tuple(
            Told(kind=None, source=item.title, text=_tail(world.artifacts.get(item.artifact)))
            for item in items
        ),
        diff=await _diff(effect, operation),
        material="" if plan is None else await _pack(effect, operation, plan),
        knowledge=await _knowledge(effect, operation),
        directives=tuple(_directive(it, operation) for it in wanted),
        answers_directives=effect.answers_directives,
        turns=tuple(_tail(world.artifacts.get(turn)) for turn in effect.turns),
        instructions=effect.instructions,
        instruction=INSTRUCTIONS[effect.level],
        nonce=effect.nonce,
    )
    return world.redactor.redact(world.prompter.write(request)).text


async def _knowledge(effect: RunWorker, operation: Operation) -> str:
    plan = effect.role.knowledge
    if plan is None:
        return ""
    return await tell_knowledge(effect, operation, plan, _task(effect, operation))


def _directive(it: StandingDirective, operation: Operation) -> Told:
    return Told(
        kind=None,
        source=f"[{it.number}] {it.type}, {it.priority}, from {it.source}",
        text=_tail(operation.text_of(it.text)),
    )


def _feedback(effect: RunWorker, operation: Operation) -> tuple[Told, ...]:
    artifacts = operation.world.artifacts
    told = [
        Told(
            kind=back.kind,
            source=back.source,
            text=_tail(artifacts.get(back.artifact)),
            category=back.category,
            side=back.side,
            quote="" if back.quote is None else artifacts.get(back.quote),
        )
        for back in effect.feedback
    ]
    if effect.left_out is not None:
        words = _missing(effect.left_out)
        told.append(Told(kind=FeedbackKind.LEFT_OUT, source=effect.step, text=words))
    return tuple(told)


def _missing(left: FilesLeftOut) -> str:
    """Name the files that were left out; their names were made harmless when they were recorded."""
    if not left.paths:
        return left.reason
    more = left.count - len(left.paths)
    others = [f"and {more} more"] if more else []
    return "\n".join((*left.paths, *others, f"Why: {left.reason}"))


def _task(effect: RunWorker, operation: Operation) -> str:
    return effect.assignment or operation.world.artifacts.get(effect.task)


async def _diff(effect: RunWorker, operation: Operation) -> str | None:
    """Show a reviewer the change, unless its context has it already."""
    is_review = effect.role.answer == AnswerKind.REVIEW
    if not is_review or _has(effect.role.context, SourceKind.DIFF):
        return None
    workspaces, hides = operation.world.workspaces, effect.role.hides
    return await workspaces.diff(effect.base, effect.start, hides=hides)


async def _pack(effect: RunWorker, operation: Operation, plan: ContextPlan) -> str:
    world = operation.world
    packed = await world.packer.pack(
        PackRequest(
            plan=plan,
            commit=effect.start,
            base=effect.base,
            task=_task(effect, operation),
            plan_text=_plan_text(effect, operation, plan),
            hides=effect.role.hides,
            model=effect.cli.known_models[0] or effect.cli.adapter,
        )
    )
    operation.record(
        ContextPacked(
            step=effect.step,
            visit=effect.visit,
            slot=effect.slot,
            attempt=effect.attempt,
            strategy=plan.strategy,
            record=world.documents.save(replace(packed, text="")),
            tokens=packed.tokens,
            budget=packed.budget,
        )
    )
    return packed.text


def _plan_text(effect: RunWorker, operation: Operation, plan: ContextPlan) -> str:
    packed = (item for item in effect.context if _is_packed(plan, effect, item))
    return "\n\n".join(operation.world.artifacts.get(item.artifact) for item in packed)


def _is_packed(plan: ContextPlan | None, effect: RunWorker, item: ContextItem) -> bool:
    """Tell whether an earlier answer comes with the packed context."""
    return _has(plan, SourceKind.PLAN) and item.artifact in effect.plans


def _has(plan: ContextPlan | None, kind: SourceKind) -> bool:
    return plan is not None and any(source.kind is kind for source in plan.sources)


def _tail(text: str) -> str:
    if len(text) <= _TOLD_CHARACTERS:
        return text
    return f"[… {len(text) - _TOLD_CHARACTERS} characters left out …]\n{text[-_TOLD_CHARACTERS:]}"

"""What a worker is told of the knowledge store and of directives, and what it owes them."""

from collections.abc import Iterator, Sequence
from typing import Final

from msgspec import Struct

from supervisor_ai.domain.knowledge.selection import InjectedItem, KnowledgePlan
from supervisor_ai.domain.run.answers import Meaning
from supervisor_ai.domain.run.effects import RunWorker
from supervisor_ai.domain.run.event_kinds.directives import AnsweredDirective, DirectivesAnswered
from supervisor_ai.domain.run.events import KnowledgeInjected, ToldDocument
from supervisor_ai.domain.run.status import FailureCategory
from supervisor_ai.domain.structs import replace
from supervisor_ai.engine.ports.knowledge import KnowledgeRequest, StandingDirective
from supervisor_ai.engine.ports.workers import Answer, AnswerProblem
from supervisor_ai.engine.world import Operation
from supervisor_ai.tools.json_value import mapping, parse_object, sequence, text

_MOST_DIRECTIVES: Final = 20
_MOST_PROBLEMS: Final = 5
_CLEANUP: Final = "cleanup"
_DEFERRED: Final = "deferred"
_TYPES: Final = ("functional", _CLEANUP)
_CRITICAL: Final = "critical"
_PRIORITIES: Final = (_CRITICAL, "normal", "low")


async def tell_knowledge(
    effect: RunWorker, operation: Operation, plan: KnowledgePlan, task: str
) -> str:
    """Choose what the worker is told of the store, and record what was chosen and what was not."""
    world, scope = operation.world, effect.knowledge
    told = await world.knowledge.select(
        KnowledgeRequest(
            plan=plan,
            # A worker of this run may have written to the store since: nobody has accepted that.
            commit=scope.commit or effect.base,
            looks=scope.looks,
            task=task,
            themes=scope.themes,
            since=scope.since,
            hides=effect.role.hides,
            model=effect.cli.known_models[0] or effect.cli.adapter,
        )
    )
    if not told.items and not told.problems:
        return ""
    operation.record(
        KnowledgeInjected(
            step=effect.step,
            visit=effect.visit,
            slot=effect.slot,
            attempt=effect.attempt,
            record=world.documents.save(replace(told, text="")),
            tokens=told.tokens,
            budget=told.budget,
            documents=tuple(_told(item) for item in told.items if item.is_shown),
        )
    )
    return told.text


def _told(item: InjectedItem) -> ToldDocument:
    return ToldDocument(path=item.path, fingerprint=item.fingerprint)


class _Reply(Struct, frozen=True, kw_only=True):
    directive: int
    response: str
    note: str = ""


def standing_directives(effect: RunWorker, operation: Operation) -> tuple[StandingDirective, ...]:
    """Return what supervisors want done, the most urgent first, for whoever plans or writes."""
    if not effect.hears_directives:
        return ()
    return tuple(sorted(operation.world.quality.pending(), key=urgency_of)[:_MOST_DIRECTIVES])


def urgency_of(it: StandingDirective) -> tuple[bool, int, int, int]:
    """Put critical directives first, then functional ones before cleanup, then the oldest."""
    kind, priority = _TYPES.index(it.type), _PRIORITIES.index(it.priority)
    return it.priority != _CRITICAL, kind, priority, it.number


def take_replies(
    effect: RunWorker, operation: Operation, shown: Sequence[StandingDirective], answer: Answer
) -> AnswerProblem | None:
    """Record what a planner says to the directives that it was shown, or why that does not count.

    A planner that is blocked has planned nothing, and owes no answers.
    """
    if not shown or not effect.answers_directives or answer.meaning is not Meaning.PASS:
        return None
    replies = tuple(_replies(answer.document))
    problems = tuple(reply_problems(shown, [(it.directive, it.response) for it in replies]))
    if problems:
        told = " ".join(problems[:_MOST_PROBLEMS])
        return AnswerProblem(category=FailureCategory.VALIDATION, message=told)
    operation.record(
        DirectivesAnswered(
            step=effect.step,
            visit=effect.visit,
            slot=effect.slot,
            attempt=effect.attempt,
            answers=tuple(
                AnsweredDirective(
                    number=it.directive,
                    response=it.response,
                    note=operation.keep(it.note)[0] if it.note else None,
                )
                for it in replies
            ),
        )
    )
    return None


def reply_problems(
    shown: Sequence[StandingDirective], said: Sequence[tuple[int, str]]
) -> Iterator[str]:
    """Say in what way answers to directives do not count."""
    replies = dict(said)
    if len(replies) < len(said):
        yield "A directive is answered twice."
    known = {it.number for it in shown}
    yield from (
        f"There is no directive {number} among ACTIVE DIRECTIVES."
        for number in replies
        if number not in known
    )
    for it in shown:
        if it.number not in replies:
            yield (
                f"Directive {it.number} is not answered in `directives`: address it, explain why "
                "it is handled already, or escalate it."
            )
        elif replies[it.number] == _DEFERRED and it.priority == _CRITICAL:
            yield f"Directive {it.number} is critical and cannot be deferred."
        elif replies[it.number] == _DEFERRED and it.type != _CLEANUP:
            yield f"Directive {it.number} is functional and cannot be deferred."


def _replies(document: str) -> Iterator[_Reply]:
    """Read what an answer says to directives; its form was looked at before."""
    for it in map(mapping, sequence((parse_object(document) or {}).get("directives"))):
        number, note = it.get("directive"), it.get("note")
        if isinstance(number, int):
            yield _Reply(directive=number, response=text(it.get("response")), note=text(note))

"""Does it help? How tasks of all loops went, with supervisors or not, told of documents or not."""

from collections.abc import Iterable, Iterator, Sequence
from decimal import Decimal
from typing import Final

from msgspec import Struct

from supervisor_ai.control.records import Records
from supervisor_ai.domain.envelope import Event
from supervisor_ai.domain.ids import run_stream
from supervisor_ai.domain.run import events as e
from supervisor_ai.domain.run.values import NO_USAGE, Usage
from supervisor_ai.drivers.loop.events import SetbackSource, TaskMarked, TaskOutcome, TaskSetBack
from supervisor_ai.drivers.loop.queries.view import loop_rows, state_of
from supervisor_ai.drivers.quality.events import SupervisorRan
from supervisor_ai.drivers.quality.supervisors import ESTIMATE, LOOKED

_MOST: Final = 50


class TaskFigures(Struct, frozen=True, kw_only=True):
    """How one task of a loop went."""

    is_supervised: bool
    is_done: bool
    setbacks: int
    """How often it had to be done again."""
    rejections: int
    """How often QA did not accept it."""
    cost: Decimal
    told: frozenset[str]
    """The documents of which its workers were told."""


class Rates(Struct, frozen=True, kw_only=True):
    """How some tasks went together."""

    tasks: int
    passed_at_once: int
    setbacks: int
    rejected_reviews: int
    cost: Decimal


class DocumentBenefit(Struct, frozen=True, kw_only=True):
    """How tasks went before anybody was told of a document, and how those went that were."""

    path: str
    before: Rates
    told: Rates


class LookCosts(Struct, frozen=True, kw_only=True):
    """What the looks of one supervisor cost, beside what they were expected to cost."""

    supervisor: str
    looks: int
    cost: Decimal
    tokens_in: int
    tokens_out: int
    expected_least: Decimal
    expected_most: Decimal


class BenefitView(Struct, frozen=True, kw_only=True):
    """What the ledger says about all loops of a project; it compares, and explains nothing."""

    supervised: Rates
    alone: Rates
    documents: tuple[DocumentBenefit, ...]
    supervisors: tuple[LookCosts, ...]


def benefit_of(records: Records) -> BenefitView:
    """Compare how the tasks of all loops of a project went, the oldest first."""
    tasks: list[TaskFigures] = []
    looks: list[SupervisorRan] = []
    for row in reversed(loop_rows(records)):
        events = [it.event for it in records.log.read(run_stream(row.id))]
        is_supervised = bool(state_of(records, row.id).rules.supervisors)
        tasks += figures_of(events, is_supervised=is_supervised)
        looks += (it for it in events if isinstance(it, SupervisorRan))
    return BenefitView(
        supervised=rates_of([it for it in tasks if it.is_supervised]),
        alone=rates_of([it for it in tasks if not it.is_supervised]),
        documents=tuple(documents_of(tasks)),
        supervisors=tuple(costs_of(looks)),
    )


def figures_of(events: Iterable[Event], *, is_supervised: bool) -> Iterator[TaskFigures]:
    """Add up what happened between one task's end and the next; what was skipped counts not."""
    told: set[str] = set()
    spent, rejections = NO_USAGE, 0
    for event in events:
        match event:
            case e.KnowledgeInjected(documents=documents):
                told |= {it.path for it in documents}
            case e.AttemptSucceeded(usage=usage) | e.AttemptFailed(usage=usage):
                spent = spent.plus(usage)
            case TaskSetBack(found_by=found_by):
                rejections += found_by is SetbackSource.QA
            case TaskMarked():
                if event.attempts:
                    yield TaskFigures(
                        is_supervised=is_supervised,
                        is_done=event.outcome is TaskOutcome.DONE,
                        setbacks=event.qa_failures,
                        rejections=rejections,
                        cost=spent.cost,
                        told=frozenset(told),
                    )
                told, spent, rejections = set(), NO_USAGE, 0
            case _:
                pass


def rates_of(tasks: Sequence[TaskFigures]) -> Rates:
    """Add up how some tasks went."""
    return Rates(
        tasks=len(tasks),
        passed_at_once=sum(it.is_done and not it.setbacks for it in tasks),
        setbacks=sum(it.setbacks for it in tasks),
        rejected_reviews=sum(it.rejections for it in tasks),
        cost=sum((it.cost for it in tasks), Decimal(0)),
    )


def documents_of(tasks: Sequence[TaskFigures]) -> Iterator[DocumentBenefit]:
    """Compare tasks before anybody was told of a document with those that were told of it."""
    paths = sorted({path for it in tasks for path in it.told})
    for path in paths[:_MOST]:
        first = next(at for at, it in enumerate(tasks) if path in it.told)
        told = [it for it in tasks[first:] if path in it.told]
        yield DocumentBenefit(path=path, before=rates_of(tasks[:first]), told=rates_of(told))


def costs_of(looks: Sequence[SupervisorRan]) -> Iterator[LookCosts]:
    """Put what looks cost beside what they were expected to cost."""
    for name in dict.fromkeys(it.supervisor for it in looks):
        made = [it for it in looks if it.supervisor == name and it.outcome in LOOKED]
        spent: Usage = NO_USAGE
        for it in made:
            spent = spent.plus(it.usage)
        least, most = ESTIMATE
        yield LookCosts(
            supervisor=name,
            looks=len(made),
            cost=spent.cost,
            tokens_in=spent.tokens_in,
            tokens_out=spent.tokens_out,
            expected_least=least * len(made),
            expected_most=most * len(made),
        )

"""Performing what attached supervisors need: taking stock, and letting one of them look."""

from typing import Final

import msgspec

from supervisor_ai.domain.run.events import RunEvent
from supervisor_ai.domain.terminal import plain
from supervisor_ai.drivers.quality.directives import (
    Directive,
    DirectivePriority,
    DirectiveResponse,
    DirectiveText,
    DirectiveType,
    in_order,
)
from supervisor_ai.drivers.quality.effects import RunAttachedSupervisor, TakeStock
from supervisor_ai.drivers.quality.events import StandingAnswer, StandingRecord, StockTaken
from supervisor_ai.drivers.quality.look import Look, perform_look
from supervisor_ai.drivers.quality.ports import QualityPorts
from supervisor_ai.drivers.quality.supervisors import (
    STORE,
    Roster,
    RunOutcome,
    SupervisorSpec,
)
from supervisor_ai.engine.ports.knowledge import QualityStock
from supervisor_ai.engine.world import Operation

_CHARACTERS: Final = 20_000
"""What a supervisor is told at most: about 5,000 tokens."""
_MOST_PATHS: Final = 200
_MOST_TASK: Final = 1_000
_MOST_DIRECTIVE: Final = 500


async def perform_stock(effect: TakeStock, operation: Operation) -> StockTaken:
    """Look up how the project stands with its supervisors, one more commit counted."""
    stock = operation.world.quality.stock(effect.commit)
    answers = _answers(operation, stock)
    settled = {it.number for it in answers if it.response is not DirectiveResponse.DEFERRED}
    return StockTaken(
        step=effect.step,
        visit=effect.visit,
        slot=effect.slot,
        commit=effect.commit,
        commits=stock.commits + (0 if stock.is_counted else 1),
        setbacks=effect.setbacks,
        records=tuple(record_of(it, stock, effect) for it in effect.specs),
        pending=tuple(
            Directive(
                number=it.number,
                type=DirectiveType(it.type),
                priority=DirectivePriority(it.priority),
                source=it.source,
                text=it.text,
                since=it.since,
            )
            for it in stock.pending
            if it.number not in settled
        ),
        newest=stock.newest,
        answers=answers,
        tasks=stock.tasks,
    )


def record_of(spec: SupervisorSpec, stock: QualityStock, effect: TakeStock) -> StandingRecord:
    """Say where a supervisor stands, with the commit that is counted now."""
    looks = [it for it in stock.looks if it.supervisor == spec.name]
    roster = Roster(specs=(spec,))
    for it in looks:
        outcome = RunOutcome(it.outcome)
        roster = roster.looked(spec.name, outcome, novel=it.novel, total=it.total)
    more = 0 if stock.is_counted else 1
    brought = next((it for it in reversed(looks) if it.findings is not None), None)
    since = looks[-1].commits if looks else stock.commits
    setbacks = looks[-1].setbacks if looks else stock.setbacks
    found = roster.record(spec.name)
    return StandingRecord(
        supervisor=spec.name,
        since=since + more,
        setbacks=setbacks + effect.setbacks * more,
        runs=found.runs,
        doublings=found.doublings,
        commit=brought.commit if brought else None,
        findings=brought.findings if brought else None,
    )


def _answers(operation: Operation, stock: QualityStock) -> tuple[StandingAnswer, ...]:
    """Return what planners of this run, or of one that ended well, said; the last word counts."""
    said = {
        it.number: StandingAnswer(
            number=it.number, response=DirectiveResponse(it.response), note=it.note
        )
        for it in stock.replies
        if it.is_over or it.run == operation.run
    }
    return tuple(said.values())


async def perform_attached_look(
    effect: RunAttachedSupervisor, operation: Operation, ports: QualityPorts
) -> RunEvent:
    """Let a supervisor look at what runs of the project have done."""
    world, stock = operation.world, effect.stock
    since = effect.record.commit or effect.base
    changed = await world.workspaces.changed_paths(since, effect.start)
    tasks = (operation.text_of(it)[:_MOST_TASK] for it in (effect.task, *stock.tasks))
    directives = (_line(it, operation) for it in in_order(stock.pending))
    sections = (
        ("COMPLETED WORK", "\n\n".join(dict.fromkeys(f"- {it}" for it in tasks))),
        ("ACTIVE DIRECTIVES", "\n".join(directives)),
        ("FILES CHANGED SINCE YOU LOOKED LAST", "\n".join(map(plain, changed[:_MOST_PATHS]))),
    )
    most = _CHARACTERS // (2 * len(sections))
    look = Look(
        spec=effect.spec,
        task=f"run {operation.run}",
        sections=tuple((title, text[:most]) for title, text in sections if text),
        previous=effect.record.findings,
        most=_CHARACTERS,
        change=await world.workspaces.diff(since, effect.start, hides=(*effect.role.hides, STORE)),
        uses=world.quality.uses(),
    )
    return await perform_look(effect, operation, ports, look)


def _line(it: Directive, operation: Operation) -> str:
    try:
        words = msgspec.json.decode(operation.text_of(it.text), type=DirectiveText).description
    except msgspec.DecodeError:
        words = ""
    told = f"[{it.number}] {it.type.value}, {it.priority.value}, from {it.source}: {words}"
    return told[:_MOST_DIRECTIVE]

"""Supervisors beside the steps of a driver that is no loop: they look at what was committed."""

from typing import Final

import msgspec
from msgspec import Struct, field

from supervisor_ai.domain.run import events as e
from supervisor_ai.domain.run.definition import Definition, Step, StepKind
from supervisor_ai.domain.run.effects import RunWorker
from supervisor_ai.domain.run.run import Decision, Run
from supervisor_ai.domain.run.values import Snapshot
from supervisor_ai.domain.structs import replace
from supervisor_ai.drivers.moves.deciders import StepDecider, one_at_a_time
from supervisor_ai.drivers.moves.state import Visit, WorkflowState
from supervisor_ai.drivers.moves.steps import go_on, perform
from supervisor_ai.drivers.quality.directives import Backlog, Directive, overdue
from supervisor_ai.drivers.quality.effects import TakeStock, for_attached
from supervisor_ai.drivers.quality.events import (
    DirectiveDropped,
    FindingsTaken,
    StandingRecord,
    StockTaken,
    SupervisorRan,
)
from supervisor_ai.drivers.quality.kinds import ATTACHED
from supervisor_ai.drivers.quality.looks import LookDesk, LookSite, decide_looks, place_of
from supervisor_ai.drivers.quality.supervisors import (
    LookMoment,
    Roster,
    SupervisorRecord,
    SupervisorSpec,
    is_due,
)
from supervisor_ai.drivers.quality.urgency import WEIGHTS, UrgencySignal, is_pulled_forward

_NOTHING: Final = "Nothing was committed."


class AttachedStep(Struct, frozen=True, kw_only=True):
    """What such a step pins."""

    specs: tuple[SupervisorSpec, ...]
    backlog: Backlog = field(default_factory=Backlog)
    moments: tuple[LookMoment, ...] = ()
    """What has come to pass where the run comes to it."""
    of_base: bool = False
    """Whether they look at what the run begins with, and it commits nothing itself."""
    is_one_task: bool = True
    """Whether the run does one task, so that what was sent back was sent back for it."""


def encode(step: AttachedStep) -> str:
    """Write down what a step pins."""
    return msgspec.json.encode(step).decode()


def particulars_of(at: Step) -> AttachedStep:
    """Read what a step has pinned."""
    return msgspec.json.decode(at.particulars, type=AttachedStep)


def _decide(run: Run, state: WorkflowState, at: Step, visit: Visit) -> Decision:
    own = particulars_of(at)
    commit = state.landed or (state.head.commit if own.of_base else None)
    if commit is None:
        skipped = e.StepSkipped(step=at.name, visit=visit.number, reason=_NOTHING)
        return go_on(state, at, skipped)
    stock = next((it for it in visit.notes if isinstance(it, StockTaken)), None)
    if stock is None:
        taking = TakeStock(
            step=at.name,
            visit=visit.number,
            commit=commit,
            specs=own.specs,
            setbacks=_setbacks(state) if own.is_one_task else 0,
        )
        return perform(run, state, taking)
    if drops := _drops(visit, own, stock):
        return Decision(events=drops)
    site = LookSite(run=run, flow=state, at=at, visit=visit)
    passed = e.StepPassed(step=at.name, visit=visit.number)
    return decide_looks(site, _desk(state, visit, own, stock)) or go_on(state, at, passed)


DECIDER: Final[StepDecider] = one_at_a_time(_decide)


def detached(definition: Definition) -> Definition:
    """Let nobody look in a run whose work others look at, once it is merged."""
    steps = definition.workflow.steps
    gone = {name: it for name, it in steps.items() if it.kind == ATTACHED}
    kept = {
        name: _past(it, gone[it.next]) if it.next in gone else it
        for name, it in steps.items()
        if name not in gone
    }
    return replace(definition, workflow=replace(definition.workflow, steps=kept))


def _past(step: Step, gone: Step) -> Step:
    return replace(step, next=gone.next, terminal=gone.terminal)


def _setbacks(state: WorkflowState) -> int:
    """Count how often somebody had to do work again."""
    known = state.definition.workflow.steps
    visits = [it.visits for name, it in state.steps.items() if known[name].kind == StepKind.ROLE]
    return max((it - 1 for it in visits), default=0)


def _drops(visit: Visit, own: AttachedStep, stock: StockTaken) -> tuple[DirectiveDropped, ...]:
    """Drop cleanup that is too old or too much, once; what this visit brings is not too old."""
    gone = {it.number for it in visit.notes if isinstance(it, DirectiveDropped)}
    pending = [*stock.pending, *_wanted(visit)]
    drops = overdue(
        [it for it in pending if it.number not in gone], own.backlog, tasks=stock.commits
    )
    return tuple(
        DirectiveDropped(step=visit.step, visit=visit.number, number=it.number, reason=it.reason)
        for it in drops
    )


def _wanted(visit: Visit) -> list[Directive]:
    looks = [it for it in visit.notes if isinstance(it, SupervisorRan)]
    return [directive for it in looks for directive in it.directives]


def _desk(state: WorkflowState, visit: Visit, own: AttachedStep, stock: StockTaken) -> LookDesk:
    roster = _roster(own, stock)
    looked = {it.supervisor for it in visit.notes if isinstance(it, SupervisorRan)}
    waiting = tuple(it for it in roster.specs if it.name not in looked and _is_due(it, own, stock))
    wanted = _wanted(visit)
    tip = Snapshot(commit=state.landed or stock.commit, tree=state.head.tree)

    def send(effect: RunWorker, spec: SupervisorSpec) -> RunWorker:
        return for_attached(effect, spec, stock)

    desk = LookDesk(
        roster=roster,
        summoned=tuple(it.name for it in waiting),
        kept=tip,
        completed=stock.commits,
        counted="1 commit" if stock.commits == 1 else f"{stock.commits} commits",
        directives=stock.newest + len(wanted),
        send=send,
        pending=(*stock.pending, *wanted),
    )
    if not waiting or waiting[0].lacks:
        return desk
    slot = place_of(roster, waiting[0])
    landed = state.news if isinstance(state.news, e.IntegrationLanded) else None
    return replace(
        desk,
        findings=_findings(visit, slot),
        landed=landed if landed is not None and landed.slot == slot else None,
    )


def _findings(visit: Visit, number: int) -> FindingsTaken | None:
    """Return what a supervisor found, now that its attempt has succeeded."""
    news = visit.slot(number).news
    if not isinstance(news, e.AttemptSucceeded):
        return None
    taken = (it for it in visit.notes if isinstance(it, FindingsTaken) and it.slot == number)
    return next((it for it in taken if it.attempt == news.attempt), None)


def _roster(own: AttachedStep, stock: StockTaken) -> Roster:
    records = {
        it.supervisor: SupervisorRecord(since=it.since, doublings=it.doublings, runs=it.runs)
        for it in stock.records
    }
    return Roster(specs=own.specs, records=records)


def _is_due(spec: SupervisorSpec, own: AttachedStep, stock: StockTaken) -> bool:
    """Tell whether a supervisor looks now: by its counter, by a moment, or by what went wrong."""
    known = {it.supervisor: it for it in stock.records}
    record = known.get(spec.name, StandingRecord(supervisor=spec.name))
    came = frozenset(own.moments) & frozenset(spec.moments)
    standing = SupervisorRecord(since=record.since, doublings=record.doublings, moments=came)
    urgency = record.setbacks * WEIGHTS[UrgencySignal.QA_FAILURE]
    return is_pulled_forward(urgency) or is_due(spec, standing)

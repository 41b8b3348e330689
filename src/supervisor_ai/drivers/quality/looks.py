"""The looks of quality supervisors at any step of any driver, one after the other."""

from collections.abc import Callable
from typing import Final

from msgspec import Struct

from supervisor_ai.domain.ids import ArtifactHash
from supervisor_ai.domain.run import events as e
from supervisor_ai.domain.run.definition import Step
from supervisor_ai.domain.run.effects import Effect, Integrate, RequestApproval, RunWorker, SetTimer
from supervisor_ai.domain.run.run import Decision, Run
from supervisor_ai.domain.run.status import FailureCategory
from supervisor_ai.domain.run.values import NO_USAGE, Snapshot, Usage
from supervisor_ai.domain.run.writable import Writable
from supervisor_ai.domain.structs import replace
from supervisor_ai.drivers.moves.attempts import base_of
from supervisor_ai.drivers.moves.slot_moves import Result, decide_slot
from supervisor_ai.drivers.moves.slots import Slot
from supervisor_ai.drivers.moves.state import Visit, WorkflowState
from supervisor_ai.drivers.moves.steps import perform
from supervisor_ai.drivers.quality.directives import Directive
from supervisor_ai.drivers.quality.events import FindingsTaken, SupervisorRan
from supervisor_ai.drivers.quality.look_facts import (
    BAD_FORM,
    NOT_NOW,
    LookPlace,
    missed_look,
    told_look,
)
from supervisor_ai.drivers.quality.supervisors import STORE, Roster, RunOutcome, SupervisorSpec

Send = Callable[[RunWorker, SupervisorSpec], RunWorker]
"""Tells a supervisor what its driver knows."""

_OF_FORM: Final = frozenset({FailureCategory.PARSING, FailureCategory.VALIDATION})
_NO_LANDING: Final = "What it wrote could not be put on the branch."


class LookDesk(Struct, frozen=True, kw_only=True):
    """What a driver knows where its supervisors look."""

    roster: Roster
    summoned: tuple[str, ...]
    """The supervisors that still have to look in this visit."""
    kept: Snapshot
    """The files as the run's branch has them."""
    completed: int
    """How many tasks, or commits, are behind them."""
    counted: str
    """The same in words: `3 tasks`."""
    directives: int
    """The number of the newest directive."""
    send: Send
    pending: tuple[Directive, ...] = ()
    findings: FindingsTaken | None = None
    """What the supervisor found whose look is not over yet."""
    landed: e.IntegrationLanded | None = None
    """What it put on the branch."""


class LookSite(Struct, frozen=True, kw_only=True):
    """The step at which supervisors look, in a visit to it."""

    run: Run
    flow: WorkflowState
    at: Step
    visit: Visit


def decide_looks(site: LookSite, desk: LookDesk) -> Decision | None:
    """Let the next supervisor look whose turn it is; None: all of them have looked."""
    waiting = [it for it in desk.roster.specs if it.name in desk.summoned]
    if not waiting:
        return None
    spec = waiting[0]
    if spec.lacks:
        return _recorded(missed(site.visit, desk, spec, RunOutcome.UNAVAILABLE, spec.lacks))
    slot = site.visit.slot(place_of(desk.roster, spec))
    if desk.findings is None:
        return _ask(site, desk, spec, slot)
    return _keep(site, desk, spec, slot) or _told(site, desk, spec, slot, desk.findings)


def place_of(roster: Roster, spec: SupervisorSpec) -> int:
    """Number the slot of a supervisor: its place among those for whom an agent can be had."""
    return [it.name for it in roster.specs if not it.lacks].index(spec.name) + 1


def missed(
    visit: Visit, desk: LookDesk, spec: SupervisorSpec, outcome: RunOutcome, reason: str
) -> SupervisorRan:
    """State that a supervisor found nothing that counts; the work goes on."""
    return missed_look(_place(visit, desk), spec, outcome, reason)


def _place(visit: Visit, desk: LookDesk) -> LookPlace:
    return LookPlace(
        step=visit.step,
        visit=visit.number,
        commit=desk.kept.commit,
        roster=desk.roster,
        completed=desk.completed,
        directives=desk.directives,
        pending=desk.pending,
    )


def _recorded(fact: SupervisorRan) -> Decision:
    return Decision(events=(fact,))


def _ask(site: LookSite, desk: LookDesk, spec: SupervisorSpec, slot: Slot) -> Decision:
    if isinstance(slot.news, e.AttemptFailed) and slot.news.category in _OF_FORM:
        return _gone(site, desk, spec, slot, BAD_FORM)
    found = decide_slot(site.run, site.flow, site.at, slot)
    if isinstance(found, Result):
        return _gone(site, desk, spec, slot, found.reason or NOT_NOW)
    if any(map(takes_too_long, found)):
        return _gone(site, desk, spec, slot, NOT_NOW)
    return perform(site.run, site.flow, *(_sent(desk, spec, it) for it in found))


def _gone(
    site: LookSite, desk: LookDesk, spec: SupervisorSpec, slot: Slot, reason: str
) -> Decision:
    outcome = RunOutcome.DISCARDED if reason == BAD_FORM else RunOutcome.UNAVAILABLE
    fact = missed(site.visit, desk, spec, outcome, reason)
    return _recorded(replace(fact, slot=slot.number, usage=_spent(slot)))


def takes_too_long(effect: Effect) -> bool:
    """Tell whether a person or the end of a usage limit would have to be waited for."""
    return isinstance(effect, RequestApproval) or (isinstance(effect, SetTimer) and effect.parks)


def _sent(desk: LookDesk, spec: SupervisorSpec, effect: Effect) -> Effect:
    """Show a supervisor the newest files, and let it write in its own folders alone."""
    if not isinstance(effect, RunWorker):
        return effect
    own = {f"{STORE}/{folder}": True for folder in spec.owns}
    bare = replace(
        effect,
        start=desk.kept.commit,
        context=(),
        plans=(),
        turn=0,
        turns=(),
        writable=Writable(everywhere=False, paths=own) if own else None,
        hears_directives=False,
    )
    return desk.send(bare, spec)


def _keep(site: LookSite, desk: LookDesk, spec: SupervisorSpec, slot: Slot) -> Decision | None:
    """Put what a supervisor wrote on the branch as a commit of its own; None: it is there."""
    run, flow = site.run, site.flow
    if isinstance(flow.news, e.IntegrationRefused) and flow.news.slot == slot.number:
        fact = missed(site.visit, desk, spec, RunOutcome.DISCARDED, _NO_LANDING)
        return _recorded(replace(fact, slot=slot.number, usage=_spent(slot)))
    if desk.landed is not None or not isinstance(slot.news, e.AttemptSucceeded):
        return None
    written = slot.news.snapshot
    if written.tree == desk.kept.tree:
        return None
    landing = Integrate(
        step=site.at.name,
        visit=site.visit.number,
        slot=slot.number,
        snapshot=written.commit,
        branch=run.birth.branch or "",
        base=base_of(run.birth).sha,
        expected=flow.landed,
        task=run.birth.task,
        subject=f"knowledge: {spec.title} after {desk.counted}",
        is_signed=flow.definition.git.sign_commits,
    )
    return perform(run, flow, landing)


def _told(
    site: LookSite, desk: LookDesk, spec: SupervisorSpec, slot: Slot, found: FindingsTaken
) -> Decision:
    """Record what a supervisor found, and what it wants done."""
    fact = told_look(_place(site.visit, desk), spec, found, _answer(slot))
    return _recorded(replace(fact, slot=slot.number, usage=_spent(slot)))


def _answer(slot: Slot) -> ArtifactHash | None:
    return slot.news.answer if isinstance(slot.news, e.AttemptSucceeded) else None


def _spent(slot: Slot) -> Usage:
    """Say what the attempt cost whose answer counts, or the one that failed last."""
    if isinstance(slot.news, e.AttemptSucceeded | e.AttemptFailed):
        return slot.news.usage
    return NO_USAGE

"""The node at which the quality supervisors look, one after the other."""

from typing import Final

from supervisor_ai.domain.run import events as e
from supervisor_ai.domain.run.definition import Step
from supervisor_ai.domain.run.effects import Effect, Integrate, RequestApproval, RunWorker, SetTimer
from supervisor_ai.domain.run.run import Decision, Run
from supervisor_ai.domain.run.status import FailureCategory
from supervisor_ai.domain.run.writable import Writable
from supervisor_ai.domain.structs import replace
from supervisor_ai.drivers.loop.decisions.ways import go_on_after_supervisors
from supervisor_ai.drivers.loop.effects import for_supervisor
from supervisor_ai.drivers.loop.state import LoopState
from supervisor_ai.drivers.moves.attempts import base_of
from supervisor_ai.drivers.moves.slot_moves import Result, decide_slot
from supervisor_ai.drivers.moves.state import Visit
from supervisor_ai.drivers.moves.steps import perform
from supervisor_ai.drivers.quality.directives import numbered
from supervisor_ai.drivers.quality.events import FindingsTaken, SupervisorRan
from supervisor_ai.drivers.quality.supervisors import (
    STORE,
    RunOutcome,
    SupervisorSpec,
    is_converging,
)

_OF_FORM: Final = frozenset({FailureCategory.PARSING, FailureCategory.VALIDATION})
_NOT_NOW: Final = "Its model cannot be had now."
_BAD_FORM: Final = "Its answer had not the required form."
_NO_LANDING: Final = "What it wrote could not be put on the branch."


def decide_supervision(run: Run, state: LoopState, at: Step, visit: Visit) -> Decision:
    """Let the next supervisor look whose turn it is; after the last one, go on."""
    waiting = [it for it in state.rules.supervisors if it.name in state.summoned]
    if not waiting:
        return go_on_after_supervisors(state, visit)
    spec = waiting[0]
    if state.findings is not None:
        return _keep(run, state, at, visit, spec) or _told(state, visit, spec, state.findings)
    return _ask(run, state, at, visit, spec)


def _place(at: Step, spec: SupervisorSpec) -> int:
    """Number the slot of a supervisor."""
    return at.crew.index(spec.role) + 1


def _ask(run: Run, state: LoopState, at: Step, visit: Visit, spec: SupervisorSpec) -> Decision:
    slot = visit.slot(_place(at, spec))
    if isinstance(slot.news, e.AttemptFailed) and slot.news.category in _OF_FORM:
        return _missed(state, visit, spec, RunOutcome.DISCARDED, _BAD_FORM)
    found = decide_slot(run, state.flow, at, slot)
    if isinstance(found, Result):
        return _missed(state, visit, spec, RunOutcome.UNAVAILABLE, found.reason or _NOT_NOW)
    if any(map(_takes_too_long, found)):
        return _missed(state, visit, spec, RunOutcome.UNAVAILABLE, _NOT_NOW)
    return perform(run, state.flow, *(_sent(state, spec, it) for it in found))


def _takes_too_long(effect: Effect) -> bool:
    """Tell whether a person or the end of a usage limit would have to be waited for."""
    return isinstance(effect, RequestApproval) or (isinstance(effect, SetTimer) and effect.parks)


def _sent(state: LoopState, spec: SupervisorSpec, effect: Effect) -> Effect:
    """Show a supervisor the newest files, and let it write in its own folders alone."""
    if not isinstance(effect, RunWorker):
        return effect
    looks = [it for it in state.book.supervisor_run_log if it.supervisor == spec.name]
    last = next((it for it in reversed(looks) if it.findings is not None), None)
    own = {f"{STORE}/{folder}": True for folder in spec.owns}
    bare = replace(
        effect,
        start=state.kept.commit,
        context=(),
        plans=(),
        turn=0,
        turns=(),
        writable=Writable(everywhere=False, paths=own) if own else None,
    )
    return for_supervisor(bare, state.book, spec, last)


def _keep(
    run: Run, state: LoopState, at: Step, visit: Visit, spec: SupervisorSpec
) -> Decision | None:
    """Put what a supervisor wrote on the branch as a commit of its own; None: it is there."""
    if isinstance(state.flow.news, e.IntegrationRefused):
        return _missed(state, visit, spec, RunOutcome.DISCARDED, _NO_LANDING)
    if state.landed is None and state.flow.head.tree != state.kept.tree:
        landing = Integrate(
            step=at.name,
            visit=visit.number,
            slot=_place(at, spec),
            snapshot=state.flow.head.commit,
            branch=run.birth.branch or "",
            base=base_of(run.birth).sha,
            expected=state.flow.landed,
            task=run.birth.task,
            subject=f"knowledge: {spec.title} after {_count(state.book.completed)}",
            is_signed=state.flow.definition.git.sign_commits,
        )
        return perform(run, state.flow, landing)
    return None


def _count(tasks: int) -> str:
    return "1 task" if tasks == 1 else f"{tasks} tasks"


def _missed(
    state: LoopState, visit: Visit, spec: SupervisorSpec, outcome: RunOutcome, reason: str
) -> Decision:
    """Record that a supervisor found nothing that counts; the loop goes on."""
    fact = SupervisorRan(
        step=visit.step,
        visit=visit.number,
        supervisor=spec.name,
        title=spec.title,
        outcome=outcome,
        after=state.book.completed,
        commit=state.kept.commit,
        reason=reason,
    )
    return Decision(events=(fact,))


def _told(state: LoopState, visit: Visit, spec: SupervisorSpec, found: FindingsTaken) -> Decision:
    """Record what a supervisor found, and what it wants done."""
    book = state.book
    runs = book.roster.record(spec.name).runs
    pending = {it.text for it in book.pending_directives}
    # What is wanted already is not wanted twice.
    wanted = [it for it in found.directives if it.text not in pending]
    fact = SupervisorRan(
        step=visit.step,
        visit=visit.number,
        supervisor=spec.name,
        title=spec.title,
        outcome=found.outcome,
        after=book.completed,
        commit=state.kept.commit,
        directives=numbered(
            wanted, source=spec.name, first=book.directives + 1, since=book.completed
        ),
        updated=found.updated,
        refused=found.refused,
        reviews=found.reviews,
        novel=found.novel,
        total=found.total,
        is_converging=is_converging(runs, novel=found.novel, total=found.total),
        findings=state.answer,
    )
    return Decision(events=(fact,))

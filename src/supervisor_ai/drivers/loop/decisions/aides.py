"""Asking aides: to answer the questions of others, and to sum up what is long over."""

from supervisor_ai.domain.run.definition import Step
from supervisor_ai.domain.run.effects import RunWorker
from supervisor_ai.domain.run.run import Decision, Run
from supervisor_ai.domain.structs import replace
from supervisor_ai.drivers.loop import events as k
from supervisor_ai.drivers.loop.effects import for_loop
from supervisor_ai.drivers.loop.kinds import SUMMARIZER
from supervisor_ai.drivers.loop.state import LoopState
from supervisor_ai.drivers.loop.window import is_summary_due, long_over
from supervisor_ai.drivers.moves.slot_moves import Effects, Result, decide_slot
from supervisor_ai.drivers.moves.slots import Slot
from supervisor_ai.drivers.moves.state import Visit
from supervisor_ai.drivers.moves.steps import perform
from supervisor_ai.drivers.quality.look_facts import NOT_NOW
from supervisor_ai.drivers.quality.looks import takes_too_long


def decide_research(run: Run, state: LoopState, at: Step, visit: Visit) -> Decision:
    """Let the questions be answered that whoever scopes or plans has asked."""
    slot = visit.slot(len(at.crew))
    found = decide_slot(run, state.flow, at, slot)
    reason = _missed(found)
    if not reason:
        return _sent(run, state, found)
    fact = k.ResearchMissed(step=at.name, visit=visit.number, slot=slot.number, reason=reason)
    return Decision(events=(fact,))


def decide_summary(run: Run, state: LoopState, at: Step, visit: Visit) -> Decision | None:
    """Let what is long over be summed up before anybody reads it; None: that need not be."""
    done = len(state.book.done_list)
    if SUMMARIZER not in at.crew or not is_summary_due(state.book.rolled_up, done):
        return None
    slot: Slot = visit.slot(len(at.crew))
    found = decide_slot(run, state.flow, at, slot)
    reason = _missed(found)
    if not reason:
        return _sent(run, state, found)
    fact = k.SummaryMissed(
        step=at.name,
        visit=visit.number,
        slot=slot.number,
        tasks=long_over(done),
        reason=reason,
    )
    return Decision(events=(fact,))


def _missed(found: Result | Effects) -> str:
    """Say why an aide brings nothing; an answer that counts was taken in when it came."""
    if isinstance(found, Result):
        return found.reason or NOT_NOW
    return NOT_NOW if any(map(takes_too_long, found)) else ""


def _sent(run: Run, state: LoopState, found: Result | Effects) -> Decision:
    effects = () if isinstance(found, Result) else found
    return perform(
        run,
        state.flow,
        *(_told(state, it) if isinstance(it, RunWorker) else it for it in effects),
    )


def _told(state: LoopState, effect: RunWorker) -> RunWorker:
    """Tell an aide what it is asked, and nothing of what others answered."""
    bare = replace(effect, context=(), plans=(), feedback=(), turn=0, turns=())
    bare = replace(bare, hears_directives=False, start=state.kept.commit)
    return for_loop(bare, state.book, state.kept.commit)

"""What becomes of directives by itself: people's wishes, and what is too old or too much."""

from collections.abc import Iterable
from typing import Final

from supervisor_ai.domain.run import events as e
from supervisor_ai.domain.run.run import Decision, Run
from supervisor_ai.drivers.loop.decisions.outcomes import drops_of_age
from supervisor_ai.drivers.loop.signals import LoopWish
from supervisor_ai.drivers.loop.state import LoopState
from supervisor_ai.drivers.moves.state import Visit, current_visit
from supervisor_ai.drivers.quality.directives import Drop, DropReason, numbered
from supervisor_ai.drivers.quality.events import DirectiveAdded, DirectiveDropped

BY_PERSON: Final = "person"
"""The source of what people want done."""


def decide_wishes(state: LoopState, run: Run) -> Decision | None:
    """Record what people said about directives, and what is dropped; None: nothing of it."""
    visit = current_visit(state.flow)
    if state.wishes:
        if any(isinstance(it, e.SignalAwaited) for it in run.open.values()):
            return Decision(events=(e.SignalHeard(step=visit.step, visit=visit.number),))
        return Decision(events=(_wished(state, visit, state.wishes[0]),))
    drops = drops_of_age(state.book, state.rules)
    return Decision(events=dropped(visit, drops)) if drops else None


def dropped(visit: Visit, drops: Iterable[Drop]) -> tuple[DirectiveDropped, ...]:
    """Make the facts of what is dropped."""
    return tuple(
        DirectiveDropped(step=visit.step, visit=visit.number, number=it.number, reason=it.reason)
        for it in drops
    )


def _wished(state: LoopState, visit: Visit, wish: LoopWish) -> DirectiveAdded | DirectiveDropped:
    if wish.add is None:
        return DirectiveDropped(
            step=visit.step,
            visit=visit.number,
            number=wish.drop or 0,
            reason=DropReason.PERSON,
        )
    book = state.book
    (directive,) = numbered(
        (wish.add,), source=BY_PERSON, first=book.directives + 1, since=book.completed
    )
    return DirectiveAdded(step=visit.step, visit=visit.number, directive=directive)

"""A look of a run that only waits: one that brings nothing new costs no more than its next timer.

Intents are recorded before deeds so that nothing is done twice. A look changes nothing: it may be
taken before its intent, and where nothing follows from it there is nothing to record.
"""

import asyncio

from msgspec import Struct

from supervisor_ai.domain.ids import TimerName
from supervisor_ai.domain.run import events as e
from supervisor_ai.domain.run import run as machine
from supervisor_ai.domain.run.effects import LookEffect, OperationEffect, SetTimer, timer_intent
from supervisor_ai.domain.run.operations import operation_key
from supervisor_ai.domain.run.run import Decision
from supervisor_ai.domain.run.status import RunStatus
from supervisor_ai.engine.journal import Journal
from supervisor_ai.engine.world import Operation, Ownership, Performer, World


class Sight(Struct, frozen=True, kw_only=True):
    """What a look brought, and the timer that it was waited for with."""

    look: LookEffect
    timer: TimerName
    outcome: e.RunEvent

    @property
    def next_wait(self) -> SetTimer | None:
        """Return for how long to wait on; None where there is news."""
        if self.look.again is None or not self.look.is_known(self.outcome):
            return None
        return SetTimer(timer=self.timer, after=self.look.again, parks=True)


async def look_quietly(journal: Journal, world: World, perform: Performer) -> Sight | None:
    """Look before anything is recorded; None where there is more to do than to look."""
    wanted = _wanted(journal, world)
    if wanted is None:
        return None
    look, timer = wanted
    doing = asyncio.ensure_future(perform(look, _operation(journal, world, look)))
    try:
        if not await _is_done(doing, journal, world):
            return None
        return Sight(look=look, timer=timer, outcome=doing.result())
    finally:
        doing.cancel()
        await asyncio.gather(doing, return_exceptions=True)


def wait_on(journal: Journal, world: World, again: SetTimer) -> None:
    """Record that the run waits on, and nothing else."""
    journal.record(timer_intent(again, now=world.clock.now()))


def recalling(sight: Sight, perform: Performer) -> Performer:
    """Let what was just seen be told, instead of looking for it again."""
    told = [sight]

    async def does(effect: OperationEffect, operation: Operation) -> e.RunEvent:
        if told and effect == told[0].look:
            return told.pop().outcome
        return await perform(effect, operation)

    return does


def _wanted(journal: Journal, world: World) -> tuple[LookEffect, TimerName] | None:
    """Ask the driver what it would do if the timer fired; only a look may be taken ahead."""
    run, now = journal.run, world.clock.now()
    due = [timer for timer in run.timers.values() if timer.due <= now]
    is_waiting = run.status is RunStatus.WAITING and not run.open
    if not is_waiting or len(due) != 1 or world.inbox.pending(run.id):
        return None
    trial = journal.playback.copy()
    trial.apply(e.TimerFired(timer=due[0].timer))
    for fact in machine.settle(trial.run):
        trial.apply(fact)
    match trial.decide():
        case Decision(events=(), effects=(LookEffect() as look,), ending=None) if look.again:
            return look, due[0].timer
        case _:
            return None


def _operation(journal: Journal, world: World, look: LookEffect) -> Operation:
    return Operation(
        world=world,
        run=journal.run.id,
        identity=journal.run.birth.identity,
        key=operation_key(journal.run.id, look.intent()),
        epoch=journal.lease.epoch,
        intended_at=world.clock.now(),
        record=journal.record,
    )


async def _is_done(doing: asyncio.Future[e.RunEvent], journal: Journal, world: World) -> bool:
    """Stay the owner until the look is over; a command of a person goes before it."""
    ownership = Ownership(world, journal.lease)
    seconds = world.timing.poll.total_seconds()
    while not doing.done():
        await asyncio.wait((doing,), timeout=seconds)
        ownership.keep()
        if world.inbox.pending(journal.run.id):
            return False
    return True

"""Taking a run over: what was under way is ended or found, and nothing is started."""

from typing import Protocol

from supervisor_ai.domain.ids import EffectKey
from supervisor_ai.domain.run import events as e
from supervisor_ai.domain.run.operations import UnderWay, operation_key
from supervisor_ai.engine.consent import is_cancelled
from supervisor_ai.engine.effects.remains import keep_lost
from supervisor_ai.engine.journal import Journal
from supervisor_ai.engine.world import World


class Recovery(Protocol):
    """Settles the operations that an earlier owner left open."""

    async def __call__(self, journal: Journal, world: World, /) -> None:
        """Stage a fact for each; doing it twice is the same as once."""
        ...


async def recover(journal: Journal, world: World) -> None:
    """Settle every operation that has an intent and no outcome."""
    await world.sandbox.reap(f"{journal.run.id}/", before=journal.lease.epoch)
    if any(isinstance(it, e.AttemptStarted) for it in journal.run.open.values()):
        world.doors.remove_left(journal.run.id)
    for intent in tuple(journal.run.open.values()):
        journal.stage(*await _settle(journal, world, intent))


async def _settle(journal: Journal, world: World, intent: UnderWay) -> tuple[e.RunEvent, ...]:
    match intent:
        case e.AttemptStarted():
            # What can be kept of an attempt is kept; what cannot be is said, and is no obstacle.
            run = journal.run.id
            is_ending = is_cancelled(world, run)
            kept, left_out = await keep_lost(world, run, intent, is_ending=is_ending)
            return (*left_out, intent.lost(kept))
        case e.IntegrationStarted():
            return (await _find(world, intent, operation_key(journal.run.id, intent)),)
        case e.OperationStarted():
            return (intent.lost(),)
        case _:
            return ()


async def _find(
    world: World, started: e.IntegrationStarted, key: EffectKey
) -> e.IntegrationLanded | e.IntegrationLost:
    """Look on the branch whether the snapshot has landed."""
    found = await world.workspaces.find_landed(started.branch, key)
    if found is None:
        return started.lost()
    return e.IntegrationLanded(
        step=started.step,
        visit=started.visit,
        slot=started.slot,
        commit=found.commit,
        tree=found.tree,
    )

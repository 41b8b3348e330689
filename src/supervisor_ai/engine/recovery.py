"""Taking a run over: what was under way is ended or found, and nothing is started."""

from typing import Protocol

from supervisor_ai.domain.ids import RunId
from supervisor_ai.domain.run import events as e
from supervisor_ai.domain.run.effects import Intent, operation_key
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
    for intent in tuple(journal.run.open.values()):
        journal.stage(*await _settle(journal, world, intent))


async def _settle(journal: Journal, world: World, intent: Intent) -> tuple[e.RunEvent, ...]:
    if isinstance(intent, e.AttemptStarted):
        return await _lose(journal.run.id, world, intent)
    settled = await _find(journal, world, intent)
    return () if settled is None else (settled,)


async def _lose(run: RunId, world: World, started: e.AttemptStarted) -> tuple[e.RunEvent, ...]:
    """Keep what can be kept of an attempt; what cannot be is said, and is no obstacle."""
    kept, left_out = await keep_lost(world, run, started)
    lost = e.AttemptLost(
        step=started.step,
        visit=started.visit,
        slot=started.slot,
        attempt=started.attempt,
        kept=kept,
    )
    return (*left_out, lost)


async def _find(journal: Journal, world: World, intent: Intent) -> e.RunEvent | None:
    run = journal.run.id
    key = operation_key(run, intent)
    match intent:
        case e.GateStarted():
            return e.GateLost(
                step=intent.step, visit=intent.visit, slot=intent.slot, gate=intent.gate
            )
        case e.IntegrationStarted():
            found = await world.workspaces.find_landed(intent.branch, key)
            if found is None:
                return e.IntegrationLost(step=intent.step, visit=intent.visit, slot=intent.slot)
            return e.IntegrationLanded(
                step=intent.step,
                visit=intent.visit,
                slot=intent.slot,
                commit=found.commit,
                tree=found.tree,
            )
        case e.PullRequestStarted():
            return e.PullRequestLost(step=intent.step, visit=intent.visit, slot=intent.slot)
        case e.KanbanReadStarted():
            return e.KanbanReadLost(step=intent.step, visit=intent.visit, slot=intent.slot)
        case e.KanbanSaveStarted():
            return e.KanbanSaveLost(step=intent.step, visit=intent.visit, slot=intent.slot)
        case _:
            return None

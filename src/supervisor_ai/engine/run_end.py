"""The end of a run: keep what was made, give back what was taken, tell whom it concerns."""

from contextlib import suppress

from supervisor_ai.domain.errors import Unavailable
from supervisor_ai.domain.ids import RunId
from supervisor_ai.domain.project.events import PermitFreed
from supervisor_ai.domain.run import events as e
from supervisor_ai.domain.run.run import Ending, cancel_operation, ending_event
from supervisor_ai.domain.run.status import ENDED
from supervisor_ai.engine.child_runs import cancel_child, report_to_parent
from supervisor_ai.engine.effects.owed_notices import owe_notice
from supervisor_ai.engine.effects.remains import keep_lost
from supervisor_ai.engine.journal import Journal
from supervisor_ai.engine.world import World


async def close_run(journal: Journal, world: World, ending: Ending) -> None:
    """Record the end of a run whose deeds are done or stopped."""
    await _keep_unfinished(journal, world)
    for intent in tuple(journal.run.open.values()):
        stopped = cancel_operation(intent)
        if stopped is not None:
            journal.stage(stopped)
    for child, status in journal.run.children.items():
        if status not in ENDED:
            cancel_child(journal, child, now=world.clock.now())
    for permit in journal.run.permits:
        journal.stage_project(PermitFreed(permit=permit, run=journal.run.id))
    journal.set_free()
    report_to_parent(journal, ending, now=world.clock.now())
    journal.stage(ending_event(ending))
    owe_notice(journal, world)
    journal.commit()
    await tidy(world, journal.run.id)


async def tidy(world: World, run: RunId) -> None:
    """Remove what an ended run needs no more; what cannot be removed changes nothing about it.

    It is listed with the workspaces, and removing it there says what is in the way.
    """
    with suppress(Unavailable):
        await world.workspaces.forget(run)


async def _keep_unfinished(journal: Journal, world: World) -> None:
    """Keep what stopped workers had written so far; what cannot be kept keeps no run alive."""
    run = journal.run.id
    for intent in tuple(journal.run.open.values()):
        if isinstance(intent, e.AttemptStarted):
            _, left_out = await keep_lost(world, run, intent, is_ending=True)
            journal.stage(*left_out)

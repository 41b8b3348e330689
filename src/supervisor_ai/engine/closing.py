"""The end of a run: keep what was made, give back what was taken, tell whom it concerns."""

from supervisor_ai.domain.project.events import PermitFreed
from supervisor_ai.domain.run import events as e
from supervisor_ai.domain.run.effects import operation_key
from supervisor_ai.domain.run.run import Ending, cancel_operation, ending_event
from supervisor_ai.domain.run.status import ENDED
from supervisor_ai.engine.effects.worker import attempt_ref
from supervisor_ai.engine.family import cancel_child, report_to_parent
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
    journal.commit()
    await world.workspaces.forget(journal.run.id)


async def _keep_unfinished(journal: Journal, world: World) -> None:
    """Keep what stopped workers had written so far."""
    run = journal.run.id
    for intent in journal.run.open.values():
        if isinstance(intent, e.AttemptStarted):
            key, ref = operation_key(run, intent), attempt_ref(run, intent)
            await world.workspaces.keep_lost(run, key, ref=ref, at=world.clock.now())

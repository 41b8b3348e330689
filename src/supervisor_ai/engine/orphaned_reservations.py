"""What runs have set aside that nobody drives any more."""

from supervisor_ai.domain.errors import Busy
from supervisor_ai.domain.ids import RunId
from supervisor_ai.engine.journal import Journal
from supervisor_ai.engine.world import World


def free_the_dead(journal: Journal, world: World) -> bool:
    """Give back what dead owners have left set aside; tell whether there was anything.

    Only who can take a run knows that nobody has it. Its next owner finds the attempt lost.
    """
    holders = {key.partition("/")[0] for key in journal.project.refresh().spending.reservations}
    others = [RunId(run) for run in sorted(holders - {journal.run.id})]
    deserted = [run for run in others if _free(journal, world, run)]
    return bool(deserted)


def _free(journal: Journal, world: World, run: RunId) -> bool:
    process = world.processes.current()
    try:
        lease = world.leases.acquire(
            run, owner=journal.lease.owner, process=process, ttl=world.timing.lease
        )
    except Busy:
        return False
    try:
        journal.abandon(run)
    finally:
        world.leases.release(lease)
    return True

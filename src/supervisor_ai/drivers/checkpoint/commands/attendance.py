"""Serving a session alone: who serves its supervisor in the foreground, for as long as it does."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from typing import Final

from supervisor_ai.control.project import OpenProject
from supervisor_ai.control.records import served_place
from supervisor_ai.domain.errors import Busy
from supervisor_ai.domain.ids import SessionId

_AS_LONG_AS_IT_LIVES: Final = timedelta(days=3650)


@contextmanager
def serving(project: OpenProject, session: SessionId) -> Iterator[None]:
    """Be the only process that serves the session's supervisor; raises Busy, naming the other one.

    A supervisor that waits is owned by nobody, so that whoever hears a message first goes on with
    it. Two that wait for the same one would do each other no harm, but neither would be told of it.
    """
    place, process = served_place(session), project.world.processes.current()
    try:
        lease = project.world.leases.acquire(
            place,
            owner=f"{project.actor.id} (process {process.pid})",
            process=process,
            ttl=_AS_LONG_AS_IT_LIVES,
        )
    except Busy as busy:
        raise _served(project, session) from busy
    try:
        yield
    finally:
        project.world.leases.release(lease)


def _served(project: OpenProject, session: SessionId) -> Busy:
    owner = project.records.queries.owner(served_place(session))
    by = owner.owner if owner is not None else "another process"
    return Busy(
        f"Session {session!r} is served already, by {by}.",
        hint=f"Ask it for a checkpoint: supervisor checkpoint request {session} CHECKPOINT-001 …; "
        "to serve it here, end the other one first.",
    )

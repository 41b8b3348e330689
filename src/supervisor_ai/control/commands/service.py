"""Service: the resident process that drives whatever is due."""

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import Protocol

from msgspec import Struct

from supervisor_ai.control.commands.run_execution import drive_run, tell_due, telling
from supervisor_ai.control.project import OpenProject
from supervisor_ai.control.records import SERVICE_LOCK
from supervisor_ai.control.run_views import RunView, show_run
from supervisor_ai.control.sessions.folder.folder_watch import following
from supervisor_ai.control.settings import NO_SANDBOX
from supervisor_ai.domain.errors import SupervisorError, Unavailable
from supervisor_ai.domain.ids import RunId
from supervisor_ai.engine.dispatch import Shift
from supervisor_ai.engine.drive import DriveResult
from supervisor_ai.tools.file_lock import held


class Attendant(Protocol):
    """Hears what the resident process does."""

    def driven(self, run: RunView) -> None:
        """Hear that a run was driven as far as it goes now."""
        ...

    def failed(self, run: RunId, error: SupervisorError) -> None:
        """Hear that a run could not be driven."""
        ...


class Service(Struct, frozen=True, kw_only=True):
    """How many runs are driven at a time, and whether to stay when nothing is due."""

    limit: int
    stays: bool


async def serve(project: OpenProject, service: Service, attendant: Attendant) -> None:
    """Wake timers, queued runs and runs without an owner, until told to stop."""

    async def drive(run: RunId) -> DriveResult:
        result = await drive_run(project, run)
        attendant.driven(show_run(project.records, run))
        return result

    shift = Shift(
        limit=service.limit,
        serves=_served(project),
        is_over=lambda is_idle: is_idle and not service.stays,
        failed=attendant.failed,
    )
    await tell_due(project)
    async with telling(project), following(project, shift.serves):
        with _announced(project.records.ledger) if service.stays else nullcontext():
            await project.dispatcher.serve(drive, shift)


@contextmanager
def _announced(ledger: Path) -> Iterator[None]:
    """Show other processes that a `serve` lives; several of them share the lock."""
    path = ledger.parent / SERVICE_LOCK
    try:
        path.parent.mkdir(mode=0o700, exist_ok=True)
        # A link that came with the repository may lead anywhere.
        place = os.open(path.parent, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
        try:
            flags = os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC
            descriptor = os.open(path.name, flags, 0o600, dir_fd=place)
        finally:
            os.close(place)
    except OSError as error:
        raise Unavailable(
            f"The file {str(path)!r} cannot be locked: {error.strerror}.",
            hint="Make the directory writable for you and try again.",
        ) from error
    with held(descriptor, is_shared=True):
        yield


def _served(project: OpenProject) -> Callable[[RunId], bool]:
    """Leave runs alone that want no sandbox where that is not allowed."""
    if project.preflight.policy.allows_unsandboxed:
        return lambda run: True
    return lambda run: project.birth(run).sandbox != NO_SANDBOX

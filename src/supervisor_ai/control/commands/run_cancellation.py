"""Cancel a run: ask its owner to stop, or stop it here."""

from datetime import timedelta
from typing import Final

from supervisor_ai.control.commands.run_execution import drive_family
from supervisor_ai.control.ports.queries import RunRow
from supervisor_ai.control.project import OpenProject
from supervisor_ai.control.run_views import RunView, show_run
from supervisor_ai.domain.errors import Busy, Conflict
from supervisor_ai.domain.ids import LetterKey, RunId
from supervisor_ai.domain.run.inbox_commands import Cancel, InboxCommand
from supervisor_ai.domain.run.status import ENDED, RunStatus

_PATIENCE: Final = timedelta(seconds=5)
_LOOK: Final = 0.1


async def cancel(project: OpenProject, name: str, *, reason: str | None = None) -> RunView:
    """Ask a run's owner to stop it and wait a little; without an owner, stop it here.

    Driving an unowned run that a cancellation waits for can only end it.
    """
    row = project.records.find(name)
    if row.status is not RunStatus.CANCELLED:
        require_cancellable(row)
        project.world.inbox.put(_letter(project, row.id, reason))
        await _stop(project, row.id)
    return show_run(project.records, row.id)


def require_cancellable(row: RunRow) -> None:
    """Refuse to stop what has ended by itself."""
    if row.status in ENDED and row.status is not RunStatus.CANCELLED:
        raise Conflict(f"Run {row.id!r} cannot be cancelled: it is {row.status.value} already.")


async def _stop(project: OpenProject, run: RunId) -> None:
    owner = project.records.queries.owner(run)
    if owner is None or not owner.is_alive:
        try:
            await drive_family(project, run)
        except Busy:
            owner = project.records.queries.owner(run)
        else:
            return
    await _wait_for_owner(project, run)


async def _wait_for_owner(project: OpenProject, run: RunId) -> None:
    clock = project.world.clock
    deadline = clock.boottime() + _PATIENCE.total_seconds()
    while clock.boottime() < deadline:
        row = project.records.queries.run(run)
        if row is None or row.status in ENDED:
            return
        await clock.sleep(_LOOK)


def _letter(project: OpenProject, run: RunId, reason: str | None) -> InboxCommand:
    return InboxCommand(
        key=LetterKey(f"cancel:{run}"),
        run=run,
        command=Cancel(reason=project.keep(reason) if reason else None),
        actor=project.actor,
        sent_at=project.world.clock.now(),
    )

"""Restore kept work to a branch or a directory, without touching the checkout."""

from collections.abc import Callable
from functools import partial
from itertools import count
from pathlib import Path

from msgspec import Struct

from supervisor_ai.control.ports.workspace_inventory import KeptWork
from supervisor_ai.control.queries.workspaces import WorkspaceRecords, find_work
from supervisor_ai.control.run_views import MutationView
from supervisor_ai.domain.errors import Conflict


class Restoration(Struct, frozen=True, kw_only=True):
    """Which work goes where: to a branch, whose name may be left to us, or to a directory."""

    name: str
    branch: str | None = None
    directory: Path | None = None


def restore(
    room: WorkspaceRecords, restoration: Restoration, *, dry_run: bool = False
) -> MutationView:
    """Make a branch at the kept commit, or write its files into a directory."""
    work = find_work(room, restoration.name)
    if restoration.directory is not None:
        return _export(room, work, restoration.directory, dry_run=dry_run)
    if dry_run:
        branch = _choose_branch(restoration.branch, work, room.inventory.can_make_branch)
        return _told(branch, f"Would make the branch at {work.commit}.", dry_run=True)
    make = partial(room.inventory.make_branch, commit=work.commit)
    branch = _choose_branch(restoration.branch, work, make)
    detail = f"The branch stands at {work.commit}, the work of {work.ref}."
    return _told(branch, detail)


def _export(
    room: WorkspaceRecords, work: KeptWork, directory: Path, *, dry_run: bool
) -> MutationView:
    if dry_run:
        room.inventory.check_place(directory)
        return _told(str(directory), f"Would write the files of {work.ref}.", dry_run=True)
    room.inventory.export(work.commit, directory)
    return _told(str(directory), f"The directory holds the files of {work.ref}.")


def _choose_branch(wanted: str | None, work: KeptWork, is_had: Callable[[str], bool]) -> str:
    """Return the name that is wanted or else the first that can be had."""
    if wanted is not None:
        if not is_had(wanted):
            raise Conflict(
                f"There is a branch {wanted!r} already.", hint="Name another with --branch."
            )
        return wanted
    names = (f"restored/{work.place.run}-{work.place.step}-{number}" for number in count(1))
    return next(filter(is_had, names))


def _told(target: str, detail: str, *, dry_run: bool = False) -> MutationView:
    return MutationView(target=target, applied=not dry_run, dry_run=dry_run, detail=detail)

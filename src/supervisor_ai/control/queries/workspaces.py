"""Workspaces and kept work, listed and shown."""

from collections.abc import Sequence
from contextlib import suppress
from datetime import datetime
from enum import StrEnum
from pathlib import Path
from typing import Final

from msgspec import Struct

from supervisor_ai.control.ports.workspace_inventory import (
    ExpiredWork,
    FileChange,
    Inventory,
    KeptStanding,
    KeptWork,
    LeftDirectory,
)
from supervisor_ai.control.records import Records, unknown_run
from supervisor_ai.domain.errors import InvalidInput, NotFound, SupervisorError
from supervisor_ai.domain.ids import CommitSha, RunId, StepName
from supervisor_ai.domain.run.status import ENDED
from supervisor_ai.engine.ports.clock import Clock
from supervisor_ai.engine.ports.workspaces import Workspaces

_PREFIX: Final = "refs/supervisor/"
_SHORTEST: Final = 4
_SHOWN: Final = 5
_LIST: Final = "List what there is: supervisor workspace list"


class Use(StrEnum):
    """Whether anybody needs a run's directories."""

    IN_USE = "in_use"
    """A living process drives the run."""
    UNFINISHED = "unfinished"
    """The run has not ended; who goes on with it settles what is in them."""
    LEFT = "left"
    """The run has ended, or the ledger does not know it."""


class WorkspaceRecords(Struct, frozen=True, kw_only=True):
    """A project's workspaces and, if there is a ledger, what is known of their runs."""

    inventory: Inventory
    workspaces: Workspaces
    records: Records | None
    clock: Clock

    def use(self, run: RunId) -> Use:
        """Tell whether anybody needs the run's directories."""
        if self.records is None:
            return Use.LEFT
        owner = self.records.queries.owner(run)
        if owner is not None and owner.is_alive:
            return Use.IN_USE
        row = self.records.queries.run(run)
        return Use.LEFT if row is None or row.status in ENDED else Use.UNFINISHED

    def steps(self, run: RunId) -> Sequence[StepName]:
        """Return the steps that the run has visited."""
        if self.records is None:
            return ()
        return [row.step for row in self.records.queries.steps(run)]

    def find_run(self, name: str) -> RunId:
        """Find a run by its name or the beginning of it; the ledger need not know it."""
        if self.records is not None:
            with suppress(NotFound):
                return self.records.find(name).id
        known = {it.run for it in self.inventory.runs()}
        if name in known or name in {it.place.run for it in self.inventory.works()}:
            return RunId(name)
        raise unknown_run(name)


class DirectoryView(Struct, frozen=True, kw_only=True):
    """A workspace that exists now."""

    directory: str
    run: RunId
    step: StepName | None
    visit: int | None
    slot: int | None
    attempt: int | None
    use: Use
    dirty: bool
    size: int
    since: datetime


class WorkView(Struct, frozen=True, kw_only=True):
    """Work that a ref keeps."""

    ref: str
    run: RunId
    step: StepName | None
    visit: int | None
    slot: int | None
    attempt: int | None
    commit: CommitSha
    start: CommitSha | None
    at: datetime
    files: int
    standing: KeptStanding
    holder: str | None


class WorkspaceList(Struct, frozen=True, kw_only=True):
    """The newest directories and the newest kept work, and how much there is in all."""

    directories: tuple[DirectoryView, ...]
    works: tuple[WorkView, ...]
    total: int
    expired: tuple[ExpiredWork, ...] = ()
    """The newest refs that went after the time for which the user keeps them."""
    expired_total: int = 0

    @property
    def is_truncated(self) -> bool:
        """Tell whether there is more than is shown."""
        return self.total > len(self.directories) + len(self.works)


class WorkspaceView(Struct, frozen=True, kw_only=True):
    """One directory or one piece of kept work, file by file."""

    found: DirectoryView | WorkView
    files: tuple[FileChange, ...]


def list_workspaces(room: WorkspaceRecords, *, run: str | None = None, limit: int) -> WorkspaceList:
    """Show what exists now and what is kept, the newest first."""
    wanted = None if run is None else room.find_run(run)
    directories = [
        it for it in room.inventory.directories(room.steps) if wanted in {None, it.place.run}
    ]
    works = [it for it in attempts(room.inventory.works()) if wanted in {None, it.place.run}]
    gone = [it for it in room.inventory.expired() if wanted in {None, _run_of(it)}]
    return WorkspaceList(
        directories=tuple(view_directory(room, it) for it in directories[:limit]),
        works=tuple(map(view_work, works[:limit])),
        total=len(directories) + len(works),
        expired=tuple(gone[:limit]),
        expired_total=len(gone),
    )


def _run_of(work: ExpiredWork) -> str:
    return work.ref.removeprefix(_PREFIX).partition("/")[0]


def show_workspace(room: WorkspaceRecords, name: str) -> WorkspaceView:
    """Show one of them with the files that it changed."""
    works = attempts(room.inventory.works())
    # Of a directory and a ref with the same name, the ref is what has that name.
    directory = None if _named(works, name) else _find_directory(room, name)
    if directory is not None:
        view = view_directory(room, directory)
        return WorkspaceView(found=view, files=room.inventory.changed_files(directory))
    work = find_work(room, name)
    return WorkspaceView(found=view_work(work), files=room.inventory.changed_files(work))


def _find_directory(room: WorkspaceRecords, name: str) -> LeftDirectory | None:
    """Find a directory by its name, its path, its files' path, or whose it is."""
    path = Path(name).resolve()
    for directory in room.inventory.directories(room.steps):
        place = directory.path.resolve()
        if path in {place, place / "tree"} or name in {directory.path.name, _title(directory)}:
            return directory
    return None


def _title(directory: LeftDirectory) -> str:
    place = directory.place
    deed = "gate" if place.attempt is None else place.attempt
    return f"{place.run}/{place.step}/{place.visit}.{place.slot}.{deed}"


def find_work(room: WorkspaceRecords, name: str) -> KeptWork:
    """Find kept work by its ref, with or without the prefix, or by the beginning of its commit."""
    works = attempts(room.inventory.works())
    if exact := _named(works, name):
        return exact[0]
    begun = [it for it in works if _begins(it.commit, name)]
    if len({it.commit for it in begun}) > 1:
        shown = ", ".join(it.ref for it in begun[:_SHOWN])
        raise InvalidInput(f"{name!r} is the beginning of {len(begun)} commits: {shown}.")
    if not begun:
        raise _not_kept(room, name)
    return begun[0]


def _named(works: Sequence[KeptWork], name: str) -> list[KeptWork]:
    return [it for it in works if name in {it.ref, it.ref.removeprefix(_PREFIX)}]


def _not_kept(room: WorkspaceRecords, name: str) -> SupervisorError:
    if _find_directory(room, name) is not None:
        return InvalidInput(
            f"{name!r} is a directory; its work is not kept under a ref yet.",
            hint="`supervisor resume` or `supervisor workspace clean` keeps it first.",
        )
    for gone in room.inventory.expired():
        if name in {gone.ref, gone.ref.removeprefix(_PREFIX)} or _begins(gone.commit, name):
            return _expired(gone)
    return NotFound(f"Nothing is kept, and no directory exists, under {name!r}.", hint=_LIST)


def _begins(commit: CommitSha, name: str) -> bool:
    return len(name) >= _SHORTEST and commit.startswith(name)


def _expired(work: ExpiredWork) -> NotFound:
    where = f"; {work.holder!r} had its work" if work.holder else ""
    when = f"{work.at:%Y-%m-%d %H:%M} UTC"
    return NotFound(
        f"{work.ref!r} expired at {when}, as `git.keep_snapshots` says{where}.",
        hint=f"As long as git still has the commit: git branch restored {work.commit}",
    )


def attempts(works: Sequence[KeptWork]) -> list[KeptWork]:
    """Leave out the refs that only hold the commits that runs start from."""
    return [work for work in works if work.place.step is not None]


def view_directory(room: WorkspaceRecords, directory: LeftDirectory) -> DirectoryView:
    """Bring together what is known of a directory."""
    place = directory.place
    return DirectoryView(
        directory=str(directory.path),
        run=place.run,
        step=place.step,
        visit=place.visit,
        slot=place.slot,
        attempt=place.attempt,
        use=room.use(place.run),
        dirty=directory.is_dirty,
        size=directory.size,
        since=directory.since,
    )


def view_work(work: KeptWork) -> WorkView:
    """Show kept work."""
    place = work.place
    return WorkView(
        ref=work.ref,
        run=place.run,
        step=place.step,
        visit=place.visit,
        slot=place.slot,
        attempt=place.attempt,
        commit=work.commit,
        start=work.start,
        at=work.at,
        files=work.files,
        standing=work.standing,
        holder=work.holder,
    )

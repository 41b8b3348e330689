"""Clean up workspaces that ended runs left; work that nothing else keeps stays."""

from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Final

from msgspec import Struct

from supervisor_ai.control.ports.workspace_inventory import (
    KeptStanding,
    KeptWork,
    LeftDirectory,
    RunDirectory,
)
from supervisor_ai.control.queries.workspaces import Use, WorkspaceRecords
from supervisor_ai.control.run_views import MutationView
from supervisor_ai.domain.errors import SupervisorError
from supervisor_ai.domain.ids import CommitSha, EffectKey, RunId
from supervisor_ai.domain.run.status import ENDED
from supervisor_ai.domain.structs import replace

_EVERYTHING: Final = 1_000_000
_NEEDED: Final = {
    Use.IN_USE: "a living process drives the run",
    Use.UNFINISHED: "the run has not ended; `supervisor resume` goes on with it",
}


class Fate(StrEnum):
    """What becomes of something that was left."""

    REMOVED = "removed"
    STAYS = "stays"
    """Somebody needs it, or nothing else has its work."""
    FAILED = "failed"
    """It was to go, and could not be removed."""


class Kind(StrEnum):
    """What was left."""

    DIRECTORY = "directory"
    RUN = "run"
    REF = "ref"


class CleanItem(Struct, frozen=True, kw_only=True):
    """One thing that was left, what becomes of it, and why."""

    kind: Kind
    name: str
    run: RunId
    fate: Fate
    reason: str
    ref: str | None = None
    """Where the work of a directory is kept, or what else has the work of a ref."""
    hint: str | None = None
    """What can be done where it could not be removed."""


class CleanView(MutationView, frozen=True, kw_only=True):
    """What a clean-up removed, or would remove, and what it left alone."""

    items: tuple[CleanItem, ...]

    @property
    def has_failed(self) -> bool:
        """Tell whether something that was to go is still there."""
        return any(item.fate is Fate.FAILED for item in self.items)


class CleanupScope(Struct, frozen=True, kw_only=True):
    """What to clean up."""

    run: RunId | None = None
    older_than: timedelta | None = None
    with_refs: bool = False


class _Removal(Struct, frozen=True, kw_only=True):
    """Something that was left, and what is to become of it."""

    item: CleanItem
    left: LeftDirectory | RunDirectory | KeptWork


def preview_clean(room: WorkspaceRecords, scope: CleanupScope) -> CleanView:
    """Say what a clean-up would do; nothing is touched."""
    items = tuple(removal.item for removal in _plan(room, scope))
    return _view(items, "Would remove", dry_run=True)


async def clean(room: WorkspaceRecords, scope: CleanupScope) -> CleanView:
    """Remove what nobody needs: a ref first for every dirty directory, then the directory.

    Each step leaves the next one for whoever comes after a crash; nothing is ever lost between.
    """
    with room.inventory.turn():
        taken: set[EffectKey] = set()
        items = [await _perform(room, removal, taken) for removal in _plan(room, scope)]
        if scope.run is None:
            room.inventory.drop_spare()
    return _view(tuple(items), "Removed", dry_run=False)


def _plan(room: WorkspaceRecords, scope: CleanupScope) -> list[_Removal]:
    directories = room.inventory.directories(room.steps)
    planned = [
        *_plan_directories(room, scope, directories),
        *_plan_runs(room, scope, directories),
        *(_plan_refs(room, scope) if scope.with_refs else ()),
    ]
    return [it for it in planned if scope.run in {None, it.item.run}]


def _plan_directories(
    room: WorkspaceRecords, scope: CleanupScope, directories: Sequence[LeftDirectory]
) -> Iterator[_Removal]:
    newest = _newest(directories)
    for left in directories:
        item = CleanItem(
            kind=Kind.DIRECTORY,
            name=str(left.path),
            run=left.place.run,
            fate=Fate.STAYS,
            reason=_obstacle(room, scope, left.place.run, newest[left.place.run]),
        )
        if not item.reason and left.key is None:
            item = replace(item, reason="its name does not tell whose work it is; look at it first")
        if not item.reason:
            kept = "its work is kept under a ref first" if left.is_dirty else "it holds no work"
            item = replace(item, fate=Fate.REMOVED, reason=kept)
        yield _Removal(item=item, left=left)


def _plan_runs(
    room: WorkspaceRecords, scope: CleanupScope, directories: Sequence[LeftDirectory]
) -> Iterator[_Removal]:
    nameless = {left.place.run for left in directories if left.key is None}
    newest = _newest(directories)
    for left in room.inventory.runs():
        since = max(left.since, newest.get(left.run, left.since))
        if left.run not in nameless and not _obstacle(room, scope, left.run, since):
            item = CleanItem(
                kind=Kind.RUN,
                name=str(left.path),
                run=left.run,
                fate=Fate.REMOVED,
                reason="it holds copies that can be made again",
            )
            yield _Removal(item=item, left=left)


def safe_refs(room: WorkspaceRecords) -> Iterator[KeptWork]:
    """Choose the refs that nobody needs and whose work is found elsewhere."""
    for planned in _plan_refs(room, CleanupScope(with_refs=True)):
        if planned.item.fate is Fate.REMOVED and isinstance(planned.left, KeptWork):
            yield planned.left


def _plan_refs(room: WorkspaceRecords, scope: CleanupScope) -> Iterator[_Removal]:
    needed = _starts_of_unfinished_runs(room)
    for left in room.inventory.works():
        reason = _obstacle(room, scope, left.place.run, left.at)
        if not reason and left.standing is KeptStanding.UNMERGED:
            reason = "no branch has this work"
        if not reason and left.alone & needed:
            reason = "a run that has not ended starts from it"
        item = CleanItem(
            kind=Kind.REF,
            name=left.ref,
            run=left.place.run,
            fate=Fate.STAYS if reason else Fate.REMOVED,
            reason=reason or _SAFE[left.standing],
            ref=left.holder,
        )
        yield _Removal(item=item, left=left)


_SAFE: Final = {
    KeptStanding.EMPTY: "nothing was changed",
    KeptStanding.MERGED: "a branch has this work",
    KeptStanding.CONTAINED: "other kept work builds on it",
}


def _obstacle(room: WorkspaceRecords, scope: CleanupScope, run: RunId, since: datetime) -> str:
    """Say why something of a run must stay, if it must."""
    use = room.use(run)
    if use is not Use.LEFT:
        return _NEEDED[use]
    if scope.older_than is not None and room.clock.now() - since < scope.older_than:
        return "it is too young"
    return ""


def _newest(directories: Sequence[LeftDirectory]) -> dict[RunId, datetime]:
    newest: dict[RunId, datetime] = {}
    for left in directories:
        newest[left.place.run] = max(left.since, newest.get(left.place.run, left.since))
    return newest


def _starts_of_unfinished_runs(room: WorkspaceRecords) -> frozenset[CommitSha]:
    if room.records is None:
        return frozenset()
    rows, _ = room.records.queries.runs(limit=_EVERYTHING)
    return frozenset(row.base.sha for row in rows if row.base and row.status not in ENDED)


async def _perform(room: WorkspaceRecords, removal: _Removal, taken: set[EffectKey]) -> CleanItem:
    item, left = removal.item, removal.left
    if item.fate is Fate.STAYS:
        return item
    use = room.use(item.run)
    if use is not Use.LEFT:
        return replace(item, fate=Fate.STAYS, reason=_NEEDED[use])
    try:
        match left:
            case LeftDirectory():
                return await _remove_directory(room, item, left, taken)
            case RunDirectory():
                return await _remove_run(room, item, left)
            case KeptWork():
                return _drop(room, item, left)
    except SupervisorError as error:
        return replace(item, fate=Fate.FAILED, reason=error.message, hint=error.hint)


async def _remove_directory(
    room: WorkspaceRecords, item: CleanItem, left: LeftDirectory, taken: set[EffectKey]
) -> CleanItem:
    if left.key is None or left.key in taken:
        # Keeping the work of an operation keeps that of all its owners.
        return replace(item, reason="it went with another one of the same attempt")
    ref, now = room.inventory.unused_ref(left), room.clock.now()
    kept = await room.workspaces.keep_lost(left.place.run, left.key, ref=ref, at=now)
    taken.add(left.key)
    if kept is None:
        return replace(item, reason="it held no work")
    return replace(item, ref=room.inventory.unite(kept, left), reason="its work is kept")


async def _remove_run(room: WorkspaceRecords, item: CleanItem, left: RunDirectory) -> CleanItem:
    if any(it.place.run == left.run for it in room.inventory.directories(room.steps)):
        return replace(item, fate=Fate.STAYS, reason="a workspace in it could not be removed")
    await room.workspaces.forget(left.run)
    return item


def _drop(room: WorkspaceRecords, item: CleanItem, left: KeptWork) -> CleanItem:
    if room.inventory.drop(left):
        return item
    return replace(item, fate=Fate.STAYS, reason="it has moved meanwhile")


def _view(items: tuple[CleanItem, ...], verb: str, *, dry_run: bool) -> CleanView:
    removed = [item for item in items if item.fate is Fate.REMOVED]
    counts = [
        f"{number} {_PLURALS[kind] if number != 1 else _SINGULARS[kind]}"
        for kind in Kind
        if (number := sum(item.kind is kind for item in removed))
    ]
    stays = sum(item.fate is Fate.STAYS for item in items)
    failed = len(items) - len(removed) - stays
    rest = f"; {stays} {'stays' if stays == 1 else 'stay'}" if stays else ""
    rest += f"; {failed} could not be removed" if failed else ""
    return CleanView(
        target="workspaces",
        applied=bool(removed) and not dry_run,
        dry_run=dry_run,
        detail=f"{verb} {', '.join(counts) or 'nothing'}{rest}.",
        items=items,
    )


_SINGULARS: Final = {Kind.DIRECTORY: "directory", Kind.RUN: "run's copies", Kind.REF: "ref"}
_PLURALS: Final = {Kind.DIRECTORY: "directories", Kind.RUN: "runs' copies", Kind.REF: "refs"}

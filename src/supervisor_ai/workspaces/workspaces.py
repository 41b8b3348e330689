"""Isolated workspaces: what a worker gets, and what becomes of what it leaves."""

import asyncio
import os
from collections.abc import Mapping
from contextlib import suppress
from datetime import datetime
from pathlib import Path
from secrets import token_hex
from typing import Final

from msgspec import Struct

from supervisor_ai.domain.errors import (
    HostFailure,
    InvalidInput,
    NotFound,
    SupervisorError,
    Unavailable,
)
from supervisor_ai.domain.ids import CommitSha, EffectKey, RunId
from supervisor_ai.domain.run.values import Snapshot
from supervisor_ai.engine.ports.workspaces import (
    PLAIN,
    Landed,
    Landing,
    LeftOutSink,
    NotLanded,
    SetupCache,
    Workspace,
    WorkspacePlan,
)
from supervisor_ai.workspaces.commits.changed_files import changed_files, touched_files
from supervisor_ai.workspaces.commits.composition import Composer
from supervisor_ai.workspaces.commits.landings import Integration
from supervisor_ai.workspaces.commits.object_import import ObjectImport
from supervisor_ai.workspaces.commits.shared_trees import SharedTree, SharedTrees
from supervisor_ai.workspaces.commits.snapshots import SnapshotDraft, draft, untouched
from supervisor_ai.workspaces.files.disk_errors import require_writable
from supervisor_ai.workspaces.files.safe_open import read_beneath, read_files
from supervisor_ai.workspaces.in_thread import perform
from supervisor_ai.workspaces.layout import (
    WASTE,
    KeptSources,
    RunLayout,
    WorkspaceDirectory,
    dump,
    dump_premises,
    premises,
)
from supervisor_ai.workspaces.populate import Populator
from supervisor_ai.workspaces.repositories.git import OURS, signature
from supervisor_ai.workspaces.repositories.repository import GitRepository
from supervisor_ai.workspaces.repositories.submodules import MODULES_FILE
from supervisor_ai.workspaces.repositories.tree_layers import Export
from supervisor_ai.workspaces.run_sources import RunSources
from supervisor_ai.workspaces.setup_cache import SetupCaches
from supervisor_ai.workspaces.volumes import can_make

_MANY_FILES: Final = 2_000
_CACHES: Final = ".setup-cache"
"""No run can be called so."""
_ENVIRONMENT: Final = {
    **signature(OURS),
    # Which uid owns the files inside a sandbox is no sign of danger there.
    "GIT_CONFIG_COUNT": "1",
    "GIT_CONFIG_KEY_0": "safe.directory",
    "GIT_CONFIG_VALUE_0": "*",
}


class GitWorkspaces:
    """Workspaces below a state directory, cut from one repository."""

    def __init__(
        self, repository: GitRepository, state: Path, *, layered_from: int = _MANY_FILES
    ) -> None:
        self._repository = repository
        self._state = state.resolve()
        self._layered_from = layered_from
        """In repositories of so many files workspaces lie over an export, where they can."""
        self._deposit = ObjectImport(repository)
        self._sources = RunSources(repository, self._deposit, self._state)
        self._caches = SetupCaches(self._state / _CACHES)
        self._named: dict[CommitSha, frozenset[str]] = {}
        self._shared = SharedTrees(repository)
        self._reading: dict[Path, SharedTree] = {}
        """What the readers share, by the directories that they have of their own."""
        self._composer = Composer(repository, self._deposit, self._state)
        self._integration = Integration(repository=repository, deposit=self._deposit)

    async def open(
        self,
        run: RunId,
        key: EffectKey,
        *,
        fence: int,
        start: CommitSha,
        plan: WorkspacePlan = PLAIN,
    ) -> Workspace:
        """Make a fresh directory with the files of `start`; its path carries the fence."""
        desk = premises(self._state, run).desk(key, fence)
        try:
            return await perform(self._open, run, key, desk, start, plan)
        except asyncio.CancelledError:
            await perform(self._leave, desk)
            raise

    async def keeps_quota(self) -> bool:
        """Tell whether the kernel would keep the quota of a plan here."""
        return await perform(can_make, self._state)

    async def take_cached(self, workspace: Workspace, cache: SetupCache) -> bool:
        """Copy into the workspace what an equal set-up made before; tell whether there was any."""
        return await perform(self._take_cached, workspace, cache)

    async def keep_cached(self, workspace: Workspace, cache: SetupCache) -> None:
        """Keep what the set-up made for later workspaces, if it ran on the run's base commit."""
        await perform(self._keep_cached, workspace, cache)

    async def snapshot(
        self,
        workspace: Workspace,
        *,
        ref: str,
        at: datetime,
        on_left_out: LeftOutSink | None = None,
    ) -> Snapshot:
        """Turn the directory's files into a commit on top of its start, kept under the ref."""
        return await perform(self._snapshot, workspace, ref, at, on_left_out)

    async def changed(self, workspace: Workspace) -> tuple[str, ...]:
        """List the files of the start commit that are not as they were, or gone."""
        return await perform(self._changed, workspace)

    async def touched(self, workspace: Workspace) -> Mapping[str, int]:
        """List the files that a worker has changed so far, each with a stamp."""
        return await perform(self._touched, workspace)

    async def touched_by(self, run: RunId, key: EffectKey) -> Mapping[str, int]:
        """List what whoever is at an operation has changed so far."""
        return await perform(self._touched_by, run, key)

    async def read_file(self, workspace: Workspace, path: str, *, most: int) -> bytes | None:
        """Read a file of the directory, up to so many bytes and one more."""
        return await perform(read_beneath, workspace.path, path, most + 1)

    async def read_reports(self, workspace: Workspace, *, most: int) -> Mapping[str, bytes]:
        """Read the files that lie in the directory for reports, by their names."""
        reports = workspace.reports
        return {} if reports is None else await perform(read_files, reports, most)

    async def compose(
        self,
        base: CommitSha,
        contents: Mapping[str, bytes | None],
        *,
        at: datetime,
        modes_of: CommitSha | None = None,
    ) -> Snapshot:
        """Make a commit with the base's files and other contents at some paths; None: no file."""
        return await perform(self._composer.compose, base, contents, at, modes_of)

    async def keep(self, commit: CommitSha, *, ref: str) -> None:
        """Let a ref of ours keep a commit, so that it does not go."""
        await perform(self._deposit.point, ref, commit)

    async def close(self, workspace: Workspace) -> None:
        """Remove the directory."""
        await perform(self._leave, self._desk(workspace))

    async def keep_lost(
        self,
        run: RunId,
        key: EffectKey,
        *,
        ref: str,
        at: datetime,
        on_left_out: LeftOutSink | None = None,
    ) -> str | None:
        """Keep what an operation without an end left behind, then remove its directories."""
        spot = _Spot(key=key, ref=ref, at=at, on_left_out=on_left_out)
        return await perform(self._keep_lost, premises(self._state, run), spot)

    async def program(self, run: RunId, base: CommitSha, *, hides: tuple[str, ...] = ()) -> Path:
        """Export the base commit, read-only, for programs that the definition names by a path."""
        return (await perform(self._sources.export, run, base, hides)).tree

    async def diff(self, base: CommitSha, head: CommitSha, *, hides: tuple[str, ...] = ()) -> str:
        """Return the change between two commits as text."""
        return await perform(self._sources.diff, base, head, hides)

    async def changed_paths(self, base: CommitSha, head: CommitSha) -> tuple[str, ...]:
        """Name the files that differ between two commits, sorted."""
        return await perform(self._sources.changed_paths, base, head)

    async def land(self, landing: Landing) -> Landed | NotLanded:
        """Put the snapshot on the branch by compare-and-swap; a key that has landed is found."""
        return await perform(self._land, landing)

    async def find_landed(self, branch: str, key: EffectKey) -> Landed | None:
        """Find the commit on the branch that carries the operation's trailer."""
        return await perform(self._find_landed, branch, key)

    async def forget(self, run: RunId) -> None:
        """Remove what an ended run needs no more; refs stay."""
        await perform(self._forget, premises(self._state, run))

    def _open(
        self,
        run: RunId,
        key: EffectKey,
        desk: WorkspaceDirectory,
        start: CommitSha,
        plan: WorkspacePlan,
    ) -> Workspace:
        if plan.is_shared and self._can_share(start, plan):
            return self._open_shared(run, key, desk, start)
        place = self._sources.prepare(run, start)
        base = self._sources.base(place)
        over = self._below(run, base)
        furnisher = Populator(repository=self._repository, place=place, base=base, over=over)
        desk.discard()
        try:
            furniture = furnisher.furnish(desk, start, plan)
        except BaseException:
            desk.discard()
            raise
        return Workspace(
            run=run,
            key=key,
            path=desk.tree,
            start=start,
            mounts=furniture.mounts,
            environment={**_ENVIRONMENT, **furniture.environment},
            distributions=self._distributions(base, start),
            quota=furniture.quota,
            reports=desk.reports if plan.has_reports else None,
        )

    def _can_share(self, start: CommitSha, plan: WorkspacePlan) -> bool:
        """Tell whether nothing is asked for that a check-out of others does not have."""
        alike = WorkspacePlan(is_writable=False, keeps=plan.keeps, is_shared=True)
        return plan == alike and self._repository.read(start, MODULES_FILE) is None

    def _open_shared(
        self, run: RunId, key: EffectKey, desk: WorkspaceDirectory, start: CommitSha
    ) -> Workspace:
        place = self._sources.prepare(run, start)
        base = self._sources.base(place)
        desk.discard()
        shared = self._shared.take(place, desk.fence, start, self._below(run, base))
        try:
            populator = Populator(repository=self._repository, place=place, base=base)
            furniture = populator.furnish_reader(desk, shared)
        except BaseException:
            self._shared.give_back(shared)
            desk.discard()
            raise
        self._reading[desk.path] = shared
        return Workspace(
            run=run,
            key=key,
            path=shared.tree,
            start=start,
            mounts=furniture.mounts,
            environment={**_ENVIRONMENT, **furniture.environment},
            distributions=self._distributions(base, start),
            desk=desk.path,
        )

    def _below(self, run: RunId, base: CommitSha) -> Export | None:
        return self._sources.export(run, base) if self._is_layered() else None

    def _is_layered(self) -> bool:
        return os.geteuid() == 0 and self._repository.file_count() >= self._layered_from

    def _read_by(self, workspace: Workspace) -> SharedTree | None:
        return self._reading.get(self._desk(workspace).path)

    def _leave(self, desk: WorkspaceDirectory) -> None:
        shared = self._reading.pop(desk.path, None)
        if shared is not None:
            self._shared.give_back(shared)
        desk.discard()

    def _distributions(self, *commits: CommitSha) -> tuple[str, ...]:
        """Name what the project is installed as; the base counts, so no change renames a copy."""
        for commit in commits:
            if commit not in self._named:
                self._named[commit] = self._repository.distributions(commit)
        return tuple(sorted(frozenset[str]().union(*(self._named[it] for it in commits))))

    def _take_cached(self, workspace: Workspace, cache: SetupCache) -> bool:
        desk = self._occupied(workspace)
        return self._caches.take(desk.tree, cache, _hides(desk))

    def _keep_cached(self, workspace: Workspace, cache: SetupCache) -> None:
        desk = self._occupied(workspace)
        if workspace.start == self._sources.base(premises(self._state, workspace.run)):
            self._caches.keep(desk.tree, cache, _hides(desk))

    def _snapshot(
        self, workspace: Workspace, ref: str, at: datetime, on_left_out: LeftOutSink | None
    ) -> Snapshot:
        spot = _Spot(key=workspace.key, ref=ref, at=at, on_left_out=on_left_out)
        shared = self._read_by(workspace)
        if shared is not None:
            return self._keep(untouched(shared.git, workspace.start), spot, ref)
        return self._keep(self._draft(self._occupied(workspace)), spot, ref)

    def _changed(self, workspace: Workspace) -> tuple[str, ...]:
        return () if self._read_by(workspace) else changed_files(self._occupied(workspace))

    def _touched(self, workspace: Workspace) -> Mapping[str, int]:
        return touched_files(self._occupied(workspace))

    def _touched_by(self, run: RunId, key: EffectKey) -> Mapping[str, int]:
        desks = (it for it in premises(self._state, run).desks_of(key) if it.is_complete())
        desk = next(desks, None)
        if desk is None:
            return {}
        with suppress(OSError, SupervisorError):
            return touched_files(desk)
        # Its owner may have taken it away meanwhile.
        return {}

    def _draft(self, desk: WorkspaceDirectory) -> SnapshotDraft:
        """Draft a snapshot; what fails twice on disks that are well is what the worker left.

        It chooses the names in what the system complains about, so that no complaint is believed.
        """
        with suppress(SupervisorError, OSError):
            return draft(desk)
        require_writable(desk.path)
        require_writable(self._repository.git.directory)
        try:
            return draft(desk)
        except (HostFailure, OSError) as error:
            raise Unavailable(f"The files of the workspace cannot be read: {error}") from error

    def _keep(self, work: SnapshotDraft, spot: "_Spot", ref: str) -> Snapshot:
        message = f"Snapshot of {spot.key}"
        snapshot = work.deliver(
            self._deposit, message=message, at=spot.at, on_left_out=spot.on_left_out
        )
        self._deposit.point(ref, snapshot.commit)
        return snapshot

    def _keep_lost(self, place: RunLayout, spot: "_Spot") -> str | None:
        kept = None
        for desk in place.desks_of(spot.key):
            work = self._draft(desk) if desk.is_complete() else None
            if work is not None and work.is_empty():
                work.tell(spot.on_left_out)
            elif work is not None:
                self._keep(work, spot, f"{spot.ref}-{desk.fence}" if kept else spot.ref)
                kept = spot.ref
            self._leave(desk)
        for waste in place.waste_of(spot.key):
            dump(waste)
        return kept

    def _land(self, landing: Landing) -> Landed | NotLanded:
        place = self._sources.prepare(landing.run, landing.base)
        with self._repository.mold.lend(place.path, borrows=self._repository.objects) as scratch:
            return self._integration.land(landing, scratch)

    def _find_landed(self, branch: str, key: EffectKey) -> Landed | None:
        found = self._integration.find(self._repository.branch_tip(branch), key)
        return None if found is None else self._integration.landed(found)

    def _forget(self, place: RunLayout) -> None:
        self._shared.forget(place)
        for desk in place.all_desks():
            desk.ports.release(desk.path)
        waste = self._state / f"{place.path.name}.{token_hex(8)}{WASTE}"
        with suppress(FileNotFoundError):  # somebody else forgets it at this moment, or did before
            place.path.rename(waste)
        for left in self._state.glob(f"{place.path.name}.*{WASTE}"):
            dump_premises(left, KeptSources(state=self._state) if self._is_layered() else None)
        with suppress(SupervisorError):
            self._deposit.pack_refs()

    def _occupied(self, workspace: Workspace) -> WorkspaceDirectory:
        desk = self._desk(workspace)
        if not desk.is_complete():
            raise NotFound(f"The workspace {str(workspace.path)!r} does not exist any more.")
        return desk

    def _desk(self, workspace: Workspace) -> WorkspaceDirectory:
        desk = WorkspaceDirectory(path=workspace.desk or workspace.path.parent)
        if desk.path.parent != premises(self._state, workspace.run).desks:
            raise InvalidInput(f"The directory {str(workspace.path)!r} is no workspace of ours.")
        return desk


class _Spot(Struct, frozen=True, kw_only=True):
    """Where work is kept, and who hears of what is not."""

    key: EffectKey
    ref: str
    at: datetime
    on_left_out: LeftOutSink | None


def _hides(desk: WorkspaceDirectory) -> bytes:
    """Return the patterns of what is hidden: what was made without those files is another thing."""
    return desk.hidden.read_bytes() if desk.hidden.exists() else b""

"""Isolated workspaces: what a worker gets, and what becomes of what it leaves."""

import asyncio
import shutil
from collections.abc import Callable
from contextlib import suppress
from datetime import datetime
from pathlib import Path
from secrets import token_hex
from typing import Final, ParamSpec, TypeVar

from supervisor_ai.domain.errors import InvalidInput, NotFound
from supervisor_ai.domain.ids import CommitSha, EffectKey, RunId
from supervisor_ai.domain.run.facts import Snapshot
from supervisor_ai.engine.ports.sandbox import Mount
from supervisor_ai.engine.ports.workspaces import Landed, Landing, NotLanded, Workspace
from supervisor_ai.workspaces.deposit import Deposit
from supervisor_ai.workspaces.disk import disk_failure
from supervisor_ai.workspaces.git import Git
from supervisor_ai.workspaces.identity import OURS, signature
from supervisor_ai.workspaces.landings import Integration
from supervisor_ai.workspaces.layout import WASTE, Desk, Premises, premises
from supervisor_ai.workspaces.removal import remove
from supervisor_ai.workspaces.repository import GitRepository
from supervisor_ai.workspaces.scratch import (
    PRIVATE,
    READABLE,
    TRAVERSABLE,
    make_directory,
    write,
)
from supervisor_ai.workspaces.snapshots import Draft, draft
from supervisor_ai.workspaces.sources import Sources, check_out, pack

P = ParamSpec("P")
T = TypeVar("T")

_INSIDE: Final = Path("/run/wgit")
"""Where the worker finds its git directory; a path that exists in its sandbox only."""
_BRANCH: Final = "task"
_ENVIRONMENT: Final = {
    **signature(OURS),
    # Which uid owns the files inside a sandbox is no sign of danger there.
    "GIT_CONFIG_COUNT": "1",
    "GIT_CONFIG_KEY_0": "safe.directory",
    "GIT_CONFIG_VALUE_0": "*",
}


class GitWorkspaces:
    """Workspaces below a state directory, cut from one repository."""

    def __init__(self, repository: GitRepository, state: Path) -> None:
        self._repository = repository
        self._state = state.resolve()
        self._deposit = Deposit(repository)
        self._sources = Sources(repository, self._deposit, self._state)
        self._integration = Integration(repository=repository, deposit=self._deposit)

    async def open(self, run: RunId, key: EffectKey, *, fence: int, start: CommitSha) -> Workspace:
        """Make a fresh directory with the files of `start`; its path carries the fence."""
        desk = premises(self._state, run).desk(key, fence)
        try:
            return await _perform(self._open, run, key, desk, start)
        except asyncio.CancelledError:
            await _perform(desk.discard)
            raise

    async def snapshot(self, workspace: Workspace, *, ref: str, at: datetime) -> Snapshot:
        """Turn the directory's files into a commit on top of its start, kept under the ref."""
        return await _perform(self._snapshot, workspace, ref, at)

    async def close(self, workspace: Workspace) -> None:
        """Remove the directory."""
        await _perform(self._desk(workspace).discard)

    async def keep_lost(self, run: RunId, key: EffectKey, *, ref: str, at: datetime) -> str | None:
        """Keep what an operation without an end left behind, then remove its directories."""
        return await _perform(self._keep_lost, premises(self._state, run), key, ref, at)

    async def program(self, run: RunId, base: CommitSha) -> Path:
        """Export the base commit, read-only, for programs that the definition names by a path."""
        return await _perform(self._sources.export, run, base)

    async def diff(self, base: CommitSha, head: CommitSha) -> str:
        """Return the change between two commits as text."""
        return await _perform(self._repository.diff, base, head)

    async def land(self, landing: Landing) -> Landed | NotLanded:
        """Put the snapshot on the branch by compare-and-swap; a key that has landed is found."""
        return await _perform(self._land, landing)

    async def find_landed(self, branch: str, key: EffectKey) -> CommitSha | None:
        """Find the commit on the branch that carries the operation's trailer."""
        return await _perform(self._find_landed, branch, key)

    async def forget(self, run: RunId) -> None:
        """Remove what an ended run needs no more; refs stay."""
        await _perform(self._forget, premises(self._state, run))

    def _open(self, run: RunId, key: EffectKey, desk: Desk, start: CommitSha) -> Workspace:
        place = self._sources.prepare(run, start)
        desk.discard()
        try:
            self._furnish(place, desk, start)
        except BaseException:
            desk.discard()
            raise
        return Workspace(
            run=run,
            key=key,
            path=desk.tree,
            start=start,
            mounts=_mounts(place, desk),
            environment=_ENVIRONMENT,
        )

    def _furnish(self, place: Premises, desk: Desk, start: CommitSha) -> None:
        make_directory(desk.path, TRAVERSABLE)
        make_directory(desk.tree, READABLE)
        mold, base = self._repository.mold, self._sources.base(place)
        ours, theirs = self._repository.objects, place.base_git / "objects"
        trusted = mold.cast(desk.trusted_git, borrows=ours, branch=_BRANCH, tip=start)
        desk.trusted_git.chmod(PRIVATE)
        mold.cast(desk.worker_git, borrows=theirs, branch=_BRANCH, tip=start, is_bare=False)
        if start != base:
            pack(trusted, start, known=base, into=desk.worker_git)
        check_out(trusted, start, desk.tree)
        shutil.copyfile(desk.trusted_git / "index", desk.worker_git / "index")
        write(desk.tree / ".git", f"gitdir: {_INSIDE}\n", 0o444)

    def _snapshot(self, workspace: Workspace, ref: str, at: datetime) -> Snapshot:
        desk = self._desk(workspace)
        if not desk.is_complete():
            raise NotFound(f"The workspace {str(workspace.path)!r} does not exist any more.")
        return self._keep(_draft(desk), workspace.key, ref, at)

    def _keep(self, work: Draft, key: EffectKey, ref: str, at: datetime) -> Snapshot:
        snapshot = work.deliver(self._deposit, message=f"Snapshot of {key}", at=at)
        self._deposit.point(ref, snapshot.commit)
        return snapshot

    def _keep_lost(self, place: Premises, key: EffectKey, ref: str, at: datetime) -> str | None:
        kept = None
        for desk in place.desks_of(key):
            work = _draft(desk) if desk.is_complete() else None
            if work is not None and not work.is_empty():
                self._keep(work, key, f"{ref}-{desk.fence}" if kept else ref, at)
                kept = ref
            desk.discard()
        for waste in place.waste_of(key):
            remove(waste)
        return kept

    def _land(self, landing: Landing) -> Landed | NotLanded:
        place = self._sources.prepare(landing.run, landing.base)
        with self._repository.mold.lend(place.path, borrows=self._repository.objects) as scratch:
            return self._integration.land(landing, scratch)

    def _find_landed(self, branch: str, key: EffectKey) -> CommitSha | None:
        return self._integration.find(self._repository.branch_tip(branch), key)

    def _forget(self, place: Premises) -> None:
        waste = self._state / f"{place.path.name}.{token_hex(8)}{WASTE}"
        with suppress(FileNotFoundError):  # somebody else forgets it at this moment, or did before
            place.path.rename(waste)
        for left in self._state.glob(f"{place.path.name}.*{WASTE}"):
            remove(left)

    def _desk(self, workspace: Workspace) -> Desk:
        desk = Desk(path=workspace.path.parent)
        if desk.path.parent != premises(self._state, workspace.run).desks:
            raise InvalidInput(f"The directory {str(workspace.path)!r} is no workspace of ours.")
        return desk


def _draft(desk: Desk) -> Draft:
    start = (desk.trusted_git / "refs" / "heads" / _BRANCH).read_text().strip()
    git = Git(directory=desk.trusted_git, work_tree=desk.tree, is_scratch=True)
    return draft(git, CommitSha(start))


def _mounts(place: Premises, desk: Desk) -> tuple[Mount, ...]:
    pointer = desk.tree / ".git"
    return (
        Mount(source=desk.tree, target=desk.tree, is_writable=True),
        Mount(source=pointer, target=pointer),
        Mount(source=desk.worker_git, target=_INSIDE, is_writable=True),
        Mount(source=place.base_git, target=place.base_git),
    )


async def _perform(function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """Do blocking work beside the loop; who cancels it waits until it is done."""
    work = asyncio.ensure_future(asyncio.to_thread(function, *args, **kwargs))
    try:
        return await asyncio.shield(work)
    except asyncio.CancelledError:
        await asyncio.wait([work])
        _ = work.cancelled() or work.exception()
        raise
    except OSError as error:
        raise disk_failure(error) from error

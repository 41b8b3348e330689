"""Populates the directory of a workspace with the files of a commit."""

import errno
import os
import shutil
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from pathlib import Path

from msgspec import Struct

from supervisor_ai.domain.errors import Unavailable
from supervisor_ai.domain.ids import CommitSha
from supervisor_ai.domain.run.values import Hardness
from supervisor_ai.domain.structs import replace
from supervisor_ai.engine.ports.sandbox import Mount
from supervisor_ai.engine.ports.workspaces import Quota, WorkspacePlan
from supervisor_ai.workspaces.commits.hidden_files import blind_commit, write_patterns
from supervisor_ai.workspaces.commits.included_files import Inclusion
from supervisor_ai.workspaces.commits.index_owner import set_owner
from supervisor_ai.workspaces.commits.shared_trees import GIT_INSIDE, SharedTree
from supervisor_ai.workspaces.commits.snapshot_bounds import write_bound
from supervisor_ai.workspaces.files.disk_errors import is_full
from supervisor_ai.workspaces.layout import BRANCH, RunLayout, WorkspaceDirectory
from supervisor_ai.workspaces.partition import lay_out, part_mounts
from supervisor_ai.workspaces.repositories.bare_repository import (
    PRIVATE,
    READABLE,
    TRAVERSABLE,
    make_directory,
    write,
)
from supervisor_ai.workspaces.repositories.git import Git
from supervisor_ai.workspaces.repositories.repository import GitRepository
from supervisor_ai.workspaces.repositories.submodules import MODULES_FILE
from supervisor_ai.workspaces.repositories.tree_layers import Export, lay
from supervisor_ai.workspaces.run_sources import check_out, pack
from supervisor_ai.workspaces.submodule_files import Filling


class Populated(Struct, frozen=True, kw_only=True):
    """What is special about a workspace that is ready."""

    mounts: tuple[Mount, ...]
    environment: Mapping[str, str]
    quota: Hardness


class Populator(Struct, frozen=True, kw_only=True):
    """Fills desks with the files of a commit, as their plans say."""

    repository: GitRepository
    place: RunLayout
    base: CommitSha
    """The commit whose history the run's workers may see."""
    over: Export | None = None
    """Files that those of a workspace can lie over."""

    def furnish(self, desk: WorkspaceDirectory, start: CommitSha, plan: WorkspacePlan) -> Populated:
        """Make the directory; where this fails, what is there already has to be discarded."""
        make_directory(desk.path, TRAVERSABLE)
        block = desk.ports.reserve(desk.path)
        if plan.keeps is not None:
            write_bound(desk, plan.keeps)
        reports = (desk.reports,) if plan.has_reports else ()
        for directory in (desk.tree, desk.worker_git, *reports):
            make_directory(directory, READABLE)
        quota = _bound(desk, plan.quota)
        with _fits(desk, plan.quota):
            self._fill(desk, start, plan)
        return Populated(
            mounts=tuple(self._mounts(desk, plan)), environment=block.environment, quota=quota
        )

    def furnish_reader(self, desk: WorkspaceDirectory, shared: SharedTree) -> Populated:
        """Make what a reader needs besides the files, which it shares."""
        make_directory(desk.path, TRAVERSABLE)
        block = desk.ports.reserve(desk.path)
        make_directory(desk.worker_git, READABLE)
        self._open(shared.git, desk, shared.commit)
        shutil.copyfile(shared.index, desk.worker_git / "index")
        pointer = shared.tree / ".git"
        mounts = (
            Mount(source=shared.tree, target=shared.tree),
            Mount(source=pointer, target=pointer),
            *self._git_mounts(desk),
        )
        return Populated(mounts=mounts, environment=block.environment, quota=Hardness.NONE)

    def _fill(self, desk: WorkspaceDirectory, start: CommitSha, plan: WorkspacePlan) -> None:
        mold = self.repository.mold
        git = mold.cast(desk.trusted_git, borrows=self.repository.objects, branch=BRANCH)
        desk.trusted_git.chmod(PRIVATE)
        write(desk.start, f"{start}\n")
        seen = self._blind(git, desk, start, plan) if plan.hides else self._open(git, desk, start)
        write(desk.trusted_git / "refs" / "heads" / BRANCH, f"{seen}\n")
        placed = replace(git, work_tree=desk.tree)
        if not lay(desk.layers, self._below(plan), placed, seen):
            check_out(git, seen, desk.tree)
        if os.path.lexists(desk.tree / MODULES_FILE):
            filling = Filling(desk=desk, mold=mold, is_blind=bool(plan.hides))
            filling.fill(git, seen, self.repository.submodule_places)
        shutil.copyfile(desk.trusted_git / "index", desk.worker_git / "index")
        write(desk.tree / ".git", f"gitdir: {GIT_INSIDE}\n", 0o444)
        if plan.include:
            self._include(git, desk, start, plan)
        if plan.writable is not None:
            lay_out(desk.tree, plan.writable)

    def _below(self, plan: WorkspacePlan) -> Export | None:
        """Choose what the files lie over: nothing where each has rules or bounds of its own."""
        is_plain = not plan.hides and plan.quota is None and plan.writable is None
        return self.over if is_plain else None

    def _open(self, git: Git, desk: WorkspaceDirectory, start: CommitSha) -> CommitSha:
        """Let the worker see its start and the history of the run's base."""
        theirs = self.place.base_git / "objects"
        mold = self.repository.mold
        mold.cast(desk.worker_git, borrows=theirs, branch=BRANCH, tip=start, is_bare=False)
        if start != self.base:
            pack(git, start, known=self.base, into=desk.worker_git)
        return start

    def _blind(
        self, git: Git, desk: WorkspaceDirectory, start: CommitSha, plan: WorkspacePlan
    ) -> CommitSha:
        """Let the worker see one commit without a parent, and share no object with anybody."""
        write_patterns(desk.hidden, plan.hides)
        seen = blind_commit(git, start, desk.hidden)
        mold = replace(self.repository.mold, shallow=None)
        mold.cast(desk.worker_git, branch=BRANCH, tip=seen, is_bare=False)
        pack(git, seen, into=desk.worker_git)
        return seen

    def _include(
        self, git: Git, desk: WorkspaceDirectory, start: CommitSha, plan: WorkspacePlan
    ) -> None:
        inclusion = Inclusion(
            repository=self.repository,
            desk=desk,
            git=git,
            start=start,
            is_handed_over=_is_writable(plan) or os.geteuid() != 0,
        )
        inclusion.bring(plan.include)

    def _mounts(self, desk: WorkspaceDirectory, plan: WorkspacePlan) -> Iterator[Mount]:
        pointer = desk.tree / ".git"
        whole = Mount(source=desk.tree, target=desk.tree, is_writable=_is_writable(plan))
        if desk.layers.path.exists():
            written = desk.layers.written
            whole = replace(whole, give=partial(self._give, desk), written=written)
        yield whole
        if plan.writable is not None:
            yield from part_mounts(desk.tree, plan.writable)
        yield Mount(source=pointer, target=pointer)
        yield from self._git_mounts(desk, is_blind=bool(plan.hides))

    def _give(
        self, desk: WorkspaceDirectory, owner: int, hand_over: Callable[[Path], None]
    ) -> None:
        desk.layers.give(owner, hand_over)
        length = 20 if self.repository.mold.object_format == "sha1" else 32
        set_owner(desk.trusted_git / "index", owner, length=length)

    def _git_mounts(self, desk: WorkspaceDirectory, *, is_blind: bool = False) -> Iterator[Mount]:
        yield Mount(source=desk.worker_git, target=GIT_INSIDE, is_writable=True)
        if not is_blind:
            yield Mount(source=self.place.base_git, target=self.place.base_git)


def _is_writable(plan: WorkspacePlan) -> bool:
    """Tell whether a file that nothing else is said about may be written."""
    return plan.is_writable if plan.writable is None else plan.writable.everywhere


def _bound(desk: WorkspaceDirectory, quota: Quota | None) -> Hardness:
    if quota is None:
        return Hardness.NONE
    return Hardness.HARD if desk.volume.make(quota) else Hardness.SOFT


@contextmanager
def _fits(desk: WorkspaceDirectory, quota: Quota | None) -> Iterator[None]:
    """Say whose limit it is if the files do not fit; the disk itself may be full as well."""
    try:
        yield
    except (Unavailable, OSError) as error:
        is_short = error.errno == errno.ENOSPC if isinstance(error, OSError) else is_full(error)
        if quota is None or not is_short or not desk.volume.image.exists():
            raise
        limits = f"{quota.disk} bytes and {quota.files} files"
        raise Unavailable(
            f"The files of the workspace do not fit into its quota of {limits}.",
            hint="Raise `sandbox.limits.worker.disk` or `sandbox.limits.worker.disk_files`.",
        ) from error

"""What all workspaces of a run share: the history that its workers may see, and exports."""

import errno
from dataclasses import replace
from pathlib import Path
from secrets import token_hex
from threading import Lock

from supervisor_ai.domain.ids import CommitSha, RunId
from supervisor_ai.workspaces.deposit import Deposit
from supervisor_ai.workspaces.git import Git
from supervisor_ai.workspaces.layout import Premises, premises
from supervisor_ai.workspaces.removal import remove
from supervisor_ai.workspaces.repository import GitRepository
from supervisor_ai.workspaces.scratch import READABLE, TRAVERSABLE, make_directory

_BRANCH = "base"


class Sources:
    """Makes each of them once; another process that makes the same does no harm."""

    def __init__(self, repository: GitRepository, deposit: Deposit, state: Path) -> None:
        self._repository = repository
        self._deposit = deposit
        self._state = state
        self._lock = Lock()

    def prepare(self, run: RunId, base: CommitSha) -> Premises:
        """Give the run a directory with the history of the first commit that it starts from."""
        place = premises(self._state, run)
        if not place.base_git.exists():
            with self._lock:
                if not place.base_git.exists():
                    self._build_history(place, run, base)
        return place

    def export(self, run: RunId, commit: CommitSha) -> Path:
        """Give the run a directory with the files of a commit."""
        place = self.prepare(run, commit)
        path = place.programs / commit
        if not path.exists():
            with self._lock:
                if not path.exists():
                    self._build_export(place, path, commit)
        return path

    def base(self, place: Premises) -> CommitSha:
        """Return the commit whose history the run's workers see."""
        return CommitSha((place.base_git / "refs" / "heads" / _BRANCH).read_text().strip())

    def _build_history(self, place: Premises, run: RunId, base: CommitSha) -> None:
        self._state.mkdir(parents=True, exist_ok=True)
        for directory in (place.path, place.desks, place.programs):
            make_directory(directory, TRAVERSABLE)
        base = self._pin(run, base)
        unfinished = place.path / f"base-{token_hex(8)}.git"
        mold = self._repository.mold
        mold.cast(unfinished, branch=_BRANCH, tip=base)
        with mold.lend(place.path, borrows=self._repository.objects) as git:
            pack(git, base, into=unfinished)
        _publish(unfinished, place.base_git)

    def _pin(self, run: RunId, base: CommitSha) -> CommitSha:
        ref = f"refs/supervisor/{run}/_base"  # No step can be called so.
        pinned = self._repository.tip(ref)
        if pinned is None:
            self._deposit.point(ref, base)
        return pinned or base

    def _build_export(self, place: Premises, path: Path, commit: CommitSha) -> None:
        unfinished = place.programs / f"unfinished-{token_hex(8)}"
        make_directory(unfinished, READABLE)
        with self._repository.mold.lend(place.path, borrows=self._repository.objects) as git:
            check_out(git, commit, unfinished)
        _publish(unfinished, path)


def pack(git: Git, tip: CommitSha, *, into: Path, known: CommitSha | None = None) -> None:
    """Put everything that is reachable from the tip, and nothing else, into a git directory.

    Git writes the pack where its own objects are and moves it: both must be on one file system.
    """
    wanted = f"{tip}\n" if known is None else f"{tip}\n^{known}\n"
    how = ("--revs", "--non-empty", "--delta-base-offset", "-q")
    target = into / "objects" / "pack" / "pack"
    git.run("pack-objects", *how, target, stdin=wanted.encode())


def check_out(git: Git, commit: CommitSha, tree: Path) -> Git:
    """Fill an empty directory with the files of a commit."""
    placed = replace(git, work_tree=tree)
    placed.run("read-tree", "-m", "-u", commit)
    return placed


def _publish(unfinished: Path, path: Path) -> None:
    """Show it to others only when it is whole; the second throws its own away."""
    try:
        unfinished.rename(path)
    except OSError as error:
        if error.errno not in {errno.ENOTEMPTY, errno.EEXIST}:
            raise
        remove(unfinished)

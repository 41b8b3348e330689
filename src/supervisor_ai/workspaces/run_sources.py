"""Git sources that all workspaces of a run share: the history its workers may see, and exports."""

import errno
import os
import shutil
import tempfile
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path
from secrets import token_hex
from threading import Lock

from supervisor_ai.domain.ids import CommitSha, RunId
from supervisor_ai.domain.structs import replace
from supervisor_ai.workspaces.commits.hidden_files import blind_commit, write_patterns
from supervisor_ai.workspaces.commits.object_import import ObjectImport
from supervisor_ai.workspaces.files.removal import remove
from supervisor_ai.workspaces.layout import KeptSources, RunLayout, premises
from supervisor_ai.workspaces.repositories.bare_repository import (
    READABLE,
    TRAVERSABLE,
    make_directory,
)
from supervisor_ai.workspaces.repositories.git import Git
from supervisor_ai.workspaces.repositories.repository import GitRepository, difference
from supervisor_ai.workspaces.repositories.tree_layers import Export

_BRANCH = "base"


class RunSources:
    """Makes each of them once; another process that makes the same does no harm."""

    def __init__(self, repository: GitRepository, deposit: ObjectImport, state: Path) -> None:
        self._repository = repository
        self._deposit = deposit
        self._state = state
        self._kept = KeptSources(state=state)
        self._lock = Lock()

    def prepare(self, run: RunId, base: CommitSha) -> RunLayout:
        """Give the run a directory with the history of the first commit that it starts from."""
        place = premises(self._state, run)
        if not place.base_git.exists():
            with self._lock:
                if not place.base_git.exists():
                    self._build_history(place, run, base)
        return place

    def export(self, run: RunId, commit: CommitSha, hides: tuple[str, ...] = ()) -> Export:
        """Give the run a directory with the files of a commit that are not hidden."""
        place = self.prepare(run, commit)
        path = place.programs / "-".join((commit, *_digest(hides)))
        if not path.exists():
            with self._lock:
                if not path.exists():
                    self._build_export(place, path, commit, hides)
        return Export(path=path, commit=commit)

    def diff(self, base: CommitSha, head: CommitSha, hides: tuple[str, ...]) -> str:
        """Return the change between two commits, as far as it is not hidden."""
        self._state.mkdir(parents=True, exist_ok=True)
        with self._repository.mold.lend(self._state, borrows=self._repository.objects) as git:
            seen = [_seen(git, commit, hides) for commit in (base, head)]
            return difference(git, "--patch", *seen)

    def changed_paths(self, base: CommitSha, head: CommitSha) -> tuple[str, ...]:
        """Name the files that differ between two commits; a name that is no text is made one."""
        form = ("-r", "-z", "--name-only", "--no-renames")
        names = self._repository.git.run("diff-tree", *form, base, head).output.split(b"\0")
        return tuple(sorted(name.decode(errors="replace") for name in names if name))

    def base(self, place: RunLayout) -> CommitSha:
        """Return the commit whose history the run's workers see."""
        return CommitSha((place.base_git / "refs" / "heads" / _BRANCH).read_text().strip())

    def _build_history(self, place: RunLayout, run: RunId, base: CommitSha) -> None:
        self._state.mkdir(parents=True, exist_ok=True)
        for directory in (place.path, place.desks, place.programs):
            make_directory(directory, TRAVERSABLE)
        base = self._pin(run, base)
        unfinished = RunLayout(path=place.path / f"base-{token_hex(8)}")
        unfinished.path.mkdir()
        self._fill_history(unfinished, base)
        _publish(unfinished.base_git, place.base_git)
        unfinished.path.rmdir()

    def _fill_history(self, place: RunLayout, base: CommitSha) -> None:
        mold = self._repository.mold
        origin = f"{base}-{mold.boundary()}"
        if self._kept.history.take(place.base_git) == origin:
            return
        remove(place.base_git)
        mold.cast(place.base_git, branch=_BRANCH, tip=base)
        with mold.lend(place.path, borrows=self._repository.objects) as git:
            pack(git, base, into=place.base_git)
        place.origin.write_text(origin)
        # Whoever resumes the run after a power loss finds either all of it or nothing.
        for file in place.base_git.rglob("*"):
            if file.is_file():
                with file.open("rb") as content:
                    os.fsync(content.fileno())

    def _pin(self, run: RunId, base: CommitSha) -> CommitSha:
        ref = f"refs/supervisor/{run}/_base"  # No step can be called so.
        pinned = self._repository.tip(ref)
        if pinned is None:
            self._deposit.point(ref, base)
        return pinned or base

    def _build_export(
        self, place: RunLayout, path: Path, commit: CommitSha, hides: tuple[str, ...]
    ) -> None:
        unfinished = place.programs / f"unfinished-{token_hex(8)}"
        export = Export(path=unfinished, commit=commit)
        with self._repository.mold.lend(place.path, borrows=self._repository.objects) as git:
            if hides or not self._kept.export.take(export, git):
                make_directory(unfinished, TRAVERSABLE)
                make_directory(export.tree, READABLE)
                check_out(git, _seen(git, commit, hides), export.tree)
                (git.directory / "index").rename(export.index)
        _publish(unfinished, path)


def _seen(git: Git, commit: CommitSha, hides: tuple[str, ...]) -> CommitSha:
    if not hides:
        return commit
    patterns = git.directory / "hidden"
    write_patterns(patterns, hides)
    return blind_commit(git, commit, patterns)


def _digest(hides: tuple[str, ...]) -> Iterator[str]:
    if hides:
        yield sha256("\0".join(hides).encode(errors="surrogateescape")).hexdigest()[:16]


def pack(git: Git, tip: CommitSha, *, into: Path, known: CommitSha | None = None) -> None:
    """Put everything that is reachable from the tip, and nothing else, into a git directory.

    Git writes a pack beside its own objects and moves it, which it can within one file system only.
    """
    wanted = f"{tip}\n" if known is None else f"{tip}\n^{known}\n"
    how = ("--revs", "--non-empty", "--delta-base-offset", "-q")
    # Whoever shares a check-out packs from the same directory, at the same time.
    outgoing = Path(tempfile.mkdtemp(prefix="outgoing-", dir=git.directory))
    git.run("pack-objects", *how, outgoing / "pack", stdin=wanted.encode())
    for file in outgoing.iterdir():
        shutil.move(file, into / "objects" / "pack" / file.name)
    outgoing.rmdir()


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

"""Workspaces and an anchor in memory, for simulations: no git, no files, no threads."""

import difflib
import errno
import hashlib
import json
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from fnmatch import fnmatchcase
from itertools import count
from pathlib import Path, PurePosixPath
from typing import Final

from msgspec import Struct

from supervisor_ai.domain.errors import InvalidInput, NotFound
from supervisor_ai.domain.ids import CommitSha, EffectKey, RunId, TreeSha
from supervisor_ai.domain.run.values import Hardness, Snapshot
from supervisor_ai.domain.run.writable import Writable
from supervisor_ai.engine.ports.sandbox import Mount
from supervisor_ai.engine.ports.workspaces import (
    PLAIN,
    AnchorPoint,
    Landed,
    Landing,
    LeftOutSink,
    NotLanded,
    SetupCache,
    Workspace,
    WorkspacePlan,
)

Files = Mapping[str, str]

_ROOT: Final = Path("/memory")
_FIRST_PORT: Final = 20_000
_PORTS: Final = 20


class MemoryCommit(Struct, frozen=True, kw_only=True):
    """A commit: files, what came before, and what a landing says about itself."""

    files: Files
    parent: CommitSha | None = None
    key: EffectKey | None = None
    note: str = ""


@dataclass(slots=True, kw_only=True)
class _Directory:
    """The files of an open workspace."""

    run: RunId
    key: EffectKey
    fence: int
    start: CommitSha
    files: dict[str, str]
    number: int
    hides: tuple[str, ...] = ()
    writable: Writable | None = None
    reports: dict[str, str] = field(default_factory=dict)


@dataclass(slots=True)
class MemoryWorkspaces:
    """A repository and its workspaces as dictionaries; equal deeds make equal names."""

    commits: dict[CommitSha, MemoryCommit] = field(default_factory=dict)
    refs: dict[str, CommitSha] = field(default_factory=dict)
    branches: dict[str, CommitSha] = field(default_factory=dict)
    _directories: dict[Path, _Directory] = field(default_factory=dict)
    _bases: dict[RunId, CommitSha] = field(default_factory=dict)
    _caches: dict[str, Files] = field(default_factory=dict)

    # For tests

    def commit(self, files: Files, *, parent: CommitSha | None = None) -> CommitSha:
        """Make a commit, as a user would."""
        return self._store(MemoryCommit(files=dict(files), parent=parent))

    def files(self, commit: CommitSha) -> Files:
        """Return the files of a commit."""
        return self._commit(commit).files

    def tree(self, commit: CommitSha) -> TreeSha:
        """Return the name of a commit's files."""
        return TreeSha(_digest(self._commit(commit).files))

    def write(self, workspace: Workspace, path: str, text: str | None) -> None:
        """Write a file of an open workspace, or remove it (None), as a worker would."""
        left = self._directory(workspace)
        if left.writable is not None and not left.writable.allows(path):
            raise OSError(errno.EROFS, os.strerror(errno.EROFS), path)
        files = left.files
        files.pop(path, None)
        if text is not None:
            files[path] = text

    def report(self, path: Path, name: str, text: str) -> None:
        """Leave a report beside the files of the workspace at a path, as a runner would."""
        self._directories[path].reports[name] = text

    def read(self, workspace: Workspace, path: str) -> str | None:
        """Return a file of an open workspace, or None."""
        return self._directory(workspace).files.get(path)

    def content(self, path: Path) -> str:
        """Name the files of an open workspace; of one that is gone there is nothing to name."""
        left = self._directories.get(path)
        return _digest(left.files) if left else ""

    @property
    def open_paths(self) -> tuple[Path, ...]:
        """Return the directories that exist."""
        return tuple(self._directories)

    # The port

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
        path = _ROOT / run / f"{key.replace('/', '-')}.{fence}"
        files, number = _shown(self._commit(start).files, plan.hides), self._free_number()
        self._bases.setdefault(run, start)
        self._directories[path] = _Directory(
            run=run,
            key=key,
            fence=fence,
            start=start,
            files=files,
            number=number,
            hides=plan.hides,
            writable=plan.writable,
        )
        return Workspace(
            run=run,
            key=key,
            path=path,
            start=start,
            mounts=tuple(_mounts(path, files, plan)),
            environment={
                "SUPERVISOR_PORT_BASE": str(_FIRST_PORT + _PORTS * number),
                "SUPERVISOR_DB_SUFFIX": f"_w{number}",
            },
            quota=Hardness.NONE if plan.quota is None else Hardness.SOFT,
            reports=path.with_name(f"{path.name}.reports") if plan.has_reports else None,
        )

    async def keeps_quota(self) -> bool:
        """Tell that there is no kernel here to keep one."""
        return False

    async def take_cached(self, workspace: Workspace, cache: SetupCache) -> bool:
        """Copy into the workspace what an equal set-up made before; tell whether there was any."""
        left = self._directory(workspace)
        kept = self._caches.get(_cache_name(left, cache))
        left.files.update(kept or {})
        return kept is not None

    async def keep_cached(self, workspace: Workspace, cache: SetupCache) -> None:
        """Keep what the set-up made for later workspaces, if it ran on the run's base commit."""
        left = self._directory(workspace)
        name = _cache_name(left, cache)
        made = {path: text for path, text in left.files.items() if _is_hidden(path, cache.paths)}
        if made and left.start == self._bases[left.run]:
            self._caches.setdefault(name, made)

    async def snapshot(
        self,
        workspace: Workspace,
        *,
        ref: str,
        at: datetime,
        on_left_out: LeftOutSink | None = None,
    ) -> Snapshot:
        """Turn the directory's files into a commit on top of its start; nothing is left out."""
        del on_left_out
        return self._keep(self._directory(workspace), ref, at)

    async def changed(self, workspace: Workspace) -> tuple[str, ...]:
        """List the files of the start commit that are not as they were, or gone."""
        left = self._directory(workspace)
        shown = _shown(self._commit(left.start).files, left.hides)
        return tuple(sorted(path for path in shown if left.files.get(path) != shown[path]))

    async def touched(self, workspace: Workspace) -> Mapping[str, int]:
        """List the files that differ from the start, are new or gone."""
        return self._differing(self._directory(workspace))

    async def touched_by(self, run: RunId, key: EffectKey) -> Mapping[str, int]:
        """List the same of an operation that another owner may be at."""
        found = [it for it in self._directories.values() if (it.run, it.key) == (run, key)]
        newest = max(found, key=lambda it: it.fence, default=None)
        return {} if newest is None else self._differing(newest)

    def _differing(self, left: _Directory) -> Mapping[str, int]:
        shown = _shown(self._commit(left.start).files, left.hides)
        return {
            path: 0
            for path in sorted({*shown, *left.files})
            if left.files.get(path) != shown.get(path)
        }

    async def read_file(self, workspace: Workspace, path: str, *, most: int) -> bytes | None:
        """Read a file of the directory, up to so many bytes and one more."""
        text = self._directory(workspace).files.get(path)
        return None if text is None else text.encode()[: most + 1]

    async def read_reports(self, workspace: Workspace, *, most: int) -> Mapping[str, bytes]:
        """Read the files that lie in the directory for reports, by their names."""
        reports = self._directory(workspace).reports
        return {name: text.encode() for name, text in reports.items() if len(text) <= most}

    async def compose(
        self,
        base: CommitSha,
        contents: Mapping[str, bytes | None],
        *,
        at: datetime,
        modes_of: CommitSha | None = None,
    ) -> Snapshot:
        """Make a commit with the base's files and other contents at some paths; None: no file."""
        self._commit(modes_of or base)
        files = _composed(self._commit(base).files, contents)
        made = MemoryCommit(files=files, parent=base, note=f"Composition at {at}")
        commit = self._store(made)
        return Snapshot(commit=commit, tree=self.tree(commit))

    async def keep(self, commit: CommitSha, *, ref: str) -> None:
        """Let a ref of ours keep a commit."""
        self._commit(commit)
        self.refs[ref] = commit

    async def close(self, workspace: Workspace) -> None:
        """Remove the directory."""
        self._directories.pop(workspace.path, None)

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
        del on_left_out
        all_directories = self._directories.items()
        lost = [
            (path, left) for path, left in all_directories if (left.run, left.key) == (run, key)
        ]
        kept = None
        for path, left in sorted(lost, key=lambda item: -item[1].fence):
            if self._whole(left) != self._commit(left.start).files:
                self._keep(left, f"{ref}-{left.fence}" if kept else ref, at)
                kept = ref
            del self._directories[path]
        return kept

    async def program(self, run: RunId, base: CommitSha, *, hides: tuple[str, ...] = ()) -> Path:
        """Export the base commit, read-only, for programs that the definition names by a path."""
        self._commit(base)
        return _ROOT / run / "program" / "-".join((base, *hides))

    async def diff(self, base: CommitSha, head: CommitSha, *, hides: tuple[str, ...] = ()) -> str:
        """Return the change between two commits as text."""
        old, new = (_shown(self._commit(commit).files, hides) for commit in (base, head))
        changed = sorted(path for path in old.keys() | new.keys() if old.get(path) != new.get(path))
        return "".join(_unified(path, old.get(path), new.get(path)) for path in changed)

    async def changed_paths(self, base: CommitSha, head: CommitSha) -> tuple[str, ...]:
        """Name the files that differ between two commits, sorted."""
        old, new = self._commit(base).files, self._commit(head).files
        return tuple(sorted(it for it in old.keys() | new.keys() if old.get(it) != new.get(it)))

    async def land(self, landing: Landing) -> Landed | NotLanded:
        """Put the snapshot on the branch by compare-and-swap; a key that has landed is found."""
        found = await self.find_landed(landing.branch, landing.key)
        if found is not None:
            return found
        tip = self.branches.get(landing.branch)
        if tip is None and landing.expected is not None:
            return NotLanded(reason=f"The branch {landing.branch!r} is gone.")
        files = self._integrated(landing, tip)
        if isinstance(files, NotLanded):
            return files
        commit = self._store(
            MemoryCommit(
                files=files,
                parent=tip or landing.base,
                key=landing.key,
                note=f"{landing.message}\n{landing.identity}\n{landing.at}",
            )
        )
        self.branches[landing.branch] = commit
        return Landed(commit=commit, tree=self.tree(commit))

    async def find_landed(self, branch: str, key: EffectKey) -> Landed | None:
        """Find the commit on the branch that carries the operation's trailer."""
        commit = self.branches.get(branch)
        while commit is not None:
            if self.commits[commit].key == key:
                return Landed(commit=commit, tree=self.tree(commit))
            commit = self.commits[commit].parent
        return None

    async def forget(self, run: RunId) -> None:
        """Remove what an ended run needs no more; refs stay."""
        for path in [path for path, left in self._directories.items() if left.run == run]:
            del self._directories[path]

    def _integrated(self, landing: Landing, tip: CommitSha | None) -> Files | NotLanded:
        theirs = self._commit(landing.snapshot).files
        if tip == landing.expected or tip is None:
            return theirs
        ours, ancestor = self.files(tip), self.files(landing.expected or landing.base)
        merged, conflicts = _merge(ancestor, ours, theirs)
        if conflicts:
            named = ", ".join(map(repr, conflicts))
            return NotLanded(reason=f"The branch has moved and conflicts in {named}.")
        return merged

    def _keep(self, left: _Directory, ref: str, at: datetime) -> Snapshot:
        note = f"Snapshot of {left.key} at {at}"
        made = MemoryCommit(files=self._whole(left), parent=left.start, note=note)
        commit = self._store(made)
        self.refs[ref] = commit
        return Snapshot(commit=commit, tree=self.tree(commit))

    def _whole(self, left: _Directory) -> dict[str, str]:
        """Put back what is hidden, as it was."""
        start = self._commit(left.start).files
        hidden = {path: text for path, text in start.items() if _is_hidden(path, left.hides)}
        return _shown(left.files, left.hides) | hidden

    def _free_number(self) -> int:
        taken = {left.number for left in self._directories.values()}
        return next(number for number in count() if number not in taken)

    def _store(self, commit: MemoryCommit) -> CommitSha:
        name = CommitSha(_digest([commit.files, commit.parent, commit.key, commit.note]))
        self.commits[name] = commit
        return name

    def _commit(self, commit: CommitSha) -> MemoryCommit:
        if commit not in self.commits:
            raise NotFound(f"No commit is called {commit!r}.")
        return self.commits[commit]

    def _directory(self, workspace: Workspace) -> _Directory:
        if workspace.path not in self._directories:
            raise NotFound(f"The workspace {str(workspace.path)!r} does not exist any more.")
        return self._directories[workspace.path]


@dataclass(slots=True)
class MemoryAnchor:
    """An anchor that forgets when the process ends."""

    point: AnchorPoint | None = None

    def write(self, point: AnchorPoint) -> None:
        """Keep the link."""
        self.point = point

    def read(self) -> AnchorPoint | None:
        """Return the newest link that was kept."""
        return self.point


def _digest(content: object) -> str:
    encoded = json.dumps(content, sort_keys=True, default=dict).encode()
    return hashlib.sha1(encoded, usedforsecurity=False).hexdigest()


def _mounts(root: Path, files: Files, plan: WorkspacePlan) -> Iterator[Mount]:
    writable = plan.writable
    if writable is None:
        yield Mount(source=root, target=root, is_writable=plan.is_writable)
        return
    yield Mount(source=root, target=root, is_writable=writable.everywhere)
    for path, is_writable in writable.outermost_first:
        _check_own(path)
        if path in files or not path.endswith(".md"):
            yield Mount(source=root / path, target=root / path, is_writable=is_writable)


def _shown(files: Files, hides: Sequence[str]) -> dict[str, str]:
    return {path: text for path, text in files.items() if not _is_hidden(path, hides)}


def _is_hidden(path: str, patterns: Sequence[str]) -> bool:
    """Match as git's ignore files do, but for negation and for stars that cross directories."""
    places = [path, *map(str, PurePosixPath(path).parents)]
    return any(_matches(place, pattern) for pattern in patterns for place in places)


def _matches(path: str, pattern: str) -> bool:
    plain = pattern.rstrip("/")
    name = path if "/" in plain else PurePosixPath(path).name
    return fnmatchcase(name, plain.lstrip("/"))


def _composed(files: Files, contents: Mapping[str, bytes | None]) -> dict[str, str]:
    """Put contents over files; as on a disk, a file and a directory of one name exclude another."""
    new = {path: content for path, content in contents.items() if content is not None}
    for path in contents:
        _check_own(path)
        if path in new and any(str(parent) in new for parent in PurePosixPath(path).parents):
            raise InvalidInput(f"The path {path!r} cannot be one of a commit's files.")
    kept = {
        path: text
        for path, text in files.items()
        if path not in contents and not any(_clash(path, other) for other in new)
    }
    return kept | {path: content.decode(errors="surrogateescape") for path, content in new.items()}


def _clash(one: str, other: str) -> bool:
    return one.startswith(f"{other}/") or other.startswith(f"{one}/")


def _check_own(path: str) -> None:
    parts = path.lower().split("/")
    if {"", ".", "..", ".git"} & set(parts) or "\0" in path:
        raise InvalidInput(f"The path {path!r} is not one of a workspace's own files.")


def _cache_name(left: _Directory, cache: SetupCache) -> str:
    for path in (*cache.key_files, *cache.paths):
        parts = PurePosixPath(path).parts
        if not parts or ".." in parts or ".git" in parts or path.startswith("/"):
            raise InvalidInput(f"The path {path!r} is not one of a workspace's own files.")
    keys = [left.files.get(path) for path in cache.key_files]
    return _digest([cache.command, cache.paths, keys, left.hides])


def _merge(ancestor: Files, ours: Files, theirs: Files) -> tuple[dict[str, str], list[str]]:
    merged, conflicts = {}, []
    for path in sorted(ancestor.keys() | ours.keys() | theirs.keys()):
        old, left, right = ancestor.get(path), ours.get(path), theirs.get(path)
        if left != right and old not in {left, right}:
            conflicts.append(path)
        chosen = right if left == old else left
        if chosen is not None:
            merged[path] = chosen
    return merged, conflicts


def _unified(path: str, old: str | None, new: str | None) -> str:
    before, after = (old or "").splitlines(keepends=True), (new or "").splitlines(keepends=True)
    lines = difflib.unified_diff(before, after, f"a/{path}", f"b/{path}")
    return "".join(line if line.endswith("\n") else f"{line}\n" for line in lines)

"""Kanban files in memory, for simulations: no git, no files, no threads."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from supervisor_ai.domain.errors import InvalidInput
from supervisor_ai.domain.ids import CommitSha
from supervisor_ai.domain.run.values import Snapshot
from supervisor_ai.drivers.kanban.board.bounds import check_sizes, is_markdown
from supervisor_ai.drivers.kanban.board.policy import KanbanPlace
from supervisor_ai.drivers.kanban.ports import Files, NotSaved, NotTaken, Saved, Standing, Taken
from supervisor_ai.testing.fake_workspaces import MemoryWorkspaces


@dataclass(slots=True)
class MemoryKanbanFiles:
    """The branches and commits of workspaces in memory, and directories that are dictionaries."""

    workspaces: MemoryWorkspaces
    directories: dict[str, dict[str, bytes]] = field(default_factory=dict)
    """What plain directories hold, by name; a test may do with it what a person would."""

    async def take(
        self, place: KanbanPlace, standing: Standing, *, at: datetime
    ) -> Taken | NotTaken:
        """Read the markdown files of the kanban's folder, as they are now."""
        tip = self.workspaces.branches.get(standing.branch)
        if tip is None and standing.landed is not None:
            return NotTaken(reason=f"The branch {standing.branch!r} is gone.")
        try:
            if place.directory is None:
                commit = tip or standing.base
                snapshot = Snapshot(commit=commit, tree=self.workspaces.tree(commit))
                return Taken(snapshot=snapshot, files=self._read(commit, place.folder), tip=tip)
            return await self._take_directory(place, standing, tip, at)
        except InvalidInput as error:
            return NotTaken(reason=error.message)

    async def read(self, commit: CommitSha, folder: str) -> Files:
        """Read the markdown files right in a folder of a commit."""
        return self._read(commit, folder)

    async def changed(self, start: CommitSha, commit: CommitSha) -> tuple[str, ...]:
        """List the paths that differ between two commits."""
        old, new = self.workspaces.files(start), self.workspaces.files(commit)
        return tuple(sorted(path for path in old.keys() | new if old.get(path) != new.get(path)))

    async def restore(
        self, snapshot: CommitSha, paths: Sequence[str], *, start: CommitSha, at: datetime
    ) -> Snapshot:
        """Make a commit with the snapshot's files, but some paths as they were at the start."""
        before = self.workspaces.files(start)
        contents = {path: before[path].encode() if path in before else None for path in paths}
        return await self.workspaces.compose(snapshot, contents, at=at)

    async def save(
        self,
        place: KanbanPlace,
        *,
        start: CommitSha,
        snapshot: CommitSha,
        base: CommitSha,
        at: datetime,
    ) -> Saved | NotSaved:
        """Write what differs in the kanban's folder into its plain directory."""
        if place.directory is None:
            return NotSaved(reason=f"The kanban {place.file!r} is in no plain directory.")
        before, after = (_named(self._read(commit, place.folder)) for commit in (start, snapshot))
        reason = self._write(place.directory, before, after)
        if reason is not None:
            return NotSaved(reason=reason)
        gone: dict[str, bytes | None] = dict.fromkeys(self._below(snapshot, place.folder))
        contents = gone | self._below(base, place.folder)
        return Saved(rest=await self.workspaces.compose(snapshot, contents, at=at))

    async def _take_directory(
        self, place: KanbanPlace, standing: Standing, tip: CommitSha | None, at: datetime
    ) -> Taken:
        there = self.directories.get(place.directory or "")
        if there is None:
            raise InvalidInput(f"There is no directory {place.directory!r}.")
        found = {name: content for name, content in there.items() if is_markdown(name)}
        check_sizes({name: len(content) for name, content in found.items()})
        files = {f"{place.folder}/{name}": content for name, content in sorted(found.items())}
        base = tip or standing.base
        gone: dict[str, bytes | None] = dict.fromkeys(self._read(base, place.folder))
        snapshot = await self.workspaces.compose(base, gone | files, at=at)
        rest = None if tip is None else self.workspaces.tree(tip)
        return Taken(snapshot=snapshot, files=files, tip=tip, rest=rest)

    def _write(self, directory: str, before: Files, after: Files) -> str | None:
        names = {name for name in before.keys() | after if before.get(name) != after.get(name)}
        there = self.directories.get(directory, {})
        moved = [
            name for name in names if there.get(name) not in (before.get(name), after.get(name))
        ]
        if moved:
            named = ", ".join(map(repr, sorted(moved)))
            return f"In {directory!r} somebody has changed {named} meanwhile."
        kept = {name: content for name, content in there.items() if name not in names}
        written = {name: after[name] for name in names if name in after}
        if names:
            self.directories[directory] = kept | written
        return None

    def _read(self, commit: CommitSha, folder: str) -> Files:
        files = {
            path: content
            for path, content in self._below(commit, folder).items()
            if is_markdown(path) and path.rpartition("/")[0] == folder
        }
        check_sizes({path: len(content) for path, content in files.items()})
        return files

    def _below(self, commit: CommitSha, folder: str) -> dict[str, bytes]:
        return {
            path: text.encode(errors="surrogateescape")
            for path, text in sorted(self.workspaces.files(commit).items())
            if path.startswith(f"{folder}/")
        }


def _named(files: Files) -> Mapping[str, bytes]:
    return {path.rpartition("/")[2]: content for path, content in files.items()}

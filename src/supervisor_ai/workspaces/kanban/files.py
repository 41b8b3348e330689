"""The files of a kanban on the run's branch or in a plain directory."""

import os
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Final

from supervisor_ai.control.slices import SliceProject
from supervisor_ai.domain.errors import Conflict, InternalError, InvalidInput
from supervisor_ai.domain.ids import CommitSha
from supervisor_ai.domain.run.values import Snapshot
from supervisor_ai.drivers.kanban.board.bounds import check_sizes, is_markdown
from supervisor_ai.drivers.kanban.board.policy import KanbanPlace
from supervisor_ai.drivers.kanban.ports import Files, NotSaved, NotTaken, Saved, Standing, Taken
from supervisor_ai.workspaces.commits.commit_files import CommitFiles
from supervisor_ai.workspaces.commits.composition import Composer, is_plain
from supervisor_ai.workspaces.commits.object_import import ObjectImport
from supervisor_ai.workspaces.files.disk_errors import disk_failure
from supervisor_ai.workspaces.files.replacement import Rename
from supervisor_ai.workspaces.in_thread import perform
from supervisor_ai.workspaces.kanban.directory import KanbanDirectory, Wish
from supervisor_ai.workspaces.repositories.definite_directory import find_directory
from supervisor_ai.workspaces.repositories.repository import GitRepository

_MOST_CHANGES: Final = 100_000


def open_kanban_files(project: Callable[[], SliceProject]) -> "GitKanbanFiles":
    """Open the files of kanbans in a project."""
    opened = project()
    if not isinstance(opened.repository, GitRepository):
        raise InternalError("The files of kanbans are in git repositories only.")
    return GitKanbanFiles(opened.repository, opened.state)


class GitKanbanFiles:
    """Kanban files beside one repository, whose commits are read without any work tree."""

    def __init__(
        self, repository: GitRepository, state: Path, *, rename: Rename = os.rename
    ) -> None:
        self._repository = repository
        self._composer = Composer(repository, ObjectImport(repository), state.resolve())
        self._commits = CommitFiles(self._ask)
        self._rename = rename

    async def take(
        self, place: KanbanPlace, standing: Standing, *, at: datetime
    ) -> Taken | NotTaken:
        """Read the markdown files of the kanban's folder, as they are now."""
        return await perform(self._take, place, standing, at)

    async def read(self, commit: CommitSha, folder: str) -> Files:
        """Read the markdown files right in a folder of a commit."""
        return await perform(self._read, commit, folder)

    async def changed(self, start: CommitSha, commit: CommitSha) -> tuple[str, ...]:
        """List the paths that differ between two commits, links and other kinds included."""
        return await perform(self._changed, start, commit)

    async def restore(
        self, snapshot: CommitSha, paths: Sequence[str], *, start: CommitSha, at: datetime
    ) -> Snapshot:
        """Make a commit with the snapshot's files, but some paths as they were at the start."""
        return await perform(self._composer.transplant, snapshot, paths, start, at)

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
        try:
            await perform(self._write_back, place, start, snapshot)
        except (InvalidInput, Conflict) as error:
            return NotSaved(reason=error.message)
        rest = await perform(self._composer.transplant, snapshot, [place.folder], base, at)
        return Saved(rest=rest)

    def _take(self, place: KanbanPlace, standing: Standing, at: datetime) -> Taken | NotTaken:
        tip = self._repository.branch_tip(standing.branch)
        if tip is None and standing.landed is not None:
            stood = f"the run has left it at {standing.landed!r}"
            return NotTaken(reason=f"The branch {standing.branch!r} is gone; {stood}.")
        try:
            if place.directory is None:
                return self._take_commit(tip or standing.base, place.folder, tip)
            files = self._directory(place.directory).read()
            placed = {f"{place.folder}/{name}": content for name, content in files.items()}
            snapshot = self._compose(tip or standing.base, place.folder, placed, at)
        except InvalidInput as error:
            return NotTaken(reason=error.message)
        except OSError as error:
            return NotTaken(reason=disk_failure(error).message)
        rest = None if tip is None else self._repository.tree(tip)
        return Taken(snapshot=snapshot, files=placed, tip=tip, rest=rest)

    def _take_commit(self, commit: CommitSha, folder: str, tip: CommitSha | None) -> Taken:
        snapshot = Snapshot(commit=commit, tree=self._repository.tree(commit))
        return Taken(snapshot=snapshot, files=self._read(commit, folder), tip=tip)

    def _compose(self, base: CommitSha, folder: str, files: Files, at: datetime) -> Snapshot:
        """Let the folder have these markdown files and no others, be they links."""
        there = self._commits.names(base, _checked(folder))
        contents: dict[str, bytes | None] = {path: None for path in there if is_markdown(path)}
        return self._composer.compose(base, contents | dict(files), at)

    def _read(self, commit: CommitSha, folder: str) -> Files:
        listed = self._commits.list_in(commit, _checked(folder))
        found = [file for file in listed if is_markdown(file.path)]
        check_sizes({file.path: file.size for file in found})
        return {file.path: content for file, content in self._commits.read(found)}

    def _changed(self, start: CommitSha, commit: CommitSha) -> tuple[str, ...]:
        paths = tuple(change.path for change in self._commits.changes(start, commit))
        if len(paths) > _MOST_CHANGES:
            found = f"{len(paths)} paths differ between {start!r} and {commit!r}"
            raise InvalidInput(f"{found}; {_MOST_CHANGES} are the most that are looked at.")
        return paths

    def _write_back(self, place: KanbanPlace, start: CommitSha, snapshot: CommitSha) -> None:
        if place.directory is None:
            raise InvalidInput(f"The kanban {place.file!r} is in no plain directory.")
        wishes = _wishes(
            place.file, self._read(start, place.folder), self._read(snapshot, place.folder)
        )
        if not wishes:
            return
        try:
            self._directory(place.directory).fulfil(wishes)
        except OSError as error:
            raise Conflict(disk_failure(error).message) from error

    def _directory(self, directory: str) -> KanbanDirectory:
        path = find_directory(directory, self._repository, what="a kanban")
        return KanbanDirectory(path=path, rename=self._rename)

    def _ask(self, *arguments: str, stdin: bytes = b"") -> bytes:
        return self._repository.git.run(*arguments, stdin=stdin).output


def _wishes(kanban: str, before: Files, after: Files) -> Mapping[str, Wish]:
    """Say for each name that differs what the file was and what it shall be.

    The kanban file comes last: what it lists must be there whenever somebody looks.
    """
    return {
        path.rpartition("/")[2]: (before.get(path), after.get(path))
        for path in sorted(before.keys() | after.keys(), key=lambda path: (path == kanban, path))
        if before.get(path) != after.get(path)
    }


def _checked(folder: str) -> str:
    if not is_plain(folder):
        raise InvalidInput(f"The folder {folder!r} is not one of a commit's own.")
    return folder

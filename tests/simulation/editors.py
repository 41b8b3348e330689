"""People who edit a kanban's files while a run works on them, well and badly."""

from collections.abc import Callable, Mapping
from random import Random
from typing import Final

from tests.simulation.kanbans import FOLDER
from tests.simulation.machine import Machine

from supervisor_ai.drivers.kanban.board.policy import KanbanPlace

BROKEN: Final = "state: [\n"
_HEADER: Final = "---\n"


class Editors:
    """Commit to the run's branch, or write into the plain directory, whenever they like."""

    def __init__(
        self, machine: Machine, place: KanbanPlace, branch: str, is_over: Callable[[], bool]
    ) -> None:
        self._machine = machine
        self._chance: Random = machine.chance
        self._directory = place.directory
        self._branch = branch
        self._is_over = is_over

    def edit_later(self) -> None:
        """Edit something some time later, and again."""
        self._machine.loop.call_later(self._chance.expovariate(0.05), self._edit)

    def mend(self) -> None:
        """Take out what somebody broke, wherever that is."""
        files = self._files()
        broken = [path for path, text in files.items() if BROKEN in text]
        if broken:
            self._write({path: files[path].replace(BROKEN, "") for path in broken})

    def _edit(self) -> None:
        if self._is_over():
            return
        files = self._files()
        paths = sorted(path for path in files if path.startswith(FOLDER))
        if paths:
            self._write(self._change(files, self._chance.choice(paths)))
        self.edit_later()

    def _change(self, files: Mapping[str, str], path: str) -> dict[str, str]:
        drawn = self._chance.random()
        if drawn < 0.15:
            return {path: files[path].replace(_HEADER, f"{_HEADER}{BROKEN}", 1)}
        if drawn < 0.3 and self._directory is None:
            return {"NEWS": f"News {self._chance.random()}.\n"}
        if drawn < 0.4:
            return {path: files[path].replace("state: todo", "state: cancelled", 1)}
        if drawn < 0.5:
            return {f"{FOLDER}note.md": "No task, only a note.\n"}
        return {path: files[path].replace("Do it.", "Do it well.", 1)}

    def _files(self) -> dict[str, str]:
        if self._directory is not None:
            named = self._machine.kanban_files.directories[self._directory]
            return {f"{FOLDER}{name}": content.decode() for name, content in named.items()}
        tip = self._machine.workspaces.branches.get(self._branch)
        return {} if tip is None else dict(self._machine.workspaces.files(tip))

    def _write(self, changes: Mapping[str, str]) -> None:
        if self._directory is not None:
            there = self._machine.kanban_files.directories[self._directory]
            named = {path.removeprefix(FOLDER): text.encode() for path, text in changes.items()}
            self._machine.kanban_files.directories[self._directory] = there | named
            return
        workspaces = self._machine.workspaces
        tip = workspaces.branches[self._branch]
        files = {**workspaces.files(tip), **changes}
        workspaces.branches[self._branch] = workspaces.commit(files, parent=tip)

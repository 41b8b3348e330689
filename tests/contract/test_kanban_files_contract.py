"""Kanban files on a real repository and in memory, through the same suite."""

from collections.abc import Mapping
from itertools import count
from pathlib import Path
from typing import Final

import pytest
from tests.contract.workspace_worlds import GitWorld, MemoryWorld
from tests.support.fake_kanban_files import MemoryKanbanFiles
from tests.support.kanban_files_suite import BranchSuite, DirectorySuite

from supervisor_ai.drivers.kanban.ports import KanbanFiles
from supervisor_ai.workspaces.kanban.files import GitKanbanFiles

PLAIN: Final = "/plain"


class MemoryKanbanWorld(MemoryWorld):
    def __init__(self) -> None:
        super().__init__()
        self.kept = MemoryKanbanFiles(self.memory, {PLAIN: {}})

    @property
    def kanban_files(self) -> KanbanFiles:
        return self.kept

    @property
    def directory(self) -> str:
        return PLAIN

    def put(self, name: str, content: bytes | None) -> None:
        self.kept.directories[PLAIN].pop(name, None)
        if content is not None:
            self.kept.directories[PLAIN][name] = content

    def look(self) -> Mapping[str, bytes]:
        return self.kept.directories[PLAIN]


class GitKanbanWorld(GitWorld):
    def __init__(self, path: Path) -> None:
        super().__init__(path)
        self.plain = path / "plain"
        self.plain.mkdir()

    @property
    def kanban_files(self) -> KanbanFiles:
        return GitKanbanFiles(self.repository, self.state)

    @property
    def directory(self) -> str:
        return str(self.plain)

    def put(self, name: str, content: bytes | None) -> None:
        (self.plain / name).unlink(missing_ok=True)
        if content is not None:
            (self.plain / name).write_bytes(content)

    def look(self) -> Mapping[str, bytes]:
        return {path.name: path.read_bytes() for path in self.plain.iterdir()}


class TestMemoryKanbanFiles(BranchSuite, DirectorySuite):
    @pytest.fixture(autouse=True)
    def make_worlds(self) -> None:
        self.world = MemoryKanbanWorld


class TestGitKanbanFiles(BranchSuite, DirectorySuite):
    @pytest.fixture(autouse=True)
    def make_worlds(self, tmp_path: Path) -> None:
        places = (tmp_path / str(number) for number in count())
        self.world = lambda: GitKanbanWorld(next(places))

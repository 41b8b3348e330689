"""The folders of sessions on the disk and in memory do the same."""

from pathlib import Path

import pytest
from tests.support.memory_session_files import MemorySessionFolders
from tests.support.session_files_suite import SessionFilesSuite

from supervisor_ai.testing.scratch_repository import ScratchRepository
from supervisor_ai.workspaces.repositories.repository import GitRepository
from supervisor_ai.workspaces.sessions.folders import DiskSessionFolders


class TestMemorySessionFolders(SessionFilesSuite):
    @pytest.fixture(autouse=True)
    def set_up(self) -> None:
        self.folders = MemorySessionFolders


class TestDiskSessionFolders(SessionFilesSuite):
    @pytest.fixture(autouse=True)
    def set_up(self, tmp_path: Path) -> None:
        ScratchRepository(tmp_path / "project").commit({"a": "a\n"})
        (tmp_path / "project/.supervisor").mkdir()
        repository = GitRepository(tmp_path / "project")
        self.folders = lambda: DiskSessionFolders(repository)

"""Workspaces that may be written path by path."""

import errno
from itertools import count
from pathlib import Path

import pytest
from tests.contract.workspace_worlds import GitWorld, MemoryWorld

from supervisor_ai.domain.run.writable import Writable
from supervisor_ai.engine.ports.workspaces import WorkspacePlan
from supervisor_ai.testing.parts_suite import PartsSuite
from supervisor_ai.testing.workspaces_suite import FILES, open_workspace


class TestMemoryParts(PartsSuite):
    @pytest.fixture(autouse=True)
    def make_worlds(self) -> None:
        self.world = MemoryWorld

    def test_a_write_where_it_is_not_allowed_fails_as_on_a_read_only_file_system(self) -> None:
        world = MemoryWorld()
        plan = WorkspacePlan(writable=Writable(everywhere=False, paths={"tasks/1-a.md": True}))
        workspace = open_workspace(world, world.commit(FILES | {"tasks/1-a.md": "a\n"}), plan=plan)
        world.write(workspace, "tasks/1-a.md", "b\n")
        for path in ("README", "tasks/2-b.md", "new"):
            with pytest.raises(OSError, match="Read-only") as refused:
                world.write(workspace, path, "x\n")
            assert refused.value.errno == errno.EROFS
            assert world.read(workspace, path) == FILES.get(path)


class TestGitParts(PartsSuite):
    @pytest.fixture(autouse=True)
    def make_worlds(self, tmp_path: Path) -> None:
        places = (tmp_path / str(number) for number in count())
        self.world = lambda: GitWorld(next(places))

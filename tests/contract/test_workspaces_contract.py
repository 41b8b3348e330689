from itertools import count
from pathlib import Path

import pytest
from tests.contract.workspace_worlds import GitWorld, MemoryWorld

from supervisor_ai.testing.composing_suite import ComposingSuite
from supervisor_ai.testing.fake_workspaces import MemoryAnchor
from supervisor_ai.testing.workspaces_suite import AnchorSuite, WorkspacesSuite
from supervisor_ai.workspaces.commits.ledger_anchor import GitAnchor


class TestMemoryWorkspaces(WorkspacesSuite, ComposingSuite):
    @pytest.fixture(autouse=True)
    def make_worlds(self) -> None:
        self.world = MemoryWorld


class TestGitWorkspaces(WorkspacesSuite, ComposingSuite):
    @pytest.fixture(autouse=True)
    def make_worlds(self, tmp_path: Path) -> None:
        places = (tmp_path / str(number) for number in count())
        self.world = lambda: GitWorld(next(places))


class TestMemoryAnchor(AnchorSuite):
    @pytest.fixture(autouse=True)
    def make_anchors(self) -> None:
        self.anchor = MemoryAnchor


class TestGitAnchor(AnchorSuite):
    @pytest.fixture(autouse=True)
    def make_anchors(self, tmp_path: Path) -> None:
        self.anchor = lambda: GitAnchor(GitWorld(tmp_path).repository)

"""The same workspaces for an ordinary user, as most people will run it, tried from a root shell."""

import os
from pathlib import Path

import pytest
from tests.integration.ordinary_user import run_as_nobody

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="the other tests already run like this")

SUITE = """
import asyncio, os, tempfile, traceback
from pathlib import Path
from supervisor_ai.domain.ids import EffectKey, RunId
from supervisor_ai.domain.run.values import Hardness
from supervisor_ai.engine.ports.workspaces import Quota, SetupCache, WorkspacePlan
from supervisor_ai.testing.composing_suite import ComposingSuite
from supervisor_ai.testing.scratch_repository import ScratchRepository
from supervisor_ai.testing.workspaces_suite import AT, WorkspacesSuite
from supervisor_ai.workspaces.repositories.repository import GitRepository
from supervisor_ai.workspaces.workspaces import GitWorkspaces

assert os.geteuid() != 0
RUN, KEY, REF = RunId("r1"), EffectKey("r1/a/1/1/worker/1"), "refs/supervisor/r1/a/1.1.1"

class World:
    def __init__(self, object_format="sha1"):
        place = Path(tempfile.mkdtemp(dir=os.environ["HOME"]))
        self.user = ScratchRepository(place / "home", object_format=object_format)
        self.repository = GitRepository(self.user.path)
        self.state = place / "state"
        self.tip = self.repository.tip
        self.commit = self.user.plant

    @property
    def workspaces(self):
        return GitWorkspaces(self.repository, self.state)

    def files(self, commit):
        paths = self.repository.list(commit, "")
        return {path: self.repository.read(commit, path) or "" for path in paths}

    def write(self, workspace, path, text):
        place = workspace.path / path
        place.unlink(missing_ok=True)
        if text is not None:
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_text(text)

    def read(self, workspace, path):
        place = workspace.path / path
        return place.read_text() if place.exists() else None

    def exists(self, workspace):
        return workspace.path.exists()

    def move(self, branch, commit):
        self.user.git.run("update-ref", f"refs/heads/{branch}", commit)

class Suite(WorkspacesSuite, ComposingSuite):
    def __init__(self):
        self.world = World

    def test_a_plan_with_everything(self):
        world = World("sha256")
        start = world.user.commit({".gitignore": ".env", "README": "x", "secret": "s"})
        world.user.write({".env": "KEY=1"})
        (world.user.path / ".env").chmod(0o600)
        quota = Quota(disk=1 << 20, files=100)
        plan = WorkspacePlan(is_writable=False, hides=("secret",), include=(".env",), quota=quota)
        opening = world.workspaces.open(RUN, KEY, fence=1, start=start, plan=plan)
        workspace = asyncio.run(opening)
        assert workspace.quota is Hardness.SOFT
        assert (workspace.path / ".env").stat().st_mode & 0o777 == 0o600
        assert sorted(os.listdir(workspace.path)) == [".env", ".git", ".gitignore", "README"]
        made = asyncio.run(world.workspaces.snapshot(workspace, ref=REF, at=AT))
        assert made.tree == world.repository.tree(start)

    def test_a_workspace_that_was_locked_is_snapshotted(self):
        for mode in (0, 0o200, 0o400):
            world = World()
            start = world.user.commit({"src/a.py": "a"})
            workspace = asyncio.run(world.workspaces.open(RUN, KEY, fence=1, start=start))
            (workspace.path / "src" / "a.py").write_text("b")
            (workspace.path / "src").chmod(mode)
            workspace.path.chmod(mode)
            made = asyncio.run(world.workspaces.snapshot(workspace, ref=REF, at=AT))
            assert world.files(made.commit) == {"src/a.py": "b"}

    def test_changes_in_a_workspace_that_was_locked_are_found(self):
        for mode in (0, 0o200, 0o400):
            world = World("sha256")
            start = world.user.commit({"src/a.py": "a", "src/b.py": "b"})
            workspace = asyncio.run(world.workspaces.open(RUN, KEY, fence=1, start=start))
            (workspace.path / "src" / "a.py").write_text("b")
            (workspace.path / "src").chmod(mode)
            workspace.path.chmod(mode)
            assert asyncio.run(world.workspaces.changed(workspace)) == ("src/a.py",)
            made = asyncio.run(world.workspaces.compose(start, {"src/b.py": b"c"}, at=AT))
            assert world.files(made.commit) == {"src/a.py": "a", "src/b.py": "c"}

    def test_what_cannot_be_read_is_not_kept(self):
        world = World()
        workspace = asyncio.run(
            world.workspaces.open(RUN, KEY, fence=1, start=world.user.commit({"README": "x"}))
        )
        (workspace.path / "deps" / "shut").mkdir(parents=True)
        (workspace.path / "deps" / "shut").chmod(0)
        cache = SetupCache(command=("make",), key_files=(), paths=("deps",))
        asyncio.run(world.workspaces.keep_cached(workspace, cache))
        assert os.listdir(world.state / ".setup-cache") == []
        asyncio.run(world.workspaces.close(workspace))
        assert not workspace.path.exists()

for name in dir(Suite):
    if name.startswith("test_"):
        try:
            getattr(Suite(), name)()
            print("passed", name)
        except Exception:
            traceback.print_exc()
            print("failed", name)
"""


def test_an_ordinary_user_has_the_same_workspaces(home: Path, interpreter: str) -> None:
    done = run_as_nobody(interpreter, "-c", SUITE, home=home)
    lines = done.stdout.splitlines()
    assert not [line for line in lines if line.startswith("failed")], done.stderr
    assert len([line for line in lines if line.startswith("passed")]) >= 38, done.stderr

"""The same clean-up for an ordinary user, as most people will run it, tried from a root shell."""

import os
from pathlib import Path

import pytest
from tests.integration.ordinary_user import run_as_nobody

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="the other tests already run like this")

STORY = """
import asyncio, os
from pathlib import Path
from supervisor_ai.control.commands.workspaces.cleanup import CleanupScope, clean
from supervisor_ai.control.commands.workspaces.restore import Restoration, restore
from supervisor_ai.control.queries.workspaces import WorkspaceRecords, list_workspaces
from supervisor_ai.domain.ids import EffectKey, RunId
from supervisor_ai.engine.host import SystemClock
from supervisor_ai.testing.scratch_repository import ScratchRepository
from supervisor_ai.workspaces.inventory import GitInventory
from supervisor_ai.workspaces.repositories.repository import GitRepository
from supervisor_ai.workspaces.workspaces import GitWorkspaces

assert os.geteuid() != 0
home = Path(os.environ["HOME"])
user = ScratchRepository(home / "repository")
start = user.commit({"README": "hello\\n"})
repository, state = GitRepository(user.path), home / "state" / "project"
room = WorkspaceRecords(
    inventory=GitInventory(repository, state),
    workspaces=GitWorkspaces(repository, state),
    records=None,
    clock=SystemClock(),
)
key = EffectKey("r1/implement/1/1/worker/1")
workspace = asyncio.run(room.workspaces.open(RunId("r1"), key, fence=1, start=start))
closed = workspace.path / "closed"
closed.mkdir()
(closed / "file").write_text("x\\n")
closed.chmod(0)
print(len(list_workspaces(room, limit=9).directories))
print(asyncio.run(clean(room, CleanupScope(with_refs=True))).detail)
restore(room, Restoration(name="r1/implement/1.1.1", directory=home / "restored"))
print((home / "restored/closed/file").read_text().strip(), workspace.path.exists())
"""


def test_an_ordinary_user_cleans_up_and_restores(home: Path, interpreter: str) -> None:
    done = run_as_nobody(interpreter, "-c", STORY, home=home)
    assert done.stdout.splitlines() == [
        "1",
        "Removed 1 directory, 1 run's copies, 1 ref.",
        "x False",
    ], done.stderr

"""The same clean-up for an ordinary user, as most people will run it, tried from a root shell."""

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

import supervisor_ai

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="the other tests already run like this")

NOBODY = 65534
STORY = """
import asyncio, os
from pathlib import Path
from supervisor_ai.control.workspace_cleaning import Scope, clean
from supervisor_ai.control.workspace_restoring import Restoration, restore
from supervisor_ai.control.workspaces import Storeroom, list_workspaces
from supervisor_ai.domain.ids import EffectKey, RunId
from supervisor_ai.engine.host import SystemClock
from supervisor_ai.testing.scratch_repository import ScratchRepository
from supervisor_ai.workspaces.inventory import GitInventory
from supervisor_ai.workspaces.repository import GitRepository
from supervisor_ai.workspaces.workspaces import GitWorkspaces

assert os.geteuid() != 0
home = Path(os.environ["HOME"])
user = ScratchRepository(home / "repository")
start = user.commit({"README": "hello\\n"})
repository, state = GitRepository(user.path), home / "state" / "project"
room = Storeroom(
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
print(asyncio.run(clean(room, Scope(with_refs=True))).detail)
restore(room, Restoration(name="r1/implement/1.1.1", directory=home / "restored"))
print((home / "restored/closed/file").read_text().strip(), workspace.path.exists())
"""


def run_as_nobody(*argv: str, home: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups", *argv],
        env={"PATH": "/usr/bin:/bin", "HOME": str(home), "PYTHONPATH": str(home / "src")},
        cwd=home,
        capture_output=True,
        text=True,
        timeout=110,
        check=False,
    )


@pytest.fixture
def home() -> Iterator[Path]:
    """Make a home with a copy of our source, since a clone in root's home is out of reach."""
    with tempfile.TemporaryDirectory(dir="/var/tmp") as place:
        home = Path(place)
        source, ignore = Path(supervisor_ai.__path__[0]), shutil.ignore_patterns("__pycache__")
        shutil.copytree(source, home / "src/supervisor_ai", ignore=ignore)
        os.chown(home, NOBODY, NOBODY)
        yield home


@pytest.fixture
def interpreter(home: Path) -> str:
    check = "import sys; sys.exit(sys.version_info < (3, 11))"
    for candidate in (os.path.realpath(sys.executable), "/usr/bin/python3"):
        if run_as_nobody(candidate, "-c", check, home=home).returncode == 0:
            return candidate
    pytest.skip("no interpreter that an ordinary user can run")


def test_an_ordinary_user_cleans_up_and_restores(home: Path, interpreter: str) -> None:
    done = run_as_nobody(interpreter, "-c", STORY, home=home)
    assert done.stdout.splitlines() == [
        "1",
        "Removed 1 directory, 1 run's copies, 1 ref.",
        "x False",
    ], done.stderr

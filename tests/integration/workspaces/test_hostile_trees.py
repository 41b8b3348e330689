"""Whatever a worker leaves on disk: a run goes on, ends and is cancelled."""

import asyncio
import shutil
import subprocess
import tempfile
from collections.abc import Collection, Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.integration.workspaces.hostile_trees import OF_FSCK, OTHERS, Recipe
from tests.support.kernel import Kernel, flow, stop, work

from supervisor_ai.domain.ids import CommitSha, EffectKey, RunId
from supervisor_ai.domain.run import events as e
from supervisor_ai.domain.run.answers import AnswerKind
from supervisor_ai.domain.run.definition import WORKER_LIMITS, SandboxPolicy, StepKind
from supervisor_ai.domain.run.inbox_commands import Cancel
from supervisor_ai.domain.run.status import ENDED, RunStatus
from supervisor_ai.domain.run.values import Base
from supervisor_ai.domain.structs import replace
from supervisor_ai.engine.ports.workers import WorkerRequest
from supervisor_ai.engine.ports.workspaces import LeftOut, Quota, WorkspacePlan
from supervisor_ai.engine.runtime import Runtime
from supervisor_ai.engine.world import World
from supervisor_ai.testing.fake_worker import FakeReply, FakeWorker
from supervisor_ai.testing.scratch_repository import ScratchRepository
from supervisor_ai.testing.world import says, submit
from supervisor_ai.workspaces.files.removal import remove
from supervisor_ai.workspaces.repositories.repository import GitRepository
from supervisor_ai.workspaces.workspaces import GitWorkspaces

AT = datetime(2030, 1, 1, tzinfo=UTC)
RECIPES = {**OF_FSCK, **OTHERS}
FILES = {"README": "hello\n", "src/a.py": "a\n"}
BOUND = Quota(disk=1 << 20, files=1_000)
KEY = EffectKey("r1/implement/1/1/worker/1")
LIMITS = SandboxPolicy(worker=replace(WORKER_LIMITS, disk=BOUND.disk, disk_files=BOUND.files))
STEPS = (replace(work("build"), max_retries=0), stop("commit", StepKind.COMMIT))
BUILD = replace(flow(*STEPS), sandbox=LIMITS)
HONEST = "honest.py"


@pytest.fixture
def scene() -> Iterator["Scene"]:
    with tempfile.TemporaryDirectory() as place:
        scene = Scene(Path(place))
        yield scene
        scene.clear()


class Scene:
    """A user's repository, and runs of which the worker leaves what a recipe says."""

    def __init__(self, place: Path) -> None:
        self.place = place
        self.user = ScratchRepository(place / "home")
        self.start = self.user.commit(FILES)
        self.workspaces = GitWorkspaces(GitRepository(self.user.path), place / "state")

    def snapshot(self, *recipes: Recipe, plan: WorkspacePlan) -> tuple[set[str], list[LeftOut]]:
        """Return what a snapshot changes, and what it leaves out."""
        left: list[LeftOut] = []

        async def go() -> CommitSha:
            run = RunId("r1")
            workspace = await self.workspaces.open(run, KEY, fence=1, start=self.start, plan=plan)
            for recipe in recipes:
                recipe(workspace.path)
            ref = "refs/supervisor/r1/implement/1.1.1"
            kept = await self.workspaces.snapshot(
                workspace, ref=ref, at=AT, on_left_out=left.append
            )
            return kept.commit

        commit = asyncio.run(go())
        named = ("diff-tree", "-r", "-z", "--name-only", self.start, commit)
        changed = self.user.git.run(*named).output.decode(errors="surrogateescape").split("\0")
        return {path for path in changed if path}, left

    def drive(self, recipes: Collection[Recipe], *, is_cancelled: bool) -> RunStatus:
        """Drive a run to its end: by itself, or by a cancellation after its owner has died."""
        kernel = Kernel(None)
        worker = FakeWorker(lambda request: self._leave(request, recipes, is_killed=is_cancelled))
        world = replace(kernel.world, workspaces=self.workspaces, workers=lambda _adapter: worker)
        repository = GitRepository(self.user.path)
        base = Base(ref="main", sha=self.start, tree=repository.tree(self.start))
        run = submit(world, BUILD, base=base)
        if is_cancelled:
            with pytest.raises(_DiedError):
                _drive(world, run)
            kernel.send(run, "stop", Cancel(reason=None))
        ended = _drive(world, run)
        assert len(kernel.events(run, e.AttemptStarted)) == 1
        return ended

    def _leave(
        self, request: WorkerRequest, recipes: Collection[Recipe], *, is_killed: bool
    ) -> FakeReply:
        (request.workspace.path / HONEST).write_text("print()\n")
        for recipe in recipes:
            recipe(request.workspace.path)
        if is_killed:
            raise _DiedError
        return FakeReply(output=says(AnswerKind.IMPLEMENTATION))

    def clear(self) -> None:
        remove(self.place / "state")


class _DiedError(Exception):
    """The owner of a run is gone, in the middle of an attempt."""


def _drive(world: World, run: RunId) -> RunStatus:
    return asyncio.run(Runtime(world=world, owner="test").drive(run)).status


def test_every_complaint_of_this_git_has_a_recipe() -> None:
    program = shutil.which("git")
    assert program is not None
    asked = (program, "help", "--config-for-completion")
    said = subprocess.run(asked, capture_output=True, text=True, check=True).stdout.split()
    settings_of_fsck = {name.removeprefix("fsck.") for name in said if name.startswith("fsck.")}
    known = settings_of_fsck - {"skipList"}
    assert len(known) > 50
    assert known - OF_FSCK.keys() == set()


@pytest.mark.parametrize("name", sorted(RECIPES))
def test_whatever_is_left_the_honest_rest_is_kept_and_the_other_is_named(
    scene: Scene, name: str
) -> None:
    honest = lambda tree: (tree / HONEST).write_text("print()\n")  # noqa: E731 - a recipe
    changed, left = scene.snapshot(honest, RECIPES[name], plan=WorkspacePlan(keeps=BOUND))
    assert HONEST in changed or name == "ignored by itself"
    assert all(it.reason and it.path not in changed for it in left)


@settings(deadline=None, max_examples=6)
@given(
    names=st.sets(st.sampled_from(sorted(RECIPES)), max_size=4),
    is_cancelled=st.booleans(),
)
def test_a_run_always_comes_to_its_end(names: set[str], *, is_cancelled: bool) -> None:
    with tempfile.TemporaryDirectory() as place:
        scene = Scene(Path(place))
        recipes = [_once(RECIPES[name]) for name in sorted(names)]
        ended = scene.drive(recipes, is_cancelled=is_cancelled)
        assert ended in ENDED
        assert ended is (RunStatus.CANCELLED if is_cancelled else RunStatus.COMPLETED)
        assert not list((Path(place) / "state").glob("*/work/*"))
        scene.clear()


def _once(recipe: Recipe) -> Recipe:
    """Let a recipe be, where another one was there before."""

    def follow(tree: Path) -> None:
        try:
            recipe(tree)
        except OSError:
            return

    return follow


@pytest.mark.parametrize(
    ("name", "path", "why"),
    [
        ("gitmodulesUrl", ".gitmodules", "gitmodulesUrl"),
        ("gitmodulesBlob", ".gitmodules/x", "gitmodulesBlob"),
        ("gitattributesLineLength", ".gitattributes", "gitattributesLineLength"),
        ("many lists of submodules", "d11/.gitmodules", "gitmodulesUrl"),
        ("hasDotgit", ".GIT", "git directory"),
        ("special files", "pipe", "neither"),
        ("own state", ".supervisor/state.db", "state"),
        ("a repository", "bare/config", "looks like a git repository"),
        ("sparse files", "sparse", "at most"),
    ],
)
def test_what_cannot_be_kept_is_named_with_the_reason(
    scene: Scene, name: str, path: str, why: str
) -> None:
    changed, left = scene.snapshot(RECIPES[name], plan=WorkspacePlan(keeps=BOUND))
    assert path not in changed
    (named,) = [it for it in left if it.path == path]
    assert why in named.reason


def test_an_innocent_file_beside_many_bad_ones_is_kept(scene: Scene) -> None:
    good = lambda tree: (tree / ".gitattributes").write_text("*.png binary\n")  # noqa: E731
    changed, left = scene.snapshot(
        good, RECIPES["many lists of submodules"], plan=WorkspacePlan(keeps=BOUND)
    )
    assert ".gitattributes" in changed
    assert {it.path for it in left} == {f"d{number}/.gitmodules" for number in range(12)}
    assert len(changed) == 111

"""Those who only read share a check-out that moves with the run; nobody else ever sees it."""

import asyncio
import os
import shutil
import tempfile
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.integration.workspaces.bare_sandbox import hand_over, sandboxed
from tests.support.example_counts import examples

from supervisor_ai.domain.ids import CommitSha, EffectKey, RunId
from supervisor_ai.engine.ports.workspaces import Quota, Workspace, WorkspacePlan
from supervisor_ai.testing.scratch_repository import ScratchRepository
from supervisor_ai.workspaces.repositories.repository import GitRepository
from supervisor_ai.workspaces.workspaces import GitWorkspaces

AT = datetime(2030, 1, 1, tzinfo=UTC)
RUN = RunId("r1")
READER = WorkspacePlan(is_writable=False, is_shared=True, keeps=Quota(disk=1 << 20, files=100))
FILES = {"README": "hello\n", "src/a.py": "a\n", "src/deep/b.py": "b\n"}


@pytest.fixture
def place() -> Iterator[Path]:
    """Make a directory that other users can traverse, which pytest's own is not."""
    path = Path(tempfile.mkdtemp())
    path.chmod(0o711)
    yield path
    shutil.rmtree(path)


@pytest.fixture
def user(place: Path) -> ScratchRepository:
    return ScratchRepository(place / "project")


@pytest.fixture
def workspaces(user: ScratchRepository, place: Path) -> GitWorkspaces:
    return GitWorkspaces(GitRepository(user.path), place / "state")


def opened(
    workspaces: GitWorkspaces,
    start: CommitSha,
    step: str,
    plan: WorkspacePlan = READER,
    fence: int = 1,
) -> Workspace:
    key = EffectKey(f"r1/{step}/1/1/worker/1")
    return asyncio.run(workspaces.open(RUN, key, fence=fence, start=start, plan=plan))


def closed(workspaces: GitWorkspaces, workspace: Workspace) -> None:
    asyncio.run(workspaces.close(workspace))


def found(tree: Path) -> dict[str, tuple[bytes, int]]:
    """Return every file with its content and its permissions, and every directory."""
    everything: dict[str, tuple[bytes, int]] = {}
    for directory, names, files in os.walk(tree):
        for name in (*names, *files):
            path = Path(directory) / name
            content = path.read_bytes() if path.is_file() else b""
            everything[str(path.relative_to(tree))] = (content, path.lstat().st_mode)
    return everything


def test_readers_share_one_check_out_and_it_moves_when_nobody_reads(
    user: ScratchRepository, workspaces: GitWorkspaces
) -> None:
    first = user.commit(FILES)
    second = user.commit({"README": "changed\n", "new/c.py": "c\n"})
    planner, other = opened(workspaces, first, "plan"), opened(workspaces, first, "scout")
    assert planner.path == other.path
    later = opened(workspaces, second, "review")
    assert later.path != planner.path
    assert (planner.path / "README").read_text() == "hello\n"
    for workspace in (planner, other, later):
        closed(workspaces, workspace)
    again = opened(workspaces, second, "again")
    assert again.path == later.path
    closed(workspaces, again)
    back = opened(workspaces, first, "back")
    assert (back.path / "README").read_text() == "hello\n"
    assert not (back.path / "new").exists()


def test_a_reader_cannot_write_but_has_git_and_leaves_what_it_found(
    user: ScratchRepository, workspaces: GitWorkspaces
) -> None:
    start = user.commit(FILES)
    workspace = opened(workspaces, start, "plan")
    hand_over(workspace)
    script = """
        ! (echo x > README) 2>/dev/null && ! touch new 2>/dev/null && ! rm -rf src 2>/dev/null
        ! mkdir .git/hooks 2>/dev/null && ! rm -f .git 2>/dev/null
        cat README && git status --porcelain && git branch mine && git log --format=%s mine
        """
    assert sandboxed(workspace, script) == "hello\nuser\n"
    assert asyncio.run(workspaces.changed(workspace)) == ()
    ref = "refs/supervisor/r1/plan/1.1.1"
    snapshot = asyncio.run(workspaces.snapshot(workspace, ref=ref, at=AT))
    repository = GitRepository(user.path)
    assert snapshot.tree == repository.tree(start)
    assert repository.tip(ref) == snapshot.commit


def test_the_snapshot_of_a_reader_is_the_one_that_it_was_before_it_shared(
    user: ScratchRepository, workspaces: GitWorkspaces
) -> None:
    start = user.commit(FILES)
    snapshots = []
    for plan in (READER, WorkspacePlan(is_writable=False)):
        workspace = opened(workspaces, start, "plan", plan)
        ref = "refs/supervisor/r1/plan/1.1.1"
        snapshots.append(asyncio.run(workspaces.snapshot(workspace, ref=ref, at=AT)))
        closed(workspaces, workspace)
    assert snapshots[0] == snapshots[1]


@pytest.mark.parametrize(
    "other",
    [
        {"hides": ("src/**",)},
        {"include": (".env",)},
        {"is_writable": True},
        {"has_reports": True},
    ],
)
def test_who_needs_anything_of_its_own_shares_nothing(
    user: ScratchRepository, workspaces: GitWorkspaces, other: Mapping[str, object]
) -> None:
    start = user.commit(FILES)
    plan = WorkspacePlan(**{"is_writable": False, "is_shared": True, **other})  # type: ignore[arg-type]
    workspace = opened(workspaces, start, "plan", plan)
    assert "shared" not in workspace.path.parts


def test_a_check_out_with_submodules_is_nobodys_but_the_readers_own(
    user: ScratchRepository, workspaces: GitWorkspaces
) -> None:
    start = user.commit({**FILES, ".gitmodules": ""})
    assert "shared" not in opened(workspaces, start, "plan").path.parts


def test_a_later_owner_has_check_outs_of_its_own(
    user: ScratchRepository, workspaces: GitWorkspaces, place: Path
) -> None:
    start = user.commit(FILES)
    old = opened(workspaces, start, "plan")
    successor = GitWorkspaces(GitRepository(user.path), place / "state")
    new = opened(successor, start, "plan", fence=2)
    assert old.path != new.path
    asyncio.run(successor.forget(RUN))
    assert not new.path.exists()


def test_what_cannot_be_moved_is_made_anew(
    user: ScratchRepository, workspaces: GitWorkspaces
) -> None:
    first, second = user.commit(FILES), user.commit({"README": "changed\n"})
    workspace = opened(workspaces, first, "plan")
    closed(workspaces, workspace)
    (workspace.path.parent / "trusted.git" / "index").write_bytes(b"damaged")
    moved = opened(workspaces, second, "review")
    assert (moved.path / "README").read_text() == "changed\n"


def test_what_a_lost_reader_shared_is_free_for_others(
    user: ScratchRepository, workspaces: GitWorkspaces
) -> None:
    first, second = user.commit(FILES), user.commit({"README": "changed\n"})
    lost = opened(workspaces, first, "plan")
    keeping = workspaces.keep_lost(RUN, lost.key, ref="refs/supervisor/r1/plan/1.1.1", at=AT)
    assert asyncio.run(keeping) is None
    assert opened(workspaces, second, "review").path == lost.path


NAMES = st.sampled_from(["a", "b", "a/x", "a/y", "b/z/w", "c/d"])
STATES = st.dictionaries(NAMES, st.sampled_from(["1\n", "2\n", "two\nlines\n"]), min_size=1)


@given(states=st.lists(STATES, min_size=2, max_size=4))
@settings(max_examples=examples(8), deadline=None)
def test_what_moved_is_what_would_have_been_checked_out(states: list[dict[str, str]]) -> None:
    with tempfile.TemporaryDirectory() as directory:
        user = ScratchRepository(Path(directory) / "project")
        workspaces = GitWorkspaces(GitRepository(user.path), Path(directory) / "state")
        for number, state in enumerate(states):
            # A path cannot be a file and a directory at once.
            files = {path: text for path, text in state.items() if path.split("/")[0] not in state}
            files |= {path: text for path, text in state.items() if "/" not in path}
            start = user.plant(files)
            moving = opened(workspaces, start, f"moving{number}")
            plan = WorkspacePlan(is_writable=False)
            fresh = opened(workspaces, start, f"fresh{number}", plan)
            assert found(moving.path) == found(fresh.path)
            closed(workspaces, moving)
            closed(workspaces, fresh)

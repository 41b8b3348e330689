"""Workspaces that lie over one export: nobody sees, and nobody changes, what another wrote."""

import asyncio
import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest
from tests.integration.workspaces.bare_sandbox import NOBODY, hand_over, sandboxed

from supervisor_ai.domain.ids import CommitSha, EffectKey, RunId
from supervisor_ai.domain.run.definition import WORKER_LIMITS
from supervisor_ai.domain.structs import replace
from supervisor_ai.engine.ports.workspaces import PLAIN, Quota, Workspace, WorkspacePlan
from supervisor_ai.sandboxes.resource_limits.disk_usage import writable_disk
from supervisor_ai.testing.scratch_repository import ScratchRepository
from supervisor_ai.workspaces.commits.snapshots import draft
from supervisor_ai.workspaces.files.mounts import unmount
from supervisor_ai.workspaces.layout import WorkspaceDirectory
from supervisor_ai.workspaces.repositories.repository import GitRepository
from supervisor_ai.workspaces.workspaces import GitWorkspaces

pytestmark = pytest.mark.skipif(
    os.geteuid() != 0, reason="only root can lay a directory over another"
)

AT = datetime(2030, 1, 1, tzinfo=UTC)
RUN = RunId("r1")
READER = WorkspacePlan(is_writable=False, is_shared=True)
FILES = {"README": "hello\n", "src/a.py": "a\n", "src/deep/b.py": "b\n", "odd name": "x\n"}


@pytest.fixture
def place() -> Iterator[Path]:
    """Make a directory that other users can traverse, and leave nothing mounted below it."""
    path = Path(tempfile.mkdtemp())
    path.chmod(0o711)
    yield path
    for mounted in path.glob("**/tree"):
        unmount(mounted)
    shutil.rmtree(path)


@pytest.fixture
def user(place: Path) -> ScratchRepository:
    return ScratchRepository(place / "project")


@pytest.fixture
def workspaces(user: ScratchRepository, place: Path) -> GitWorkspaces:
    return GitWorkspaces(GitRepository(user.path), place / "state", layered_from=0)


def opened(
    workspaces: GitWorkspaces,
    start: CommitSha,
    step: str,
    plan: WorkspacePlan = PLAIN,
    fence: int = 1,
) -> Workspace:
    key = EffectKey(f"r1/{step}/1/1/worker/1")
    workspace = asyncio.run(workspaces.open(RUN, key, fence=fence, start=start, plan=plan))
    hand_over(workspace)
    return workspace


def content(user: ScratchRepository, commit: CommitSha) -> dict[str, str]:
    listed = subprocess.run(
        ["git", "-C", user.path, "ls-tree", "-r", "-z", "--name-only", commit],
        check=True,
        capture_output=True,
        text=True,
    ).stdout.split("\0")[:-1]
    repository = GitRepository(user.path)
    return {path: repository.read(commit, path) or "" for path in listed}


def kept(workspaces: GitWorkspaces, workspace: Workspace) -> CommitSha:
    ref = f"refs/supervisor/{workspace.key.replace('/worker/', '.')}"
    return asyncio.run(workspaces.snapshot(workspace, ref=ref, at=AT)).commit


def export_of(place: Path) -> dict[str, tuple[bytes, int, int]]:
    (tree,) = place.glob("state/r1/program/*/tree")
    files = (path for path in tree.rglob("*") if path.is_file())
    return {
        str(path.relative_to(tree)): (path.read_bytes(), path.stat().st_uid, path.stat().st_mode)
        for path in files
    }


def test_what_one_writes_is_kept_and_neither_the_export_nor_the_next_has_it(
    user: ScratchRepository, workspaces: GitWorkspaces, place: Path
) -> None:
    start = user.commit(FILES)
    worker = opened(workspaces, start, "implement")
    assert (worker.path).is_mount()
    before = export_of(place)
    sandboxed(
        worker,
        """
        test "$(stat -c %u README src/deep/b.py . src | sort -u)" = "$(id -u)"
        echo changed > README; rm 'odd name'; git mv src lib; chmod +x lib/a.py
        mkdir src; echo new > src/a.py; touch -d @0 README
        """,
    )
    commit = kept(workspaces, worker)
    wanted = {"README": "changed\n", "lib/a.py": "a\n", "lib/deep/b.py": "b\n", "src/a.py": "new\n"}
    assert content(user, commit) == wanted
    assert set(asyncio.run(workspaces.changed(worker))) >= {"README", "odd name"}
    assert export_of(place) == before
    other = opened(workspaces, start, "other")
    seen = sandboxed(other, "cat README src/deep/b.py; ls; git status --porcelain")
    assert seen.splitlines() == ["hello", "b", "README", "odd name", "src"]
    gate = opened(workspaces, commit, "gate")
    script = "test -x lib/a.py; find . -type f -not -name .git | sort; cat README"
    assert sandboxed(gate, script).split() == [
        "./README", "./lib/a.py", "./lib/deep/b.py", "./src/a.py", "changed",
    ]  # fmt: skip
    assert kept(workspaces, other) != commit
    assert export_of(place) == before


def test_no_trick_with_files_hides_a_change_or_reaches_what_is_shared(
    user: ScratchRepository, workspaces: GitWorkspaces, place: Path
) -> None:
    start = user.commit(FILES)
    worker = opened(workspaces, start, "implement")
    before = export_of(place)
    sandboxed(
        worker,
        """
        cp -p src/a.py /tmp/before; printf 'z\\n' > src/a.py; touch -r /tmp/before src/a.py
        ln src/deep/b.py link; printf 'more\\n' >> link
        ! mknod hole c 0 0 2>/dev/null
        rm README; mkdir README; printf 'in\\n' > README/inside
        """,
    )
    assert content(user, kept(workspaces, worker)) == {
        "README/inside": "in\n",
        "link": "b\nmore\n",
        "odd name": "x\n",
        "src/a.py": "z\n",
        "src/deep/b.py": "b\nmore\n",
    }
    assert export_of(place) == before


def test_an_unchanged_workspace_is_kept_without_reading_its_files(
    user: ScratchRepository, workspaces: GitWorkspaces
) -> None:
    start = user.commit(FILES)
    worker = opened(workspaces, start, "implement")
    desk = WorkspaceDirectory(path=worker.path.parent)
    listed = subprocess.run(
        [
            "git",
            f"--git-dir={desk.trusted_git}",
            f"--work-tree={desk.tree}",
            "-c",
            "core.bare=false",
            "ls-files",
            "--debug",
        ],
        check=True,
        capture_output=True,
        text=True,
    ).stdout
    assert listed.count(f"uid: {NOBODY}\tgid: {NOBODY}") == len(FILES)
    subprocess.run(
        [
            "git",
            f"--git-dir={desk.trusted_git}",
            f"--work-tree={desk.tree}",
            "-c",
            "core.bare=false",
            "diff-files",
            "--quiet",
        ],
        check=True,
    )
    work = draft(desk)
    assert work.is_empty()
    assert not work.left_out


def test_readers_share_layers_that_move(user: ScratchRepository, workspaces: GitWorkspaces) -> None:
    first = user.commit(FILES)
    second = user.commit({"README": "changed\n", "new/c.py": "c\n"})
    planner = opened(workspaces, first, "plan", READER)
    assert planner.path.is_mount()
    script = "! (echo x > README) 2>/dev/null; ! touch new 2>/dev/null; cat README"
    assert sandboxed(planner, script) == "hello\n"
    asyncio.run(workspaces.close(planner))
    reviewer = opened(workspaces, second, "review", READER)
    assert reviewer.path == planner.path
    assert sandboxed(reviewer, "cat README new/c.py; git status --porcelain") == "changed\nc\n"


def test_what_is_lost_is_kept_also_after_a_restart_of_the_machine(
    user: ScratchRepository, workspaces: GitWorkspaces, place: Path
) -> None:
    start = user.commit(FILES)
    worker = opened(workspaces, start, "implement")
    sandboxed(worker, "echo changed > README; rm src/a.py")
    unmount(worker.path)
    assert WorkspaceDirectory(path=worker.path.parent).is_away
    successor = GitWorkspaces(GitRepository(user.path), place / "state", layered_from=0)
    ref = "refs/supervisor/r1/implement/1.1"
    assert asyncio.run(successor.keep_lost(RUN, worker.key, ref=ref, at=AT)) == ref
    tip = GitRepository(user.path).tip(ref)
    assert tip is not None
    assert content(user, tip) == {"README": "changed\n", "src/deep/b.py": "b\n", "odd name": "x\n"}
    assert not worker.path.exists()


def test_nothing_is_mounted_any_more_when_a_run_is_forgotten(
    user: ScratchRepository, workspaces: GitWorkspaces, place: Path
) -> None:
    start = user.commit(FILES)
    opened(workspaces, start, "implement")
    opened(workspaces, start, "plan", READER)
    asyncio.run(workspaces.forget(RUN))
    assert not list((place / "state").glob("r1*"))
    assert str(place) not in Path("/proc/self/mountinfo").read_text()


def test_a_set_up_and_a_worker_have_users_of_their_own(
    user: ScratchRepository, workspaces: GitWorkspaces
) -> None:
    worker = opened(workspaces, user.commit(FILES), "implement")
    sandboxed(worker, "echo made > made; echo changed > README")
    mount = next(mount for mount in worker.mounts if mount.source == worker.path)
    given: list[Path] = []
    assert mount.give is not None
    mount.give(4242, given.append)
    assert given == [mount.written]
    assert (worker.path / "src/a.py").stat().st_uid == 4242
    assert (worker.path / "README").read_text() == "changed\n"


def test_only_what_is_written_counts(user: ScratchRepository, workspaces: GitWorkspaces) -> None:
    worker = opened(workspaces, user.commit({**FILES, "large": "x" * 2_000_000}), "implement")
    limits = replace(WORKER_LIMITS, disk=1 << 20, disk_files=100)
    disk = writable_disk(worker.mounts, limits)
    assert disk.overrun() is None
    sandboxed(worker, "echo >> large")
    assert disk.overrun() == "disk"


@pytest.mark.parametrize(
    "plan",
    [
        WorkspacePlan(hides=("README",)),
        WorkspacePlan(quota=Quota(disk=1 << 24, files=1000)),
    ],
    ids=["blind", "bounded by the kernel"],
)
def test_where_files_have_rules_of_their_own_they_are_checked_out(
    user: ScratchRepository, workspaces: GitWorkspaces, plan: WorkspacePlan
) -> None:
    worker = opened(workspaces, user.commit(FILES), "implement", plan)
    assert not WorkspaceDirectory(path=worker.path.parent).layers.path.exists()
    assert (worker.path / "src/a.py").read_text() == "a\n"
    asyncio.run(workspaces.close(worker))


def test_small_repositories_are_checked_out(user: ScratchRepository, place: Path) -> None:
    plain = GitWorkspaces(GitRepository(user.path), place / "state")
    assert not opened(plain, user.commit(FILES), "implement").path.is_mount()

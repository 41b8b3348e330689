"""The quota of a workspace: kept by the kernel where it can be, and never in the way."""

import asyncio
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from supervisor_ai.domain.errors import Unavailable
from supervisor_ai.domain.ids import CommitSha, EffectKey, RunId
from supervisor_ai.domain.run.values import Hardness, Snapshot
from supervisor_ai.engine.ports.workspaces import Quota, SetupCache, Workspace, WorkspacePlan
from supervisor_ai.testing.scratch_repository import ScratchRepository
from supervisor_ai.workspaces.inventory import GitInventory
from supervisor_ai.workspaces.layout import premises
from supervisor_ai.workspaces.repositories.git import Git
from supervisor_ai.workspaces.repositories.repository import GitRepository
from supervisor_ai.workspaces.volumes import Volume, can_make
from supervisor_ai.workspaces.workspaces import GitWorkspaces

AT = datetime(2030, 1, 1, tzinfo=UTC)
RUN, KEY = RunId("r1"), EffectKey("r1/implement/1/1/worker/1")
REF = "refs/supervisor/r1/implement/1.1.1"
FILES = {"README": "hello\n", "src/a.py": "a\n"}
MIB = 1 << 20
QUOTA = Quota(disk=8 * MIB, files=500)
ROOMY = Quota(disk=64 * MIB, files=500)


def has_volumes(place: Path) -> bool:
    """Tell whether this machine lets us mount a file as a file system."""
    tree = place / "probe"
    tree.mkdir()
    volume = Volume(image=place / "probe.img", places=(tree,))
    is_made = volume.make(Quota(disk=MIB, files=10))
    volume.remove()
    return is_made


@pytest.fixture
def mounts(tmp_path: Path) -> Iterator[Path]:
    """Skip where no volume can be had; leave no mount behind."""
    if not has_volumes(tmp_path):
        pytest.skip("no root or no loop device: the quota is watched, not kept")
    yield tmp_path
    for line in mounted_below(tmp_path):
        subprocess.run(["umount", "--lazy", line], check=True)


@pytest.fixture
def user(tmp_path: Path) -> ScratchRepository:
    return ScratchRepository(tmp_path / "home")


@pytest.fixture
def workspaces(user: ScratchRepository, tmp_path: Path) -> GitWorkspaces:
    return GitWorkspaces(GitRepository(user.path), tmp_path / "state")


def mounted_below(place: Path) -> list[str]:
    lines = Path("/proc/self/mounts").read_text().splitlines()
    return [line.split()[1] for line in lines if line.split()[1].startswith(str(place))]


def opened(workspaces: GitWorkspaces, start: CommitSha, quota: Quota = QUOTA) -> Workspace:
    plan = WorkspacePlan(quota=quota, has_reports=True)
    return asyncio.run(workspaces.open(RUN, KEY, fence=1, start=start, plan=plan))


def restart(workspace: Workspace) -> None:
    """Take the mounts away, as a restart of the machine does."""
    for place in (
        workspace.path,
        *(workspace.path.parent / it for it in ("worker.git", "reports")),
    ):
        subprocess.run(["umount", place], check=True)


def touch_all(paths: Iterator[Path]) -> None:
    for path in paths:
        path.touch()


def kept(user: ScratchRepository, ref: str = REF) -> str | None:
    tip = GitRepository(user.path).tip(ref)
    return None if tip is None else GitRepository(user.path).read(tip, "README")


def test_a_workspace_without_a_quota_has_none(
    user: ScratchRepository, workspaces: GitWorkspaces, tmp_path: Path
) -> None:
    start = user.commit(FILES)
    workspace = asyncio.run(workspaces.open(RUN, KEY, fence=1, start=start))
    assert (workspace.quota, mounted_below(tmp_path)) == (Hardness.NONE, [])


@pytest.mark.usefixtures("mounts")
def test_the_kernel_keeps_the_bytes(user: ScratchRepository, workspaces: GitWorkspaces) -> None:
    workspace = opened(workspaces, user.commit(FILES))
    assert workspace.quota is Hardness.HARD
    (workspace.path / "fits").write_bytes(b"x" * 7 * MIB)
    with pytest.raises(OSError, match="No space left"):
        (workspace.path / "does-not").write_bytes(b"x" * 3 * MIB)


@pytest.mark.usefixtures("mounts")
def test_all_that_a_worker_can_write_counts(
    user: ScratchRepository, workspaces: GitWorkspaces
) -> None:
    base = user.commit(FILES)
    opened(workspaces, base)
    later = user.commit({"README": "later\n"})
    workspace = opened(workspaces, later)
    assert [mount.source for mount in workspace.mounts if mount.is_writable] == [
        workspace.path,
        workspace.path.parent / "worker.git",
    ]
    assert workspace.reports is not None
    writable = (mount.source for mount in workspace.mounts if mount.is_writable)
    for place in (*writable, workspace.reports):
        with pytest.raises(OSError, match="No space left"):
            (place / "large").write_bytes(b"x" * 16 * MIB)
        (place / "large").unlink()
    history = Git(directory=workspace.path.parent / "worker.git").run("log", "--format=%s")
    assert history.text == "user\nuser"


@pytest.mark.usefixtures("mounts")
def test_the_kernel_keeps_the_number_of_files(
    user: ScratchRepository, workspaces: GitWorkspaces
) -> None:
    workspace = opened(workspaces, user.commit(FILES))
    names = iter(range(10 * QUOTA.files))
    with pytest.raises(OSError, match="No space left"):
        touch_all(workspace.path / str(name) for name in names)
    assert 0.9 * QUOTA.files < next(names) < 1.2 * QUOTA.files


@pytest.mark.usefixtures("mounts")
def test_a_full_workspace_is_snapshotted_and_closed(
    user: ScratchRepository, workspaces: GitWorkspaces, tmp_path: Path
) -> None:
    workspace = opened(workspaces, user.commit(FILES))
    with pytest.raises(OSError, match="No space left"):
        (workspace.path / "large").write_bytes(os.urandom(16 * MIB))
    (workspace.path / "README").unlink()
    made = asyncio.run(workspaces.snapshot(workspace, ref=REF, at=AT))
    assert set(GitRepository(user.path).list(made.commit, "")) == {"large", "src/a.py"}
    asyncio.run(workspaces.close(workspace))
    assert mounted_below(tmp_path) == []
    assert not workspace.path.parent.exists()


@pytest.mark.usefixtures("mounts")
def test_no_program_gets_rights_and_no_device_opens_there(
    user: ScratchRepository, workspaces: GitWorkspaces
) -> None:
    workspace = opened(workspaces, user.commit(FILES))
    flags = os.statvfs(workspace.path).f_flag
    assert flags & os.ST_NOSUID
    assert flags & os.ST_NODEV
    assert sorted(path.name for path in workspace.path.iterdir()) == [".git", "README", "src"]


@pytest.mark.usefixtures("mounts")
def test_a_busy_workspace_is_removed_all_the_same(
    user: ScratchRepository, workspaces: GitWorkspaces, tmp_path: Path
) -> None:
    workspace = opened(workspaces, user.commit(FILES))
    with (workspace.path / "held").open("w") as held:
        asyncio.run(workspaces.close(workspace))
        held.write("nobody sees this\n")
    assert mounted_below(tmp_path) == []
    assert not workspace.path.parent.exists()


@pytest.mark.usefixtures("mounts")
def test_a_second_opening_and_forgetting_leave_no_mount(
    user: ScratchRepository, workspaces: GitWorkspaces, tmp_path: Path
) -> None:
    start = user.commit(FILES)
    opened(workspaces, start)
    again = opened(workspaces, start)
    beside = [str(again.path.parent / name) for name in ("worker.git", "reports")]
    assert mounted_below(tmp_path) == [str(again.path), *beside]
    asyncio.run(workspaces.forget(RUN))
    assert mounted_below(tmp_path) == []
    assert not (tmp_path / "state" / "r1").exists()


@pytest.mark.usefixtures("mounts")
@pytest.mark.parametrize("is_restarted", [True, False])
def test_lost_work_is_kept_also_after_a_restart_of_the_machine(
    user: ScratchRepository, workspaces: GitWorkspaces, tmp_path: Path, *, is_restarted: bool
) -> None:
    workspace = opened(workspaces, user.commit(FILES))
    (workspace.path / "README").write_text("lost\n")
    if is_restarted:
        restart(workspace)
        assert list(workspace.path.iterdir()) == []
    assert asyncio.run(workspaces.keep_lost(RUN, KEY, ref=REF, at=AT)) == REF
    assert kept(user) == "lost\n"
    assert mounted_below(tmp_path) == []
    assert list((tmp_path / "state" / "r1" / "work").iterdir()) == []


@pytest.mark.usefixtures("mounts")
def test_work_that_cannot_be_mounted_again_is_not_taken_for_deleted(
    user: ScratchRepository, workspaces: GitWorkspaces
) -> None:
    workspace = opened(workspaces, user.commit(FILES))
    restart(workspace)
    image = workspace.path.parent / "tree.img"
    # Another file: the kernel may still show what the old one held.
    image.unlink()
    image.write_bytes(b"no file system")
    with pytest.raises(Unavailable, match="cannot be mounted again") as caught:
        asyncio.run(workspaces.keep_lost(RUN, KEY, ref=REF, at=AT))
    assert "nothing was removed" in (caught.value.hint or "")
    assert image.exists()
    assert kept(user) is None


@pytest.mark.usefixtures("mounts")
def test_work_that_is_mounted_elsewhere_is_not_repaired_under_its_feet(
    user: ScratchRepository, workspaces: GitWorkspaces, tmp_path: Path
) -> None:
    workspace = opened(workspaces, user.commit(FILES))
    (workspace.path / "README").write_text("lost\n")
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    subprocess.run(["mount", "--bind", workspace.path, elsewhere], check=True)
    restart(workspace)
    assert asyncio.run(workspaces.keep_lost(RUN, KEY, ref=REF, at=AT)) == REF
    assert kept(user) == "lost\n"
    assert (elsewhere / "README").read_text() == "lost\n"


@pytest.mark.usefixtures("mounts")
def test_a_cache_that_does_not_fit_is_not_taken(
    user: ScratchRepository, workspaces: GitWorkspaces
) -> None:
    start = user.commit(FILES)
    cache = SetupCache(command=("make",), key_files=(), paths=("deps",))
    roomy = opened(workspaces, start, ROOMY)
    (roomy.path / "deps").mkdir()
    for name in ("a", "b", "c"):
        (roomy.path / "deps" / name).write_bytes(b"x" * 4 * MIB)
    asyncio.run(workspaces.keep_cached(roomy, cache))
    narrow = opened(workspaces, start)
    assert not asyncio.run(workspaces.take_cached(narrow, cache))
    assert not (narrow.path / "deps").exists()
    assert asyncio.run(workspaces.take_cached(opened(workspaces, start, ROOMY), cache))


@pytest.mark.usefixtures("mounts")
def test_what_cannot_be_mounted_is_no_volume(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    assert not Volume(image=tmp_path / "tree.img", places=(tmp_path / "file",)).make(QUOTA)
    assert not (tmp_path / "tree.img").exists()


@pytest.mark.usefixtures("mounts")
def test_a_crash_in_the_middle_of_a_removal_leaves_no_mount(
    user: ScratchRepository, workspaces: GitWorkspaces, tmp_path: Path
) -> None:
    workspace = opened(workspaces, user.commit(FILES))
    desk = workspace.path.parent
    desk.rename(desk.with_name(f"{desk.name}.0.waste"))
    assert asyncio.run(workspaces.keep_lost(RUN, KEY, ref=REF, at=AT)) is None
    assert mounted_below(tmp_path) == []
    assert list(desk.parent.iterdir()) == []


@pytest.mark.usefixtures("mounts")
@pytest.mark.parametrize(
    ("quota", "files"),
    [
        (Quota(disk=MIB, files=100), {"large": "x" * 4 * MIB}),
        (Quota(disk=4 * MIB, files=8), {str(number): "x" for number in range(200)}),
    ],
)
def test_a_quota_that_is_too_small_for_the_checkout_names_its_key(
    user: ScratchRepository,
    workspaces: GitWorkspaces,
    tmp_path: Path,
    quota: Quota,
    files: dict[str, str],
) -> None:
    start = user.commit(files)
    with pytest.raises(Unavailable) as caught:
        opened(workspaces, start, quota)
    wanted = f"do not fit into its quota of {quota.disk} bytes and {quota.files} files."
    assert caught.value.message.endswith(wanted)
    assert "`sandbox.limits.worker.disk`" in (caught.value.hint or "")
    assert "disk_files`" in (caught.value.hint or "")
    assert mounted_below(tmp_path) == []
    assert list(premises(tmp_path / "state", RUN).desks.iterdir()) == []


@pytest.mark.usefixtures("mounts")
def test_twenty_at_once_each_have_their_own(
    user: ScratchRepository, workspaces: GitWorkspaces, tmp_path: Path
) -> None:
    start = user.commit(FILES)

    async def attempt(number: int) -> tuple[Hardness, Snapshot]:
        key = EffectKey(f"r1/implement/1/{number}/worker/1")
        plan = WorkspacePlan(quota=QUOTA)
        workspace = await workspaces.open(RUN, key, fence=1, start=start, plan=plan)
        (workspace.path / "number").write_text(f"{number}\n")
        ref = f"refs/supervisor/r1/implement/1.{number}.1"
        snapshot = await workspaces.snapshot(workspace, ref=ref, at=AT)
        await workspaces.close(workspace)
        return workspace.quota, snapshot

    async def all_of_them() -> list[tuple[Hardness, Snapshot]]:
        return await asyncio.gather(*(attempt(number) for number in range(20)))

    repository = GitRepository(user.path)
    for number, (quota, snapshot) in enumerate(asyncio.run(all_of_them())):
        assert quota is Hardness.HARD
        assert repository.read(snapshot.commit, "number") == f"{number}\n"
    assert mounted_below(tmp_path) == []


def test_a_trial_tells_whether_a_quota_would_be_kept(mounts: Path) -> None:
    assert can_make(mounts / "state")
    assert [path.name for path in (mounts / "state").iterdir()] == ["trial.lock"]


KILLED = """
import os, signal, sys
from pathlib import Path
from supervisor_ai.workspaces.volumes import can_make

def die(event, arguments):
    if event == "os.rmdir" and str(arguments[0]).endswith("tree.root"):
        os.kill(os.getpid(), signal.SIGKILL)

sys.addaudithook(die)
can_make(Path(sys.argv[1]))
"""


def test_a_trial_that_was_killed_leaves_nothing_to_the_next(mounts: Path) -> None:
    state = mounts / "state"
    ended = subprocess.run([sys.executable, "-c", KILLED, state], check=False)
    assert ended.returncode == -signal.SIGKILL
    assert len(mounted_below(state)) == 1
    assert can_make(state)
    assert mounted_below(state) == []
    assert [path.name for path in state.iterdir()] == ["trial.lock"]


@pytest.mark.usefixtures("mounts")
def test_files_that_are_not_mounted_are_not_taken_for_deleted(
    user: ScratchRepository, workspaces: GitWorkspaces, tmp_path: Path
) -> None:
    workspace = opened(workspaces, user.commit(FILES))
    inventory = GitInventory(GitRepository(user.path), tmp_path / "state")
    [found] = inventory.directories(lambda _: ())
    assert (found.is_dirty, inventory.changed_files(found)) == (False, ())
    restart(workspace)
    [found] = inventory.directories(lambda _: ())
    assert found.is_dirty
    with pytest.raises(Unavailable, match="not mounted since the machine was restarted") as caught:
        inventory.changed_files(found)
    assert "nothing is lost" in (caught.value.hint or "")

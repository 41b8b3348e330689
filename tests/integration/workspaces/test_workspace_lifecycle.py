import asyncio
import os
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from supervisor_ai.domain.errors import InvalidInput, NotFound, Unavailable
from supervisor_ai.domain.ids import CommitSha, EffectKey, RunId
from supervisor_ai.domain.run.values import Identity, Snapshot
from supervisor_ai.engine.ports.workspaces import Landing, Workspace, Workspaces
from supervisor_ai.testing.scratch_repository import ScratchRepository
from supervisor_ai.workspaces.files.removal import remove
from supervisor_ai.workspaces.layout import premises
from supervisor_ai.workspaces.repositories.repository import GitRepository
from supervisor_ai.workspaces.workspaces import GitWorkspaces

AT = datetime(2030, 1, 1, tzinfo=UTC)
RUN, KEY = RunId("r1"), EffectKey("r1/implement/1/1/worker/1")
REF = "refs/supervisor/r1/implement/1.1.1"
FILES = {"README": "hello\n", "src/a.py": "a\n"}


@pytest.fixture
def user(tmp_path: Path) -> ScratchRepository:
    return ScratchRepository(tmp_path / "home")


@pytest.fixture
def state(tmp_path: Path) -> Path:
    return tmp_path / "state"


@pytest.fixture
def workspaces(user: ScratchRepository, state: Path) -> GitWorkspaces:
    return GitWorkspaces(GitRepository(user.path), state)


def opened(workspaces: Workspaces, start: CommitSha, fence: int = 1) -> Workspace:
    return asyncio.run(workspaces.open(RUN, KEY, fence=fence, start=start))


def test_twenty_attempts_in_parallel_do_not_disturb_each_other(
    user: ScratchRepository, workspaces: GitWorkspaces
) -> None:
    start = user.commit(FILES)

    async def attempt(number: int) -> Snapshot:
        key = EffectKey(f"r1/implement/1/{number}/worker/1")
        workspace = await workspaces.open(RUN, key, fence=1, start=start)
        (workspace.path / "number").write_text(f"{number}\n")
        ref = f"refs/supervisor/r1/implement/1.{number}.1"
        snapshot = await workspaces.snapshot(workspace, ref=ref, at=AT)
        await workspaces.close(workspace)
        return snapshot

    async def all_of_them() -> list[Snapshot]:
        return await asyncio.gather(*(attempt(number) for number in range(20)))

    snapshots = asyncio.run(all_of_them())
    repository = GitRepository(user.path)
    for number, snapshot in enumerate(snapshots):
        assert repository.read(snapshot.commit, "number") == f"{number}\n"
        assert repository.tip(f"refs/supervisor/r1/implement/1.{number}.1") == snapshot.commit
    assert user.git.run("fsck", "--strict").code == 0


OPEN_ONE = """
import asyncio, sys
from pathlib import Path
from supervisor_ai.workspaces.repositories.repository import GitRepository
from supervisor_ai.workspaces.workspaces import GitWorkspaces
home, state, start, number = sys.argv[1:]
workspaces = GitWorkspaces(GitRepository(Path(home)), Path(state))
sys.stdin.read()
key = f"r1/implement/1/{number}/worker/1"
print(asyncio.run(workspaces.open("r1", key, fence=1, start=start)).path)
asyncio.run(workspaces.program("r1", start))
"""


def test_processes_that_begin_the_same_run_at_once_agree(
    user: ScratchRepository, state: Path
) -> None:
    start = user.commit(FILES)
    arguments = [sys.executable, "-c", OPEN_ONE, str(user.path), str(state), start]
    processes = [
        subprocess.Popen(
            [*arguments, str(number)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        for number in range(4)
    ]
    paths = [process.communicate("")[0].strip() for process in processes]
    assert [process.returncode for process in processes] == [0, 0, 0, 0]
    assert all((Path(path) / "README").read_text() == "hello\n" for path in paths)
    assert {path.name for path in (state / "r1").iterdir()} == {"base.git", "program", "work"}
    assert [path.name for path in (state / "r1" / "program").iterdir()] == [start]


def test_a_program_is_the_base_commit_whatever_the_checkout_holds(
    user: ScratchRepository, workspaces: GitWorkspaces
) -> None:
    start = user.commit(FILES)
    user.write({"README": "dirty\n", "untracked": "x\n"})
    program = asyncio.run(workspaces.program(RUN, start))
    found = {str(path.relative_to(program)) for path in program.rglob("*") if path.is_file()}
    assert found == set(FILES)
    assert (program / "README").read_text() == "hello\n"


def test_closing_removes_hostile_trees_and_follows_no_link(
    user: ScratchRepository, workspaces: GitWorkspaces, tmp_path: Path
) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "precious").write_text("precious\n")
    workspace = opened(workspaces, user.commit(FILES))
    for name in ("closed", "open/closed", "open/read"):
        (workspace.path / name).mkdir(parents=True)
        (workspace.path / name / "file").write_text("x")
        (workspace.path / name / "link").symlink_to(outside)
    (workspace.path / "link").symlink_to(outside)
    (workspace.path / "open" / "read").chmod(0o500)
    (workspace.path / "open" / "closed").chmod(0)
    (workspace.path / "closed").chmod(0)
    os.mkfifo(workspace.path / "pipe")
    workspace.path.chmod(0o500)
    asyncio.run(workspaces.close(workspace))
    assert not workspace.path.parent.exists()
    assert (outside / "precious").read_text() == "precious\n"


def test_three_thousand_levels_are_removed(tmp_path: Path) -> None:
    (tmp_path / "tree").mkdir()
    try:
        place = os.open(tmp_path / "tree", os.O_RDONLY)
        for _ in range(3000):
            os.mkdir("d", dir_fd=place)
            below = os.open("d", os.O_RDONLY, dir_fd=place)
            os.close(place)
            place = below
        os.close(os.open("file", os.O_CREAT | os.O_WRONLY, dir_fd=place))
        os.close(place)
        remove(tmp_path / "tree")
        assert list(tmp_path.iterdir()) == []
    finally:
        # What pytest removes, it removes by recursion, and that ends before the tree does.
        subprocess.run(["rm", "-rf", tmp_path / "tree"], check=True)


def test_two_may_remove_the_same_directory_at_once(tmp_path: Path) -> None:
    for number in range(300):
        (tmp_path / "tree" / str(number % 10) / str(number)).mkdir(parents=True)
        (tmp_path / "tree" / str(number % 10) / str(number) / "file").touch()
    problems: list[OSError] = []

    def go() -> None:
        try:
            remove(tmp_path / "tree")
        except OSError as problem:
            problems.append(problem)

    threads = [threading.Thread(target=go) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert problems == []
    assert list(tmp_path.iterdir()) == []


UNPRIVILEGED = """
import asyncio, ctypes, os, sys
from datetime import UTC, datetime
from pathlib import Path
from supervisor_ai.testing.scratch_repository import ScratchRepository
from supervisor_ai.workspaces.repositories.repository import GitRepository
from supervisor_ai.workspaces.workspaces import GitWorkspaces
place = Path(sys.argv[1])
asyncio.run(asyncio.to_thread(len, ""))  # imports what threads need while it can be read
if os.geteuid() == 0:
    os.chown(place, 65534, 65534)
    os.chdir(place)
    os.setgroups([])
    os.setresgid(65534, 65534, 65534)
    os.setresuid(65534, 65534, 65534)
    ctypes.CDLL(None).prctl(4, 1, 0, 0, 0)  # as after a new start: /proc/self is one's own again
    os.environ["HOME"] = str(place)

async def main():
    user = ScratchRepository(place / "home")
    start = user.commit({"README": "hello\\n", "closed/file": "x\\n"})
    repository = GitRepository(user.path)
    workspaces = GitWorkspaces(repository, place / "state")
    workspace = await workspaces.open("r1", "r1/key", fence=1, start=start)
    tree = workspace.path
    (tree / "new" / "deep").mkdir(parents=True)
    (tree / "new" / "deep" / "file").write_text("new")
    (tree / "secret").write_text("secret")
    (tree / "secret").chmod(0)
    (tree / "new" / "deep").chmod(0o500)
    (tree / "new").chmod(0)
    (tree / "closed").chmod(0)
    at = datetime(2030, 1, 1, tzinfo=UTC)
    snapshot = await workspaces.snapshot(workspace, ref="refs/supervisor/r1/x", at=at)
    print(*repository.list(snapshot.commit, ""))
    place_ = os.open(tree, os.O_RDONLY)
    for _ in range(50):
        os.mkdir("d", dir_fd=place_)
        below = os.open("d", os.O_RDONLY, dir_fd=place_)
        os.close(place_)
        place_ = below
    os.close(place_)
    for name in ("new/deep", "new", "closed", "d"):
        (tree / name).chmod(0)
    tree.chmod(0)
    await workspaces.close(workspace)
    print(*os.listdir(place / "state" / "r1" / "work"))

asyncio.run(main())
"""


@pytest.fixture
def own_place() -> Iterator[Path]:
    """Make a directory that somebody else can own, below none that pytest keeps to itself."""
    path = Path(tempfile.mkdtemp())
    yield path
    remove(path)


def test_an_unprivileged_supervisor_reads_and_removes_what_a_worker_closed(own_place: Path) -> None:
    command = [sys.executable, "-c", UNPRIVILEGED, str(own_place)]
    # A coverage tool that follows processes could not write its file as somebody else.
    plain = {name: value for name, value in os.environ.items() if "COVERAGE" not in name}
    ended = subprocess.run(command, capture_output=True, text=True, check=False, env=plain)
    assert ended.stderr == ""
    assert ended.stdout == "README closed/file new/deep/file secret\n\n"


def test_half_made_and_half_removed_directories_are_not_taken_for_work(
    user: ScratchRepository, workspaces: GitWorkspaces, state: Path
) -> None:
    start = user.commit(FILES)
    place = premises(state.resolve(), RUN)
    whole = opened(workspaces, start, fence=9)
    asyncio.run(workspaces.close(whole))
    for fence in (1, 2):
        place.desk(KEY, fence).path.mkdir()
    for fence in (2, 3):
        place.desk(KEY, fence).tree.mkdir(parents=True)
        (place.desk(KEY, fence).tree / "README").write_text("half")
    opened(workspaces, start, fence=4)
    remove(place.desk(KEY, 4).tree)
    opened(workspaces, start, fence=5)
    waste = place.desk(KEY, 5).path
    (waste / "tree" / "README").unlink()
    waste.rename(waste.with_name(f"{waste.name}.0123.waste"))
    assert asyncio.run(workspaces.keep_lost(RUN, KEY, ref=REF, at=AT)) is None
    assert list(place.desks.iterdir()) == []
    assert GitRepository(user.path).tip(REF) is None


def test_nothing_is_lost_where_nothing_ever_was(workspaces: GitWorkspaces) -> None:
    assert asyncio.run(workspaces.keep_lost(RUN, KEY, ref=REF, at=AT)) is None


def test_only_inadmissible_changes_are_no_change(
    user: ScratchRepository, workspaces: GitWorkspaces
) -> None:
    workspace = opened(workspaces, user.commit(FILES))
    (workspace.path / ".supervisor").mkdir()
    (workspace.path / ".supervisor" / "state.db").write_text("x")
    assert asyncio.run(workspaces.keep_lost(RUN, KEY, ref=REF, at=AT)) is None


def test_a_run_that_was_forgotten_goes_on_from_its_pinned_base(
    user: ScratchRepository, workspaces: GitWorkspaces, state: Path
) -> None:
    base = user.commit(FILES)
    workspace = opened(workspaces, base)
    (workspace.path / "new").write_text("new\n")
    snapshot = asyncio.run(workspaces.snapshot(workspace, ref=REF, at=AT))
    asyncio.run(workspaces.forget(RUN))
    assert list(state.iterdir()) == []
    again = opened(workspaces, snapshot.commit)
    assert (again.path / "new").read_text() == "new\n"
    assert (state / "r1" / "base.git" / "refs" / "heads" / "base").read_text() == f"{base}\n"


def test_a_foreign_directory_is_neither_closed_nor_snapshotted(
    user: ScratchRepository, workspaces: GitWorkspaces
) -> None:
    user.commit(FILES)
    stranger = Workspace(
        run=RUN, key=KEY, path=user.path / "src", start=CommitSha("0" * 40), mounts=()
    )
    with pytest.raises(InvalidInput, match="no workspace of ours"):
        asyncio.run(workspaces.close(stranger))
    assert (user.path / "src" / "a.py").exists()


def test_a_start_that_does_not_exist_leaves_nothing_behind(
    user: ScratchRepository, workspaces: GitWorkspaces, state: Path
) -> None:
    opened(workspaces, user.commit(FILES), fence=2)
    with pytest.raises(Unavailable, match="failed in"):
        opened(workspaces, CommitSha("1" * 40))
    assert [path.name[-2:] for path in (state / "r1" / "work").iterdir()] == [".2"]


def test_a_cancelled_opening_leaves_nothing_behind(
    user: ScratchRepository, workspaces: GitWorkspaces, state: Path
) -> None:
    start = user.commit(FILES)

    async def go() -> None:
        task = asyncio.create_task(workspaces.open(RUN, KEY, fence=1, start=start))
        await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(go())
    assert list((state / "r1" / "work").iterdir()) == []


def test_a_cancelled_snapshot_is_finished_first(
    user: ScratchRepository, workspaces: GitWorkspaces
) -> None:
    workspace = opened(workspaces, user.commit(FILES))

    async def go() -> None:
        task = asyncio.create_task(workspaces.snapshot(workspace, ref=REF, at=AT))
        await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(go())
    assert GitRepository(user.path).tip(REF) is not None


def test_a_snapshot_of_a_removed_workspace_is_refused(
    user: ScratchRepository, workspaces: GitWorkspaces
) -> None:
    workspace = opened(workspaces, user.commit(FILES))
    remove(workspace.path)
    with pytest.raises(NotFound, match="does not exist any more"):
        asyncio.run(workspaces.snapshot(workspace, ref=REF, at=AT))


def fingerprint(user: ScratchRepository) -> dict[str, tuple[bytes, int, int]]:
    """Take everything of the user's that must not change, to the nanosecond."""
    own = [".git/index", ".git/HEAD", ".git/config", ".git/refs/heads/main", ".git/logs/HEAD"]
    files = [user.path / name for name in own]
    files += [path for path in user.path.rglob("*") if path.is_file() and ".git" not in path.parts]
    return {
        str(path): (path.read_bytes(), path.stat().st_mtime_ns, path.stat().st_mode)
        for path in files
    }


def test_a_dirty_checkout_its_index_and_its_branch_stay_as_they_are(
    user: ScratchRepository, workspaces: GitWorkspaces
) -> None:
    start = user.commit(FILES)
    user.write({"staged": "staged\n"})
    user.git.run("add", "staged")
    user.write({"README": "dirty\n", "untracked": "untracked\n", "staged": "changed again\n"})
    before = fingerprint(user)
    status = user.git.run("status", "--porcelain").output

    async def go() -> None:
        await workspaces.program(RUN, start)
        workspace = await workspaces.open(RUN, KEY, fence=1, start=start)
        assert (workspace.path / "README").read_text() == "hello\n"
        (workspace.path / "README").write_text("worker\n")
        snapshot = await workspaces.snapshot(workspace, ref=REF, at=AT)
        await workspaces.close(workspace)
        await workspaces.land(
            Landing(
                run=RUN,
                key=EffectKey("r1/commit"),
                snapshot=snapshot.commit,
                base=start,
                branch="ai/r1",
                expected=None,
                message="Land",
                identity=Identity(name="Ada", email="a@b"),
                at=AT,
            )
        )
        await workspaces.forget(RUN)

    asyncio.run(go())
    assert fingerprint(user) == before
    assert user.git.run("status", "--porcelain").output == status
    assert GitRepository(user.path).branch_tip("ai/r1") is not None

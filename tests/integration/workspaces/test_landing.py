import asyncio
import subprocess
import sys
import threading
import time
from datetime import UTC, datetime
from pathlib import Path

import pytest
from tests.support.processes import PATIENCE

from supervisor_ai.domain.errors import Unavailable
from supervisor_ai.domain.ids import CommitSha, EffectKey, RunId
from supervisor_ai.domain.run.values import Identity
from supervisor_ai.engine.ports.workspaces import Landed, Landing, NotLanded
from supervisor_ai.testing.scratch_repository import ScratchRepository
from supervisor_ai.workspaces.repositories.repository import GitRepository
from supervisor_ai.workspaces.workspaces import GitWorkspaces

AT = datetime(2030, 1, 1, tzinfo=UTC)
RUN = RunId("r1")
FILES = {"README": "hello\n", "src/a.py": "a\n"}


@pytest.fixture
def user(tmp_path: Path) -> ScratchRepository:
    return ScratchRepository(tmp_path / "home")


@pytest.fixture
def workspaces(user: ScratchRepository, tmp_path: Path) -> GitWorkspaces:
    return GitWorkspaces(GitRepository(user.path), tmp_path / "state")


def landing(
    base: CommitSha, snapshot: CommitSha, *, branch: str = "ai/r1", message: str = "Do it"
) -> Landing:
    return Landing(
        run=RUN,
        key=EffectKey("r1/commit/1/1/integrate"),
        snapshot=snapshot,
        base=base,
        branch=branch,
        expected=None,
        message=message,
        identity=Identity(name="Grace", email="grace@example.org"),
        at=AT,
    )


def land(workspaces: GitWorkspaces, what: Landing) -> Landed | NotLanded:
    return asyncio.run(workspaces.land(what))


def test_a_landing_is_one_commit_on_the_base_signed_by_the_user(
    user: ScratchRepository, workspaces: GitWorkspaces
) -> None:
    base = user.commit(FILES)
    snapshot = user.plant(FILES | {"new": "new\n"}, parent=base)
    landed = land(workspaces, landing(base, snapshot, message="Do it\n\nWith care.\n"))
    assert isinstance(landed, Landed)
    signed = f"Grace <grace@example.org> {int(AT.timestamp())} +0000"
    tree = user.git.run("rev-parse", f"{snapshot}^{{tree}}").text
    assert user.git.run("cat-file", "commit", landed.commit).text == (
        f"tree {tree}\nparent {base}\nauthor {signed}\ncommitter {signed}\n\n"
        "Do it\n\nWith care.\n\nSupervisor-Op: r1/commit/1/1/integrate"
    )
    assert user.git.run("rev-parse", "refs/heads/ai/r1").text == landed.commit


def test_a_trailer_in_the_message_is_not_believed(
    user: ScratchRepository, workspaces: GitWorkspaces
) -> None:
    base = user.commit(FILES)
    forged = "Do it\n\nsupervisor-op: r1/other\nSupervisor-Op: r1/other\nSigned-off-by: x"
    landed = land(workspaces, landing(base, base, message=forged))
    assert isinstance(landed, Landed)
    body = user.git.run("log", "-1", "--format=%B", landed.commit).text
    assert "r1/other" not in body
    assert "Signed-off-by: x" in body


def test_a_branch_that_is_checked_out_is_not_moved(
    user: ScratchRepository, workspaces: GitWorkspaces, tmp_path: Path
) -> None:
    base = user.commit(FILES)
    snapshot = user.plant(FILES | {"new": "new\n"}, parent=base)
    user.git.run("worktree", "add", "--quiet", "-b", "ai/r1", tmp_path / "linked")
    for branch, place in (("main", user.path), ("ai/r1", tmp_path / "linked")):
        assert land(workspaces, landing(base, snapshot, branch=branch)) == NotLanded(
            reason=f"The branch {branch!r} is checked out in {str(place)!r}; "
            "moving it would disturb that checkout."
        )
        assert user.git.run("rev-parse", branch).text == base


def test_a_work_tree_that_is_gone_is_no_obstacle(
    user: ScratchRepository, workspaces: GitWorkspaces, tmp_path: Path
) -> None:
    base = user.commit(FILES)
    user.git.run("worktree", "add", "--quiet", "-b", "ai/r1", tmp_path / "linked")
    (tmp_path / "linked").rename(tmp_path / "moved")
    snapshot = user.plant(FILES | {"new": "new\n"}, parent=base)
    assert isinstance(land(workspaces, landing(base, snapshot)), Landed)


def test_a_branch_that_cannot_exist_is_a_reason_not_an_error(
    user: ScratchRepository, workspaces: GitWorkspaces
) -> None:
    base = user.commit(FILES)
    user.git.run("branch", "ai")
    for branch in ("ai/r1", "bad..name", "ends.lock"):
        result = land(workspaces, landing(base, base, branch=branch))
        assert isinstance(result, NotLanded)
        assert repr(branch) in result.reason


def test_many_conflicts_are_summed_up_without_control_characters(
    user: ScratchRepository, workspaces: GitWorkspaces
) -> None:
    names = ["\x1b[31mred", *(f"file{number:02}" for number in range(20))]
    base = user.commit(dict.fromkeys(names, "base\n"))
    user.git.run("branch", "ai/r1", user.plant(dict.fromkeys(names, "user\n"), parent=base))
    snapshot = user.plant(dict.fromkeys(names, "worker\n"), parent=base)
    result = land(workspaces, landing(base, snapshot))
    assert isinstance(result, NotLanded)
    assert result.reason.startswith("The branch has moved and conflicts in '[31mred', 'file00'")
    assert result.reason.endswith("'file08' and 11 more.")


def test_an_unrelated_history_is_not_merged(
    user: ScratchRepository, workspaces: GitWorkspaces
) -> None:
    base = user.commit(FILES)
    user.git.run("branch", "ai/r1", user.plant({"other": "x\n"}))
    result = land(workspaces, landing(base, base))
    assert result == NotLanded(reason="The branch has moved to an unrelated history.")


def test_a_landed_key_is_found_after_the_branch_moved_on_and_was_checked_out(
    user: ScratchRepository, workspaces: GitWorkspaces
) -> None:
    base = user.commit(FILES)
    snapshot = user.plant(FILES | {"new": "new\n"}, parent=base)
    first = land(workspaces, landing(base, snapshot))
    user.git.run("checkout", "--quiet", "ai/r1")
    user.commit({"more": "more\n"})
    assert land(workspaces, landing(base, snapshot)) == first


LAND = """
import asyncio, sys
from datetime import UTC, datetime
from pathlib import Path
from supervisor_ai.domain.run.values import Identity
from supervisor_ai.engine.ports.workspaces import Landing
from supervisor_ai.workspaces.repositories.repository import GitRepository
from supervisor_ai.workspaces.workspaces import GitWorkspaces
home, state, key, base, *snapshots = sys.argv[1:]
workspaces = GitWorkspaces(GitRepository(Path(home)), Path(state))
print("ready", flush=True)
sys.stdin.readline()
for number, snapshot in enumerate(snapshots):
    landing = Landing(
        run="r1", key=f"{key}/{number}", snapshot=snapshot, base=base, branch="ai/r1",
        expected=None, message="Do it", identity=Identity(name="Ada", email="a@b"),
        at=datetime(2030, 1, 1, tzinfo=UTC),
    )
    print(getattr(asyncio.run(workspaces.land(landing)), "commit", "refused"))
"""


def race(
    user: ScratchRepository, state: Path, base: CommitSha, racers: dict[str, list[CommitSha]]
) -> list[list[str]]:
    """Let processes land at the same time; return what each of them made."""
    pipe = subprocess.PIPE
    processes = []
    for name, snapshots in racers.items():
        key = name.rstrip("'")
        arguments = [str(user.path), str(state), key, base, *snapshots]
        command = [sys.executable, "-c", LAND, *arguments]
        processes.append(subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True))
    for process in processes:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
    for process in processes:
        assert process.stdin is not None
        process.stdin.write("go\n")
        process.stdin.flush()
    return [process.communicate()[0].split() for process in processes]


def test_processes_that_land_the_same_keys_make_one_commit_for_each(
    user: ScratchRepository, tmp_path: Path
) -> None:
    base = user.commit(FILES)
    steps = [user.plant(FILES | {f"n{n}": "x\n"}, parent=base) for n in range(5)]
    racers = {"same": steps, "same'": steps, "same''": steps}
    first, *others = race(user, tmp_path / "state", base, racers)
    assert "refused" not in first
    assert all(other == first for other in others)
    landed = user.git.run("rev-list", "--reverse", f"{base}..ai/r1").text.split()
    assert landed == first


def test_processes_that_land_different_keys_all_land(
    user: ScratchRepository, tmp_path: Path
) -> None:
    base = user.commit(FILES)
    racers = {
        name: [user.plant(FILES | {f"{name}{n}": "x\n"}, parent=base) for n in range(4)]
        for name in ("a", "b")
    }
    made = race(user, tmp_path / "state", base, racers)
    landed = user.git.run("rev-list", f"{base}..ai/r1").text.split()
    assert sorted(landed) == sorted(made[0] + made[1])
    files = set(GitRepository(user.path).list(CommitSha(landed[0]), ""))
    assert files == set(FILES) | {f"{name}{n}" for name in ("a", "b") for n in range(4)}
    assert user.git.run("fsck", "--strict").code == 0


def test_a_lock_of_git_that_is_soon_released_is_waited_for(
    user: ScratchRepository, workspaces: GitWorkspaces
) -> None:
    base = user.commit(FILES)
    lock = user.path / ".git" / "refs" / "heads" / "ai" / "r1.lock"
    lock.parent.mkdir()
    lock.touch()
    timer = threading.Timer(0.3, lock.unlink)
    timer.start()
    assert isinstance(land(workspaces, landing(base, base)), Landed)
    timer.join()


def test_a_holder_of_our_lock_that_never_moves_does_not_stop_the_others(
    user: ScratchRepository, workspaces: GitWorkspaces
) -> None:
    base = user.commit(FILES)
    hold = "import fcntl, sys; f = open(sys.argv[1], 'w'); fcntl.flock(f, 2); print(1, flush=True)"
    lock = user.path / ".git" / "supervisor.lock"
    command = [sys.executable, "-c", f"{hold}; sys.stdin.read()", str(lock)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as holder:
        assert holder.stdout is not None
        holder.stdout.readline()
        began = time.monotonic()
        asyncio.run(workspaces.program(RUN, base))
        assert 1 < time.monotonic() - began < PATIENCE
        holder.communicate()


def test_a_git_lock_that_stays_is_said(user: ScratchRepository, workspaces: GitWorkspaces) -> None:
    base = user.commit(FILES)
    lock = user.path / ".git" / "refs" / "supervisor" / "r1" / "_base.lock"
    lock.parent.mkdir(parents=True)
    lock.touch()
    with pytest.raises(Unavailable, match="File exists"):
        asyncio.run(workspaces.program(RUN, base))
    lock.unlink()
    assert asyncio.run(workspaces.program(RUN, base)).exists()


def test_a_branch_that_git_cannot_move_now_is_an_error_and_lands_later(
    user: ScratchRepository, workspaces: GitWorkspaces
) -> None:
    base = user.commit(FILES)
    lock = user.path / ".git" / "refs" / "heads" / "ai" / "r1.lock"
    lock.mkdir(parents=True)
    with pytest.raises(Unavailable, match=r"ai/r1\.lock") as caught:
        land(workspaces, landing(base, base))
    assert "remove the lock" in (caught.value.hint or "")
    lock.rmdir()
    assert isinstance(land(workspaces, landing(base, base)), Landed)

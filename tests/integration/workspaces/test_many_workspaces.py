"""Two hundred workspaces of a large repository, twenty at a time, and nothing left of them."""

import asyncio
import statistics
import sys
import tempfile
import time
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest
from bench.workspaces import FILES, Contest, make_repository, roomy_place

from supervisor_ai.domain.ids import CommitSha, EffectKey, RunId
from supervisor_ai.domain.run.values import Snapshot
from supervisor_ai.workspaces.inventory import GitInventory
from supervisor_ai.workspaces.repositories.git import Git
from supervisor_ai.workspaces.repositories.repository import GitRepository
from supervisor_ai.workspaces.workspaces import GitWorkspaces

AT = datetime(2030, 1, 1, tzinfo=UTC)
AT_A_TIME = 20
BATCHES = 10
CONTEST_ROUNDS = 20


@pytest.fixture
def place(tmp_path: Path) -> Iterator[Path]:
    """Give a place in memory if there is room, or else on the disk."""
    with tempfile.TemporaryDirectory(dir=roomy_place() or tmp_path) as name:
        yield Path(name)


async def attempt(
    workspaces: GitWorkspaces, run: RunId, start: CommitSha, number: int, all_open: asyncio.Barrier
) -> Snapshot:
    """Open a workspace, wait until all of them are open, work, keep the work, and close it."""
    key = EffectKey(f"{run}/implement/1/{number}/worker/1")
    workspace = await workspaces.open(run, key, fence=1, start=start)
    await all_open.wait()
    assert len(list(workspace.path.glob("part*/file*.txt"))) == FILES
    (workspace.path / "part000" / "file00.txt").write_text(f"{run} {number}\n")
    (workspace.path / "part001" / "file01.txt").unlink()
    (workspace.path / "new").mkdir()
    (workspace.path / "new" / "file").write_text(f"{number}\n")
    ref = f"refs/supervisor/{run}/implement/1.{number}.1"
    kept = await workspaces.snapshot(workspace, ref=ref, at=AT)
    await workspaces.close(workspace)
    return kept


async def batch(workspaces: GitWorkspaces, run: RunId, start: CommitSha) -> list[Snapshot]:
    """Let all attempts of a run work at once."""
    all_open = asyncio.Barrier(AT_A_TIME)
    numbers = range(1, AT_A_TIME + 1)
    deeds = (attempt(workspaces, run, start, number, all_open) for number in numbers)
    kept = await asyncio.gather(*deeds)
    await workspaces.forget(run)
    return kept


def leftovers(place: Path) -> list[str]:
    """Find what workspaces, ports, locks and mounts left behind."""
    state, git = place / "state", place / "home" / ".git"
    found = [str(path) for path in (state / "project").iterdir()]
    # These locks are ours and stay: who holds one is known by a lock on it, not by its being there.
    found += [str(path) for path in (state / "ports").glob("*") if path.name != "lock"]
    found += [str(path) for path in git.rglob("*.lock") if path.name != "supervisor.lock"]
    mounts = Path("/proc/self/mountinfo").read_text().splitlines()
    return found + [mount for mount in mounts if str(place) in mount]


@pytest.mark.long
@pytest.mark.timeout(3600)
def test_two_hundred_workspaces_come_and_go(
    place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    start = make_repository(place / "home")
    repository = GitRepository(place / "home")
    workspaces = GitWorkspaces(repository, place / "state" / "project")
    runs = [RunId(f"r{number}") for number in range(BATCHES)]
    times: list[float] = []
    kept: dict[str, str] = {}
    for run in runs:
        begun = time.perf_counter()
        snapshots = asyncio.run(batch(workspaces, run, start))
        times.append((time.perf_counter() - begun) / AT_A_TIME)
        kept |= {
            f"refs/supervisor/{run}/implement/1.{number}.1": snapshot.commit
            for number, snapshot in enumerate(snapshots, start=1)
        }
    assert len(set(kept.values())) == BATCHES * AT_A_TIME
    # What one run leaves to the next is one of each, and goes when somebody cleans up.
    assert {Path(it).name for it in leftovers(place)} <= {".export", ".history"}
    GitInventory(repository, place / "state" / "project").drop_spare()
    assert leftovers(place) == []
    assert refs(repository.git) == {
        **kept,
        **{f"refs/supervisor/{run}/_base": start for run in runs},
        "refs/heads/main": start,
    }
    assert repository.git.ask("fsck", "--connectivity-only", "--no-dangling").code == 0
    assert not repository.is_dirty()
    tell(
        capsys,
        f"{len(kept)} workspaces of {FILES} files in {place}, {AT_A_TIME} at a time: "
        f"opened, used, kept and removed in {statistics.median(times):.2f} s each",
    )


@pytest.mark.long
@pytest.mark.timeout(3600)
def test_a_workspace_is_no_slower_than_a_work_tree(
    place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    contest = Contest(place)
    contest.go(CONTEST_ROUNDS)
    for name, values in contest.times.items():
        tell(capsys, f"{name}: {statistics.median(values) * 1000:.0f} ms")
    tell(capsys, f"open : git worktree add = {contest.ratio('open', 'worktree add'):.2f}")
    tell(capsys, f"close : git worktree remove = {contest.ratio('close', 'worktree remove'):.2f}")
    assert contest.ratio("open", "worktree add") < 1.5


def refs(git: Git) -> dict[str, str]:
    """Return all refs and where they stand."""
    output = git.run("for-each-ref", "--format=%(refname) %(objectname)").text
    return dict(line.split(" ") for line in output.splitlines())


def tell(capsys: pytest.CaptureFixture[str], text: str) -> None:
    """Print a line, whatever becomes of the test."""
    with capsys.disabled():
        sys.stdout.write(f"\n  {text}")

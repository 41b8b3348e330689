"""What is over the limit is not kept: measured by what the repository holds afterwards."""

import asyncio
import os
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest

from supervisor_ai.domain.ids import CommitSha, EffectKey, RunId
from supervisor_ai.engine.ports.workspaces import LeftOut, Quota, WorkspacePlan
from supervisor_ai.testing.scratch_repository import ScratchRepository
from supervisor_ai.workspaces.repositories.repository import GitRepository
from supervisor_ai.workspaces.workspaces import GitWorkspaces

AT = datetime(2030, 1, 1, tzinfo=UTC)
RUN, KEY = RunId("r1"), EffectKey("r1/implement/1/1/worker/1")
REF = "refs/supervisor/r1/implement/1.1.1"
KIB = 1024
PLAN = WorkspacePlan(keeps=Quota(disk=256 * KIB, files=20))


@pytest.fixture
def user(tmp_path: Path) -> ScratchRepository:
    return ScratchRepository(tmp_path / "home")


def keep(
    user: ScratchRepository, work: Callable[[Path], object], *, is_lost: bool
) -> tuple[CommitSha, list[LeftOut]]:
    """Let a worker write, keep what may be kept, and return it with what was left out."""
    workspaces = GitWorkspaces(GitRepository(user.path), user.path.parent / "state")
    start = CommitSha(user.git.run("rev-parse", "HEAD").text)
    left: list[LeftOut] = []

    async def go() -> CommitSha:
        workspace = await workspaces.open(RUN, KEY, fence=1, start=start, plan=PLAN)
        work(workspace.path)
        if not is_lost:
            kept = await workspaces.snapshot(workspace, ref=REF, at=AT, on_left_out=left.append)
            return kept.commit
        await workspaces.keep_lost(RUN, KEY, ref=REF, at=AT, on_left_out=left.append)
        reply = user.git.ask("rev-parse", "--verify", "--quiet", REF)
        return CommitSha(reply.text) if reply.code == 0 else start

    return asyncio.run(go()), left


def files(user: ScratchRepository, commit: CommitSha) -> dict[str, int]:
    output = user.git.run("ls-tree", "-r", "-l", "-z", commit).output.decode()
    entries = (entry.split("\t") for entry in output.split("\0") if entry)
    return {path: int(about.split()[3]) for about, path in entries}


def stored(user: ScratchRepository) -> int:
    objects = user.path / ".git" / "objects"
    return sum(path.stat().st_size for path in objects.rglob("*") if path.is_file())


@pytest.mark.parametrize("is_lost", [False, True])
def test_a_file_over_the_limit_is_named_and_never_comes_into_the_repository(
    user: ScratchRepository, *, is_lost: bool
) -> None:
    user.commit({"README": "hello\n", "grows": "small\n"})

    def work(tree: Path) -> None:
        (tree / "huge").write_bytes(os.urandom(2048 * KIB))
        (tree / "grows").write_bytes(os.urandom(1024 * KIB))
        (tree / "code.py").write_text("print()\n")

    before = stored(user)
    commit, left = keep(user, work, is_lost=is_lost)
    assert files(user, commit) == {"README": 6, "code.py": 8, "grows": 6}
    assert sorted(it.path for it in left) == ["grows", "huge"]
    assert "262144 bytes" in left[0].reason
    assert stored(user) - before < 16 * KIB


def test_many_files_together_are_kept_up_to_the_limit_the_smallest_first(
    user: ScratchRepository,
) -> None:
    user.commit({"README": "hello\n"})

    def work(tree: Path) -> None:
        for number in range(10):
            (tree / f"{number}").write_bytes(os.urandom((number + 1) * 16 * KIB))

    commit, left = keep(user, work, is_lost=False)
    kept = files(user, commit)
    assert set(kept) == {"README", "0", "1", "2", "3", "4"}
    assert sum(kept.values()) < 256 * KIB
    assert [it.path for it in left] == ["5", "6", "7", "8", "9"]


def test_too_many_files_are_kept_up_to_their_number(user: ScratchRepository) -> None:
    user.commit({"README": "hello\n"})

    def work(tree: Path) -> None:
        for number in range(30):
            (tree / f"{number:02}").write_text("x")

    commit, left = keep(user, work, is_lost=False)
    assert len(files(user, commit)) == 21
    assert [it.path for it in left] == [f"{number:02}" for number in range(20, 30)]


def test_a_hole_and_a_second_name_count_by_what_would_be_read(user: ScratchRepository) -> None:
    user.commit({"README": "hello\n"})

    def work(tree: Path) -> None:
        with (tree / "sparse").open("wb") as file:
            file.truncate(1 << 40)
        (tree / "one").write_bytes(os.urandom(100 * KIB))
        for number in range(9):
            os.link(tree / "one", tree / f"two{number}")

    commit, left = keep(user, work, is_lost=False)
    assert set(files(user, commit)) == {"README", "one", "two0"}
    assert len(left) == 9


def test_what_git_ignores_counts_for_nothing(user: ScratchRepository) -> None:
    user.commit({"README": "hello\n", ".gitignore": "cache/\n"})

    def work(tree: Path) -> None:
        (tree / "cache").mkdir()
        (tree / "cache" / "blob").write_bytes(bytes(1024 * KIB))
        os.mkfifo(tree / "cache" / "pipe")
        (tree / "code.py").write_text("print()\n")

    commit, left = keep(user, work, is_lost=False)
    assert "code.py" in files(user, commit)
    assert left == []


def test_a_lost_attempt_of_which_nothing_may_be_kept_is_named(user: ScratchRepository) -> None:
    user.commit({"README": "hello\n"})
    commit, left = keep(
        user, lambda tree: (tree / "huge").write_bytes(bytes(512 * KIB)), is_lost=True
    )
    assert set(files(user, commit)) == {"README"}
    assert [it.path for it in left] == ["huge"]

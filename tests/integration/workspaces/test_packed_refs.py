"""Refs of ours do not lie about for ever, each in a file of its own."""

import asyncio
from pathlib import Path

from supervisor_ai.domain.ids import CommitSha, RunId
from supervisor_ai.testing.scratch_repository import ScratchRepository
from supervisor_ai.workspaces.repositories.repository import GitRepository
from supervisor_ai.workspaces.workspaces import GitWorkspaces

RUN = RunId("r1")


def refs(user: ScratchRepository, count: int, commit: CommitSha) -> list[str]:
    names = [f"refs/supervisor/r{number}/plan/1.1.1" for number in range(count)]
    lines = "".join(f"update {name} {commit}\n" for name in names)
    user.git.run("update-ref", "--stdin", stdin=lines.encode())
    return names


def loose(user: ScratchRepository) -> int:
    return sum(it.is_file() for it in (user.path / ".git/refs/supervisor").rglob("*"))


def test_many_refs_are_packed_when_a_run_is_forgotten_and_all_of_them_stay(tmp_path: Path) -> None:
    user = ScratchRepository(tmp_path / "project")
    commit = user.commit({"a": "a\n"})
    names = refs(user, 250, commit)
    repository = GitRepository(user.path)
    asyncio.run(GitWorkspaces(repository, tmp_path / "state").forget(RUN))
    assert loose(user) == 0
    listed = user.git.run("for-each-ref", "--format=%(refname)", "refs/supervisor").text
    assert sorted(listed.splitlines()) == sorted(names)
    assert repository.tip(names[0]) == commit


def test_few_refs_are_left_as_they_are(tmp_path: Path) -> None:
    user = ScratchRepository(tmp_path / "project")
    refs(user, 20, user.commit({"a": "a\n"}))
    asyncio.run(GitWorkspaces(GitRepository(user.path), tmp_path / "state").forget(RUN))
    assert loose(user) == 20

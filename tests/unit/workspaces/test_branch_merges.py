"""Merges of real commits: on no branch, the same however often they are made."""

import asyncio
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

import pytest

from supervisor_ai.domain.errors import SupervisorError
from supervisor_ai.domain.ids import CommitSha
from supervisor_ai.domain.run.values import Snapshot
from supervisor_ai.engine.ports.branch_merges import Conflicted
from supervisor_ai.testing.scratch_repository import ScratchRepository
from supervisor_ai.workspaces.commits.branch_merges import GitBranchMerges
from supervisor_ai.workspaces.repositories.repository import GitRepository

AT: Final = datetime(2030, 1, 1, tzinfo=UTC)


@pytest.fixture
def user(tmp_path: Path) -> ScratchRepository:
    return ScratchRepository(tmp_path / "home")


@pytest.fixture
def merges(user: ScratchRepository, tmp_path: Path) -> GitBranchMerges:
    return GitBranchMerges(GitRepository(user.path), tmp_path / "state")


def test_two_lines_become_one_commit_on_top_of_ours(
    user: ScratchRepository, merges: GitBranchMerges
) -> None:
    base = user.commit({"a.txt": "a\n"})
    ours = user.plant({"a.txt": "a\n", "ours.txt": "o\n"}, parent=base)
    theirs = user.plant({"a.txt": "a\n", "theirs.txt": "t\n"}, parent=base)
    refs = user.git.run("for-each-ref").text
    made = asyncio.run(merges.merge(ours, theirs, at=AT))
    again = asyncio.run(merges.merge(ours, theirs, at=AT))
    assert isinstance(made, Snapshot)
    assert made == again
    files = user.git.run("ls-tree", "-r", "--name-only", made.commit).text.split()
    assert files == ["a.txt", "ours.txt", "theirs.txt"]
    assert user.git.run("rev-parse", f"{made.commit}^").text == ours
    assert user.git.run("rev-parse", f"{made.commit}^{{tree}}").text == made.tree
    assert user.git.run("for-each-ref").text == refs, "no branch and no ref has moved"


def test_a_conflict_is_reported_with_both_sides(
    user: ScratchRepository, merges: GitBranchMerges
) -> None:
    base = user.commit({"a.txt": "one\n"})
    ours = user.plant({"a.txt": "ours\n"}, parent=base)
    theirs = user.plant({"a.txt": "theirs\n"}, parent=base)
    found = asyncio.run(merges.merge(ours, theirs, at=AT))
    assert isinstance(found, Conflicted)
    assert found.paths == ("a.txt",)
    assert "ours" in found.report
    assert "theirs" in found.report


def test_a_commit_that_is_not_there_cannot_be_merged(
    user: ScratchRepository, merges: GitBranchMerges
) -> None:
    base = user.commit({"a.txt": "one\n"})
    with pytest.raises(SupervisorError):
        asyncio.run(merges.merge(base, CommitSha("1" * 40), at=AT))

"""Merges of real commits: on no branch, the same however often they are made."""

import asyncio
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

import pytest

from supervisor_ai.domain.errors import SupervisorError
from supervisor_ai.domain.ids import CommitSha
from supervisor_ai.domain.run.values import Snapshot
from supervisor_ai.engine.ports.branch_merges import Conflicted, ConflictedFile
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


def test_what_conflicts_can_be_merged_by_somebody_else(
    user: ScratchRepository, merges: GitBranchMerges
) -> None:
    base = user.commit({"a.txt": "one\n"})
    ours = user.plant({"a.txt": "ours\n", "both.txt": "o\n", "b.txt": "b\n"}, parent=base)
    theirs = user.plant({"a.txt": "theirs\n", "both.txt": "t\n"}, parent=base)
    found = asyncio.run(merges.merge(ours, theirs, at=AT))
    assert isinstance(found, Conflicted)
    assert found.files == (
        ConflictedFile(path="a.txt", base=b"one\n", ours=b"ours\n", theirs=b"theirs\n"),
        ConflictedFile(path="both.txt", base=b"", ours=b"o\n", theirs=b"t\n"),
    )
    some = {"a.txt": b"ours, theirs\n"}
    assert asyncio.run(merges.merge(ours, theirs, at=AT, merged=some)) == found
    whole = {**some, "both.txt": b"o, t\n"}
    made = asyncio.run(merges.merge(ours, theirs, at=AT, merged=whole))
    assert isinstance(made, Snapshot)
    assert user.git.run("show", f"{made.commit}:a.txt").text == "ours, theirs"
    assert user.git.run("show", f"{made.commit}:both.txt").text == "o, t"
    assert user.git.run("show", f"{made.commit}:b.txt").text == "b"
    assert user.git.run("rev-parse", f"{made.commit}^").text == ours


def test_what_is_no_text_with_both_sides_is_left_to_people(
    user: ScratchRepository, merges: GitBranchMerges
) -> None:
    base = user.commit({"a.txt": "one\n", "gone.txt": "1\n"})
    ours = user.plant({"a.txt": "ours\n", "gone.txt": "2\n"}, parent=base)
    theirs = user.plant({"a.txt": "theirs\n"}, parent=base)
    found = asyncio.run(merges.merge(ours, theirs, at=AT))
    assert isinstance(found, Conflicted)
    assert (found.paths, found.files) == (("a.txt", "gone.txt"), ())


def test_a_commit_that_is_not_there_cannot_be_merged(
    user: ScratchRepository, merges: GitBranchMerges
) -> None:
    base = user.commit({"a.txt": "one\n"})
    with pytest.raises(SupervisorError):
        asyncio.run(merges.merge(base, CommitSha("1" * 40), at=AT))


def test_a_commit_is_taken_back_on_top_of_what_came_after_it(
    user: ScratchRepository, merges: GitBranchMerges
) -> None:
    base = user.commit({"a.txt": "a\n"})
    one = user.plant({"a.txt": "a\n", "one.txt": "1\n"}, parent=base)
    two = user.plant({"a.txt": "a\n", "one.txt": "1\n", "two.txt": "2\n"}, parent=one)
    made = asyncio.run(merges.revert(two, one, at=AT))
    assert made == asyncio.run(merges.revert(two, one, at=AT))
    assert isinstance(made, Snapshot)
    files = user.git.run("ls-tree", "-r", "--name-only", made.commit).text.split()
    assert files == ["a.txt", "two.txt"]
    assert user.git.run("rev-parse", f"{made.commit}^").text == two
    newest = asyncio.run(merges.revert(two, two, at=AT))
    assert isinstance(newest, Snapshot)
    assert user.git.run("rev-parse", f"{newest.commit}^{{tree}}").text == newest.tree


def test_a_commit_on_whose_lines_others_built_cannot_be_taken_back(
    user: ScratchRepository, merges: GitBranchMerges
) -> None:
    base = user.commit({"a.txt": "a\n"})
    one = user.plant({"a.txt": "one\n"}, parent=base)
    two = user.plant({"a.txt": "two\n"}, parent=one)
    found = asyncio.run(merges.revert(two, one, at=AT))
    assert isinstance(found, Conflicted)
    assert found.paths == ("a.txt",)

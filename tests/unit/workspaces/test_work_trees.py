"""Where a repository has files, found without git and the same as git finds it."""

from pathlib import Path

import pytest

from supervisor_ai.testing.scratch_repository import ScratchRepository
from supervisor_ai.workspaces.repositories.git import Git
from supervisor_ai.workspaces.repositories.work_trees import work_trees


def found(start: Path) -> set[Path]:
    return {place.resolve() for place in work_trees(start)}


@pytest.fixture
def user(tmp_path: Path) -> ScratchRepository:
    """Make a repository with a linked work tree beside it."""
    repository = ScratchRepository(tmp_path / "home")
    repository.commit({"sub/file": "x"})
    repository.git.run("worktree", "add", "--quiet", str(tmp_path / "linked"), "-b", "other")
    return repository


@pytest.mark.parametrize("start", ["home", "home/sub", "linked", "linked/sub", "home/sub/../sub"])
def test_every_work_tree_is_found_from_every_place(
    user: ScratchRepository, tmp_path: Path, start: str
) -> None:
    expected = {tmp_path / "home", tmp_path / "linked", tmp_path / "home/.git"}
    assert expected <= found(tmp_path / start)
    assert tmp_path not in found(tmp_path / start)
    assert user.path in found(tmp_path / start)


def test_what_only_looks_like_a_repository_hides_none(
    user: ScratchRepository, tmp_path: Path
) -> None:
    for name in ("empty", "wrong", "dangling"):
        (user.path / name / "deep").mkdir(parents=True)
    (user.path / "empty/.git").mkdir()
    (user.path / "wrong/.git").write_text("gitdir: ../nowhere\n")
    (user.path / "dangling/.git").symlink_to("nowhere")
    for name in ("empty", "wrong", "dangling"):
        assert {user.path, user.path / name} <= found(user.path / name / "deep")


def test_a_git_directory_elsewhere_is_followed(tmp_path: Path) -> None:
    ScratchRepository(tmp_path / "home").git.run(
        "init", "--quiet", f"--separate-git-dir={tmp_path / 'apart'}"
    )
    assert {tmp_path / "home", tmp_path / "apart"} <= found(tmp_path / "home")


def test_a_bare_repository_is_one_from_inside(tmp_path: Path) -> None:
    (tmp_path / "bare.git").mkdir()
    Git(directory=tmp_path / "bare.git").run("init", "--bare", "--quiet")
    assert tmp_path / "bare.git" in found(tmp_path / "bare.git/refs")


def test_outside_of_every_repository_there_is_nothing(tmp_path: Path) -> None:
    (tmp_path / "plain").mkdir()
    assert found(tmp_path / "plain") == set()

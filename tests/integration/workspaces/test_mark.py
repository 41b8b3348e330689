"""What a repository is known by, and what it holds where our state is."""

import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from supervisor_ai.domain.errors import Denied, Unavailable
from supervisor_ai.testing.scratch_repository import ScratchRepository
from supervisor_ai.workspaces.repositories.repository import GitRepository
from supervisor_ai.workspaces.repositories.repository_mark import hold_mark, make_mark, read_mark


def test_a_mark_is_made_once_and_shared_by_all_work_trees(tmp_path: Path) -> None:
    user = ScratchRepository(tmp_path / "user")
    user.commit({"a": "b"})
    user.git.run("worktree", "add", str(tmp_path / "linked"))
    main, linked = GitRepository(user.path), GitRepository(tmp_path / "linked")
    assert main.mark() is None
    mark = linked.make_mark()
    assert mark == main.mark() == main.make_mark()
    assert len(mark) == 32
    assert main.place == linked.place == str(user.path / ".git")


def test_no_clone_brings_a_mark_along(tmp_path: Path) -> None:
    user = ScratchRepository(tmp_path / "user")
    user.commit({"a": "b"})
    mark = GitRepository(user.path).make_mark()
    user.git.run("-c", "protocol.allow=always", "clone", "--bare", str(user.path), "../clone")
    assert read_mark(tmp_path / "clone") is None
    assert make_mark(tmp_path / "clone") != mark


def test_a_place_is_told_without_links(tmp_path: Path) -> None:
    user = ScratchRepository(tmp_path / "user")
    (tmp_path / "link").symlink_to(user.path)
    assert GitRepository(tmp_path / "link").place == str(user.path / ".git")


def test_who_makes_it_at_the_same_time_gets_the_same(tmp_path: Path) -> None:
    with ThreadPoolExecutor(8) as pool:
        marks = set(pool.map(lambda _: make_mark(tmp_path), range(16)))
    assert marks == {read_mark(tmp_path)}
    assert os.listdir(tmp_path) == ["supervisor-mark"]  # noqa: PTH208 - names, not paths


@pytest.mark.parametrize("content", ["", "0" * 32, "x" * 32 + "\n", "0" * 33 + "\n", "0" * 999])
def test_what_is_no_mark_is_not_taken_for_one(tmp_path: Path, content: str) -> None:
    (tmp_path / "supervisor-mark").write_text(content)
    for asked in (read_mark, make_mark):
        with pytest.raises(Unavailable, match="does not hold a mark"):
            asked(tmp_path)


def test_a_link_or_a_pipe_is_no_mark(tmp_path: Path) -> None:
    (tmp_path / "elsewhere").write_text("0" * 32 + "\n")
    (tmp_path / "supervisor-mark").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(Unavailable):
        read_mark(tmp_path)
    (tmp_path / "supervisor-mark").unlink()
    os.mkfifo(tmp_path / "supervisor-mark")
    with pytest.raises(Unavailable):
        read_mark(tmp_path)


def test_a_git_directory_that_cannot_be_written_is_said(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(Unavailable, match="Not a directory"):
        make_mark(tmp_path / "file")
    with pytest.raises(Unavailable, match="No such file"):
        make_mark(tmp_path / "gone")


def test_only_one_at_a_time_holds_it(tmp_path: Path) -> None:
    order: list[str] = []

    def second() -> None:
        with hold_mark(tmp_path):
            order.append("second")

    with ThreadPoolExecutor(1) as pool:
        with hold_mark(tmp_path):
            waiting = pool.submit(second)
            order.append("first")
        waiting.result()
    assert order == ["first", "second"]


@pytest.mark.parametrize(
    "name", [".supervisor/state.db", ".Supervisor/STATE.DB-wal", ".supervisor/artifacts/x"]
)
def test_what_the_index_or_the_commit_holds_is_tracked(tmp_path: Path, name: str) -> None:
    user = ScratchRepository(tmp_path / "user")
    user.write({name: "x", ".supervisor/config.yaml": "{}", "src/.supervisor/state.db": "x"})
    repository, shown = GitRepository(user.path), "/".join(name.split("/")[:2])
    assert repository.tracked_state() == ()
    user.git.run("add", "--all")
    assert repository.tracked_state() == (shown,)
    user.commit()
    assert repository.tracked_state() == (shown,)
    user.git.run("rm", "--cached", "--quiet", name)
    assert repository.tracked_state() == (shown,)
    user.git.run("-c", "user.name=a", "-c", "user.email=a@b", "commit", "--quiet", "-m", "x")
    assert repository.tracked_state() == ()


@pytest.mark.parametrize("kind", ["link", "submodule"])
def test_a_folder_that_is_no_folder_is_tracked_state(tmp_path: Path, kind: str) -> None:
    user = ScratchRepository(tmp_path / "user")
    commit = user.commit({"a": "b"})
    mode = {"link": "120000", "submodule": "160000"}[kind]
    blob = user.git.run("hash-object", "-w", "--stdin", stdin=b"/etc").text
    entry = f"{mode},{blob if kind == 'link' else commit},.supervisor"
    user.git.run("update-index", "--add", "--cacheinfo", entry)
    assert GitRepository(user.path).tracked_state() == (".supervisor",)


def test_state_inside_a_bare_repository_cannot_be_tracked(tmp_path: Path) -> None:
    user = ScratchRepository(tmp_path / "user")
    user.commit({".supervisor/state.db": "x"})
    user.git.run("-c", "protocol.allow=always", "clone", "--bare", str(user.path), "../bare")
    bare = ScratchRepository(tmp_path / "other").git
    bare.run("--git-dir", str(tmp_path / "bare"), "worktree", "add", str(tmp_path / "linked"))
    assert GitRepository(tmp_path / "linked").tracked_state() == ()


@pytest.mark.parametrize("place", [".", "config", "linked/config", "../link/config"])
def test_a_directory_of_the_users_inside_a_work_tree_is_refused(tmp_path: Path, place: str) -> None:
    user = ScratchRepository(tmp_path / "user")
    (tmp_path / "link").symlink_to(user.path)
    with pytest.raises(Denied, match="lies inside the repository"):
        GitRepository(user.path).refuse_inside(tmp_path, user.path / place)


def test_a_directory_beside_a_work_tree_is_not_inside(tmp_path: Path) -> None:
    user = ScratchRepository(tmp_path / "user")
    GitRepository(user.path).refuse_inside(tmp_path, tmp_path / "user2", Path("/nowhere"))

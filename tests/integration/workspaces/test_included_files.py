"""Ignored files of the checkout in a workspace: which, how, and never in a snapshot."""

import asyncio
import os
import stat
from datetime import UTC, datetime
from pathlib import Path

import pytest

from supervisor_ai.domain.errors import Unavailable
from supervisor_ai.domain.ids import CommitSha, EffectKey, RunId
from supervisor_ai.engine.ports.workspaces import Workspace, WorkspacePlan
from supervisor_ai.testing.scratch_repository import ScratchRepository
from supervisor_ai.workspaces.repositories.git import Git
from supervisor_ai.workspaces.repositories.repository import GitRepository
from supervisor_ai.workspaces.workspaces import GitWorkspaces

AT = datetime(2030, 1, 1, tzinfo=UTC)
RUN, KEY = RunId("r1"), EffectKey("r1/implement/1/1/worker/1")
REF = "refs/supervisor/r1/implement/1.1.1"
IGNORE = ".env\n*.local\ncerts/\n.supervisor/\n"
INCLUDE = (".env", "# a comment", "", "certs/", "*.local", "!not.local", "README", ".supervisor/")
IGNORED = {".env": "KEY=1\n", "certs/deep/key": "k\n", "a.local": "a\n", "not.local": "n\n"}


@pytest.fixture
def user(tmp_path: Path) -> ScratchRepository:
    return ScratchRepository(tmp_path / "home")


@pytest.fixture
def workspaces(user: ScratchRepository, tmp_path: Path) -> GitWorkspaces:
    return GitWorkspaces(GitRepository(user.path), tmp_path / "state")


def opened(
    workspaces: GitWorkspaces, start: CommitSha, plan: WorkspacePlan | None = None
) -> Workspace:
    plan = plan or WorkspacePlan(include=INCLUDE)
    return asyncio.run(workspaces.open(RUN, KEY, fence=1, start=start, plan=plan))


def names(workspace: Workspace) -> set[str]:
    found = (path for path in workspace.path.rglob("*") if not path.is_dir())
    return {str(path.relative_to(workspace.path)) for path in found} - {".git"}


def snapshot_files(
    user: ScratchRepository, workspaces: GitWorkspaces, workspace: Workspace
) -> set[str]:
    made = asyncio.run(workspaces.snapshot(workspace, ref=REF, at=AT))
    return set(GitRepository(user.path).list(made.commit, ""))


def test_what_is_ignored_and_named_is_copied_and_nothing_else(
    user: ScratchRepository, workspaces: GitWorkspaces
) -> None:
    start = user.commit({".gitignore": IGNORE, "README": "committed\n"})
    user.write(IGNORED | {"README": "dirty\n", "untracked": "u\n", ".supervisor/state.db": "s\n"})
    workspace = opened(workspaces, start)
    wanted = {".gitignore", "README", ".env", "certs/deep/key", "a.local"}
    assert names(workspace) == wanted
    assert (workspace.path / "README").read_text() == "committed\n"
    assert (workspace.path / ".env").read_text() == "KEY=1\n"


def test_an_included_file_never_enters_a_snapshot(
    user: ScratchRepository, workspaces: GitWorkspaces
) -> None:
    start = user.commit({".gitignore": IGNORE})
    user.write(IGNORED)
    workspace = opened(workspaces, start)
    (workspace.path / ".gitignore").write_text("!.env\n!certs/\n!*.local\n")
    (workspace.path / ".env").write_text("KEY=changed\n")
    (workspace.path / "new").write_text("new\n")
    assert snapshot_files(user, workspaces, workspace) == {".gitignore", "new"}


def test_only_included_files_are_nothing_to_keep(
    user: ScratchRepository, workspaces: GitWorkspaces
) -> None:
    (user.git.directory / "info").mkdir(exist_ok=True)
    (user.git.directory / "info" / "exclude").write_text(".env\n")
    start = user.commit({"README": "x\n"})
    user.write({".env": "KEY=1\n"})
    workspace = opened(workspaces, start)
    assert ".env" in names(workspace)
    status = Git(directory=workspace.path.parent / "trusted.git", work_tree=workspace.path)
    assert status.run("status", "--porcelain").output == b""
    assert asyncio.run(workspaces.keep_lost(RUN, KEY, ref=REF, at=AT)) is None


def test_what_the_start_has_is_not_replaced_and_can_be_changed(
    user: ScratchRepository, workspaces: GitWorkspaces
) -> None:
    start = user.plant({".env": "committed\n", "README": "x\n"})
    user.commit({".gitignore": IGNORE})
    user.write({".env": "KEY=1\n"})
    workspace = opened(workspaces, start)
    assert (workspace.path / ".env").read_text() == "committed\n"
    (workspace.path / ".env").write_text("worker\n")
    made = asyncio.run(workspaces.snapshot(workspace, ref=REF, at=AT))
    assert GitRepository(user.path).read(made.commit, ".env") == "worker\n"


def test_hidden_files_are_not_included(user: ScratchRepository, workspaces: GitWorkspaces) -> None:
    start = user.commit({".gitignore": IGNORE})
    user.write(IGNORED)
    plan = WorkspacePlan(include=INCLUDE, hides=(".env", "certs/"))
    assert names(opened(workspaces, start, plan)) == {".gitignore", "a.local"}


def test_links_pipes_and_odd_names(
    user: ScratchRepository, workspaces: GitWorkspaces, tmp_path: Path
) -> None:
    (tmp_path / "secret").write_text("secret\n")
    odd = ["-rf.local", "new\nline.local", "\x1b[31m.local", "*.local", "b c .local"]
    start = user.commit({".gitignore": IGNORE + "away\n"})
    user.write(dict.fromkeys(odd, "x\n"))
    (user.path / os.fsdecode(b"\xff.local")).write_text("x\n")
    (user.path / "link.local").symlink_to(tmp_path / "secret")
    (user.path / "away").symlink_to(tmp_path)
    os.mkfifo(user.path / "fifo.local")
    workspace = opened(workspaces, start, WorkspacePlan(include=("*.local", "away")))
    assert names(workspace) == {".gitignore", *odd, os.fsdecode(b"\xff.local")}
    (workspace.path / ".gitignore").unlink()
    assert snapshot_files(user, workspaces, workspace) == set()


@pytest.mark.parametrize(("is_writable", "mode"), [(True, 0o600), (False, 0o644)])
def test_a_private_file_stays_private_where_its_reader_owns_it(
    user: ScratchRepository, workspaces: GitWorkspaces, *, is_writable: bool, mode: int
) -> None:
    start = user.commit({".gitignore": IGNORE})
    user.write({".env": "KEY=1\n", "a.local": "#!/bin/sh\n"})
    (user.path / ".env").chmod(0o600)
    (user.path / "a.local").chmod(0o4777)
    plan = WorkspacePlan(include=INCLUDE, is_writable=is_writable)
    workspace = opened(workspaces, start, plan)
    modes = [stat.S_IMODE((workspace.path / it).stat().st_mode) for it in (".env", "a.local")]
    assert modes == [mode if os.geteuid() == 0 else 0o600, 0o755]


def test_too_many_files_are_refused_with_the_limit(
    user: ScratchRepository, workspaces: GitWorkspaces, tmp_path: Path
) -> None:
    start = user.commit({".gitignore": IGNORE})
    with (user.path / "big.local").open("wb") as file:
        file.truncate(1 << 30)
    with pytest.raises(Unavailable, match=r"names are more than 536870912 bytes"):
        opened(workspaces, start)
    assert list((tmp_path / "state" / "r1" / "work").iterdir()) == []


def test_another_checkout_gets_the_files_of_the_main_one(
    user: ScratchRepository, tmp_path: Path
) -> None:
    start = user.commit({".gitignore": IGNORE})
    user.write({".env": "KEY=1\n"})
    user.git.run("worktree", "add", "--quiet", str(tmp_path / "linked"))
    workspaces = GitWorkspaces(GitRepository(tmp_path / "linked"), tmp_path / "state")
    assert names(opened(workspaces, start)) == {".gitignore", ".env"}

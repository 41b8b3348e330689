"""The mounts of a workspace that may be written path by path, also for a hostile commit."""

import asyncio
import os
from pathlib import Path
from typing import Final

import pytest

from supervisor_ai.domain.errors import InvalidInput
from supervisor_ai.domain.ids import EffectKey, RunId
from supervisor_ai.domain.run.writable import Writable
from supervisor_ai.engine.ports.sandbox import Mount, Profile
from supervisor_ai.engine.ports.workspaces import Workspace, WorkspacePlan
from supervisor_ai.sandboxes.seatbelt import SeatbeltView, seatbelt_profile
from supervisor_ai.testing.scratch_repository import ScratchRepository
from supervisor_ai.workspaces.partition import lay_out, part_mounts
from supervisor_ai.workspaces.repositories.repository import GitRepository
from supervisor_ai.workspaces.workspaces import GitWorkspaces

RUN, KEY = RunId("r1"), EffectKey("r1/implement/1/1/worker/1")
FOLDER: Final = "docs/more/tasks"
OWN: Final = f"{FOLDER}/1-own.md"
IMPLEMENTOR: Final = Writable(everywhere=True, paths={FOLDER: False, OWN: True})
ARCHITECT: Final = Writable(everywhere=False, paths={OWN: True})
MANAGER: Final = Writable(everywhere=False, paths={FOLDER: True})


def parts(tree: Path, writable: Writable) -> list[tuple[str, bool]]:
    lay_out(tree, writable)
    mounts = list(part_mounts(tree, writable))
    assert all(mount.source == mount.target for mount in mounts)
    return [(str(mount.target.relative_to(tree)), mount.is_writable) for mount in mounts]


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    (tmp_path / FOLDER).mkdir(parents=True)
    (tmp_path / OWN).touch()
    return tmp_path


def test_what_a_part_lies_in_is_mounted_where_it_could_be_moved(tree: Path) -> None:
    around = [("docs", True), ("docs/more", True)]
    assert parts(tree, IMPLEMENTOR) == [*around, (FOLDER, False), (OWN, True)]
    assert parts(tree, ARCHITECT) == [(OWN, True)]
    assert parts(tree, MANAGER) == [(FOLDER, True)]


def test_a_directory_that_the_commit_lacks_is_made(tmp_path: Path) -> None:
    old = os.umask(0o077)
    try:
        assert parts(tmp_path, MANAGER) == [(FOLDER, True)]
    finally:
        os.umask(old)
    made = [tmp_path / "docs", tmp_path / "docs/more", tmp_path / FOLDER]
    assert [path.stat().st_mode & 0o777 for path in made] == [0o755] * 3
    assert list((tmp_path / FOLDER).iterdir()) == []


def test_a_file_that_does_not_exist_has_no_mount_and_makes_nothing(tmp_path: Path) -> None:
    assert parts(tmp_path, ARCHITECT) == []
    assert list(tmp_path.iterdir()) == []


def test_a_folder_may_be_called_as_a_file_is_where_files_are_named_in_it(tmp_path: Path) -> None:
    rules = Writable(everywhere=True, paths={"a.md": False, "a.md/1-own.md": True})
    assert parts(tmp_path, rules) == [("a.md", False)]


@pytest.mark.parametrize("writable", [IMPLEMENTOR, ARCHITECT, MANAGER])
@pytest.mark.parametrize(
    ("link", "to"), [("docs", "/"), ("docs", "other"), ("docs/more", "/etc"), (FOLDER, "/etc")]
)
def test_a_link_is_never_mounted(tmp_path: Path, writable: Writable, link: str, to: str) -> None:
    user = ScratchRepository(tmp_path / "home")
    (user.path / link).parent.mkdir(parents=True, exist_ok=True)
    (user.path / link).symlink_to(to)
    with pytest.raises(InvalidInput, match=f"{link!r} is a symbolic link"):
        opened(user, tmp_path, writable)
    assert list((tmp_path / "work").rglob("tree")) == []


def test_a_task_file_that_is_a_link_is_never_mounted(tmp_path: Path) -> None:
    user = ScratchRepository(tmp_path / "home")
    (user.path / FOLDER).mkdir(parents=True)
    (user.path / OWN).symlink_to("/etc/passwd")
    for writable in (IMPLEMENTOR, ARCHITECT):
        with pytest.raises(InvalidInput, match="is a symbolic link"):
            opened(user, tmp_path, writable)


@pytest.mark.parametrize("name", ["docs", "docs/more"])
def test_a_file_on_the_way_is_named(tmp_path: Path, name: str) -> None:
    user = ScratchRepository(tmp_path / "home")
    user.write({name: "file\n"})
    with pytest.raises(InvalidInput, match=f"{name!r} is a file"):
        opened(user, tmp_path, ARCHITECT)


def test_a_pipe_is_never_mounted(tree: Path) -> None:
    (tree / OWN).unlink()
    os.mkfifo(tree / OWN)
    with pytest.raises(InvalidInput, match="neither a file nor a directory"):
        lay_out(tree, ARCHITECT)


def test_git_s_own_files_are_mounted_last(tmp_path: Path) -> None:
    user = ScratchRepository(tmp_path / "home")
    user.write({OWN: "own\n", "README": "hello\n"})
    workspace = opened(user, tmp_path, IMPLEMENTOR)
    names = [mount.target.name for mount in workspace.mounts]
    assert names == ["tree", "docs", "more", "tasks", "1-own.md", ".git", "wgit", "base.git"]


@pytest.mark.parametrize("is_writable", [True, False])
def test_rules_come_before_what_holds_for_the_whole(tmp_path: Path, *, is_writable: bool) -> None:
    user = ScratchRepository(tmp_path / "home")
    user.write({OWN: "own\n"})
    for writable in (IMPLEMENTOR, ARCHITECT):
        workspace = opened(user, tmp_path, writable, is_writable=is_writable)
        assert workspace.mounts[0].is_writable is writable.everywhere


def test_the_profile_for_macos_says_the_same_in_the_same_order(tmp_path: Path) -> None:
    tree = Path("/Users/me/tree")
    places = {"": True, "docs": True, "docs/more": True, FOLDER: False, OWN: True}
    mounts = tuple(
        Mount(source=tree / path, target=tree / path, is_writable=is_writable)
        for path, is_writable in places.items()
    )
    view = SeatbeltView(profile=Profile.WORKER, mounts=mounts, tools=(), temporary=tmp_path)
    writing = [line for line in seatbelt_profile(view).splitlines() if str(tree) in line][-6:]
    around = f'(literal "{tree}/docs/more") (literal "{tree}/docs")'
    assert writing == [
        f'(allow file-write* (subpath "{tree}"))',
        f'(allow file-write* (subpath "{tree}/docs"))',
        f'(allow file-write* (subpath "{tree}/docs/more"))',
        f'(deny file-write* (subpath "{tree}/{FOLDER}"))',
        f"(deny file-write-unlink {around})",
        f'(allow file-write* (subpath "{tree}/{OWN}"))',
    ]


def opened(
    user: ScratchRepository, place: Path, writable: Writable, *, is_writable: bool = True
) -> Workspace:
    workspaces = GitWorkspaces(GitRepository(user.path), place / "work/project")
    plan = WorkspacePlan(writable=writable, is_writable=is_writable)
    return asyncio.run(workspaces.open(RUN, KEY, fence=1, start=user.commit(), plan=plan))

"""Nothing outside of a kanban's folder is read or written, whatever lies in it."""

import os
import socket
import stat
from pathlib import Path

import pytest

from supervisor_ai.documents.kanban_folder import kanban_folder
from supervisor_ai.domain.errors import InvalidInput
from supervisor_ai.drivers.kanban.board.bounds import ALL_BYTES, FILE_BYTES, MOST_FILES

FILE = "a/tasks/0-kanban-x.md"


@pytest.fixture
def tasks(tmp_path: Path) -> Path:
    folder = tmp_path / "root" / "a" / "tasks"
    folder.mkdir(parents=True)
    (tmp_path / "secret.md").write_text("secret")
    return folder


@pytest.fixture
def root(tasks: Path) -> Path:
    return tasks.parents[1]


def test_markdown_files_are_read_by_their_path_in_the_project(root: Path, tasks: Path) -> None:
    (tasks / "0-kanban-x.md").write_bytes(b"\xff one")
    (tasks / "notes.txt").write_text("other")
    (tasks / "deeper").mkdir()
    (tasks / "deeper" / "1-x.md").write_text("other")
    with kanban_folder(root, FILE) as folder:
        assert folder.read() == {FILE: b"\xff one"}
        assert folder.paths() == ["a/tasks/0-kanban-x.md", "a/tasks/deeper", "a/tasks/notes.txt"]


def test_what_is_no_regular_file_is_not_there(root: Path, tasks: Path, tmp_path: Path) -> None:
    (tasks / "1-link.md").symlink_to(tmp_path / "secret.md")
    (tasks / "2-folder.md").mkdir()
    os.mkfifo(tasks / "3-fifo.md")
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(os.path.relpath(tasks / "4-socket.md"))
        with kanban_folder(root, FILE) as folder:
            assert folder.read() == {}


@pytest.mark.parametrize("place", ["a", "a/tasks"])
@pytest.mark.parametrize("is_new", [False, True])
def test_no_link_leads_out(tmp_path: Path, place: str, *, is_new: bool) -> None:
    outside, root = tmp_path / "outside", tmp_path / "root"
    (outside / "tasks").mkdir(parents=True)
    (root / place).parent.mkdir(parents=True, exist_ok=True)
    (root / place).symlink_to(outside)
    with (
        pytest.raises(OSError, match=place.rpartition("/")[2]),
        kanban_folder(root, FILE, is_new=is_new),
    ):
        pass
    assert [path.name for path in outside.rglob("*")] == ["tasks"]


WRONG = ["x.md", "/a/x.md", "../x.md", "a/../x.md", "a//x.md", "./a.md", "a/x.txt", "a/\0.md", ""]


@pytest.mark.parametrize("file", WRONG)
def test_a_path_that_leads_elsewhere_is_refused(tmp_path: Path, file: str) -> None:
    with pytest.raises(InvalidInput), kanban_folder(tmp_path, file, is_new=True):
        pass
    assert list(tmp_path.iterdir()) == []


def test_of_a_file_too_large_no_more_is_read_than_shows_it(root: Path, tasks: Path) -> None:
    (tasks / "1-x.md").write_bytes(b"x" * (2 * FILE_BYTES))
    with kanban_folder(root, FILE) as folder:
        assert len(folder.read()["a/tasks/1-x.md"]) == FILE_BYTES + 1


@pytest.mark.parametrize(
    ("count", "size"), [(MOST_FILES + 1, 0), (ALL_BYTES // FILE_BYTES + 1, 2**20)]
)
def test_too_much_is_refused(root: Path, tasks: Path, count: int, size: int) -> None:
    for number in range(count):
        (tasks / f"{number}-x.md").touch()
        os.truncate(tasks / f"{number}-x.md", size)
    with kanban_folder(root, FILE) as folder:
        with pytest.raises(InvalidInput, match="more than 1000"):
            folder.read()
        (tasks / "0-x.md").unlink()
        assert len(folder.read()) == count - 1


def test_a_folder_is_made_for_a_new_kanban_only(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError), kanban_folder(tmp_path, FILE):
        pass
    with kanban_folder(tmp_path, FILE, is_new=True) as folder:
        folder.create(FILE, "text ✓")
    assert (tmp_path / FILE).read_text() == "text ✓"
    assert stat.S_IMODE((tmp_path / FILE).stat().st_mode) == 0o644


def test_a_new_file_never_replaces_another_one(root: Path, tasks: Path, tmp_path: Path) -> None:
    (tasks / "1-x.md").write_text("old")
    (tasks / "2-x.md").symlink_to(tmp_path / "made-by-link.md")
    with kanban_folder(root, FILE) as folder:
        for name in ("1-x.md", "2-x.md"):
            with pytest.raises(FileExistsError):
                folder.create(f"a/tasks/{name}", "new")
    assert (tasks / "1-x.md").read_text() == "old"
    assert not (tmp_path / "made-by-link.md").exists()


def test_a_file_is_replaced_with_its_rights_and_never_through_a_link(
    root: Path, tasks: Path, tmp_path: Path
) -> None:
    (tasks / "1-x.md").write_text("old")
    (tasks / "1-x.md").chmod(0o600)
    os.link(tasks / "1-x.md", tmp_path / "other-name.md")
    (tasks / "2-x.md").symlink_to(tmp_path / "secret.md")
    with kanban_folder(root, FILE) as folder:
        folder.replace("a/tasks/1-x.md", "new")
        folder.replace("a/tasks/2-x.md", "new")
    assert (tasks / "1-x.md").read_text() == "new"
    assert stat.S_IMODE((tasks / "1-x.md").stat().st_mode) == 0o600
    assert (tmp_path / "other-name.md").read_text() == "old"
    assert (tmp_path / "secret.md").read_text() == "secret"
    assert not (tasks / "2-x.md").is_symlink()
    assert sorted(path.name for path in tasks.iterdir()) == ["1-x.md", "2-x.md"]


def test_a_file_that_cannot_be_replaced_leaves_nothing_behind(root: Path, tasks: Path) -> None:
    (tasks / "1-x.md").mkdir()
    with kanban_folder(root, FILE) as folder, pytest.raises(IsADirectoryError):
        folder.replace("a/tasks/1-x.md", "new")
    assert [path.name for path in tasks.iterdir()] == ["1-x.md"]


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give files away")
def test_files_belong_to_whoever_owned_the_old_ones(root: Path, tasks: Path) -> None:
    (tasks / "1-x.md").write_text("old")
    os.chown(tasks / "1-x.md", 4001, 4002)
    os.chown(root, 4003, 4004)
    with kanban_folder(root, FILE) as folder:
        folder.replace("a/tasks/1-x.md", "new")
    with kanban_folder(root, "new/0-kanban-x.md", is_new=True) as folder:
        folder.create("new/0-kanban-x.md", "new")
    owners = [
        ((path := root / name).stat().st_uid, path.stat().st_gid)
        for name in ("a/tasks/1-x.md", "new", "new/0-kanban-x.md")
    ]
    assert owners == [(4001, 4002), (4003, 4004), (4003, 4004)]
